"""Figures and tables for papers: every figure of the report at a column's width, in three formats.

Tables are LaTeX, for booktabs, and Markdown. The same warehouse and width give the same bytes.
"""

import re
from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from enact_assets.engine.errors import SettingsError
from enact_assets.engine.progress import OnProgress, unheard
from enact_assets.engine.system.atomic import replacing
from enact_assets.results.published import default_variant, query
from enact_assets.results.report.accuracy import overall
from enact_assets.results.report.drawing import printing
from enact_assets.results.report.page import measured_sections
from enact_assets.results.report.parts import (
    BOTH_KINDS,
    NONE,
    Figure,
    Table,
    count,
    percent,
    with_interval,
)
from enact_assets.results.report.probes import probe_table
from enact_assets.results.report.rows import ReportRows, read_rows
from enact_assets.settings.paths import DataRoot

WIDTHS_IN = {"single": 3.25, "double": 6.75}
"""Columns of common templates: ICML has these, IEEE 3.5 and 7.16, NeurIPS and ICLR 5.5."""
LEAST_IN, MOST_IN = 2.5, 20.0


CAPTIONS = "captions.md"

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
    "→": r"$\rightarrow$",
}
_PRINTED = frozenset("\u2018\u2019\u201c\u201d\u201e\u2014\u2022\u20ac\u2122")
_BEYOND = 0x180
"""First letter that the fonts of LaTeX do not have, but for :data:`_PRINTED`: after Latin."""
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
    rows = [" | ".join(map(_markdown_text, cells)) for cells in (table.columns, *table.rows)]
    lines = (f"| {row} |\n" for row in (rows[0], " | ".join(marks), *rows[1:]))
    return f"{_markdown_text(table.caption)}\n\n{''.join(lines)}"


def latex_text(text: str) -> str:
    """``text`` as LaTeX prints it letter by letter; letters that its fonts lack, such as emoji, as
    their code points.
    """
    return "".join(
        _LATEX.get(c) or (c if c in _PRINTED or ord(c) < _BEYOND else f"[U+{ord(c):04X}]")
        for c in _plain(text)
    )


def _latex_row(cells: tuple[str, ...]) -> str:
    # A first cell like "[1]" would be read as an argument of the line before.
    guard = "{}" if cells[0].startswith(("[", "*")) else ""
    return guard + " & ".join(map(latex_text, cells)) + r" \\"


