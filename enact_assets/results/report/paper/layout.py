"""From the rows of a query to a table in LaTeX, in files that each fit on a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from enact_assets.engine.plurals import counted
from enact_assets.results.report.paper_figures import latex_text
from enact_assets.results.report.parts import (
    NONE,
    count,
    p_value,
    percent,
    points,
    with_interval,
    words,
)
from enact_assets.results.report.probes import (
    PAPER_PANELS,
    PUBLISHED_LEVEL,
    PUBLISHED_MARK,
    UNPAIRED_MARK,
    stars,
)
from enact_assets.results.report.rows import ReportRows

MOST_LINES = 42
"""Lines of one file: more do not fit on a page below a caption."""
MOST_OVER = 3
"""Headings above columns, such as models of the probes, side by side in one file."""
PUBLISHED = " (publ.)"
FIT = (
    "\\providecommand{\\enactfit}[1]{\\sbox0{#1}\\ifdim\\wd0>\\linewidth"
    "\\resizebox{\\linewidth}{!}{\\usebox0}\\else\\usebox0\\fi}"
)
"""LaTeX: a box in its size, or as wide as the column if it is wider."""
_MARKS = {"best": "\\textbf{%s}", "tied": "\\underline{%s}", "differs": "\\textbf{%s}"}

Line = tuple[str, str, str]
"""Block, whose and name of a line."""


@dataclass(frozen=True)
class PaperTable:
    """One table: its file name without ending, caption, SQL and the rows of that."""

    name: str
    caption: str
    sql: str
    found: pl.DataFrame


def latex_files(table: PaperTable, rows: ReportRows) -> dict[str, str]:
    """File name without ending -> LaTeX of a floating ``table``; more than one where the lines do
    not fit on a page, or where models do not fit side by side.
    """
    found = _in_paper_order(table.found) if table.name == "probes" else table.found
    groups = [name for name in found["over"].unique(maintain_order=True) if name]
    blocks = [groups[at : at + MOST_OVER] for at in range(0, len(groups), MOST_OVER)] or [[]]
    parts = []
    for shown in blocks:
        of_block = found.filter(pl.col("over").is_in([*shown, ""])) if shown else found
        lines = list(dict.fromkeys(of_block.select("block", "whose", "line").iter_rows()))
        starts = range(0, len(lines), MOST_LINES)
        parts += [(of_block, lines[at : at + MOST_LINES]) for at in starts]
    files = {}
    for n, (of_block, lines) in enumerate(parts):
        name = table.name + (f"_{n + 1}" if n else "")
        caption = table.caption
        if len(parts) > 1:
            caption += f" Part {n + 1} of {len(parts)}."
        files[name] = _float(name, caption, _tabular(of_block, lines, rows))
    return files


def _in_paper_order(found: pl.DataFrame) -> pl.DataFrame:
    """Panels and variants as in the paper, further ones after them by name."""
    panels = {name: at for at, name in enumerate(PAPER_PANELS)}
    variants = [v for _, names in PAPER_PANELS.values() for v in names]
    at = {name: place for place, name in enumerate(variants)}
    return (
        found.with_columns(
            _panel=pl.col("block").replace_strict(panels, default=len(panels)),
            _variant=pl.col("line").replace_strict(at, default=len(at)),
            block=pl.col("block").replace_strict(
                {name: title for name, (title, _) in PAPER_PANELS.items()}, default=pl.col("block")
            ),
        )
        .sort("_panel", "block", "_variant", "line", maintain_order=True)
        .drop("_panel", "_variant")
    )


def _float(name: str, caption: str, tabular: Sequence[str]) -> str:
    data = name.rstrip("_0123456789")
    lines = (
        f"% Numbers: data/{data}.csv, by the query in data/{data}.sql. Needs booktabs, graphicx.",
        FIT,
        "\\begin{table}[!htbp]",
        "\\centering\\scriptsize\\setlength{\\tabcolsep}{3pt}",
        f"\\caption{{{latex_text(caption)}}}",
        f"\\label{{tab:{name}}}",
        "\\enactfit{%",
        *tabular,
        "}",
        "\\end{table}",
    )
    return "\n".join(lines) + "\n"


def _tabular(found: pl.DataFrame, lines: Sequence[Line], rows: ReportRows) -> list[str]:
    columns = _columns(found)
    of = {
        (row["block"], row["whose"], row["line"], row["over"], row["heading"]): row
        for row in found.iter_rows(named=True)
    }
    width = len(columns) + 1
    text = [f"\\begin{{tabular}}{{@{{}}l{'r' * len(columns)}@{{}}}}", "\\toprule"]
    text += _heading(columns, rows)
    before: Line | None = None
    for line in lines:
        block, whose, name = line
        if before is None or block != before[0]:
            text.append("\\midrule")
            heading = latex_text(words(block))
            text.append(f"\\multicolumn{{{width}}}{{@{{}}l}}{{\\emph{{{heading}}}}} \\\\")
        elif whose != before[1]:
            text.append("\\addlinespace[2pt]")
        before = line
        cells = (_cell(of.get((block, whose, name, *column))) for column in columns)
        text.append(
            " & ".join((f"\\quad {latex_text(_named(rows, whose, name))}", *cells)) + r" \\"
        )
    return [*text, "\\bottomrule", "\\end{tabular}%"]


def _columns(found: pl.DataFrame) -> list[tuple[str, str]]:
    by = [name for name in ("place",) if name in found.columns]
    ordered = found.sort(by, maintain_order=True) if by else found
    columns = list(dict.fromkeys(ordered.select("over", "heading").iter_rows()))
    # Columns of one heading are together, those without any last.
    overs = list(dict.fromkeys(over for over, _ in columns))
    overs.sort(key=lambda over: not over)
    return [column for over in overs for column in columns if column[0] == over]


def _heading(columns: Sequence[tuple[str, str]], rows: ReportRows) -> list[str]:
    text = []
    if any(over for over, _ in columns):
        spans, rules, at = [], [], 2
        for over in dict.fromkeys(over for over, _ in columns):
            n = sum(1 for name, _ in columns if name == over)
            name = rows.marked(over) if over in rows.looks else words(over)
            spans.append(f"\\multicolumn{{{n}}}{{c}}{{{latex_text(name)}}}")
            rules += [f"\\cmidrule(lr){{{at}-{at + n - 1}}}"] if over else []
            at += n
        text += [" & ".join(("", *spans)) + r" \\", " ".join(rules)]
    return [*text, " & ".join(("", *(_stacked(heading) for _, heading in columns))) + r" \\"]


def _stacked(heading: str) -> str:
    """Long headings in one line per word."""
    if len(heading) < 12:
        return latex_text(heading)
    lines = r"\\".join(map(latex_text, heading.split(" ")))
    return f"\\shortstack[r]{{{lines}}}"


def _named(rows: ReportRows, whose: str, name: str) -> str:
    if whose == "published":
        return name + PUBLISHED
    if whose == "setting":
        return words(name)
    return name if whose == "chance" else rows.marked(name)


def _cell(row: dict[str, Any] | None) -> str:
    if row is None:
        return latex_text(NONE)
    shown = latex_text(printed(row))
    mark = row["mark"]
    return _MARKS[mark] % shown if mark in _MARKS and row["value"] is not None else shown


def printed(row: dict[str, Any]) -> str:
    """One number of a table as it is printed, without bold and underline."""
    value, form = row["value"], row["form"]
    if value is None:
        return NONE
    if form == "percent":
        if row["standard_error"] is not None and row["low"] is None:
            return f"{percent(value)} ± {percent(row['standard_error'])}"
        return with_interval(value, row["low"], row["high"])
    if form == "points":
        return points(value) + _significance(row) + _ends(row)
    return _questions(row) if form == "count" else {"share": percent, "p": p_value}[form](value)


def _questions(row: dict[str, Any]) -> str:
    """Of how many, where some of those asked are in no score."""
    n, asked = round(row["value"]), row["n_asked"]
    return f"{n:,} of {asked:,}" if n == row["n"] and asked and asked > n else count(n)


def _significance(row: dict[str, Any]) -> str:
    if row["mark"] == "published":
        return PUBLISHED_MARK if row["p"] is not None and row["p"] < PUBLISHED_LEVEL else ""
    return stars(row["p"]) + (UNPAIRED_MARK if row["mark"] == "unpaired" else "")


def _ends(row: dict[str, Any]) -> str:
    """The interval of a difference between models; those of probes are in the data only."""
    if row["whose"] == "setting" or row["low"] is None:
        return ""
    return f" [{points(row['low'])}, {points(row['high'])}]"


def about_n(found: pl.DataFrame, unit: str) -> str:
    """The most questions, errors or answers (``unit``) and demonstrations that a number of ours is
    about, by kind.
    """
    ours = found.filter(
        pl.col("whose").is_in(["model", "reference", "setting"]), pl.col("n").is_not_null()
    )
    if ours.is_empty():
        return ""
    kind = pl.concat_str("block", "heading", separator=" ").str.extract(r"(forward|inverse)")
    of_kind = ours.group_by(kind.alias("kind"), maintain_order=True)
    most = of_kind.agg(pl.col("n").max(), n_different=pl.col("n").n_unique())
    said = " and ".join(f"{n:,} {kind}" if kind else f"{n:,}" for kind, n, _ in most.iter_rows())
    demonstrations: Any = ours["n_demonstrations"].max()
    text = f"n: {'up to ' * (most['n_different'].max() != 1)}{said} {unit}"
    return text + (f" on {counted(demonstrations, 'demonstration')}." if demonstrations else ".")
