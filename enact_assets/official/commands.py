"""The commands ``segment``, ``qa`` and ``eval``: the release's arguments, and what they print."""

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from enact_assets.contracts.profile import PROFILES, RELEASE, profile
from enact_assets.official.outcomes import Outcome, Summary, Told

AddCommand = Callable[[str, object, str], argparse.ArgumentParser]

DEFAULT_SEGMENTED = Path("data/segmented_activities")
DEFAULT_REPLAYED = Path("data/replayed_activities")
DEFAULT_EVALUATION = Path("data/evaluation")
MAX_SHOWN = 30
LINE_EVERY_S = 10.0


def add_official_commands(command: AddCommand) -> None:
    """Add the three commands; ``command(name, run, about)`` makes a parser of one."""
    sub = command("segment", _segment, "Find the key frames of recorded replays.")
    sub.add_argument("input_root", type=Path, help="folder of <task>/scene_graph_0.json[.gz]")
    sub.add_argument(
        "output_root", type=Path, help="folder for <task>/segmented_scene_graph_0.json"
    )
    _add_shared(sub)

    sub = command("qa", _qa, "Write questions from key frames and the replays they come from.")
    sub.add_argument("segmented", type=Path, help="folder that `segment` wrote")
    sub.add_argument("replayed", type=Path, help="folder of <task>/scene_graph_0.json[.gz]")
    sub.add_argument("output", type=Path, metavar="OUT.jsonl", help="question file to write")
    n_default = RELEASE.release_constants.trajectories_per_length
    sub.add_argument(
        "--num-to-sample",
        type=positive,
        default=n_default,
        metavar="N",
        help=f"trajectories per task and length (default: {n_default})",
    )
    sub.add_argument(
        "--seed",
        type=int,
        default=None,
        metavar="S",
        help="seed of profile paper; profile release always uses the release's own",
    )
    sub.add_argument(
        "--no-pictures", action="store_true", help="write no labelled pictures beside OUT.jsonl"
    )
    _add_shared(sub)

    sub = command("eval", _eval, "Score answers to official questions.")
    sub.add_argument(
        "predictions", type=Path, help="a .jsonl of answers, or a folder of enact_ordering_*.jsonl"
    )
    sub.add_argument(
        "--segmented-data",
        type=Path,
        default=DEFAULT_SEGMENTED,
        metavar="DIR",
        help=f"key frames of the tasks (default: {DEFAULT_SEGMENTED})",
    )
    sub.add_argument(
        "--raw-data",
        type=Path,
        default=DEFAULT_REPLAYED,
        metavar="DIR",
        help=f"replays of the tasks (default: {DEFAULT_REPLAYED})",
    )
    sub.add_argument(
        "--output-root",
        type=Path,
        default=DEFAULT_EVALUATION,
        metavar="DIR",
        help=f"folder for reports (default: {DEFAULT_EVALUATION})",
    )
    sub.add_argument(
        "--analyze-wrong-cases",
        action="store_true",
        help="also write the errors of each wrong answer; under profile release this drops rows "
        "whose order cannot be described, as the release does",
    )
    _add_shared(sub)


def add_bulk_command(command: AddCommand) -> None:
    """Add ``bulk``: many recorded replays up to questions, without Dagster."""
    about = "Write tables and questions of many recorded replays in batches, without Dagster."
    sub = command("bulk", _bulk, about)
    sub.add_argument("input_root", type=Path, help="folder of <task>/scene_graph_0.json[.gz]")
    sub.add_argument("output", type=Path, help="folder of batch-*/<table>.parquet; resumable")
    sub.add_argument(
        "--profile",
        choices=sorted(PROFILES),
        default=RELEASE.name,
        help=f"whose rules apply (default: {RELEASE.name})",
    )
    for option, default, about in (
        ("--num-to-sample", 30, "trajectories per task and length"),
        ("--workers", 2, "processes to use"),
        ("--batch-size", 50, "tasks per file"),
    ):
        help_ = f"{about} (default: {default})"
        sub.add_argument(option, type=positive, default=default, metavar="N", help=help_)
    sub.add_argument(
        "--replace",
        action="store_true",
        help="replace batches in that folder that other settings made",
    )


