"""Parameters of models that run in this process."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from enact_assets.asking.model_entries import Model
from enact_assets.contracts.errors import SettingsError


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
