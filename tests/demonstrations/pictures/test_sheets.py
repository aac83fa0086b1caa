"""Sheets: every picture in its place, labelled, small enough for a page."""

import io

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from enact_assets.demonstrations.pictures.sheets import (
    BACKGROUND,
    contact_sheet,
    labelled,
    question_strip,
    state_labels,
)
from enact_assets.engine.errors import RenderError


def pictures(n: int, size: int = 64) -> list[NDArray[np.uint8]]:
    """Flat pictures of different greys."""
    return [np.full((size, size, 3), 20 + 20 * k, dtype=np.uint8) for k in range(n)]


def opened(encoded: bytes) -> NDArray[np.uint8]:
    return np.asarray(Image.open(io.BytesIO(encoded)).convert("RGB"))


def test_a_contact_sheet_runs_row_by_row_and_keeps_the_originals() -> None:
    """Labels drawn into the stored arrays would be shown to a model."""
    originals = pictures(5)
    copies = [p.copy() for p in originals]
    sheet = opened(contact_sheet(originals, list("abcde"), columns=3, encoding="png"))
    # Cells of 64 px with 4 px margins.
    assert sheet.shape == (2 * 68 + 4, 3 * 68 + 4, 3)
    for k in range(5):
        row, column = divmod(k, 3)
        corner = sheet[4 + row * 68 + 60, 4 + column * 68 + 60]
        assert corner.tolist() == [20 + 20 * k] * 3
    assert sheet[4 + 68 + 60, 4 + 2 * 68 + 60].tolist() == list(BACKGROUND)
    for picture, copy in zip(originals, copies, strict=True):
        np.testing.assert_array_equal(picture, copy)


def test_labels_are_drawn_in_the_corner_and_nowhere_else() -> None:
    """A label that covers the object asked about, or none at all."""
    picture = pictures(1, 256)[0]
    marked = labelled(picture, "Next State 2")
    differs = (marked != picture).any(axis=-1)
    assert 200 < differs.sum() < 6000
    rows, columns = np.nonzero(differs)
    assert rows.max() < 40
    assert columns.max() < 180
    assert (labelled(picture, "Next State 3") != marked).any()


def test_questions_are_labelled_as_the_prompt_calls_them() -> None:
    """The prompt speaks of the Current State and of Next State 1, 2, ..."""
    assert state_labels(3) == ["Current State", "Next State 1", "Next State 2"]
    assert state_labels(0) == []


def test_a_question_strip_shows_the_kinds_apart() -> None:
    """In an inverse question the row is in order; a forward row read as an order misleads."""
    forward = opened(question_strip(pictures(4), "forward", encoding="png"))
    inverse = opened(question_strip(pictures(4), "inverse", encoding="png"))
    assert forward.shape == inverse.shape == (64, 4 * 64 + 3 * 18, 3)
    for k in range(4):
        place = (60, k * 82 + 60)
        assert forward[place].tolist() == inverse[place].tolist() == [20 + 20 * k] * 3
    gaps = [(forward[:, 64 + k * 82 : 82 + k * 82] != 255).any() for k in range(3)]
    assert gaps == [True, False, False]
    assert all((inverse[:, 64 + k * 82 : 82 + k * 82] != 255).any() for k in range(3))


def test_thumbnails_fit_into_metadata() -> None:
    """Dagster keeps metadata in its database: megabytes per run would choke it."""
    noise = np.random.default_rng(0).integers(0, 256, (512, 512, 3)).astype(np.uint8)
    sheet = contact_sheet([noise] * 8, ["key frame"] * 8, columns=4, thumbnail_px=160)
    assert len(sheet) * 4 / 3 < 200_000
    assert opened(sheet).shape == (2 * 164 + 4, 4 * 164 + 4, 3)
    assert sheet.startswith(b"\xff\xd8")
    assert contact_sheet([noise], ["a"], encoding="png").startswith(b"\x89PNG")


def test_sheets_of_nothing_or_of_no_pictures_are_refused() -> None:
    """Pillow would show a float picture as black."""
    with pytest.raises(RenderError, match="0 pictures and 0 labels"):
        contact_sheet([], [])
    with pytest.raises(RenderError, match="2 pictures and 1 labels"):
        contact_sheet(pictures(2), ["a"])
    with pytest.raises(RenderError, match=r"'a' is float64 \(4, 4, 3\)"):
        contact_sheet([np.zeros((4, 4, 3))], ["a"])  # type: ignore[list-item]
    with pytest.raises(RenderError, match="unknown kind 'sideways'"):
        question_strip(pictures(2), "sideways")
    with pytest.raises(RenderError, match="at least one column"):
        contact_sheet(pictures(1), ["a"], columns=0)