def _markdown_text(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", _plain(text))


def _plain(text: str) -> str:
    return _UNSEEN.sub(" ", text)


_PROBE_COLUMNS = (
    "model",
    "variant",
    "kind",
    "difference",
    "95 % interval",
    "p, clustered, Holm",
    "questions",
)
_METRICS = (("pairwise", ""), ("task", "task_"))


def paper_tables(rows: ReportRows) -> dict[str, Table]:
    """File name without ending -> table; also of a warehouse without rows."""
    probes = probe_table(rows, has_references=False)
    chosen = [probes.columns.index(name) for name in _PROBE_COLUMNS]
    lines = tuple(tuple(row[n] for n in chosen) for row in probes.rows)
    return {
        "leaderboard": _leaderboard(rows),
        "probes": Table(f"{probes.caption}{_limits(rows)}", _PROBE_COLUMNS, lines, n_words=3),
    }


def _leaderboard(rows: ReportRows) -> Table:
    """Both kinds side by side: ranked models, then references, each the best first, then chance."""
    of = {kind: {row["model"]: row for row in overall(rows, kind)} for kind in BOTH_KINDS}
    models = sorted(
        {model for by_model in of.values() for model in by_model},
        key=lambda m: (rows.looks[m].is_reference, -_mean(of, m), m),
    )
    lines = []
    for model in models:
        cells = [rows.marked(model)]
        for kind in BOTH_KINDS:
            row = of[kind].get(model, {})
            for _, prefix in _METRICS:
                names = (f"{prefix}{name}" for name in ("accuracy", "low", "high"))
                cells.append(with_interval(*(row.get(name) for name in names)))
            cells.append(_scored(rows, model, kind, row))
        lines.append(tuple(cells))
    chance = []
    for kind in BOTH_KINDS:
        chance += [percent(rows.chance(kind, f"{metric}_accuracy")) for metric, _ in _METRICS]
        chance.append(NONE)
    lines.append(("chance (random order)", *chance))
    columns = (
        f"{kind} {name}" for kind in BOTH_KINDS for name in ("pairwise %", "task %", "questions")
    )
    caption = (
        f"Accuracy under {rows.variant}, all lengths; pairwise: right steps over all steps; 95 % "
        f"intervals by demonstration{_limits(rows)}"
    )
    return Table(caption, ("model", *columns), tuple(lines))


def _scored(rows: ReportRows, model: str, kind: str, row: dict[str, Any]) -> str:
    """Questions that the scores are about; where some answers are in no score, of how many."""
    if kind in rows.partial(model):
        n, of = rows.partial(model)[kind]
        return f"{n:,} of {of:,}"
    return count(row.get("n_scored"))


def _limits(rows: ReportRows) -> str:
    """End of a caption: partial models, and why results cannot be compared with the paper."""
    notes = (
        rows.partial_note,
        rows.not_comparable and f"Not comparable with the ENACT paper: {rows.not_comparable}",
    )
    return "".join(f". {note.rstrip('.')}" for note in notes if note)


def _mean(of: dict[str, dict[str, dict[str, Any]]], model: str) -> float:
    """Mean pairwise accuracy over the kinds that have one; below zero where none has."""
    known = [by_model[model]["accuracy"] for by_model in of.values() if model in by_model]
    known = [accuracy for accuracy in known if accuracy is not None]
    return sum(known) / len(known) if known else -1.0


def note_of(rows: ReportRows) -> str:
    """Note in every figure file, with the first reason only."""
    why, _, _ = rows.not_comparable.partition(". ")
    return f"Not comparable with numbers of the ENACT paper: {why.rstrip('.')}." if why else ""


def _captions(rows: ReportRows, figures: Collection[Figure], tables: Mapping[str, Table]) -> str:
    """Caption of each figure and table, with all limitations."""
    lines = ["# Captions", ""]
    lines += [f"{rows.not_comparable}\n"] if rows.not_comparable else []
    lines += [f"- **{figure.name}**: {figure.caption}" for figure in figures]
    lines += [f"- **{name}** (table): {table.caption}" for name, table in tables.items()]
    return "\n".join(lines) + "\n"


def width_of(text: str) -> float:
    """Inches of a width by name, or of a number of inches. Errors: :class:`SettingsError`."""
    if text in WIDTHS_IN:
        return WIDTHS_IN[text]
    try:
        width = float(text)
    except ValueError:
        width = 0.0
    if not LEAST_IN <= width <= MOST_IN:
        raise SettingsError(
            f"--width {text}: give single, double, or inches from {LEAST_IN:g} to {MOST_IN:g}"
        )
    return width


def write_paper_figures(
    root: DataRoot,
    folder: Path,
    width_in: float,
    variant: str | None = None,
    on_progress: OnProgress = unheard,
) -> list[Path]:
    """Write figures (PDF, SVG, PNG), tables (LaTeX, Markdown) and their captions on ``variant``
    into ``folder``.

    Figures are ``width_in`` inches wide. By default the variant is :func:`default_variant`. Other
    files of the folder stay. Returns what was written, sorted.

    Errors: :class:`WarehouseError` if there is no warehouse; :class:`UnknownNameError` for a
    variant that it does not hold; :class:`OutputError` if a file cannot be written.
    """
    rows = read_rows(root.warehouse, variant or default_variant(partial(query, root.warehouse)))
    with printing(width_in, note_of(rows)):
        sections = measured_sections(rows, on_progress)
    figures = [part for s in sections for part in s.parts if isinstance(part, Figure)]
    tables = paper_tables(rows)
    files: dict[str, bytes] = {}
    for figure in figures:
        endings = (("pdf", figure.pdf), ("svg", figure.svg), ("png", figure.png))
        files |= {f"{figure.name}.{ending}": content for ending, content in endings}
    for name, table in tables.items():
        files |= {f"{name}.tex": latex(table).encode(), f"{name}.md": markdown(table).encode()}
    files[CAPTIONS] = _captions(rows, figures, tables).encode()
    return write_files(folder, files)


def write_files(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write files by their paths in ``folder``; returns where they are, sorted.

    Errors: :class:`OutputError` if one cannot be written.
    """
    for name in sorted(files):
        with replacing(folder / name) as temporary:
            temporary.write_bytes(files[name])
    return [folder / name for name in sorted(files)]
