"""``export train`` and ``export validation``: demonstrations are made, then questions about them.

They have a data root of their own: one root asks about demonstrations for tests or for training.
"""

import argparse
import os
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from enact_assets.commands.harnesses.training_set import (
    TrainingWanted,
    check_split,
    write_training_set,
)
from enact_assets.commands.model_options import TRAINING_EXPORTS
from enact_assets.commands.terminal import shown_progress
from enact_assets.engine.plurals import counted
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.driver.terminal import TerminalObserver, print_report
from enact_assets.settings.paths import DataRoot, root_from_environment
from enact_assets.settings.registry import BASELINE, Registry, load_registry
from enact_assets.settings.splits import Split

FIRST_SEED = {Split.TRAINING: 1000, Split.VALIDATION: 116}
MADE = ("frame_images", "ambiguous_changes")


def run_training_export(arguments: argparse.Namespace, console: Console) -> int:
    """``export train FOLDER``; returns the exit code."""
    split = TRAINING_EXPORTS[arguments.name]
    registry = _registry(arguments.size)
    names = _names(arguments, split)
    check_split(names, split)
    folder = arguments.output
    root = DataRoot(_data_root(arguments))
    console.print(
        f"{counted(len(names), 'demonstration')} for {split}, in data root {root.root}.",
        markup=False,
    )
    variant = registry.variant(BASELINE)
    driver = Driver(
        root.root,
        registry=registry,
        workers=arguments.workers,
        dask=arguments.dask,
        observer=TerminalObserver(console),
    )
    only = {"demonstration": names, "variant": [BASELINE]}
    report = driver.run(demonstrations=names, assets=MADE, only=only)
    print_report(console, report)
    made = {partition[0] for partition in report.current("frame_images")}
    left_out = [name for name in names if name not in made]
    with shown_progress(console, "export") as on_progress:
        done = write_training_set(
            root,
            registry,
            variant,
            [name for name in names if name in made],
            folder=folder,
            wanted=TrainingWanted(
                split, arguments.questions, tuple(arguments.lengths), arguments.pictures
            ),
            left_out=left_out,
            workers=arguments.workers or os.cpu_count() or 1,
            on_progress=on_progress,
        )
    console.print(
        f"{counted(done.n_questions, 'question')} and {counted(done.n_pictures, 'picture')} "
        f"written to {folder}: {done.n_bytes / 2**20:,.0f} MiB.",
        markup=False,
    )
    return 0


def _data_root(arguments: argparse.Namespace) -> Path:
    """The one that is named; else one beside the folder, as that of other commands has tests."""
    named: Path = arguments.data
    if named.absolute() != root_from_environment():
        return named
    output: Path = arguments.output
    return output.with_name(f"{output.name}-data")


def _registry(size_px: int) -> Registry:
    """The registry without demonstrations for tests, its baseline with pictures of a size."""
    whole = load_registry()
    base = whole.variant(BASELINE)
    small = replace(base, renderer=replace(base.renderer, size_px=size_px))
    return replace(
        whole,
        demonstrations=(),
        models=(),
        gatings={base.gating: whole.gating(base.gating)},
        question_sets={base.question_set: whole.question_sets[base.question_set]},
        variants={BASELINE: small},
    )


def _names(arguments: argparse.Namespace, split: Split) -> list[str]:
    """Each activity with each seed."""
    activities = arguments.activity or sorted(
        {name.rpartition("-")[0] for name in load_registry().demonstrations}
    )
    seeds = arguments.seeds or range(FIRST_SEED[split], FIRST_SEED[split] + 2)
    return [f"{activity}-{seed}" for activity in activities for seed in seeds]
