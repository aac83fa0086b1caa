"""The embedded source: names, tables, and the world a log belongs to."""

import dataclasses

import numpy as np
import polars as pl
import pytest

from enact_assets.demonstrations.pictures.demonstration_sources import EmbeddedSource
from enact_assets.demonstrations.replay.embedded import (
    check_may_be_asked,
    embedded_world,
    parse_demonstration,
    tables_of,
)
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.validation import check_replay
from enact_assets.engine.errors import ReplayError, UnknownNameError
from enact_assets.simulator.activities import ACTIVITIES
from enact_assets.simulator.simulate import find_activity, perform, random_draws
from enact_assets.simulator.simulation.recording import Recording

NAME = "slicing_vegetables-0"


@pytest.fixture(scope="module")
def recording() -> Recording:
    rng = random_draws("slicing_vegetables", 0)
    episode = find_activity("slicing_vegetables").build(rng)
    short = dataclasses.replace(episode, plan=episode.plan[:1], goal=(), absent=())
    return perform("slicing_vegetables", 0, short, rng)


@pytest.fixture(scope="module")
def tables(recording: Recording) -> ReplayTables:
    return tables_of(NAME, recording)


def test_a_name_is_an_activity_and_a_seed() -> None:
    """Activities may hold underscores; the seed follows the last hyphen."""
    assert parse_demonstration("setting_the_table-0") == ("setting_the_table", 0)
    assert parse_demonstration("unloading_groceries-12") == ("unloading_groceries", 12)


@pytest.mark.parametrize(
    "name",
    [
        "setting_the_table",
        "setting_the_table-",
        "setting_the_table-x",
        "setting_the_table-01",
        "-1",
        "",
    ],
)
def test_a_malformed_name_is_told_how_to_be_written(name: str) -> None:
    """One demonstration must have one name, so seeds have no leading zeros."""
    with pytest.raises(
        UnknownNameError, match=rf"setting_the_table-<seed>.*like '{min(ACTIVITIES)}-0'"
    ):
        parse_demonstration(name)


def test_an_unknown_activity_is_told_the_known_ones() -> None:
    """The name has the right form, so the activity is what is wrong."""
    with pytest.raises(
        UnknownNameError, match=r"unknown activity 'fly' \(known: .*setting_the_table"
    ):
        parse_demonstration("fly-0")


def test_seeds_that_references_are_trained_on_are_refused_by_name() -> None:
    """Questions about them would measure memory."""
    source = EmbeddedSource()
    for seed in (100, 103, 115):
        assert not source.has(f"setting_the_table-{seed}")
        said = source.explain(f"setting_the_table-{seed}")
        assert f"'setting_the_table-{seed}': seeds 100 to 115 are reserved" in said
    assert source.has("setting_the_table-99")
    assert source.has("setting_the_table-116")
    with pytest.raises(UnknownNameError, match="unknown activity 'fly'"):
        check_may_be_asked("fly-100")


def test_tables_keep_their_contracts_and_agree(tables: ReplayTables, recording: Recording) -> None:
    """Frames, objects and facts of one recording must tell one story."""
    check_replay(tables.demonstrations, tables.facts, tables.objects)
    row = tables.demonstrations.row(0, named=True)
    assert row["n_frames"] == tables.states.height == recording.n_frames
    assert (row["source"], row["activity"], row["seed"]) == ("embedded", "slicing_vegetables", 0)
    assert tables.facts["frame_to"].max() == recording.n_frames
    made = tables.objects.filter(pl.col("parents").list.len() > 0)
    assert set(made["parents"].explode()) < set(tables.objects["object_name"])
    assert row["attempts"] == 1
    assert row["replaced"]
    robot = tables.objects.filter(pl.col("object_name") == "robot")
    assert robot["category"].to_list() == ["agent"]


def test_states_hold_every_frame_of_the_log(tables: ReplayTables, recording: Recording) -> None:
    """A state that is off by one frame shows another moment than the facts describe."""
    frame = recording.n_frames - 7
    row = tables.states.filter(pl.col("frame") == frame).row(0, named=True)
    state = recording.state(frame)
    assert row["qpos"] == pytest.approx(state.qpos, abs=1e-6)
    assert np.reshape(row["mocap_pos"], (-1, 3)) == pytest.approx(state.mocap_pos, abs=1e-6)
    assert np.reshape(row["mocap_quat"], (-1, 4)) == pytest.approx(state.mocap_quat, abs=1e-6)
    assert row["appearance"] == pytest.approx(state.appearance)


def test_the_world_is_built_again_from_the_name(tables: ReplayTables, recording: Recording) -> None:
    """Pictures are made from the log in this world."""
    assert embedded_world(tables.demonstrations).sha == recording.world.sha


def test_a_log_of_another_version_of_the_world_is_refused(tables: ReplayTables) -> None:
    """Else things would be drawn in wrong places without a word."""
    other = tables.demonstrations.with_columns(world_sha=pl.lit("0" * 64))
    with pytest.raises(ReplayError, match=f"{NAME}: recorded in another version of the world"):
        embedded_world(other)


def test_only_one_embedded_demonstration_has_a_world(tables: ReplayTables) -> None:
    """Recorded replays have no states to render from."""
    with pytest.raises(ReplayError, match="2 rows"):
        embedded_world(pl.concat([tables.demonstrations] * 2))
    recorded = tables.demonstrations.with_columns(source=pl.lit("recorded"))
    with pytest.raises(ReplayError, match="only embedded ones"):
        embedded_world(recorded)
