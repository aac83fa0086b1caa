"""The command ``report``: the report, or figures and tables for a paper."""

import argparse

from rich.console import Console

from enact_assets.commands.terminal import shown_progress
from enact_assets.engine.errors import SettingsError
from enact_assets.engine.plurals import counted
from enact_assets.engine.provenance import InputVersion, Provenance
from enact_assets.pipeline.lineage.code import code_version
from enact_assets.pipeline.lineage.graph import REPORT, WAREHOUSE
from enact_assets.results.published import published_provenance
from enact_assets.results.report.paper.write import write_paper
from enact_assets.results.report.paper_figures import width_of, write_paper_figures
from enact_assets.results.report.write import write_report
from enact_assets.settings.paths import DataRoot


def run_report(arguments: argparse.Namespace, console: Console) -> int:
    """``report``; returns the exit code."""
    root = DataRoot(arguments.data)
    if arguments.figures is not None and arguments.model:
        return _paper(root, arguments, console)
    for option in ("model", "published", "no_references"):
        if getattr(arguments, option):
            raise SettingsError(
                f"--{option.replace('_', '-')} chooses what a paper is about: give --figures "
                "FOLDER and --model NAME with it"
            )
    if arguments.figures is not None:
        return _paper_figures(root, arguments, console)
    if arguments.width is not None:
        raise SettingsError("--width sets the width of figures for papers: give --figures FOLDER")
    version, _ = published_provenance(root.warehouse)
    provenance = None
    if version is not None:
        inputs = {WAREHOUSE: InputVersion(version, 1)}
        provenance = Provenance(code_version(REPORT), inputs)
    with shown_progress(console, "report") as on_progress:
        written = write_report(
            root,
            variant=arguments.variant,
            output=arguments.output,
            provenance=provenance,
            on_progress=on_progress,
        )
    n_figures = len(written.page.figures)
    console.print(f"{written.path}: {counted(len(written.page.sections), 'section')}", markup=False)
    console.print(f"{counted(n_figures, 'figure')} in the same folder, as PNG and SVG")
    return 0


def _paper(root: DataRoot, arguments: argparse.Namespace, console: Console) -> int:
    width_in = None if arguments.width is None else width_of(arguments.width)
    with shown_progress(console, "figures") as on_progress:
        written = write_paper(
            root,
            arguments.figures,
            arguments.model,
            arguments.published,
            has_references=not arguments.no_references,
            variant=arguments.variant,
            width_in=width_in,
            on_progress=on_progress,
        )
    console.print(
        f"{arguments.figures}: {counted(len(written.tables), 'table')}, "
        f"{counted(len(written.figures), 'figure')} and "
        f"{counted(written.n_examples, 'example')} under {written.variant}; data/ has the numbers "
        "of each as CSV and the query that gives them, captions.md all captions",
        markup=False,
    )
    console.print(
        f"`cd {arguments.figures} && pdflatex main && pdflatex appendix` makes the pages",
        markup=False,
    )
    return 0


def _paper_figures(root: DataRoot, arguments: argparse.Namespace, console: Console) -> int:
    width_in = width_of(arguments.width or "single")
    with shown_progress(console, "figures") as on_progress:
        written = write_paper_figures(
            root, arguments.figures, width_in, arguments.variant, on_progress
        )
    n_figures = sum(path.suffix == ".pdf" for path in written)
    n_tables = sum(path.suffix == ".tex" for path in written)
    console.print(
        f"{arguments.figures}: {counted(n_figures, 'figure')}, {width_in:g} in wide, "
        f"as PDF, SVG and PNG; {counted(n_tables, 'table')} as LaTeX and Markdown",
        markup=False,
    )
    return 0
