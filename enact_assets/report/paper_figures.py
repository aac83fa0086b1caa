"""Figures and tables for papers: every figure of the report at a column's width, in three formats.

The same warehouse and width give the same bytes.
"""

from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path

from enact_assets.contracts.errors import SettingsError
from enact_assets.data_root.paths import DataRoot
from enact_assets.data_root.published import default_variant, query
from enact_assets.report.drawing import printing
from enact_assets.report.page import Told, measured_sections, untold
from enact_assets.report.paper_tables import paper_tables
from enact_assets.report.parts import Figure, Table
from enact_assets.report.report_rows import ReportRows, read_rows
from enact_assets.report.table_files import latex, markdown
from enact_assets.system.atomic import replacing

WIDTHS_IN = {"single": 3.25, "double": 6.75}
"""Columns of common templates: ICML has these, IEEE 3.5 and 7.16, NeurIPS and ICLR 5.5."""
LEAST_IN, MOST_IN = 2.5, 20.0


CAPTIONS = "captions.md"


def note_of(rows: ReportRows) -> str:
    """What every figure file says of itself: the first reason is enough there."""
    why, _, _ = rows.not_comparable.partition(". ")
    return f"Not comparable with numbers of the ENACT paper: {why.rstrip('.')}." if why else ""


def _captions(rows: ReportRows, figures: Collection[Figure], tables: Mapping[str, Table]) -> str:
    """What to write below each figure and table, with all that limits it."""
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
    told: Told = untold,
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
        sections = measured_sections(rows, told)
    figures = [part for s in sections for part in s.parts if isinstance(part, Figure)]
    tables = paper_tables(rows)
    files: dict[str, bytes] = {}
    for figure in figures:
        endings = (("pdf", figure.pdf), ("svg", figure.svg), ("png", figure.png))
        files |= {f"{figure.name}.{ending}": content for ending, content in endings}
    for name, table in tables.items():
        files |= {f"{name}.tex": latex(table).encode(), f"{name}.md": markdown(table).encode()}
    files[CAPTIONS] = _captions(rows, figures, tables).encode()
    written = []
    for name in sorted(files):
        path = folder / name
        with replacing(path) as temporary:
            temporary.write_bytes(files[name])
        written.append(path)
    return written
