"""Models that run in this process with Transformers: ids ``hf/HUB_ID`` and ``hf/./FOLDER``.

Here are their parameters, the model once it is in memory, and the model as others ask it.

One class for every family that Transformers knows by itself: Qwen2.5-VL, Qwen3-VL, InternVL
(repositories that end in -HF), GLM-4.1V and 4.5V, Llama 4, Gemma 3, LLaVA-OneVision, Idefics3 and
others. Decoding is greedy; a repetition penalty that the repository sets stays. Pictures are
resized by Pillow, because torchvision's pixels differ by a grey level.
"""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import msgspec
from PIL import Image

from enact_assets.answers.models.answers import Stop
from enact_assets.answers.models.entries import Model
from enact_assets.answers.models.local_weights import Weights, find_weights, uses_torchvision
from enact_assets.answers.models.messages import Message, Picture, PictureReader, Text
from enact_assets.answers.models.replies import Reply
from enact_assets.engine.errors import PredictionError, SettingsError
from enact_assets.engine.system.package_versions import MISSING, version_of
from enact_assets.questions.asked.thinking import parted_by_marks

FORM = 1
"""Goes up when this module asks otherwise: older answers are then not reused."""
LIBRARIES = ("torch", "transformers", "tokenizers", "numpy", "pillow")
"""Packages whose versions may change an answer."""


class LocalParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``parameters`` of an entry whose channel is ``local``; all of them decide answers.

    ``dtype`` is the type of the weights in memory; ``auto`` is the type they were published in.
    ``device`` is a device of torch, such as ``cuda:1``; null is the accelerator if there is one.
    ``images`` are settings of the model's picture processor, such as
    ``size: {shortest_edge: 3136, longest_edge: 200704}``; ``chat_template_kwargs`` are variables
    of its chat template, such as ``enable_thinking: false``.
    """

    max_new_tokens: int = 1024
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    attention: Literal["sdpa", "eager", "flash_attention_2"] = "sdpa"
    batch_size: int = 1
    revision: str | None = None
    device: str | None = None
    images: Mapping[str, Any] = {}
    chat_template_kwargs: Mapping[str, Any] = {}


def parameters_of(model: Model) -> LocalParameters:
    """Parameters of ``model``. Errors: :class:`SettingsError` names the field."""
    where = f"model {model.name}: parameters"
    try:
        given = msgspec.convert(dict(model.parameters), LocalParameters)
    except msgspec.ValidationError as error:
        known = ", ".join(LocalParameters.__struct_fields__)
        raise SettingsError(f"{where}: {error} (known: {known})") from error
    if min(given.batch_size, given.max_new_tokens) < 1:
        raise SettingsError(f"{where}: batch_size and max_new_tokens must be at least 1")
    if given.batch_size > 1 and given.dtype != "float32":
        raise SettingsError(
            f"{where}: batch_size {given.batch_size} needs dtype float32. In {given.dtype} the "
            "padding of a batch changes some answers, so set `batch_size: 1` or `dtype: float32`."
        )
    return given


PROMPT_DATE = "26 Jul 2024"
"""Templates of Llama's family write a date into the prompt: always this one, their own default."""


_OF_THE_ANSWER = frozenset({"<|begin_of_box|>", "<|end_of_box|>"})
"""Markers by which GLM's family says which part of its words is the answer."""


class LocalReply(Reply, frozen=True, kw_only=True):
    """``written`` is everything the model wrote, reasoning and markers included."""

    written: str