def _bulk(arguments: argparse.Namespace, console: Console) -> int:
    from enact_assets.bulk.bulk_sources import BulkRecording
    from enact_assets.bulk.chain import BulkSettings
    from enact_assets.bulk.run import BulkProgress, run_bulk
    from enact_assets.contracts.settings import QuestionSettings
    from enact_assets.official.evidence import gating_of
    from enact_assets.official.layout import find_tasks, refuse_overlap

    unnamed = Summary()
    tasks = find_tasks(arguments.input_root, unnamed)
    refuse_overlap(arguments.output, [arguments.input_root])
    sources = [BulkRecording(task.file, task.name) for task in tasks]
    questions = QuestionSettings(trajectories_per_length=arguments.num_to_sample)
    settings = BulkSettings(gating_of(profile(arguments.profile)), questions)
    with shown_progress(console, "bulk") as on_progress:

        def heard(progress: BulkProgress) -> None:
            on_progress(f"{progress.n_failed} failed", progress.n_done, progress.n_demonstrations)

        done = run_bulk(
            sources,
            arguments.output,
            settings,
            workers=arguments.workers,
            batch_size=arguments.batch_size,
            replace=arguments.replace,
            progress=heard,
        )
    failed = [(failure.demonstration, failure.message) for failure in done.failures]
    failed += [(outcome.name, outcome.error or "") for outcome in unnamed.failures]
    _print_failures(console, failed)
    n_tasks = done.n_demonstrations + len(unnamed.failures)
    console.print(", ".join(f"{n:,} {name}" for name, n in done.n_rows.items()))
    console.print(
        f"{n_tasks - len(failed)} of {n_tasks} tasks have rows, {len(failed)} failed; "
        f"{done.n_skipped} were done before, {done.n_made} now in {done.wall_s:.0f} s; "
        f"peak memory {done.peak_bytes / 1e6:.0f} MB. Read {arguments.output}/batch-*/qa.parquet"
    )
    return 1 if failed else 0


def _add_shared(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--profile",
        choices=sorted(PROFILES),
        default=RELEASE.name,
        help="rules to apply: the public release's (default) or the paper's",
    )
    sub.add_argument("--dry-run", action="store_true", help="write nothing; show the results")


