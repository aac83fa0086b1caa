"""What of OmniGibson 1.1.1 is easily overlooked: each of these came out wrong or not at all."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from omnigibson_worlds import Machine, World
from test_omnigibson import SLICING, held, refused, refused_now, replayed

from enact_assets.demonstrations.replay.omnigibson import playback_request, replay_omnigibson
from enact_assets.demonstrations.replay.omnigibson_player.excerpts import WARM_UP_FRAMES, chunks_of
from enact_assets.demonstrations.replay.omnigibson_player.facts import (
    LEFT_OUT,
    RECORDED,
    SYMMETRIC,
)
from enact_assets.demonstrations.replay.omnigibson_runs import Player
from enact_assets.engine.errors import PlaybackError
from enact_assets.settings.predicates import CATALOGUE

pytestmark = pytest.mark.slow

SLEEPY = World(
    120,
    {"plate": "plate", "table": "table", "sink": "sink", "fridge": "fridge"},
    {
        ("OnTop", "plate", "table"): range(4),
        ("Inside", "plate", "sink"): range(7, 120),
        ("Open", "fridge", None): range(10, 95),
        ("OnTop", "cup", "table"): range(60, 120),
        ("Grasping:left", "robot_r1", "plate"): range(4, 7),
    },
    added={50: {"cup": "cup"}},
    # Nobody touches the plate after frame 9, nor the cup after 64: their rows end there.
    asleep={"plate": range(9, 120), "cup": range(64, 120), "fridge": range(30, 90)},
)


@pytest.mark.parametrize(
    ("world", "sizes", "expected"),
    [
        (SLEEPY, (10, 33, 50, 119), {"Inside": (7, 120), "Open": (10, 95)}),
        (SLICING, (1, 2, 3, 5), {"Covered": (10, 14), "Touching": (2, 6)}),
    ],
    ids=["sleep", "cut"],
)
def test_memory_is_bounded_by_playing_in_chunks_which_change_nothing(
    machine: Machine, world: World, sizes: tuple[int, ...], expected: dict[str, tuple[int, int]]
) -> None:
    """What sleeps is handed from one to the next."""
    about = machine.demonstration(world)
    texts = []
    for chunk_frames in (*sizes, 1000):
        request = playback_request("d", about, machine.root / "p", chunk_frames=chunk_frames)
        file = Path(request.output) / "replay.jsonl"
        Player().run(request, file.is_file)
        texts.append(file.read_text())
    assert set(texts) == {texts[-1]}
    facts = [json.loads(line) for line in texts[0].splitlines()]
    for predicate, frames in expected.items():
        (fact,) = [f for f in facts if f.get("predicate") == predicate]
        assert (fact["frame_from"], fact["frame_to"]) == frames


@given(st.integers(1, 300), st.integers(1, 120), st.integers(0, 40))
def test_chunks_play_every_frame_and_hand_on_where_both_are(
    n_frames: int, size: int, warm_up: int
) -> None:
    chunks = chunks_of(n_frames, size, warm_up)
    new = [frame for c in chunks for frame in c.played if frame >= c.first_new]
    assert new == list(range(n_frames))
    assert chunks[0].restore_after is None
    assert chunks[-1].keep_after is None
    for before, after in pairwise(chunks):
        assert before.keep_after == after.restore_after
        assert after.played[0] == (after.restore_after or 0)
        if after.restore_after is not None:
            assert after.restore_after in before.played
            assert after.first_new - after.restore_after == warm_up + 1
        assert len(after.played) <= size + warm_up + 1
    assert WARM_UP_FRAMES >= 1


def test_touching_holds_both_ways_and_is_stored_once(machine: Machine) -> None:
    world = World(
        6,
        {"pear": "pear", "bowl": "bowl"},
        {("Touching", "pear", "bowl"): range(1, 4), ("Touching", "bowl", "pear"): range(1, 4)},
    )
    assert held(replayed(machine, world), "Touching") == [("bowl", "pear", 1, 4)]


def test_a_knife_is_ready_to_cut_which_is_no_fact(machine: Machine) -> None:
    world = World(
        5,
        {"knife": "carving_knife", "table": "table"},
        {("SlicerActive", "knife", None): range(5), ("OnTop", "knife", "table"): range(5)},
    )
    tables = replayed(machine, world)
    assert set(tables.facts.get_column("predicate")) == {"Exists", "OnTop"}


def test_cloth_is_covered_by_stains_and_not_asked_about_water(machine: Machine) -> None:
    metadata = machine.root / "data_set/systems/stain/metadata.json"
    metadata.parent.mkdir(parents=True)
    metadata.write_text('{"type": "macro_visual_particle"}')
    world = World(
        6,
        {"towel": "dishtowel", "table": "table"},
        {
            ("Particles", "water", None): range(2, 6),
            ("Particles", "stain", None): range(2, 6),
            ("Covered", "table", "water"): range(3, 6),
            ("Covered", "towel", "stain"): range(4, 6),
        },
        systems_added={1: ["water", "stain"]},
        cloths=("towel",),
    )
    found = held(replayed(machine, world), "Covered")
    assert found == [("table", "water", 3, 6), ("towel", "stain", 4, 6)]


WASHING = World(4, {"sponge": "sponge"}, {("Open", "sponge", None): range(1)}, removers=("sponge",))


def with_field(machine: Machine, **fields: Any) -> None:
    about = machine.root / "recordings/raw.demo_0/omnigibson.json"
    about.write_text(json.dumps(json.loads(about.read_text()) | fields))


@pytest.mark.parametrize("on_gpu", [False, True])
def test_rows_are_read_under_the_dynamics_they_were_written_under(
    machine: Machine, on_gpu: bool
) -> None:
    world = World(**{**vars(WASHING), "on_gpu": on_gpu})
    tables = replayed(machine, world)
    assert held(tables, "Open") == [("sponge", None, 0, 1)]


def test_particles_tell_whether_they_need_the_gpu(machine: Machine) -> None:
    """A fluid does; what is diced does not, if the data set says so."""
    diced = {**vars(WASHING), "systems_added": {1: ["diced__apple"]}}
    with pytest.raises(PlaybackError, match="Invalid state deserialization"):
        replayed(machine, World(**diced))
    metadata = machine.root / "data_set/systems/diced__apple/metadata.json"
    metadata.parent.mkdir(parents=True)
    metadata.write_text('{"type": "macro_physical_particle"}')
    replayed(machine, World(**diced))
    replayed(machine, World(**{**diced, "on_gpu": True}))


def test_what_somebody_said_about_the_gpu_counts_unless_the_file_disagrees(
    machine: Machine,
) -> None:
    diced = {**vars(WASHING), "systems_added": {1: ["diced__apple"]}}
    machine.demonstration(World(**diced))
    with_field(machine, gpu_dynamics=False)
    # The fluid fails, not the first row: it is played without.
    about = machine.root / "recordings/raw.demo_0/omnigibson.json"
    with pytest.raises(PlaybackError, match="Failed to initialize diced__apple"):
        replay_omnigibson("d", about, machine.root / "played/d", Player(), print)
    machine.demonstration(World(**{**diced, "on_gpu": True}))
    with_field(machine, gpu_dynamics=False)
    message = refused_now(machine)
    assert "gpu_dynamics is false in omnigibson.json, but 1 objects" in message
    assert "the first: 'sponge'" in message


def test_how_a_robot_grasps_if_nothing_is_said_depends_on_its_class(machine: Machine) -> None:
    replayed(machine, World(3, {}, grasping_mode=None))
    world = World(3, {}, grasping_mode=None, robot_class="BehaviorRobot")
    assert "recorded with grasping_mode 'assisted'" in refused(machine, world)


def test_what_is_recorded_is_in_the_catalogue() -> None:
    assert not set(RECORDED) & set(LEFT_OUT)
    assert set(RECORDED) <= set(CATALOGUE)
    assert {n for n in RECORDED if CATALOGUE[n].is_symmetric} == set(SYMMETRIC)
