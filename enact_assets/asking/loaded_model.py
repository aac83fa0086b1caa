"""A model in memory that answers conversations, with Transformers."""

import io
from collections.abc import Iterable, Sequence
from typing import Any

from PIL import Image

from enact_assets.asking.answers import Stop
from enact_assets.asking.local_parameters import LocalParameters
from enact_assets.asking.local_weights import Weights
from enact_assets.asking.messages import Message, Picture, PictureReader, Text
from enact_assets.asking.replies import Reply
from enact_assets.contracts.errors import PredictionError
from enact_assets.questions.thinking import parted_by_marks

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
    """``written`` without the model's own ``markers``, such as the end of its turn. Those that mark
    a thought or an answer stay, and thoughts with them: whoever reads the answer leaves them out.
    ``began_to_think``: the prompt ended with ``<think>``, which begins the answer then.
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