class LoadedModel:
    """Weights in memory and the processor that turns conversations into tensors."""

    def __init__(
        self, asked_id: str, weights: Weights, parameters: LocalParameters, device: str
    ) -> None:
        import torch
        from transformers import AutoModelForImageTextToText

        self._torch, self._asked_id, self._parameters = torch, asked_id, parameters
        self.processor = _processor(weights)
        self.tokenizer = self.processor.tokenizer
        # On the right, models would answer after the padding, and nothing says so.
        self.tokenizer.padding_side = "left"
        if self.tokenizer.pad_token is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token
        self._variables = self._template_variables()
        if parameters.dtype == "float32":
            # Rounded inputs of convolutions, the default on NVIDIA cards, are not float32.
            torch.backends.cudnn.allow_tf32 = False
        self.model, found = AutoModelForImageTextToText.from_pretrained(
            weights.place,
            revision=weights.revision or "main",
            dtype=parameters.dtype,
            attn_implementation=parameters.attention,
            trust_remote_code=False,
            output_loading_info=True,
        )
        missing = sorted(found["missing_keys"])
        if missing:  # Transformers would fill them with random numbers
            raise ValueError(f"{len(missing)} of its weights are missing, the first {missing[0]}")
        self.model.to(device).eval()
        # Greedy: settings of sampling would only bring warnings.
        settings = self.model.generation_config
        settings.update(do_sample=False, num_beams=1, temperature=None, top_p=None, top_k=None)
        ends = settings.eos_token_id
        self._ends = {*(ends if isinstance(ends, list) else [ends]), self.tokenizer.eos_token_id}
        added = self.tokenizer.added_tokens_decoder.values()
        self._markers = {token.content for token in added if token.special}
        self._markers |= {
            token
            for name in ("image_token", "video_token", "boi_token")
            if isinstance(token := getattr(self.processor, name, None), str)
        }

    def _template_variables(self) -> dict[str, Any]:
        template = self.processor.chat_template or self.tokenizer.chat_template
        if not template:
            raise ValueError("it has no chat template, so it cannot be asked questions")
        given = dict(self._parameters.chat_template_kwargs)
        for name in given:
            if name not in str(template):
                raise ValueError(
                    f"its chat template has no variable {name!r}: remove it from "
                    "`chat_template_kwargs`"
                )
        if "strftime_now" in str(template) and "date_string" in str(template):
            given.setdefault("date_string", PROMPT_DATE)
        return given

    def problem_of(self, message: Message) -> PredictionError | None:
        """Why ``message`` cannot be asked: words that the tokenizer would take for a picture or
        for the end of a turn.
        """
        for part in message.parts:
            found = {m for m in self._markers if isinstance(part, Text) and m in part.text}
            if found:
                return PredictionError(
                    f"the text contains {min(found)!r}, which {self._asked_id} reads as a control "
                    "token. Reword the prompt."
                )
        return None

    def replies(self, conversations: Sequence[list[dict[str, Any]]]) -> list[LocalReply]:
        """What the model answers to each, asked in one batch.

        Errors: ``ValueError`` for conversations that the model cannot take, torch's for memory.
        """
        torch, limit = self._torch, self._parameters.max_new_tokens
        inputs = self._inputs(conversations)
        tokens_in = inputs["attention_mask"].sum(dim=1).tolist()
        self._check_length(max(tokens_in), limit)
        with torch.inference_mode():
            rows = self.model.generate(**inputs, max_new_tokens=limit)
        width = inputs["input_ids"].shape[1]
        prompts = self.tokenizer.batch_decode(inputs["input_ids"][:, -8:])
        return [
            self._reply(row, n, began_to_think=prompt.rstrip().endswith("<think>"))
            for row, n, prompt in zip(rows[:, width:].tolist(), tokens_in, prompts, strict=True)
        ]

    def _inputs(self, conversations: Sequence[list[dict[str, Any]]]) -> Any:
        images = dict(self._parameters.images)
        try:
            inputs = self.processor.apply_chat_template(
                list(conversations),
                tokenize=True,
                add_generation_prompt=True,
                return_dict=True,
                return_tensors="pt",
                processor_kwargs={"padding": True, "images_kwargs": images},
                **self._variables,
            )
        except Exception as error:
            if not images:
                raise
            # All pictures have one size, so a setting that fails fails for all.
            raise PredictionError(
                f"{self._asked_id} cannot take pictures with `images: {images}` of its parameters: "
                f"{type(error).__name__}: {error}"
            ) from error
        return inputs.to(self.model.device, dtype=self.model.dtype)

    def _check_length(self, tokens: int, limit: int) -> None:
        context = getattr(self.model.config.get_text_config(), "max_position_embeddings", None)
        if context is not None and tokens + limit > context:
            raise ValueError(
                f"{tokens} tokens and {limit} of the answer are more than the {context} that "
                f"{self._asked_id} takes. Set a smaller `images: {{size: ...}}` or "
                "`max_new_tokens` in its parameters."
            )

    def _reply(self, row: Sequence[int], tokens_in: int, *, began_to_think: bool) -> LocalReply:
        """``row`` is padded behind the first token that ends an answer."""
        end = next((i for i, token in enumerate(row) if token in self._ends), None)
        stop: Stop = "cut" if end is None else "complete"
        said = row[:end]
        written = self.tokenizer.decode(said)
        return LocalReply(
            text=answer_in(written, self._markers, began_to_think=began_to_think),
            stop=stop,
            served_model=self._asked_id,
            tokens_in=tokens_in,
            tokens_in_cached=None,
            tokens_out=len(said) + (end is not None),
            tokens_reasoning=None,
            written=written,
        )


