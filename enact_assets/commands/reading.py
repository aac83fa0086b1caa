"""Commands that read published results: leaderboard, sql, report, list."""

import argparse
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from textwrap import wrap

from rich.console import Console

from enact_assets.commands.coverage import coverage
from enact_assets.contracts.errors import SettingsError, UnknownNameError
from enact_assets.data_root.paths import DataRoot
from enact_assets.official.commands import plain, shown_progress
from enact_assets.plurals import counted

NOT_CURRENT = {
    "stale": "The DuckDB file holds old rows of stale partitions",
    "missing": "The DuckDB file holds no rows of missing partitions; `enact-assets materialize` "
    "tries again and prints each error",
}
"""States of partitions that are not current, and what that means for their rows."""

AddCommand = Callable[[str, object, str], argparse.ArgumentParser]


def add_reading_commands(command: AddCommand) -> None:
    """Add leaderboard, sql, report and list."""
    sub = command("leaderboard", _leaderboard, "Show the leaderboard of the DuckDB file.")
    sub.add_argument("--variant", metavar="NAME", help="only this variant (default: all on it)")
    sub = command(
        "sql", _sql, "Run one SQL query on the DuckDB file; show 50 rows, as fits the terminal."
    )
    sub.add_argument("query", help="for example: select * from leaderboard")
    sub.add_argument("--all", action="store_true", help="show all rows, not only the first 50")
    about = (
        "let the query read and write other files, attach databases and load extensions (default: "
        "it reads the DuckDB file only)"
    )
    sub.add_argument("--files", action="store_true", help=about)
    form = sub.add_mutually_exclusive_group()
    about = "one column per line with its whole value, row after row"
    form.add_argument("--record", action="store_true", help=about)
    form.add_argument("--csv", action="store_true", help="all rows, whole values, as CSV")
    about = "all rows, whole values: one JSON object per row, each on a line"
    form.add_argument("--json", action="store_true", help=about)
    about = (
        "Write the report on the DuckDB file: one HTML file, and figures as PNG and SVG. With "
        "--figures, write figures and tables for a paper instead."
    )
    sub = command("report", _report, about)
    where = sub.add_mutually_exclusive_group()
    where.add_argument(
        "--output", type=Path, metavar="FOLDER", help="folder to write to (default: DIR/report)"
    )
    where.add_argument(
        "--figures",
        type=Path,
        metavar="FOLDER",
        help="write no report, but into this folder every figure as PDF, SVG and PNG (300 dpi), "
        "and leaderboard and probes as LaTeX and Markdown tables",
    )
    sub.add_argument(
        "--width",
        metavar="WIDTH",
        help="width of the figures, with --figures: single (3.25 in, the default), double "
        "(6.75 in), or inches, as 3.5 and 7.16 for IEEE or 5.5 for NeurIPS and ICLR",
    )
    sub.add_argument(
        "--variant",
        metavar="NAME",
        help="variant to report (default: the first of the leaderboard)",
    )
    about = (
        "List activities, demonstrations, recordings, gatings, variants and models, and how many "
        "questions each question set gets per kind and length."
    )
    command("list", _list, about)


def _leaderboard(arguments: argparse.Namespace, console: Console) -> int:
    show_leaderboard(DataRoot(arguments.data).warehouse, console, arguments.variant)
    return 0


def show_leaderboard(warehouse: Path, console: Console, variant: str | None = None) -> None:
    """Print it, and which partitions were stale or missing when it was published.

    Errors: :class:`UnknownNameError` for a ``variant`` that is not on it.
    """
    from enact_assets.data_root.published import VARIANT_ORDER, query
    from enact_assets.driver.terminal import print_leaderboard

    rows = query(
        warehouse,
        f"""
        select variant, kind, model, state, task_accuracy, task_accuracy_sd, pairwise_accuracy,
            pairwise_accuracy_sd, n_questions, n_scored, n_verified, repetitions, n_unparsed,
            n_refused, n_declined, n_cut, n_missing, n_answers, n_read_otherwise,
            task_accuracy_as_release, pairwise_accuracy_as_release
        from leaderboard_details where length is null and kind is not null
        order by {VARIANT_ORDER}, kind, pairwise_accuracy desc nulls last,
            task_accuracy desc nulls last, model
        """,  # noqa: S608 - our own words
    )
    if variant is not None:
        known = dict.fromkeys(rows["variant"])
        if variant not in known:
            advice = "Other variants are compared with the baseline in relation probe_deltas."
            raise UnknownNameError.of("variant of the leaderboard", variant, known, advice)
        rows = rows.filter(variant=variant)
    print_leaderboard(console, rows.to_dicts())
    for name in dict.fromkeys(rows["variant"]):
        console.print(f"{name}: {coverage(warehouse, name)}", markup=False)
    listed = query(warehouse, "select asset, partition, state, why from stale_partitions")
    for state, meaning in NOT_CURRENT.items():
        found = listed.filter(state=state).rows(named=True)
        if found:
            first = found[0]
            n_found = f"{counted(len(found), 'partition')} {'was' if len(found) == 1 else 'were'}"
            console.print(
                f"{n_found} {state} when this was published, first {first['asset']} "
                f"{first['partition'] or ''}: {first['why']}. {meaning}; see stale_partitions.",
                style="yellow",
            )


