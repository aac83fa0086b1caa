"""Types of questions on the page: conversion of forms to answers, and feedback in practice.

What is shown, ``content``, is JSON: ``instruction``, ``noun`` (what an item is called), and the
lists ``context``, ``places`` and ``items`` of parts. A part has ``text``, ``caption`` and
``media``, numbers of pictures; those of a clip, ``is_clip``, follow each other. ``for_models`` is
the message to models: its texts, and null for each picture; plans of earlier versions lack it.
Items are in the order of their labels, from 1; each annotator sees them in an order of their own,
numbered as seen, and their answer is kept in labels.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Form = Mapping[str, str]
PARTS = ("context", "places", "items")
"""The lists of parts."""


class RefusedFormError(ValueError):
    """A form is no answer; the message tells the annotator what to do."""


@dataclass(frozen=True)
class Feedback:
    """Feedback in practice: whether the answer is right, and both answers, in the shown numbers."""

    is_right: bool
    right: tuple[int, ...]
    given: tuple[int, ...]


class QuestionForm(Protocol):
    """The differences between types of questions. Numbers of items are those shown, from 1."""

    def parse(self, form: Form, content: Mapping[str, Any]) -> list[int]:
        """The answer in a form. Errors: :class:`RefusedFormError`."""
        ...

    def fields(self, answer: Sequence[int]) -> dict[str, str]:
        """The form that has ``answer``."""
        ...


class Order:
    """Each item goes to a place of its own. The answer is the item in each place."""

    def parse(self, form: Form, content: Mapping[str, Any]) -> list[int]:
        """As :meth:`QuestionForm.parse`."""
        n = len(content["items"])
        given = {item: form.get(f"item_{item}", "") for item in range(1, n + 1)}
        absent = [item for item, place in given.items() if not place]
        if absent:
            named = ", ".join(f"{content['noun']} {item}" for item in absent)
            raise RefusedFormError(f"Not placed yet: {named}.")
        if sorted(given.values()) != sorted(str(place) for place in range(1, n + 1)):
            raise RefusedFormError("Each place takes one item. Choose a free place for each.")
        return sorted(given, key=lambda item: int(given[item]))

    def fields(self, answer: Sequence[int]) -> dict[str, str]:
        """As :meth:`QuestionForm.fields`."""
        return {f"item_{item}": str(place) for place, item in enumerate(answer, start=1)}


class Choose:
    """One of the items. The answer is a list of it alone."""

    def parse(self, form: Form, content: Mapping[str, Any]) -> list[int]:
        """As :meth:`QuestionForm.parse`."""
        known = [str(item) for item in range(1, len(content["items"]) + 1)]
        if form.get("choice") not in known:
            raise RefusedFormError("Choose one of the options.")
        return [int(form["choice"])]

    def fields(self, answer: Sequence[int]) -> dict[str, str]:
        """As :meth:`QuestionForm.fields`."""
        return {"choice": str(answer[0])}


FORMS: Mapping[str, QuestionForm] = {"order": Order(), "choose": Choose()}
"""Name of a type -> the type."""


def to_labels(answer: Sequence[int], shuffle: Sequence[int]) -> list[int]:
    """Numbers as seen -> labels; ``shuffle`` are the labels in the order seen."""
    return [shuffle[item - 1] for item in answer]


def to_seen(answer: Sequence[int], shuffle: Sequence[int]) -> list[int]:
    """Inverse of :func:`to_labels`."""
    number = {label: seen for seen, label in enumerate(shuffle, start=1)}
    return [number[label] for label in answer]


def seen_content(content: Mapping[str, Any], shuffle: Sequence[int]) -> dict[str, Any]:
    """``content`` with the items in the order in which an annotator sees them."""
    return {**content, "items": [content["items"][label - 1] for label in shuffle]}


def clips_of(content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Parts that are clips."""
    return [part for name in PARTS for part in content[name] if part.get("is_clip")]


def feedback(
    answer: Sequence[int], accepted: Sequence[Sequence[int]], shuffle: Sequence[int]
) -> Feedback:
    """Of an ``answer`` in labels; ``accepted`` are all right answers, the reference first."""
    is_right = list(answer) in [list(each) for each in accepted]
    right = answer if is_right else accepted[0]
    return Feedback(is_right, tuple(to_seen(right, shuffle)), tuple(to_seen(answer, shuffle)))
