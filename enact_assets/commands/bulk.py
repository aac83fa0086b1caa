"""The command ``bulk``: questions of many recorded replays without Dagster."""

import argparse

from rich.console import Console

from enact_assets.commands.outcomes import print_failures
from enact_assets.commands.release.evidence import gating_of
from enact_assets.commands.release.layout import find_tasks, refuse_overlap
from enact_assets.commands.release.outcomes import FAILED_FILE, Summary
from enact_assets.commands.terminal import shown_progress
from enact_assets.pipeline.bulk import run as bulk_run
from enact_assets.pipeline.bulk.chain import BulkSettings
from enact_assets.pipeline.bulk.sources import BulkRecording
from enact_assets.settings.classes import QuestionSettings, is_partition_name
from enact_assets.settings.profile import profile


def run_bulk(arguments: argparse.Namespace, console: Console) -> int:
    """``bulk``; returns the exit code."""
    unnamed = Summary()
    tasks = find_tasks(arguments.input_root, unnamed, is_well_named=is_partition_name)
    refuse_overlap(arguments.output, [arguments.input_root])
    sources = [BulkRecording(task.file, task.name) for task in tasks]
    questions = QuestionSettings(trajectories_per_length=arguments.num_to_sample)
    settings = BulkSettings(gating_of(profile(arguments.profile)), questions)
    with shown_progress(console, "bulk") as on_progress:
        done = bulk_run.run_bulk(
            sources,
            arguments.output,
            settings,
            workers=arguments.workers,
            batch_size=arguments.batch_size,
            replace=arguments.replace,
            on_progress=on_progress,
        )
    failed = [(failure.demonstration, failure.message) for failure in done.failures]
    failed += [(outcome.name, outcome.error or "") for outcome in unnamed.failures]
    print_failures(console, failed, arguments.output / FAILED_FILE, shows_all=arguments.all)
    n_tasks = done.n_demonstrations + len(unnamed.failures)
    console.print(", ".join(f"{n:,} {name}" for name, n in done.n_rows.items()))
    console.print(
        f"{n_tasks - len(failed)} of {n_tasks} tasks have rows, {len(failed)} failed; "
        f"{done.n_skipped} were done before, {done.n_made} now in {done.wall_s:.0f} s; "
        f"peak memory {done.peak_bytes / 1e6:.0f} MB. Read {arguments.output}/batch-*/qa.parquet"
    )
    return 1 if failed else 0