def positive(text: str) -> int:
    """The whole number of 1 or more that ``text`` is, for argparse."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of 1 or more, not {text!r}")
    return int(text)


def _segment(arguments: argparse.Namespace, console: Console) -> int:
    from enact_assets.official.segmenting import segment_folder

    with shown_progress(console, "segment") as on_progress:
        summary = segment_folder(
            arguments.input_root,
            arguments.output_root,
            profile(arguments.profile),
            is_dry_run=arguments.dry_run,
            told=on_progress,
        )
    return print_summary(console, summary, "task", arguments.output_root)


def _qa(arguments: argparse.Namespace, console: Console) -> int:
    from enact_assets.official.asking import ask_folder

    with shown_progress(console, "qa") as on_progress:
        summary = ask_folder(
            arguments.segmented,
            arguments.replayed,
            arguments.output,
            profile(arguments.profile),
            n_per_length=arguments.num_to_sample,
            seed=arguments.seed or 0,
            with_pictures=not arguments.no_pictures,
            is_dry_run=arguments.dry_run,
            told=on_progress,
        )
    return print_summary(console, summary, "task", arguments.output)


def _eval(arguments: argparse.Namespace, console: Console) -> int:
    from enact_assets.official.evaluating import evaluate_files

    with shown_progress(console, "eval") as on_progress:
        summary = evaluate_files(
            arguments.predictions,
            arguments.segmented_data,
            arguments.raw_data,
            arguments.output_root,
            profile(arguments.profile),
            analyze_wrong_cases=arguments.analyze_wrong_cases,
            is_dry_run=arguments.dry_run,
            told=on_progress,
        )
    return print_summary(console, summary, "model", arguments.output_root)


@contextmanager
def shown_progress(console: Console, name: str) -> Iterator[Told]:
    """A bar on a terminal, in a log a line every ten seconds; both on standard error."""
    if not console.is_terminal:
        said_at = time.monotonic()

        def say(text: str, done: int, total: int) -> None:
            nonlocal said_at
            if time.monotonic() - said_at >= LINE_EVERY_S:
                said_at = time.monotonic()
                print(f"{name} {text}: {done / max(1, total):.0%}", file=sys.stderr)

        yield say
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=TextConsole(stderr=True), transient=True) as progress:
        bar = progress.add_task(name, total=None)

        def show(text: str, done: int, total: int) -> None:
            progress.update(bar, description=f"{name} {text}", completed=done, total=total)

        yield show


def print_summary(console: Console, summary: Summary, what: str, output: Path) -> int:
    """The outcomes as a table, then what failed; returns the exit code, 0 or 1."""
    done = [o for o in summary.outcomes if o.error is None]
    if done:
        columns = list(dict.fromkeys(name for o in done for name in o.numbers))
        table = Table(what, *columns, box=None, pad_edge=False)
        for column in table.columns[1:]:
            column.justify = "right"
        shown = done[:MAX_SHOWN]
        for outcome in shown:
            table.add_row(plain(outcome.name), *(_cell(outcome.numbers.get(c)) for c in columns))
        if len(done) > len(shown):
            table.add_row(f"... {len(done) - len(shown)} more")
        if len(done) > 1:
            table.add_row("all", *(_total(summary, done, c) for c in columns), style="bold")
        console.print(table)
    for note in summary.notes:
        console.print(plain(note))
    _print_failures(console, [(o.name, o.error or "") for o in summary.failures])
    n_failed, n_all = len(summary.failures), len(summary.outcomes)
    ended = f"{n_all - n_failed} of {n_all} done" if n_failed else f"{n_all} done"
    place = f"written to {output}"
    if summary.is_dry_run or (n_failed == n_all and not summary.has_output):
        place = "nothing was written" + (" (dry run)" if summary.is_dry_run else "")
    console.print(plain(f"{ended}, {place}"))
    sys.stdout.flush()
    return 0 if summary.is_success else 1


def _print_failures(console: Console, failed: Sequence[tuple[str, str]]) -> None:
    """Name and message of each, up to a number that can be read."""
    for name, message in failed[:MAX_SHOWN]:
        shown = message if message.startswith(f"{name}: ") else f"{name}: {message}"
        console.print(plain(f"failed: {shown}", "red"))
    if len(failed) > MAX_SHOWN:
        console.print(Text(f"... {len(failed) - MAX_SHOWN} more failed", "red"))


class TextConsole(Console):
    """Prints texts as they are: no markup or emoji codes in them, and :func:`printable` only."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        # What Rich itself tells the terminal is control, or a style.
        return super()._render_buffer(
            part if part.control else part._replace(text=printable(part.text)) for part in buffer
        )


def plain(text: str, style: str = "") -> Text:
    """Text for a terminal, as it is but for what :func:`printable` replaces."""
    return Text(printable(text), style)


def printable(text: str) -> str:
    """Escapes what a terminal or a coding cannot take, or would obey; names of files and answers
    of models may hold it.
    """
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _total(summary: Summary, done: list[Outcome], column: str) -> str:
    """The sum of counts; nothing for what does not add up."""
    values = [o.numbers.get(column, 0) for o in done]
    if any(not isinstance(v, int) for v in values):
        return ""
    return str(int(summary.total(column)))
