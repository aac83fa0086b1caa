"""Tables of the report as LaTeX, for booktabs, and as Markdown."""

import re
from collections.abc import Callable

from enact_assets.report.parts import Table

_LATEX = {
    "\\": r"\textbackslash{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "\N{EN DASH}": "--",
    "\N{MINUS SIGN}": "$-$",
    "\N{PLUS-MINUS SIGN}": r"$\pm$",
    "\N{HORIZONTAL ELLIPSIS}": r"\dots{}",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
}
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#~$&])")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
"""Control characters, and those that turn the direction of text around."""


def latex(table: Table) -> str:
    """A ``tabular`` for the body of a table; it needs booktabs."""
    columns = "".join("r" if table.is_number(n) else "l" for n in range(len(table.columns)))
    lines = [
        f"% {_plain(table.caption)}. Needs \\usepackage{{booktabs}}.",
        f"\\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        "\\toprule",
        _latex_row(table.columns),
        "\\midrule",
        *map(_latex_row, table.rows),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def markdown(table: Table) -> str:
    """A table of GitHub's Markdown below its caption; numbers are aligned right."""
    marks = ("---:" if table.is_number(n) else "---" for n in range(len(table.columns)))
    rows = [_row(cells, _markdown_text) for cells in (table.columns, *table.rows)]
    lines = [f"{_markdown_text(table.caption)}\n", rows[0], f"| {' | '.join(marks)} |", *rows[1:]]
    return "\n".join(lines) + "\n"


def latex_text(text: str) -> str:
    """``text`` as LaTeX prints it letter by letter."""
    return "".join(_LATEX.get(c, c) for c in _plain(text))


def _latex_row(cells: tuple[str, ...]) -> str:
    # A first cell like "[1]" would be read as an argument of the line before.
    guard = "{}" if cells[0].startswith(("[", "*")) else ""
    return guard + " & ".join(map(latex_text, cells)) + r" \\"


def _row(cells: tuple[str, ...], written: Callable[[str], str]) -> str:
    return f"| {' | '.join(map(written, cells))} |"


def _markdown_text(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", _plain(text))


def _plain(text: str) -> str:
    return _UNSEEN.sub(" ", text)
