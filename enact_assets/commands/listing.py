"""The command ``list``: names there are, and how many questions are asked about them."""

import argparse
from collections.abc import Iterable
from textwrap import wrap

from rich.console import Console

from enact_assets.answers.baselines.references import MODELS, WORLD_BASELINES
from enact_assets.answers.imported.answer_files import answered_names
from enact_assets.commands.question_counts import print_question_counts
from enact_assets.commands.terminal import plain
from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.root.scope import scoped_registry
from enact_assets.questions.files.imported import question_file_names, registry_in
from enact_assets.questions.world.step_files import step_file_names
from enact_assets.results.published import published_names
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.world import world_name
from enact_assets.simulator.activities import ACTIVITIES


def run_list(arguments: argparse.Namespace, console: Console) -> int:
    """``list``; returns the exit code."""
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
        ("question sets and variants of WorldPrediction", _worlds(root)),
        ("models", MODELS),
        ("models that answer WorldPrediction alone", WORLD_BASELINES),
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


def _worlds(root: DataRoot) -> list[str]:
    """Those that were made, and those of step files."""
    made = {
        partition["question_set"] for partition in Lake(root.lake).partitions("world_questions")
    }
    return sorted({*made, *map(world_name, step_file_names(root.step_files))})


def _print_names(console: Console, title: str, names: Iterable[str]) -> None:
    """A heading and, within the width, what it lists."""
    console.print(plain(title, "bold"))
    text = ", ".join(names) or "none"
    width = console.width - 2
    for line in wrap(text, width, break_long_words=False, break_on_hyphens=False):
        console.print(plain(f"  {line}"))
