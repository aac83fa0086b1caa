"""Visibility is what masks show at a key frame, drawn ones or recorded ones of the right camera."""

import dataclasses
from typing import Any

import numpy as np
import polars as pl
import pytest
from demonstrations.pictures.small_tables import (
    DEMONSTRATION,
    objects_of,
    segmented,
    states_of,
    with_value,
)
from hypothesis import given
from hypothesis import strategies as st
from simulator.painted_world import first_state, small_world

from enact_assets.demonstrations.pictures.observed import CAMERA, visibility_from_observability
from enact_assets.demonstrations.pictures.tables import Visibility
from enact_assets.demonstrations.pictures.visibility import (
    PICTURE_PX,
    measure_visibility,
    visibility_in_world,
)
from enact_assets.demonstrations.replay.embedded import replay_embedded
from enact_assets.demonstrations.replay.tables import Observability
from enact_assets.engine.errors import RenderError, ReplayError, TableContractError
from enact_assets.settings.registry import CameraSettings, Variant
from enact_assets.simulator.activities import SHIPPED
from enact_assets.simulator.view.masks import object_masks

VIEW = CameraSettings()
WORLD = small_world()
STATES = states_of(WORLD)
OBJECTS = objects_of(WORLD)
SIZE = 64


def test_rows_say_what_a_mask_of_the_frame_shows() -> None:
    """Masks of the wrong frame are just as plausible."""
    rows = visibility_in_world(WORLD, STATES, OBJECTS, segmented([20, 55]), VIEW, size_px=SIZE)
    qpos = np.array(STATES.row(55, named=True)["qpos"])
    state = dataclasses.replace(first_state(WORLD), qpos=qpos)
    mask = object_masks(WORLD, state, VIEW, SIZE)
    for row in rows.filter(pl.col("key_frame") == 1).iter_rows(named=True):
        index = [o.name for o in WORLD.objects].index(row["object_name"])
        y, x = np.nonzero(mask == index)
        assert row["frame"] == 55
        assert row["pixels"] == len(x) > 0
        assert row["fraction"] == len(x) / SIZE**2
        box = (row["x_min_px"], row["y_min_px"], row["x_max_px"], row["y_max_px"])
        assert box == (x.min(), y.min(), x.max(), y.max())
    shown = set(rows.filter(pl.col("key_frame") == 1).get_column("object_name"))
    assert shown == {WORLD.objects[k].name for k in np.unique(mask) if k >= 0}
    cabinet = rows.filter(pl.col("object_name") == "cabinet").sort("key_frame")
    assert cabinet.get_column("pixels").n_unique() == 2


