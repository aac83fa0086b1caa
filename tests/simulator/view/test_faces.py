"""Fisheye pictures, put together from five faces: each ray's light from where the ray points."""

import dataclasses
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from enact_assets.settings.fisheye_lens import CIRCLE_SHARE
from enact_assets.settings.registry import CameraSettings, RendererSettings, Variant
from enact_assets.simulator.rendering.renderer import Renderer
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import World, WorldObject, WorldState
from enact_assets.simulator.view.cameras import CameraPose, projection
from enact_assets.simulator.view.faces import fisheye_faces, stitched
from enact_assets.simulator.view.masks import object_masks

from reference.projections import camera_rays

SIZE = 128
FISHEYE = CameraSettings(projection="fisheye")
VARIANT = Variant(
    "fisheye",
    "state",
    camera=FISHEYE,
    renderer=RendererSettings(path_depth=3, samples=2, size_px=SIZE),
)
STATE = WorldState(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 4)), np.zeros(0))

BALLS = {
    "ahead": ((0.4, 1.9, 0.3), 0),
    "right": ((1.9, 0.3, 0.5), 1),
    "left": ((-1.9, 0.4, -0.6), 2),
    "above": ((0.5, 0.3, 1.4), 0),
    "below": ((-0.6, 0.4, -1.3), 1),
    "on_the_seam": ((1.4, 1.4, -0.2), 2),
    "almost_behind": ((-2.0, 0.0, 0.5), 0),
}
"""Centre from the eye, off the middle of its face, and which of red, green and blue it is."""


@cache
def ball_world() -> World:
    """Coloured balls on all sides of a level eye, in a large room."""
    bodies = "".join(
        f'<body name="{name}" pos="{x} {y} {z + 1.7}"><geom name="{name}" type="sphere" '
        'size=".3" group="1"/></body>'
        for name, ((x, y, z), _) in BALLS.items()
    )
    walls = (
        '<geom name="floor" type="box" size="4 4 .05" pos="0 0 -.05" group="1"/>'
        '<geom name="wall" type="box" size="4 .05 2" pos="0 4 2" group="1"/>'
    )
    colors = {
        name: tuple(0.7 if k == strong else 0.05 for k in range(3))
        for name, (_, strong) in BALLS.items()
    }
    grey = Surface((0.6, 0.6, 0.6), finish="matte")
    return World(
        xml=f'<mujoco><worldbody>{walls}{bodies}<body name="head" pos="0 0 1.7"/>'
        "</worldbody></mujoco>",
        objects=tuple(WorldObject(name, "ball", (name,)) for name in BALLS),
        surfaces={
            "floor": grey,
            "wall": grey,
            **{name: Surface(color, finish="matte") for name, color in colors.items()},  # type: ignore[arg-type]
        },
        head_pitch_rad=0.0,
    )


@cache
def ball_picture() -> NDArray[np.uint8]:
    return Renderer(ball_world(), VARIANT).render(STATE)


@pytest.mark.parametrize("size", [8, 27, 33, 128, 512])
def test_every_ray_reads_its_own_direction_in_the_faces(size: int) -> None:
    """Faces that show directions instead of light: a mirrored, turned or shortened face, or one
    shifted by half a pixel, gives a picture of other directions.
    """
    rng = np.random.default_rng(size)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    pose = CameraPose(rng.normal(size=3), turn)
    pictures = [
        camera_rays(face.pose, face.camera, face.size_px)[: face.rows].astype(np.float32)
        for face in fisheye_faces(pose, size)
    ]
    found = stitched(pictures, projection(FISHEYE).directions(FISHEYE, size))
    rays = camera_rays(pose, FISHEYE, size)
    shown = np.isfinite(rays[..., 0])
    # Between pixels a unit ray falls short by an eighth of its pixels' angle squared, twice.
    angle = 2 * 1.05 / max(24, 0.75 * size)
    np.testing.assert_allclose(found[shown], rays[shown], atol=angle**2 / 3 + 1e-6)
    assert not found[~shown].any()


def test_faces_are_not_mirrored_and_sides_are_cut_below_the_view() -> None:
    """Mitsuba draws a left-handed face the right way round, and so mirrors it; tracing whole
    sides would cost as much again for nothing.
    """
    pose = CameraPose(np.zeros(3), np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0]]))
    faces = fisheye_faces(pose, 512)
    for face in faces:
        assert np.linalg.det(face.pose.axes) == pytest.approx(np.linalg.det(pose.axes))
    assert [face.rows for face in faces] == [384, *[faces[1].rows] * 4]
    assert 0.5 < faces[1].rows / 384 < 0.65


def test_balls_on_all_sides_have_their_colours_where_their_masks_are() -> None:
    """Pictures come from faces and masks from rays: visibility is measured in one, asked about in
    the other. Both ways: no colour without its mask.
    """
    picture = ball_picture().astype(float)
    mask = object_masks(ball_world(), STATE, FISHEYE, SIZE)
    near = np.pad(mask, 1, constant_values=-1)
    around = np.stack(
        [near[1 + i : SIZE + 1 + i, 1 + j : SIZE + 1 + j] for i in (-1, 0, 1) for j in (-1, 0, 1)]
    )
    strongest = np.sort(picture, axis=-1)
    is_coloured = strongest[..., 2] > 1.4 * strongest[..., 1] + 8
    for index, (_, color) in enumerate(BALLS.values()):
        inside = (around == index).all(axis=0)
        assert inside.sum() >= 12
        assert (picture[inside].argmax(axis=-1) == color).all()
        assert is_coloured[inside].all()
    # Light from a ball tints the floor a little, but nothing is as coloured as a ball.
    assert not is_coloured[(around == -1).all(axis=0)].any()


def test_the_fisheye_is_a_circle_on_black() -> None:
    """A circle of light without a sharp edge would be read as part of the room."""
    picture = ball_picture()
    across = np.arange(SIZE) + 0.5 - SIZE / 2
    circle = np.hypot(*np.meshgrid(across, across)) <= CIRCLE_SHARE / 2 * SIZE
    assert picture.shape == (SIZE, SIZE, 3)
    assert not picture[~circle].any()
    assert picture[circle].max(axis=-1).min() > 12


def test_the_same_state_gives_the_same_fisheye_bytes() -> None:
    """Threads that meet in another order, or a picture before, must not show."""
    tiny = dataclasses.replace(VARIANT, renderer=dataclasses.replace(VARIANT.renderer, size_px=48))
    one, two = (Renderer(ball_world(), tiny, threads=n) for n in (1, 2))
    first = one.render(STATE)
    np.testing.assert_array_equal(one.render(STATE), first)
    np.testing.assert_array_equal(two.render(STATE), first)
