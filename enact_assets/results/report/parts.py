"""Parts of a page: sections of texts, tables, figures and examples."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from enact_assets.engine.errors import OutputError

BOTH_KINDS = ("forward", "inverse")
NONE = "\N{EN DASH}"
"""Content of a cell without a number."""


@dataclass(frozen=True)
class Text:
    """A paragraph; a notice is set apart from the rest."""

    text: str
    is_notice: bool = False
    part: Literal["text"] = "text"


@dataclass(frozen=True)
class Table:
    """A table with a caption; the first cell of a row is its heading.

    ``n_words`` columns at the left hold words, as do ``n_last_words`` at the right; all others
    hold numbers.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_words: int = 1
    n_last_words: int = 0
    links: tuple[str | None, ...] = ()
    """Where the headings of rows lead, row by row; empty for nowhere."""
    part: Literal["table"] = "table"

    def is_number(self, column: int) -> bool:
        """Whether a column, counted from 0, holds numbers."""
        return self.n_words <= column < len(self.columns) - self.n_last_words


def table(
    caption: str,
    rows: Iterable[Mapping[str, Any]],
    columns: Iterable[tuple[Any, ...]],
    *,
    n_words: int = 1,
    n_last_words: int = 0,
) -> Table:
    """A table of ``rows``. A column is its heading, the function that writes a cell, and names of
    the values of a row that this function gets.
    """
    columns = tuple(columns)
    lines = (
        tuple(write(*(row[name] for name in names)) for _, write, *names in columns) for row in rows
    )
    return Table(
        caption, tuple(column[0] for column in columns), tuple(lines), n_words, n_last_words
    )


@dataclass(frozen=True)
class Figure:
    """A drawn figure: its file name without ending, what it shows, its
    alternative text, and its files; ``pdf`` is empty unless it was drawn for paper.
    """

    name: str
    caption: str
    alt: str
    svg: bytes
    png: bytes
    pdf: bytes = b""
    part: Literal["figure"] = "figure"


@dataclass(frozen=True)
class Example:
    """One wrong answer: the pictures as they were shown, both orders and what differs.

    ``strip`` is an encoded JPEG; None if a picture is gone, and ``note`` says which.
    """

    title: str
    strip: bytes | None
    alt: str
    note: str
    actions: tuple[str, ...]
    facts: tuple[tuple[str, tuple[str, ...]], ...]
    """Heading and entries of a list."""
    link: str = ""
    """Address of its page in ``enact-assets browse``."""
    part: Literal["example"] = "example"


@dataclass(frozen=True)
class Choice:
    """One of several groups of parts is shown, which a reader chooses by its label, without a
    script. ``name`` is its own on a page. Errors: :class:`OutputError` for too many.
    """

    name: str
    legend: str
    options: tuple[tuple[str, "tuple[Part, ...]"], ...]
    part: Literal["choice"] = "choice"

    def __post_init__(self) -> None:
        if len(self.options) > MOST_OPTIONS:
            raise OutputError(f"{self.legend}: {len(self.options)} options, at most {MOST_OPTIONS}")


MOST_OPTIONS = 12
"""Of a choice: the style sheet has a rule for each."""
Part = Text | Table | Figure | Example | Choice


@dataclass(frozen=True)
class Section:
    """A chapter of the page."""

    anchor: str
    title: str
    parts: tuple[Part, ...]


def percent(fraction: float | None) -> str:
    """``0.1234`` -> ``12.3``; a dash where there is no number."""
    return NONE if fraction is None else f"{100 * fraction:.1f}"


def with_interval(fraction: float | None, low: float | None, high: float | None) -> str:
    """``12.3 [10.0, 15.1]`` in percent; without the interval where there is none."""
    if fraction is None or low is None or high is None:
        return percent(fraction)
    return f"{percent(fraction)} [{percent(low)}, {percent(high)}]"


def points(difference: float | None) -> str:
    """A difference in percentage points, with its sign; a true minus sign."""
    if difference is None:
        return NONE
    text = f"{100 * difference:+.1f}"
    return ("0.0" if text in ("+0.0", "-0.0") else text).replace("-", "\N{MINUS SIGN}")


def p_value(p: float | None) -> str:
    """A p-value with three decimals."""
    if p is None:
        return NONE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def count(n: int | None) -> str:
    """``1,234``; a dash for an unknown number."""
    return NONE if n is None else f"{n:,}"


def decimal(number: float | None, places: int) -> str:
    """``1,234.5``; a dash where there is no number."""
    return NONE if number is None else f"{number:,.{places}f}"


def place_range(best: int | None, worst: int | None) -> str:
    """``2`` or, where tests allow several places, the first and the last; a dash for none."""
    if best is None or worst is None:
        return NONE
    return str(best) if best == worst else f"{best}\N{EN DASH}{worst}"


def dollars(usd: float | None) -> str:
    """Cents from one dollar on, below that three digits that count."""
    if usd is None:
        return NONE
    return f"{usd:,.2f}" if usd >= 1 or usd == 0 else f"{usd:.3g}"


def at_length(length: int | None) -> str:
    """A length; ``all`` for all of them together."""
    return "all" if length is None else str(length)


def listed(names: Iterable[str] | None) -> str:
    """``a, b``; a dash where there is none."""
    return ", ".join(names or ()) or NONE


def words(name: str) -> str:
    """A name of a column or category as text."""
    return name.replace("_", " ")
