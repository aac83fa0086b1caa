"""A substance that is made twice, of other objects: every way from its recording to questions."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from enact_assets.commands.release.asking import questions_of
from enact_assets.commands.release.evidence import changes_at, gating_of
from enact_assets.commands.release.segmenting import segment_folder
from enact_assets.demonstrations.pictures.observed import visibility_from_observability
from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.engine.errors import PairError
from enact_assets.engine.parameters import Versions
from enact_assets.pipeline.bulk.chain import BulkSettings, tables_of_demonstration
from enact_assets.pipeline.steps.changes import Changes
from enact_assets.pipeline.steps.question_steps import question_set
from enact_assets.pipeline.steps.segmentation_steps import segmentation
from enact_assets.pipeline.steps.trajectory_steps import visible_changes
from enact_assets.questions.key_frames.release_deltas import signature_text
from enact_assets.settings.classes import QuestionSetSettings, QuestionSettings
from enact_assets.settings.profile import PAPER, RELEASE, Profile

import reference.release_deltas as twin
from reference.recorded_graphs import labels_of

NAME = "make_salad_5"
STAGE_FRAMES = 300
SHOWN = {"external_sensor1": [900, 0, 0, 9, 9, 512, 512]}
SETTINGS = QuestionSettings(trajectories_per_length=3)


def node(name: str, *states: str, parent: str = "") -> dict[str, Any]:
    category = "System" if parent else name.rpartition("_")[0]
    found = {"name": name, "category": category, "states": list(states), "visibility": SHOWN}
    return {**found, "parent": [parent]} if parent else found


def graph(*nodes: dict[str, Any]) -> dict[str, Any]:
    things = [node("table_1", "Frozen"), node("stove_2", "Heated"), *nodes]
    return {"nodes": things, "edges": [], "type": "full"}


TOMATOES = node("tomato_6"), node("tomato_7")
LAMP, LIT = node("lamp_3"), node("lamp_3", "ToggledOn")
DICED = {k: node("diced__tomato", parent=f"tomato_{k}") for k in (6, 7)}
STAGES = [
    graph(LAMP, *TOMATOES),
    graph(LIT, TOMATOES[0], DICED[7]),
    graph(LAMP, TOMATOES[0]),
    graph(LIT, DICED[6]),
    graph(LAMP, DICED[6], node("bowl_4", "Open")),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("twice") / "replayed"
    (folder / NAME).mkdir(parents=True)
    stages = [stage for stage in STAGES for _ in range(STAGE_FRAMES)]
    recording = json.dumps(dict(enumerate(stages)))
    (folder / NAME / "scene_graph_0.json").write_text(recording)
    return folder


@pytest.fixture(scope="module")
def replay(root: Path) -> ReplayTables:
    return read_recorded(root / NAME / "scene_graph_0.json", NAME)


def one_by_one(replay: ReplayTables, profile: Profile) -> tuple[Changes, pl.DataFrame]:
    """What steps hand to one another, and the questions of the files' commands."""
    gating = gating_of(profile)
    recorded = replay.demonstrations, replay.facts, replay.objects, replay.later_parents
    frames, graphs = segmentation(*recorded, gating, None)
    seen = visibility_from_observability(replay.observability, frames)
    changes = Changes(
        frames, graphs, seen, replay.objects, replay.later_parents, replay.demonstrations, gating
    )
    of_files = changes_at(replay, frames["frame_id"].to_list(), profile, "test")
    assert_frame_equal(of_files.graphs, graphs)
    return changes, questions_of(of_files, SETTINGS)[0]


@pytest.mark.parametrize("profile", [PAPER, RELEASE], ids=lambda profile: profile.name)
def test_steps_bulk_runs_and_commands_find_the_same(replay: ReplayTables, profile: Profile) -> None:
    """A path that forgets the later parents would write other questions without a word."""
    changes, qa = one_by_one(replay, profile)
    edges, *_ = visible_changes(changes)
    made = tables_of_demonstration(replay, BulkSettings(changes.gating, SETTINGS)).tables
    assert_frame_equal(made["transition_graph"], edges)
    assert_frame_equal(made["later_parents"], replay.later_parents)
    assert_frame_equal(made["qa"], qa)
    assert qa.height > 0
    turning = {
        (i, j)
        for i, j, texts in edges.select("key_frame_from", "key_frame_to", "changes").iter_rows()
        if any(text.startswith("~") for text in texts)
    }
    assert turning == {(i, j) for i in (0, 2) for j in (1, 3, 4) if i < j}


def test_pairs_are_those_of_the_release(replay: ReplayTables) -> None:
    """Parents are read at the second frame of a pair, backwards too; then some pairs fail."""
    changes, _ = one_by_one(replay, RELEASE)
    ids = changes.frames["frame_id"].to_list()
    assert [i // STAGE_FRAMES for i in ids] == list(range(len(STAGES)))
    indexes = [changes.index, changes_at(replay, ids, RELEASE, "test").index]
    labels = labels_of(replay.objects)
    failing = []
    for i, j in product(range(len(STAGES)), repeat=2):
        found: list[Any] = []
        for index in indexes:
            try:
                found.append({signature_text(c) for c in index.full(i, j)})
            except PairError:
                found.append(None)
        try:
            diff = twin.visible_diff(STAGES[i], STAGES[j], is_full=True)
        except AssertionError:
            failing.append((i, j))
            expected = None
        else:
            expected = twin.signatures(diff, labels)
        assert found == [expected, expected], (i, j)
    assert failing == [(2, 1)]


def test_key_frame_files_have_the_parents_of_their_frame(root: Path, tmp_path: Path) -> None:
    """Readers of the file look for what a node came from in the node."""
    summary = segment_folder(root, tmp_path, RELEASE)
    assert [outcome.error for outcome in summary.outcomes] == [None]
    file = tmp_path / NAME / "segmented_scene_graph_0.json"
    added = [
        record["add"]["nodes"] if record["type"] == "diff" else []
        for record in json.loads(file.read_text()).values()
    ]
    parents = [[n["parent"] for n in nodes if n["name"] == "diced__tomato"] for nodes in added]
    assert parents == [[], [["tomato_7"]], [], [["tomato_6"]], []]


def test_other_later_parents_are_other_evidence(replay: ReplayTables) -> None:
    """Answers are verified again only if the hash of what verifies them is another."""
    changes, qa = one_by_one(replay, PAPER)
    versions = [Versions({NAME: sha}) for sha in "fgvod"]
    asked = QuestionSetSettings(changes.gating.name, changes.gating.name)
    later = replay.later_parents
    shas = []
    for other in (later, later.with_columns(pl.col("frame_from") + 1), later.clear()):
        given = qa, replay.demonstrations, *versions, other, asked
        rows = question_set(*given, changes.gating, SETTINGS)
        shas += rows["evidence_sha"].unique().to_list()
    assert len(shas) == len(set(shas)) == 3 * qa.height > 0
