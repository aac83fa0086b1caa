"""The command ``world``: WorldPrediction on embedded demonstrations or on films of people."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.table import Table
from rich.text import Text

from enact_assets.commands.graph_options import walk_options
from enact_assets.commands.walking import walk
from enact_assets.commands.world_files import write_release, write_sheets
from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.plurals import counted, named
from enact_assets.pipeline.handles.tools import AnnotatedFilms
from enact_assets.pipeline.root.scope import read_scope
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.questions.world.annotated_questions import not_asked
from enact_assets.questions.world.annotated_videos import ANNOTATED_VIDEOS, write_annotated_videos
from enact_assets.questions.world.asked_actions import coverage_notes
from enact_assets.questions.world.step_files import ensured_step_files
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import BASELINE, Registry, load_registry
from enact_assets.settings.world import CONDITIONS, EMBEDDED_WORLD, EQUIVALENT, world_name

MADE = ("model_comparisons", "human_agreement", "question_quality")
SHOWN = 4
EMBEDDED_RESULTS = (
    "Embedded demonstrations, unfiltered by people: these are not WorldPrediction results."
)
STEP_FILE_RESULTS = (
    "Annotations of {}, other questions than the paper's, unfiltered by people: these are not "
    "WorldPrediction results."
)


def run_world(arguments: argparse.Namespace, console: Console) -> int:
    """``world``; returns the exit code."""
    registry, root = load_registry(), DataRoot(arguments.data)
    asked = arguments.demonstration or asked_by_default(registry, root.root)
    environments = environments_of(asked, registry.world.environments.seeds)
    chosen = walk_options(
        data=arguments.data, asset=list(MADE), workers=arguments.workers, max_usd=arguments.max_usd
    )
    if arguments.step_file:
        if ANNOTATED_VIDEOS in arguments.step_file:
            folder = root.step_files / ANNOTATED_VIDEOS
            for problem in write_annotated_videos(Recordings(root.recordings), folder):
                console.print(Text(problem))
        sources = ensured_step_files(root.step_files, arguments.step_file)
        chosen.variant = list(map(world_name, sources))
    else:
        chosen.demonstration = [*asked, *environments]
        chosen.variant = [world_name(EMBEDDED_WORLD)]
    people = DataResource(root=str(arguments.data)).models.answered.annotators()
    chosen.model = [*registry.world.models, *people, *(arguments.model or ())]
    code = walk(chosen, console, registry, None)
    if environments and not arguments.step_file:
        lent = counted(len(environments), "environment")
        console.print(
            f"Asked about {named(asked, SHOWN)}. Clips come from {lent} as well, about which ENACT "
            f"asks nothing: {named(environments, SHOWN)}. Later commands keep them fresh, too, "
            "until `enact-assets forget demonstration` takes each of them out.",
            markup=False,
        )
    for source in arguments.step_file or [EMBEDDED_WORLD]:
        show_accuracies(root, console, source)
    if arguments.export is not None and code == 0:
        sources = arguments.step_file or [EMBEDDED_WORLD]
        console.print(write_release(root, arguments.export, sources))
    if arguments.sheets is not None and code == 0:
        console.print(write_sheets(root, arguments.sheets, arguments.per_task, EQUIVALENT))
    return code


def asked_by_default(registry: Registry, root: Path) -> list[str]:
    """Demonstrations in the scope of a data root, or those of the demo without a scope; without
    environments.
    """
    scope = read_scope(root)
    seeds = {f"-{seed}" for seed in registry.world.environments.seeds}
    names: Sequence[str] = registry.demo.get("demonstration", registry.demonstrations)
    if scope is not None:
        names = scope.of_registry(registry).demonstrations
    return [name for name in names if not name.endswith(tuple(seeds))]


def environments_of(asked: Sequence[str], seeds: Sequence[int]) -> list[str]:
    """``<activity>-<seed>`` of every activity with questions."""
    activities = dict.fromkeys(name.rpartition("-")[0] for name in asked)
    names = (f"{activity}-{seed}" for activity in activities for seed in seeds)
    return [name for name in names if name not in asked]


def show_accuracies(root: DataRoot, console: Console, source: str) -> None:
    """Accuracies of one world source over all lengths, by task and condition."""
    lake, variant = Lake(root.lake), {"variant": world_name(source)}
    if not lake.exists("model_accuracies", variant):
        return
    rows = lake.read("model_accuracies", variant).filter(
        pl.col("length").is_null(), pl.col("n_scored") > 0, metric="task_accuracy"
    )
    named = pl.col("kind").str.split("_")
    rows = rows.with_columns(task=named.list.first(), condition=named.list.last())
    conditions = [c for c in CONDITIONS if c in set(rows["condition"])]
    table = Table("task", "model", *conditions, "questions")
    for (task, model), part in rows.sort("task", "model").group_by(
        "task", "model", maintain_order=True
    ):
        by = {row["condition"]: row for row in part.iter_rows(named=True)}
        cells = [_cell(by.get(condition)) for condition in conditions]
        table.add_row(str(task), str(model), *cells, str(part["n_scored"].max()))
    if source == EMBEDDED_WORLD:
        for name, note in notes_of(lake).items():
            console.print(f"{name}: {note}.")
    else:
        for problem in problems_of(root, lake, source):
            console.print(Text(problem))
    console.print(table)
    console.print(
        EMBEDDED_RESULTS if source == EMBEDDED_WORLD else STEP_FILE_RESULTS.format(source)
    )


def notes_of(lake: Lake) -> dict[str, str]:
    """Print the questions about each embedded demonstration, and why there are not more."""
    source = {"question_set": world_name(EMBEDDED_WORLD)}
    if not lake.exists("world_questions", source):
        return {}
    gating = load_registry().variant(BASELINE).gating
    states = lake.read_all("action_states", gating=gating)
    return coverage_notes(states, lake.read("world_questions", source))


def problems_of(root: DataRoot, lake: Lake, step_file: str) -> tuple[str, ...]:
    """Print which steps of a step file have no questions, and why."""
    found = AnnotatedFilms.of(root, step_file).actions()
    source = {"question_set": world_name(step_file)}
    if not lake.exists("world_questions", source):
        return found.problems
    lengths = load_registry().world.questions.lengths
    return (*found.problems, *not_asked(found.rows, lake.read("world_questions", source), lengths))


def _cell(row: dict[str, object] | None) -> str:
    if row is None:
        return ""
    return f"{row['accuracy']:.1%} ({row['exact_low']:.0%} to {row['exact_high']:.0%})"
