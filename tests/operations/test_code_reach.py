"""Whatever runs when a step is made counts in the version of its code."""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import polars as pl
import pytest
from tiny_roots import TinyRoot

import enact_assets
from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.engine.code_versions import Symbol
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.loading import StepContext, load_arguments
from enact_assets.engine.parameters import Each, Later
from enact_assets.engine.steps import STEPS, Step
from enact_assets.pipeline.handles.tools import Tools
from enact_assets.pipeline.lineage.code import code_versions, step_roots
from enact_assets.pipeline.lineage.graph import names_now
from enact_assets.pipeline.lineage.versions import entry_of
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry

pytestmark = pytest.mark.slow

PACKAGE = Path(enact_assets.__file__).parent
NEVER_MADE = {"official_questions", "published_results", "training_statistics", "fact_reader",
              "world_questions", "captions", "world_filters", "mirrored_findings",
              "annotated_actions", "training_plans", "film_images"}  # fmt: skip
"""Here: no question file is imported, nothing is trained, mirrored or asked about the world;
published results are made below."""

OF_THE_RUN = {Symbol("enact_assets.pipeline.handles.tools", "Tools")}
"""What a run hands to handles: places, and who hears of progress."""


def symbols_run(call: Callable[[], Any]) -> set[Symbol]:
    """Symbols of this package whose code runs while ``call`` does; kernels do not show."""
    ran: set[Symbol] = set()
    names: dict[str, str | None] = {}

    def module_of(file: str) -> str | None:
        path = Path(file)
        if not path.is_relative_to(PACKAGE):
            return None
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        return ".".join(("enact_assets", *parts)).removesuffix(".__init__")

    def note(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event != "call" or code.co_qualname.startswith("<"):
            return
        if code.co_filename not in names:
            names[code.co_filename] = module_of(code.co_filename)
        module = names[code.co_filename]
        if module is not None:
            ran.add(Symbol(module, code.co_qualname.partition(".")[0]))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return ran


@pytest.fixture(scope="module")
def world(tiny: TinyRoot) -> StepContext:
    registry, lake = load_registry(tiny.registry), Lake(tiny.root / "lake")
    images, recordings = ImageStore(tiny.root / "images"), Recordings(tiny.root / "recordings")
    tools = Tools(images, recordings, tiny.root, data_root=DataRoot(tiny.root))
    names = names_now(
        registry, [p["demonstration"] for p in lake.partitions("facts")], registry.models, []
    )

    return StepContext(lake, names, partial(entry_of, registry), tools)


def made(step: Step, world: StepContext) -> Iterator[dict[str, str]]:
    yield from map(dict, world.store.partitions(step.outputs[0].table_name()))


@pytest.mark.parametrize("name", sorted(set(STEPS) - NEVER_MADE))
def test_what_runs_is_reached(name: str, world: StepContext) -> None:
    """A function that runs and does not count would leave old rows for fresh."""
    step = STEPS[name]
    partition = next(made(step, world))
    arguments = load_arguments(step, partition, world)
    for argument in arguments.values():  # loaded before, so that the engine does not run within
        if isinstance(argument, Later):
            argument._load = partial(pl.DataFrame.clone, argument())
        elif isinstance(argument, Each):
            for demonstration in world.names.of["demonstration"]:
                _ = argument[demonstration]
    ran = symbols_run(lambda: step.function(**arguments))
    reached = code_versions(cache_file=None).reached(step_roots(step))
    assert Symbol(step.function.__module__, name) in ran
    lost = {s for s in ran - reached - OF_THE_RUN if s.module.split(".")[1] != "engine"}
    assert lost == set()
