"""Visibility from recorded masks: the interval that holds at a key frame, of the right camera."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.demonstrations.pictures.observed import CAMERA, visibility_from_observability
from enact_assets.demonstrations.pictures.tables import Visibility
from enact_assets.demonstrations.replay.tables import Observability
from enact_assets.engine.errors import ReplayError, TableContractError
from enact_assets.questions.key_frames.tables import SegmentedFrames

NAMES = ("apple_1", "mug_2", "table_0")


def mask(name: str, start: int, stop: int, pixels: int = 7, **other: Any) -> dict[str, Any]:
    row = {"demonstration": "d-0", "camera": CAMERA, "object_name": name}
    row |= {"frame_from": start, "frame_to": stop, "pixels": pixels}
    row |= {"x_min_px": 1, "y_min_px": 2, "x_max_px": 3, "y_max_px": 4}
    return row | {"height_px": 10, "width_px": 20} | other


def masks(*rows: dict[str, Any]) -> pl.DataFrame:
    return Observability.build(list(rows))


def key_frames(*frames: int) -> pl.DataFrame:
    rows = [
        {"demonstration": "d-0", "gating": "state", "key_frame": k, "frame": frame, "changes": []}
        | {"frame_id": frame + 1}
        for k, frame in enumerate(frames)
    ]
    return SegmentedFrames.build(rows)


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