def answer_in(written: str, markers: Iterable[str] = (), *, began_to_think: bool = False) -> str:
    """``written`` without the model's own ``markers``, such as the end of its turn. Markers of a
    thought or an answer stay, and thoughts with them: the parser of the answer leaves them out.
    ``began_to_think``: the prompt ended with ``<think>``, so the answer begins within it.
    """
    others = sorted(set(markers) - _OF_THE_ANSWER, key=len, reverse=True)
    parts = parted_by_marks(f"<think>{written}" if began_to_think else written)
    for at in range(0, len(parts), 2):  # between two marks
        for marker in others:
            parts[at] = parts[at].replace(marker, "")
    return "".join(parts).strip()


def conversation(message: Message, read_picture: PictureReader) -> list[dict[str, Any]]:
    """``message`` as chat templates take it: one turn of the user, parts in order."""
    return [{"role": "user", "content": [_content(part, read_picture) for part in message.parts]}]


def _content(part: Text | Picture, read_picture: PictureReader) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    with Image.open(io.BytesIO(read_picture(part.sha))) as picture:
        return {"type": "image", "image": picture.convert("RGB")}


def _processor(weights: Weights) -> Any:
    """The model's processor without its video half, which needs torchvision only to load."""
    from transformers.models.auto.processing_auto import (
        PROCESSOR_MAPPING_NAMES,
        processor_class_from_name,
    )

    whole = processor_class_from_name(PROCESSOR_MAPPING_NAMES[weights.config["model_type"]])
    # Where there is no code for Pillow, Transformers takes torchvision's.
    return pictures_only(whole).from_pretrained(
        weights.place,
        revision=weights.revision or "main",
        backend="pil",
        trust_remote_code=False,
    )


def pictures_only(whole: Any) -> Any:
    """The class of a processor, ``whole``, without its video half, which needs torchvision even to
    be loaded.
    """

    def get_attributes(_: type) -> list[str]:
        return [name for name in whole.get_attributes() if name != "video_processor"]

    return type(whole.__name__, (whole,), {"get_attributes": classmethod(get_attributes)})


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
                *(f"{name} {version_of(name)}" for name in self._libraries),
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
    missing = [name for name in packages if version_of(name) == MISSING]
    if missing:
        raise PredictionError(
            f"Models that run in this process need {', '.join(missing)}: "
            f"`pip install 'enact_assets[local]'{' torchvision' * ('torchvision' in missing)}`. "
            "docs/models.md says how to install the smaller build of PyTorch for machines without "
            "a graphics card."
        )


def _default_device() -> str:
    import torch

    accelerator = torch.accelerator.current_accelerator(check_available=True)
    return "cpu" if accelerator is None else accelerator.type


def _is_out_of_memory(error: Exception) -> bool:
    import torch

    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)
