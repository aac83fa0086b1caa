"""What a generated thing is: its files, what it shows, and how it is made."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]


class CannotMakeError(Exception):
    """A thing cannot be made here; the text says why and what to do."""


@dataclass(frozen=True)
class Place:
    """A data root with a demo, a folder for pictures, and one for what is deleted afterwards."""

    data: Path
    output: Path
    scratch: Path


@dataclass(frozen=True)
class Shown:
    """What a thing shows. Each entry is hashed alone, so that a report can name it.

    Contents are hashed and not paths: a module that moves makes nothing older.
    """

    steps: tuple[str, ...] = ()
    """Code of steps, and that the data root has them fresh."""
    activity: str | None = None
    """Of it, under the baseline, steps count; code of other activities does not."""
    files: tuple[str, ...] = ()
    """Patterns below the root of the checkout: contents of all files together."""
    settings: tuple[str, ...] = ()
    """Parts of the registry."""
    libraries: tuple[str, ...] = ()
    has_graph: bool = False
    """Names of assets and what each is made from."""


@dataclass(frozen=True)
class Thing:
    """One generated thing. ``make`` writes its files, or raises :class:`CannotMakeError`."""

    name: str
    files: tuple[str, ...]
    """Below the root of the checkout."""
    shows: Shown
    make: Callable[[Place], None] | None = None
    by_hand: str = ""
    """Why no command makes it, where ``make`` is None."""
    needs_data: bool = field(default=True, kw_only=True)
    minutes: float = field(default=0.1, kw_only=True)
    """About how long it takes on two idle cores."""
    look_at: str = field(default="", kw_only=True)
    """What a person checks afterwards."""
