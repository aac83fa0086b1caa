"""Models that run in this process with Transformers: ids ``hf/HUB_ID`` and ``hf/./FOLDER``.

One class for every family that Transformers knows by itself: Qwen2.5-VL, Qwen3-VL, InternVL
(repositories that end in -HF), GLM-4.1V and 4.5V, Llama 4, Gemma 3, LLaVA-OneVision, Idefics3 and
others. Decoding is greedy; a repetition penalty that the repository sets stays. Pictures are
resized by Pillow, because torchvision's pixels differ by a grey level.
"""

import importlib.metadata
from collections.abc import Iterator, Sequence
from functools import cached_property

from enact_assets.asking.loaded_model import LoadedModel, LocalReply, conversation
from enact_assets.asking.local_parameters import parameters_of
from enact_assets.asking.local_weights import find_weights, uses_torchvision
from enact_assets.asking.messages import Message, PictureReader
from enact_assets.asking.model_entries import Model
from enact_assets.asking.replies import Reply
from enact_assets.contracts.errors import PredictionError

FORM = 1
"""Goes up when this module asks otherwise: older answers are then not reused."""
LIBRARIES = ("torch", "transformers", "tokenizers", "numpy", "pillow")
"""Packages whose versions may change an answer."""


class LocalModel:
    """A model in this process. Weights are loaded when the first answer is asked for."""

    def __init__(self, model: Model) -> None:
        """Find the weights of ``model``.

        Errors: :class:`SettingsError` for its parameters, :class:`PredictionError` if packages or
        weights are missing, or if the model needs code of its own.
        """
        self.name, self.asked_id = model.name, model.asked_id
        self.parameters = parameters_of(model)
        _check_installed(*LIBRARIES)
        self.device = self.parameters.device or _default_device()
        self.weights = find_weights(model, self.parameters.revision)
        more = ("torchvision",) if uses_torchvision(self.weights) else ()
        _check_installed(*more)
        self._libraries = (*LIBRARIES, *more)

    @property
    def version(self) -> str:
        """Everything that decides answers besides the message and the id."""
        given = self.parameters
        kind = self.device.partition(":")[0]
        return "; ".join(
            (
                f"local {FORM}",
                self.weights.version,
                f"{given.dtype} {given.attention} {kind} batches of {given.batch_size}",
                *(f"{name} {importlib.metadata.version(name)}" for name in self._libraries),
            )
        )

    def answers(
        self, messages: Sequence[Message], read_picture: PictureReader
    ) -> Iterator[Reply | Exception]:
        """One per message, in order, as each batch ends. A question that cannot be answered yields
        its error, and the next ones are asked.

        Errors: :class:`PredictionError` if the model cannot be loaded.
        """
        size = self.parameters.batch_size
        for start in range(0, len(messages), size):
            batch = messages[start : start + size]
            problems = [self._loaded.problem_of(message) for message in batch]
            asked = [m for m, problem in zip(batch, problems, strict=True) if problem is None]
            replies = iter(self._ask(asked, read_picture))
            yield from (problem or next(replies) for problem in problems)

    def _ask(
        self, messages: Sequence[Message], read_picture: PictureReader
    ) -> Sequence[LocalReply | PredictionError]:
        import torch

        if not messages:
            return []
        try:
            return self._loaded.replies([conversation(m, read_picture) for m in messages])
        except ValueError as error:
            if len(messages) > 1:  # one of them: the others still get their answers
                return [reply for m in messages for reply in self._ask([m], read_picture)]
            return [PredictionError(str(error))]
        except RuntimeError as error:
            if not _is_out_of_memory(error):
                raise
            if self.device.startswith("cuda"):
                torch.cuda.empty_cache()
            return [PredictionError(self._too_large(m, len(messages))) for m in messages]

    def _too_large(self, message: Message, in_batch: int) -> str:
        first = f"lower `batch_size` ({in_batch}), " if in_batch > 1 else ""
        return (
            f"{message.n_pictures} pictures in a batch of {in_batch} do not fit into the memory of "
            f"{self.device}. In the model's parameters {first}set a smaller "
            "`images: {size: ...}` or `dtype: bfloat16`; or serve the model with vLLM and ask "
            f"`vllm/{self.asked_id}`."
        )

    @cached_property
    def _loaded(self) -> LoadedModel:
        try:
            return LoadedModel(self.asked_id, self.weights, self.parameters, self.device)
        except Exception as error:  # of any library that reads weights
            if _is_out_of_memory(error):
                raise PredictionError(
                    f"model {self.name} does not fit into the memory of {self.device}. Set "
                    "`dtype: bfloat16` in its parameters, choose a smaller model, or serve it "
                    f"with vLLM on several cards and ask `vllm/{self.asked_id}`."
                ) from error
            raise PredictionError(f"model {self.name} could not be loaded: {error}") from error


def _check_installed(*packages: str) -> None:
    missing = [name for name in packages if not _is_installed(name)]
    if missing:
        raise PredictionError(
            f"Models that run in this process need {', '.join(missing)}: "
            f"`pip install 'enact_assets[local]'{' torchvision' * ('torchvision' in missing)}`. "
            "docs/models.md says how to install the smaller build of PyTorch for machines without "
            "a graphics card."
        )


def _is_installed(package: str) -> bool:
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _default_device() -> str:
    import torch

    accelerator = torch.accelerator.current_accelerator(check_available=True)
    return "cpu" if accelerator is None else accelerator.type


def _is_out_of_memory(error: Exception) -> bool:
    import torch

    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)
