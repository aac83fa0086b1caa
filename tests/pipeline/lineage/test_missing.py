"""Which partitions are missing: asked for and not there. What nobody asked for is not."""

import dataclasses

import pytest
from pipeline.lineage.small_world import NAMES, World

from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.freshness import NOT_MADE, not_current
from enact_assets.engine.planning.lineage import Lineage
from enact_assets.pipeline.lineage.graph import ROOTS, STEP_OF

Row = tuple[str, str, str, str]


def nothing_tried(_asset: str) -> set[Partition]:
    return set()


def tried(**of: set[Partition]):
    return lambda asset: of.get(asset, set())


def listed(lineage: Lineage, asked_for=nothing_tried) -> list[Row]:
    return list(not_current(lineage, asked_for).iter_rows())


def without(lineage: Lineage, asset: str, *partitions: Partition) -> None:
    """As if the step of ``asset`` had never landed ``partitions``."""
    for partition in partitions:
        for name in STEP_OF[asset].assets:
            lineage.states.set(name, partition, None)


def test_a_whole_lake_lists_nothing_and_asks_for_no_run() -> None:
    """Asking Dagster reads its database: half a million rows for an answer that is known."""

    def asked(asset: str) -> set[Partition]:
        raise AssertionError(asset)

    assert listed(World().lineage, asked) == []


def test_a_run_that_made_nothing_leaves_a_missing_partition() -> None:
    """A replay or a picture that failed shows nowhere in the lake."""
    lineage = World().lineage
    without(lineage, "states", ("fold-1",))
    without(lineage, "frame_images", ("pour-0", "high"))
    rows = listed(lineage, tried(demonstrations={("fold-1",), ("fold-0",)}))
    assert [row for row in rows if row[2] == "missing"] == [
        *((asset, "fold-1", "missing", NOT_MADE) for asset in STEP_OF["states"].assets),
        # Which pictures are wanted is known: nothing else has to ask for them.
        ("frame_images", "pour-0|high", "missing", "made from wanted_frames, which exists"),
    ]


@pytest.mark.parametrize("is_tried", [True, False])
def test_an_evaluation_is_missing_where_there_are_predictions(*, is_tried: bool) -> None:
    """Also if no run came to it: the walk was killed, or Dagster's database is another one."""
    lineage = World().lineage
    gone = ("oracle", "high")
    for asset in ("evaluation", "compared_steps", "probes"):
        without(lineage, asset, gone)
    why = NOT_MADE if is_tried else "made from predictions, which exists"
    after = "made from evaluation, which is missing"
    rows = listed(lineage, tried(evaluation={gone} if is_tried else set()))
    assert [row for row in rows if row[2] == "missing"] == [
        ("evaluation", "oracle|high", "missing", why),
        ("compared_steps", "oracle|high", "missing", after),
        ("compared_components", "oracle|high", "missing", after),
        ("probes", "oracle|high", "missing", after),
    ]


def test_what_follows_from_a_missing_prediction_is_missing_too() -> None:
    """Else the leaderboard, which looks for evaluations, would leave the model out."""
    lineage = World().lineage
    gone = ("random", "baseline")
    for asset in ("predictions", "evaluation", "compared_steps", "probes"):
        without(lineage, asset, gone)
    rows = {row[0]: row for row in listed(lineage, tried(predictions={gone}))}
    assert rows["predictions"] == ("predictions", "random|baseline", "missing", NOT_MADE)
    assert rows["evaluation"][3] == "made from predictions, which is missing"
    assert rows["probes"][2] == "missing"


def test_what_was_never_asked_for_is_not_missing() -> None:
    """A first look makes some names of a large registry: thousands of others are not missing."""
    of = {**NAMES.of, "demonstration": (*NAMES.of["demonstration"], "new-0")}
    of |= {"model": (*NAMES.of["model"], "new"), "variant": (*NAMES.of["variant"], "new")}
    asked = {**NAMES.determined["variant"], "new": "state"}
    names = dataclasses.replace(NAMES, of=of, determined={**NAMES.determined, "variant": asked})
    lineage = World(names).lineage
    for asset in STEP_OF.keys() - set(ROOTS):
        without(lineage, asset, *(p for p in names.partitions(asset) if not NAMES.has(asset, p)))

    def missing(**of: set[Partition]) -> list[Row]:
        return [row for row in listed(lineage, tried(**of)) if row[2] == "missing"]

    assert missing() == []
    # One of the new names failed.
    rows = missing(demonstrations={("new-0",), ("fold-0",)})
    made_of_it = (*STEP_OF["demonstrations"].assets, "wanted_clips", "clip_images")
    assert {row[:2] for row in rows} == {(asset, "new-0") for asset in made_of_it}


def test_a_name_that_left_is_not_missing() -> None:
    """Forgotten, or out of the registry: its failed runs are nobody's concern."""
    asked = tried(demonstrations={("left-0",)}, predictions={("left", "baseline")})
    assert listed(World().lineage, asked) == []


def test_a_table_that_its_step_did_not_land_is_missing_beside_those_that_are_stale() -> None:
    lineage = World().lineage
    lineage.states.set("scene_graphs", ("fold-0", "state"), None)
    rows = [row[:3] for row in listed(lineage) if row[0] in ("segmented_frames", "scene_graphs")]
    assert rows == [
        ("segmented_frames", "fold-0|state", "stale"),
        ("scene_graphs", "fold-0|state", "missing"),
    ]
