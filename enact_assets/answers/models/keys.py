"""The key of a model: read from the environment, checked, and kept out of what is written."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import AnyStr

from enact_assets.answers.models.entries import OVER_HTTP, Model
from enact_assets.engine.errors import PredictionError

_SECRETS = ("KEY", "TOKEN", "SECRET", "PASSWORD")
"""Endings of the names of variables with secrets."""
_SHORTEST = 8
"""What is shorter is a placeholder, such as those of local servers."""


def key_of(model: Model) -> str:
    """The key that ``model`` is asked with; empty if none is set."""
    return os.environ.get(model.key_variable, "").strip()


def wants_key(model: Model) -> bool:
    """Whether ``model`` cannot be asked without a key. Servers on this machine can."""
    return bool(model.key_variable) and model.channel in OVER_HTTP and not model.is_local_server


def has_key(model: Model) -> bool | None:
    """Whether the key of ``model`` is set, the one that it needs or that its entry names; None if
    there is none to set.
    """
    is_named = bool(model.entry.key) and model.channel in OVER_HTTP
    return bool(key_of(model)) if is_named or wants_key(model) else None


def is_sendable(key: str) -> bool:
    """Whether a header can hold ``key``."""
    return key.isascii() and key.isprintable()


def without_key(words: AnyStr, key: str) -> AnyStr:
    """``words`` without ``key``, should a server repeat it."""
    if len(key) < _SHORTEST:
        return words
    if isinstance(words, bytes):
        return words.replace(key.encode(errors="surrogateescape"), b"***")
    return words.replace(key, "***")


def without_keys(words: str, model: Model) -> str:
    """``words`` without the key of ``model``; where Inspect asks it, without any key that Inspect
    may have found in the environment.
    """
    keys = {key_of(model)}
    if model.channel == "inspect":
        keys |= {v.strip() for name, v in os.environ.items() if name.upper().endswith(_SECRETS)}
    for key in sorted(keys, key=len, reverse=True):
        words = without_key(words, key)
    return words


@contextmanager
def keeping_key_in(model: Model) -> Iterator[None]:
    """Take the key of ``model`` out of a :class:`PredictionError` that is raised within."""
    try:
        yield
    except PredictionError as error:
        words = without_keys(str(error), model)
        if words == str(error):
            raise
        # Without its cause, whose words it repeats.
        raise PredictionError(words) from None
