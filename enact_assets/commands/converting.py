"""The commands ``segment``, ``qa`` and ``eval``, as the release has them."""

import argparse

from rich.console import Console

from enact_assets.commands.outcomes import print_summary
from enact_assets.commands.release.asking import ask_folder
from enact_assets.commands.release.evaluating import evaluate_files
from enact_assets.commands.release.segmenting import segment_folder
from enact_assets.commands.terminal import shown_progress
from enact_assets.settings.profile import profile


def run_segment(arguments: argparse.Namespace, console: Console) -> int:
    """``segment``; returns the exit code."""
    with shown_progress(console, "segment") as on_progress:
        summary = segment_folder(
            arguments.input_root,
            arguments.output_root,
            profile(arguments.profile),
            is_dry_run=arguments.dry_run,
            on_progress=on_progress,
        )
    return print_summary(console, summary, "task", arguments.output_root)


def run_qa(arguments: argparse.Namespace, console: Console) -> int:
    """``qa``; returns the exit code."""
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
    return print_summary(console, summary, "task", arguments.output)


def run_eval(arguments: argparse.Namespace, console: Console) -> int:
    """``eval``; returns the exit code."""
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
    return print_summary(console, summary, "model", arguments.output_root)
