"""What an edited picture must keep: faithful copies pass, and each kind of change is noticed."""

import dataclasses
import io
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from enact_assets.demonstrations.pictures.fidelity import measure_fidelity
from enact_assets.engine.errors import RenderError
from enact_assets.settings.editing import EditingSettings

from reference.drawn_scenes import drawn_scene
from reference.picture_server import edited

LIMITS = EditingSettings("painter")
Pixels = NDArray[np.uint8]
PICTURE, OBJECTS = drawn_scene(0)
BLUE = OBJECTS == 1


def jpeg(picture: Pixels) -> Pixels:
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=85)
    return np.array(Image.open(file))


def enlarged(picture: Pixels) -> Pixels:
    """As by a model that answers with 1024 pixels."""
    large = Image.fromarray(picture).resize((1024, 1024), Image.Resampling.BICUBIC)
    return np.array(large.resize(picture.shape[:2], Image.Resampling.LANCZOS))


def lighter(picture: Pixels) -> Pixels:
    return (255 * (picture / 255) ** 0.7).astype(np.uint8)


def one_object_in_green(picture: Pixels) -> Pixels:
    return np.where(BLUE[..., None], np.uint8((40, 150, 60)), picture)


def one_object_gone(picture: Pixels) -> Pixels:
    """The wall beside it is drawn over it."""
    return np.where(BLUE[..., None], picture[:, :1], picture)


def one_object_moved(picture: Pixels) -> Pixels:
    without, there = one_object_gone(picture), np.roll(BLUE, 5, 0)
    return np.where(there[..., None], np.roll(picture, 5, 0), without)


@pytest.mark.parametrize("faithful", [np.copy, jpeg, enlarged, lambda p: edited(p, "good")])
def test_faithful_copies_keep_every_limit(faithful: Callable[[Pixels], Pixels]) -> None:
    for seed in range(2):
        picture, objects = drawn_scene(seed)
        assert measure_fidelity(picture, faithful(picture), objects).broken(LIMITS) == []
        assert measure_fidelity(picture, faithful(picture), None).broken(LIMITS) == []


@pytest.mark.parametrize(
    ("changed", "broken"),
    [
        (lambda p: edited(p, "recoloured"), "hue_degrees"),
        (lambda p: edited(p, "shifted"), "edge_similarity"),
        (lambda p: np.roll(p, 4, 1), "mask_iou"),
        (lambda p: np.roll(p, 4, 1), "silhouette_px"),
        (lambda p: np.roll(p, 40, 1), "edge_similarity"),
        (lighter, "lightness"),
        (one_object_in_green, "hue_degrees"),
        (one_object_gone, "lightness"),
        (one_object_moved, "silhouette_px"),
    ],
)
def test_each_change_breaks_the_limit_that_is_about_it(
    changed: Callable[[Pixels], Pixels], broken: str
) -> None:
    words = measure_fidelity(PICTURE, changed(PICTURE), OBJECTS).broken(LIMITS)
    assert broken in {word.partition(" ")[0] for word in words}
    # A limit that allows anything is kept.
    open_limits = {"edge_similarity": 0, "mask_iou": 0, "hue_degrees": 180, "lightness": 100}
    anything = dataclasses.replace(LIMITS, silhouette_px=1_000, **open_limits)
    assert measure_fidelity(PICTURE, changed(PICTURE), OBJECTS).broken(anything) == []


def test_a_thing_as_light_as_the_table_has_a_silhouette() -> None:
    """A green plate on wood: only their colours differ."""
    y, x = np.mgrid[:160, :160]
    plate = ((y - 80) ** 2 + (x - 80) ** 2 < 30**2).astype(np.int32)
    colours = np.array([(214, 178, 130), (152, 199, 50)], np.uint8)
    picture = colours[plate]
    still = measure_fidelity(picture, jpeg(picture), plate)
    moved = measure_fidelity(picture, colours[np.roll(plate, 5, (0, 1))], plate)
    assert still.silhouette_px <= 1
    assert moved.silhouette_px == pytest.approx(5 * 2**0.5, abs=1.5)
    assert moved.lightness < 0.1  # nothing to be seen there


def test_pale_things_have_a_hue_too() -> None:
    """Grey that turns from warm to cold; a grey that stays grey does not."""
    plate = np.zeros((64, 64), np.int32)
    plate[20:44, 20:44] = 1
    warm, cold, other = (
        np.array([(214, 178, 130), grey], np.uint8)[plate]
        for grey in ((190, 180, 168), (168, 180, 192), (190, 181, 169))
    )
    assert measure_fidelity(warm, cold, plate).hue_degrees > 3
    assert measure_fidelity(warm, other, plate).hue_degrees < 3


@pytest.mark.parametrize(
    "changed",
    [
        lambda p: edited(p, "recoloured"),
        lambda p: edited(p, "shifted"),
        lighter,
        one_object_in_green,
        one_object_gone,
    ],
)
def test_without_masks_the_same_changes_are_noticed(changed: Callable[[Pixels], Pixels]) -> None:
    assert measure_fidelity(PICTURE, changed(PICTURE), None).broken(LIMITS)


def test_an_unchanged_picture_has_no_error() -> None:
    found = measure_fidelity(PICTURE, PICTURE, OBJECTS)
    assert dataclasses.astuple(found) == pytest.approx((1.0, 1.0, 0.0, 0.0, 0.0))


def test_another_size_is_an_error() -> None:
    with pytest.raises(RenderError, match=r"\(64, 128, 3\), where the original has "):
        measure_fidelity(PICTURE, PICTURE[:64], OBJECTS)
