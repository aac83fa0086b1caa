"""Counts, lists of names and sentences in messages."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def counted(n: int, noun: str) -> str:
    """``1 partition``, ``2 partitions``, ``0 answers``, ``2 queries``; the last word is counted."""
    if n == 1:
        return f"{n:,} {noun}"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{n:,} {noun[:-1]}ies"
    return f"{n:,} {noun}s"


def first_of(items: Sequence[T], most: int) -> tuple[Sequence[T], int]:
    """``most`` of ``items`` and how many more there are. One more item is shown itself, as "1 more"
    would take as much room.
    """
    n = len(items) if len(items) == most + 1 else most
    return items[:n], max(0, len(items) - n)


def named(names: Sequence[str], most: int, noun: str = "") -> str:
    """``a, b, c and 2 more``, or ``2 more answers`` with a ``noun``: see :func:`first_of`."""
    shown, n_more = first_of(names, most)
    more = counted(n_more, f"more {noun}") if noun else f"{n_more:,} more"
    return ", ".join(shown) + (f" and {more}" if n_more else "")


def sentence(text: str) -> str:
    """``text`` with a capital letter and a full stop. Names that begin it, such as
    ``openai:gpt-5`` or ``model.chat``, stay as they are.
    """
    text = text.strip()
    if text.partition(" ")[0].strip(",:;").isalpha():
        text = text[:1].upper() + text[1:]
    return text if not text or text.endswith((".", "!", "?")) else f"{text}."


def all_fresh(n: int) -> str:
    """The message of a plan or a run that has nothing to make."""
    return "the 1 partition is fresh" if n == 1 else f"all {counted(n, 'partition')} are fresh"
