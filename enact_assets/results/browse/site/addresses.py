"""Addresses of pages: the filters of a list in them, and what is read from them."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException

from enact_assets.results.browse.question_lists import Wanted

COMPARE = "compare"
"""Parameter of a question's page: a model of which the answer is a column."""
NO_REFERENCES = "off"
MAX_PAGE_DIGITS = 9
_TEXTS = ("activity", "demonstration", "kind", "model", "outcome", "other", "other_outcome")


def link(path: str, asked: Mapping[str, Any] | None = None, **more: Any) -> str:
    """An address of a page; parameters without a value are left out."""
    given = {**(asked or {}), **more}.items()
    pairs = {name: value for name, value in given if value is not None and value != []}
    return f"{path}?{urlencode(pairs, doseq=True)}" if pairs else path


def number(text: str | None) -> int | None:
    """Errors: ``HTTPException`` 400 for a text that is not a positive number."""
    if not text:
        return None
    if not text.isdecimal() or not text.isascii() or len(text) > MAX_PAGE_DIGITS:
        raise HTTPException(400, f"Not a number: {text[:40]!r}")
    return int(text)


def has_references(asked: QueryParams) -> bool:
    """Whether references are shown, too."""
    return asked.get("references") != NO_REFERENCES


def wanted_of(asked: QueryParams, variant: str) -> Wanted:
    """The list that an address asks for. Errors: as :func:`number`."""
    return Wanted(
        variant=variant,
        length=number(asked.get("length")),
        has_references=has_references(asked),
        **{name: asked.get(name) or None for name in _TEXTS},
    )


def parameters(wanted: Wanted) -> dict[str, Any]:
    """The parameters by which :func:`wanted_of` finds ``wanted`` again."""
    named = {f.name: getattr(wanted, f.name) for f in fields(wanted) if f.name != "has_references"}
    return named | {"references": None if wanted.has_references else NO_REFERENCES}