def _sql(arguments: argparse.Namespace, _console: Console) -> int:
    from enact_assets.commands.rows import plain_output, write_csv, write_json_lines
    from enact_assets.commands.shown_rows import MAX_ROWS, record_lines, table_lines
    from enact_assets.data_root.published import query

    warehouse = DataRoot(arguments.data).warehouse
    rows = query(warehouse, arguments.query, is_trusted=arguments.files)
    max_rows = None if arguments.all else MAX_ROWS
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    with plain_output() as out:
        if arguments.csv or arguments.json:
            (write_csv if arguments.csv else write_json_lines)(rows, out)
        elif arguments.record:
            out.writelines(f"{line}\n" for line in record_lines(rows, max_rows))
        else:
            out.writelines(f"{line}\n" for line in table_lines(rows, width, max_rows))
    return 0


def _report(arguments: argparse.Namespace, console: Console) -> int:
    from enact_assets.contracts.provenance import InputVersion, Provenance
    from enact_assets.data_root.published import published_provenance
    from enact_assets.lineage.code import code_version
    from enact_assets.lineage.pipeline import REPORT, WAREHOUSE
    from enact_assets.report.write import write_report

    root = DataRoot(arguments.data)
    if arguments.figures is not None:
        return _paper_figures(root, arguments, console)
    if arguments.width is not None:
        raise SettingsError("--width sets the width of figures for papers: give --figures FOLDER")
    version, _ = published_provenance(root.warehouse)
    provenance = None
    if version is not None:
        inputs = {WAREHOUSE: InputVersion(version, 1)}
        provenance = Provenance(code_version(REPORT), inputs)
    with shown_progress(console, "report") as told:
        written = write_report(
            root,
            variant=arguments.variant,
            output=arguments.output,
            provenance=provenance,
            told=told,
        )
    n_figures = len(written.page.figures)
    console.print(f"{written.path}: {counted(len(written.page.sections), 'section')}", markup=False)
    console.print(f"{counted(n_figures, 'figure')} in the same folder, as PNG and SVG")
    return 0


def _paper_figures(root: DataRoot, arguments: argparse.Namespace, console: Console) -> int:
    from enact_assets.report.paper_figures import width_of, write_paper_figures

    width_in = width_of(arguments.width or "single")
    with shown_progress(console, "figures") as told:
        written = write_paper_figures(root, arguments.figures, width_in, arguments.variant, told)
    n_figures = sum(path.suffix == ".pdf" for path in written)
    n_tables = sum(path.suffix == ".tex" for path in written)
    console.print(
        f"{arguments.figures}: {counted(n_figures, 'figure')}, {width_in:g} in wide, "
        f"as PDF, SVG and PNG; {counted(n_tables, 'table')} as LaTeX and Markdown",
        markup=False,
    )
    return 0


def _list(arguments: argparse.Namespace, console: Console) -> int:
    from enact_assets.commands.question_counts import print_question_counts
    from enact_assets.data_root.answer_files import answered_names
    from enact_assets.data_root.published import published_names
    from enact_assets.data_root.question_files import question_file_names, registry_in
    from enact_assets.data_root.recordings import Recordings
    from enact_assets.data_root.scope import scoped_registry
    from enact_assets.predictions.baselines import MODELS
    from enact_assets.simulator.activities import ACTIVITIES

    root = DataRoot(arguments.data)
    files, registry = question_file_names(root.question_files), registry_in(root)
    for title, names in (
        ("activities", ACTIVITIES),
        ("demonstrations (<activity>-<seed>)", registry.demonstrations),
        ("recordings", Recordings(root.recordings).names()),
        *((("question files", files),) if files else ()),
        ("gatings", registry.gatings),
        ("question sets", registry.question_sets),
        ("variants", registry.variants),
        ("models", MODELS),
        ("models with imported answers", answered_names(root)),
    ):
        _print_names(console, title, names)
    warehouse = root.warehouse
    if warehouse.exists():
        published = published_names(warehouse)
        for dimension in ("demonstration", "model"):
            _print_names(console, f"{dimension}s published", sorted(published.get(dimension, ())))
    made = scoped_registry(root.root).with_questions(files)
    for name, names, of_registry in (
        ("demonstrations", made.demonstrations, registry.demonstrations),
        ("variants", tuple(made.variants), tuple(registry.variants)),
    ):
        is_all = set(names) >= set(of_registry)
        more = "" if is_all else "; `enact-assets materialize --all` adds the whole registry"
        _print_names(console, f"{name} in scope{more}", names)
    print_question_counts(console, root, made)
    return 0


def _print_names(console: Console, title: str, names: Iterable[str]) -> None:
    """A heading and, within the width, what it lists."""
    console.print(plain(title, "bold"))
    text = ", ".join(names) or "none"
    width = console.width - 2
    for line in wrap(text, width, break_long_words=False, break_on_hyphens=False):
        console.print(plain(f"  {line}"))
