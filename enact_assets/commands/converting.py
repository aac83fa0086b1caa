"""The commands ``segment``, ``qa`` and ``eval``, with the options of the release."""

import argparse
from pathlib import Path

from rich.console import Console

from enact_assets.commands.file_options import DEFAULT_REPLAYED, DEFAULT_SEGMENTED
from enact_assets.commands.outcomes import print_summary
from enact_assets.commands.release.asking import ask_folder
from enact_assets.commands.release.evaluating import evaluate_files, find_answer_files
from enact_assets.commands.release.outcomes import FAILED_FILE, Summary
from enact_assets.commands.release.segmenting import segment_folder
from enact_assets.commands.terminal import shown_progress
from enact_assets.engine.errors import RecordingError
from enact_assets.settings.profile import profile


def run_segment(arguments: argparse.Namespace, console: Console) -> int:
    """``segment``; returns the exit code."""
    _refuse_missing(arguments, "input_root")
    with shown_progress(console, "segment") as on_progress:
        summary = segment_folder(
            arguments.input_root,
            arguments.output_root,
            profile(arguments.profile),
            is_dry_run=arguments.dry_run,
            on_progress=on_progress,
        )
    return _printed(arguments, console, summary, "task", arguments.output_root / FAILED_FILE)


def run_qa(arguments: argparse.Namespace, console: Console) -> int:
    """``qa``; returns the exit code."""
    _refuse_missing(arguments, "segmented", "replayed")
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
            on_progress=on_progress,
        )
    failed = arguments.output.with_name(f"{arguments.output.stem}.{FAILED_FILE}")
    return _printed(arguments, console, summary, "task", failed)


def run_eval(arguments: argparse.Namespace, console: Console) -> int:
    """``eval``; returns the exit code."""
    find_answer_files(arguments.predictions)  # what was named is missed first
    _refuse_missing(arguments, "segmented_data", "raw_data")
    with shown_progress(console, "eval") as on_progress:
        summary = evaluate_files(
            arguments.predictions,
            arguments.segmented_data,
            arguments.raw_data,
            arguments.output_root,
            profile(arguments.profile),
            analyze_wrong_cases=arguments.analyze_wrong_cases,
            is_dry_run=arguments.dry_run,
            on_progress=on_progress,
        )
    return _printed(arguments, console, summary, "model", arguments.output_root / FAILED_FILE)


def _refuse_missing(arguments: argparse.Namespace, *names: str) -> None:
    """Raise :class:`RecordingError` for the first default input that does not exist."""
    for name in names:
        folder = getattr(arguments, name)
        if folder in (DEFAULT_REPLAYED, DEFAULT_SEGMENTED) and not folder.exists():
            raise RecordingError(
                f"{folder}: no such folder in {Path.cwd()}. It is the default of "
                f"{name.replace('_', '-')}, as in the public release: name another folder"
            )


def _printed(
    arguments: argparse.Namespace, console: Console, summary: Summary, what: str, failed: Path
) -> int:
    output = arguments.output if "output" in arguments else arguments.output_root
    return print_summary(console, summary, what, output, failed, shows_all=arguments.all)
