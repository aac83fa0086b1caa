"""Writes what a paper about chosen models needs: LaTeX, figures, numbers, examples."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.results.published import OpenWarehouse, default_variant
from enact_assets.results.report.accuracy import answers, leaderboard
from enact_assets.results.report.activities import by_activity
from enact_assets.results.report.answer_quality import answer_quality
from enact_assets.results.report.drawing import printing
from enact_assets.results.report.error_section import semantic, shared_errors, structural
from enact_assets.results.report.findings_section import findings
from enact_assets.results.report.hands import handedness
from enact_assets.results.report.lengths import by_length, looking, similar_sizes
from enact_assets.results.report.page import measured_sections
from enact_assets.results.report.paper.captions import figure_caption, table_caption
from enact_assets.results.report.paper.choice import Choice, chosen, rows_about
from enact_assets.results.report.paper.document import (
    MAIN_TABLES,
    appendix_document,
    captions_latex,
    examples_latex,
    main_document,
    main_figures,
)
from enact_assets.results.report.paper.figure_queries import figure_query
from enact_assets.results.report.paper.layout import PaperTable, latex_files
from enact_assets.results.report.paper.queries import TABLES, table_query
from enact_assets.results.report.paper_figures import CAPTIONS, WIDTHS_IN, note_of, write_files
from enact_assets.results.report.parts import Example, Figure
from enact_assets.results.report.probes import probes, setting_bars
from enact_assets.results.report.rows import ReportRows, read_rows
from enact_assets.results.report.world_section import world_prediction
from enact_assets.results.report.wrong_answers import PictureOf, wrong_answers
from enact_assets.settings.paths import DataRoot

DRAWN = (
    *(leaderboard, by_length, looking, by_activity, similar_sizes, probes, setting_bars),
    *(structural, semantic, shared_errors, handedness, findings, answers, answer_quality),
    world_prediction,
)
"""Sections of the report whose figures are about models."""


@dataclass(frozen=True)
class WrittenPaper:
    """What was written: all files, and names of tables, figures and examples."""

    files: tuple[Path, ...]
    tables: tuple[str, ...]
    figures: tuple[str, ...]
    n_examples: int
    variant: str


def write_paper(
    root: DataRoot,
    folder: Path,
    models: Iterable[str],
    published: Iterable[str] = (),
    *,
    has_references: bool = True,
    variant: str | None = None,
    width_in: float | None = None,
    on_progress: OnProgress = unheard,
) -> WrittenPaper:
    """Write tables, figures, captions, numbers, examples and documents about ``models``.

    Figures have the width of a column in ``figures/`` and that of the text in ``figures/wide/``;
    with ``width_in`` (inches) that width alone. Other files of the folder stay.

    Errors: as :func:`read_rows` and :func:`chosen`; :class:`OutputError` if a file cannot be
    written.
    """
    ask = OpenWarehouse(root.warehouse)
    rows = read_rows(root.warehouse, variant or default_variant(ask))
    choice = chosen(rows, models, published, has_references=has_references)
    about = rows_about(rows, choice)
    tables = tables_of(ask, about, choice)
    files: dict[str, bytes] = {}
    names: dict[str, list[str]] = {}
    captions: dict[str, str] = {}
    for table in tables:
        captions[table.name] = table.caption
        written = latex_files(table, about)
        names[table.name] = list(written)
        files |= {f"tables/{name}.tex": text.encode() for name, text in written.items()}
        files |= _numbers(table.name, table.sql, table.found)
    widths = [width_in] if width_in is not None else list(WIDTHS_IN.values())
    figures, *wide = _draw(about, widths, on_progress)
    of_figures = {f.name: figure_caption(f, about, choice) for f in figures}
    files |= {f"figures/{figure.name}.pdf": figure.pdf for figure in figures}
    for figure in figures:
        sql = figure_query(figure.name, rows.variant, choice)
        if sql is not None:
            files |= _numbers(figure.name, sql, ask(sql))
    for of_width in wide:
        files |= {f"figures/wide/{figure.name}.pdf": figure.pdf for figure in of_width}
    images = ImageStore(root.images)

    def picture(sha: str) -> NDArray[np.uint8]:
        return images.read(sha)

    examples: dict[str, str] = {}
    n_examples = 0
    for number, model in enumerate(choice.models, 1):
        found = _examples(about, model, picture)
        if found:
            examples[model] = f"model_{number}"
            n_examples += len(found)
            files |= _example_files(f"model_{number}", found)
    main = [n for name in MAIN_TABLES for n in names.get(name, ())[:1]]
    shown = main_figures(of_figures)
    further = [n for name in names for n in names[name] if n not in main]
    files["captions.tex"] = captions_latex(of_figures).encode()
    files[CAPTIONS] = _captions(about, captions, of_figures).encode()
    files["main.tex"] = main_document(choice, rows.variant, main, list(of_figures)).encode()
    others = (name for name in of_figures if name not in shown)
    files["appendix.tex"] = appendix_document(further, others, examples).encode()
    paths = write_files(folder, files)
    return WrittenPaper(tuple(paths), tuple(names), tuple(of_figures), n_examples, rows.variant)


def tables_of(ask: OpenWarehouse, rows: ReportRows, choice: Choice) -> list[PaperTable]:
    """Every table that has a number of a chosen model; ``rows`` are :func:`rows_about` them."""
    tables = []
    for name in TABLES:
        sql = table_query(name, rows.variant, choice)
        found = ask(sql)
        of_ours = found.filter(pl.col("whose").is_in(["model", "reference", "setting"]))
        if of_ours["value"].drop_nulls().len():
            tables.append(PaperTable(name, table_caption(name, found, rows, choice), sql, found))
    return tables


def _draw(
    rows: ReportRows, widths_in: Sequence[float], on_progress: OnProgress
) -> list[list[Figure]]:
    """All figures in each width; progress counts the sections of all widths."""
    drawn = []
    for n, width_in in enumerate(widths_in):

        def counted(progress: Progress, n: int = n, width_in: float = width_in) -> None:
            n_each = progress.total
            text = f"{progress.text} ({width_in:g} in)"
            done, total = n * n_each + progress.done, len(widths_in) * n_each
            on_progress(replace(progress, done=done, total=total, text=text))

        with printing(width_in, note_of(rows)):
            sections = measured_sections(rows, counted, DRAWN)
        drawn.append([part for s in sections for part in s.parts if isinstance(part, Figure)])
    return drawn


def _numbers(name: str, sql: str, found: pl.DataFrame) -> dict[str, bytes]:
    """A CSV file of the numbers as they are, lists as text, and the query that gives them."""
    lists = [column for column, kind in found.schema.items() if kind == pl.List(pl.String)]
    flat = found.with_columns(pl.col(column).list.join(", ") for column in lists)
    return {f"data/{name}.csv": flat.write_csv().encode(), f"data/{name}.sql": sql.encode()}


def _examples(rows: ReportRows, model: str, picture: PictureOf) -> list[Example]:
    of_model = rows["examples"].filter(model=model)
    section = wrong_answers(replace(rows, of={**rows.of, "examples": of_model}), picture)
    return [part for part in section.parts if isinstance(part, Example)]


def _example_files(stem: str, examples: list[Example]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    with_names: list[tuple[Example, str | None]] = []
    for n, example in enumerate(examples, 1):
        name = f"{stem}_{n:02d}.jpg" if example.strip is not None else None
        if name is not None and example.strip is not None:
            files[f"examples/{name}"] = example.strip
        with_names.append((example, name))
    files[f"examples/{stem}.tex"] = examples_latex(with_names).encode()
    return files


def _captions(rows: ReportRows, tables: dict[str, str], figures: dict[str, str]) -> str:
    lines = ["# Captions", ""]
    lines += [f"{rows.not_comparable}\n"] if rows.not_comparable else []
    lines += [f"{caption}\n" for caption in rows["caveats"].filter(variant=rows.variant)["caveat"]]
    lines += [f"- **{name}** (table): {caption}" for name, caption in tables.items()]
    lines += [f"- **{name}**: {caption}" for name, caption in figures.items()]
    return "\n".join(lines) + "\n"