def test_a_frame_of_two_gatings_is_cast_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the time for the same numbers; but another camera or state is another mask."""
    cast: list[object] = []

    def counted(*arguments: object) -> object:
        cast.append(arguments)
        return object_masks(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("enact_assets.demonstrations.pictures.visibility.object_masks", counted)
    camera = CameraSettings(aperture_mm=41.0)  # no other test looks through it

    def measured(frames: list[int], gating: str, seen_by: CameraSettings) -> pl.DataFrame:
        frame_table = segmented(frames, gating)
        rows = visibility_in_world(WORLD, STATES, OBJECTS, frame_table, seen_by, size_px=SIZE)
        return rows.drop("gating", "key_frame")

    first = measured([20, 35], "state", camera)
    again = measured([35], "contact", camera)
    assert len(cast) == 2
    assert again.equals(first.filter(pl.col("frame") == 35))
    measured([35, 36], "contact", camera)
    measured([35], "contact", CameraSettings(aperture_mm=42.0))
    assert len(cast) == 4


def test_an_object_out_of_sight_has_no_row() -> None:
    """A row of zero pixels would count as seen wherever rows are counted."""
    qpos = first_state(WORLD).qpos.copy()
    qpos[0:3] = (0, -3, 1)
    states = with_value(STATES, 20, "qpos", qpos.tolist())
    rows = visibility_in_world(WORLD, states, OBJECTS, segmented([20]), VIEW, size_px=SIZE)
    assert "bowl" not in rows.get_column("object_name").to_list()
    assert "ball" in rows.get_column("object_name").to_list()
    assert rows.get_column("pixels").min() > 0  # type: ignore[operator]


def test_a_world_with_an_object_the_table_lacks_is_refused() -> None:
    """Its changes would silently never be visible, or never be asked about."""
    fewer = OBJECTS.filter(pl.col("object_name") != "ball")
    with pytest.raises(RenderError, match="'small-0' frame 20: the world shows 'ball'"):
        visibility_in_world(WORLD, STATES, fewer, segmented([20]), VIEW, size_px=SIZE)


def test_key_frames_without_a_logged_state_are_counted_and_named() -> None:
    """A left join leaves nulls, which would be drawn as a world at rest."""
    with pytest.raises(
        RenderError, match=r"'small-0': 2 of 3 key frames have no logged state.* frame 77"
    ):
        visibility_in_world(WORLD, STATES, OBJECTS, segmented([20, 77, 90]), VIEW)


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("qpos", [0.0] * 5, r"frame 20: state: qpos has shape \(5,\), the world needs \(22,\)"),
        ("mocap_pos", [0.0] * 6, r"frame 20: state: mocap_pos has shape \(2, 3\)"),
        ("mocap_pos", [0.0] * 4, r"frame 20: state: mocap_pos has shape \(4,\)"),
        ("appearance", [float("nan"), 0.0], "frame 20: state: 1 of 2 numbers in appearance"),
    ],
)
def test_states_of_another_world_are_named_by_demonstration_and_frame(
    column: str, values: list[float], message: str
) -> None:
    """An older replay against a newer kitchen must not be drawn."""
    states = with_value(STATES, 20, column, values)
    with pytest.raises(RenderError, match="demonstration 'small-0' " + message):
        visibility_in_world(WORLD, states, OBJECTS, segmented([20]), VIEW)


@pytest.mark.slow
def test_a_simulated_demonstration_is_measured_at_512_pixels() -> None:
    """The real kitchen: its fixtures and hands are seen, by the names the replay gives them."""
    replay = replay_embedded(f"{min(SHIPPED)}-0")
    name = replay.demonstrations.item(0, "demonstration")
    frames = segmented([20, 200]).with_columns(demonstration=pl.lit(name))
    rows = measure_visibility(
        replay.demonstrations, replay.states, replay.objects, frames, Variant("baseline", "state")
    )
    assert rows.get_column("key_frame").unique().to_list() == [0, 1]
    assert rows.group_by("key_frame").len().get_column("len").min() > 5  # type: ignore[operator]
    assert (rows["pixels"] / rows["fraction"]).round().unique().to_list() == [PICTURE_PX**2]


NAMES = ("apple_1", "mug_2", "table_0")


def mask(name: str, start: int, stop: int, pixels: int = 7, **other: Any) -> dict[str, Any]:
    row = {"demonstration": DEMONSTRATION, "camera": CAMERA, "object_name": name}
    row |= {"frame_from": start, "frame_to": stop, "pixels": pixels}
    row |= {"x_min_px": 1, "y_min_px": 2, "x_max_px": 3, "y_max_px": 4}
    return row | {"height_px": 10, "width_px": 20} | other


def masks(*rows: dict[str, Any]) -> pl.DataFrame:
    return Observability.build(list(rows))


def key_frames(*frames: int) -> pl.DataFrame:
    return segmented(list(frames))


def test_an_interval_holds_from_its_first_frame_to_before_its_last() -> None:
    """One frame off, and a question asks for what nobody can see."""
    seen = visibility_from_observability(
        masks(mask("apple_1", 10, 20, 5), mask("apple_1", 20, 21, 6), mask("mug_2", 0, 10)),
        key_frames(9, 10, 19, 20, 21),
    )
    found = seen.select("key_frame", "frame", "object_name", "pixels").rows()
    assert found == [
        (0, 9, "mug_2", 7),
        (1, 10, "apple_1", 5),
        (2, 19, "apple_1", 5),
        (3, 20, "apple_1", 6),
    ]
    assert seen["fraction"].to_list() == [7 / 200, 5 / 200, 5 / 200, 6 / 200]
    assert set(seen["gating"]) == {"state"}
    assert seen.row(0)[-4:] == (1, 2, 3, 4)


intervals = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 30), st.integers(1, 8)))


@given(intervals, st.sets(st.integers(0, 40), max_size=8))
def test_it_agrees_with_looking_at_every_row_for_every_key_frame(
    found: list[tuple[str, int, int]], frames: set[int]
) -> None:
    rows, taken = [], set()
    for name, start, length in found:
        if not taken & {(name, frame) for frame in range(start, start + length)}:
            taken |= {(name, frame) for frame in range(start, start + length)}
            rows.append(mask(name, start, start + length, pixels=start + 1))
    seen = visibility_from_observability(masks(*rows), key_frames(*sorted(frames)))
    expected = [
        (k, frame, row["object_name"], row["pixels"])
        for k, frame in enumerate(sorted(frames))
        for row in sorted(rows, key=lambda r: r["object_name"])
        if row["frame_from"] <= frame < row["frame_to"]
    ]
    assert seen.select("key_frame", "frame", "object_name", "pixels").rows() == expected


def test_other_cameras_and_empty_masks_do_not_count() -> None:
    """What another camera sees does not show in the picture asked about."""
    rows = masks(
        mask("apple_1", 0, 9),
        mask("mug_2", 0, 9, camera="wrist"),
        mask("table_0", 0, 9, pixels=0, height_px=0),
    )
    seen = visibility_from_observability(rows, key_frames(3))
    assert seen["object_name"].to_list() == ["apple_1"]
    seen = visibility_from_observability(rows, key_frames(3), "wrist")
    assert seen["object_name"].to_list() == ["mug_2"]
    with pytest.raises(ReplayError, match=r"no masks of camera 'left' \(known: .*wrist\)"):
        visibility_from_observability(rows, key_frames(3), "left")


def test_without_key_frames_or_masks_nothing_is_visible() -> None:
    empty = Visibility.empty()
    assert visibility_from_observability(masks(), key_frames(3)).equals(empty)
    assert visibility_from_observability(masks(mask("mug_2", 0, 9)), key_frames()).equals(empty)
    assert visibility_from_observability(masks(mask("mug_2", 0, 9)), key_frames(9)).equals(empty)


def test_contradictions_are_refused() -> None:
    """Joined in silence, rows of another demonstration look like any others."""
    with pytest.raises(ReplayError, match="were given together"):
        visibility_from_observability(
            masks(mask("mug_2", 0, 9, demonstration="d-1")), key_frames(3)
        )
    with pytest.raises(ReplayError, match="picture without pixels, first 'mug_2' from frame 2"):
        visibility_from_observability(masks(mask("mug_2", 2, 9, width_px=0)), key_frames(3))
    twice = masks(mask("mug_2", 0, 9), mask("mug_2", 2, 4))
    seen = visibility_from_observability(twice, key_frames(3))
    with pytest.raises(TableContractError, match="share their key"):
        Visibility.check(seen)
