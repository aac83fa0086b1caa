"""Cameras: a place in the world lands on the pixel that pencil and paper say."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulator.painted_world import HEAD, first_state, small_world

from enact_assets.engine.errors import RenderError, UnknownNameError
from enact_assets.settings.fisheye_lens import CIRCLE_SHARE
from enact_assets.settings.registry import CameraSettings
from enact_assets.simulator.shapes.world import World
from enact_assets.simulator.view.cameras import CameraPose, camera_pose, field_of_view_rad
from enact_assets.simulator.view.poses import pose_world

from reference.projections import camera_rays, project

BASELINE = CameraSettings()
FISHEYE = CameraSettings(projection="fisheye")
LEVEL = CameraPose(np.zeros(3), np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0]]))
"""An eye at the origin that looks along y."""


@pytest.fixture(scope="module")
def world() -> World:
    return small_world()


def pose_of(
    world: World, camera: CameraSettings, quat: tuple[float, ...] = (1, 0, 0, 0)
) -> CameraPose:
    state = dataclasses.replace(first_state(world), mocap_quat=np.array([quat], dtype=float))
    return camera_pose(world, pose_world(world, state), camera)


@pytest.mark.parametrize(
    ("aperture", "degrees"), [(30, 82.8), (40, 99.3), (60, 120.9), (80, 133.9)]
)
def test_the_field_of_view_follows_aperture_and_focal_length(
    aperture: float, degrees: float
) -> None:
    """The paper's four probe settings: half of each would be a plausible wrong formula."""
    found = math.degrees(field_of_view_rad(CameraSettings(aperture_mm=aperture)))
    assert found == pytest.approx(degrees, abs=0.05)


def test_places_land_on_the_pixels_worked_out_by_hand() -> None:
    """The half width at depth 1 is 20/17. A mirrored picture still looks like a room."""
    points = np.array(
        [
            [0.0, 2.0, 0.0],  # straight ahead: the middle
            [20 / 17, 1.0, 0.0],  # one half width to the right at depth 1: the right edge
            [0.0, 1.0, 10 / 17],  # a quarter of the height up
            [-10 / 17 * 3, 3.0, -10 / 17 * 3],  # left and down at depth 3
            [0.0, -1.0, 0.0],  # behind the eye
        ]
    )
    found = project(points, LEVEL, BASELINE, 512)
    expected = [[256, 256], [512, 256], [256, 128], [128, 384]]
    np.testing.assert_allclose(found[:4], expected, atol=1e-9)
    assert np.isnan(found[4]).all()


@given(
    st.integers(2, 40),
    st.floats(10, 90),
    st.floats(0.3, 5),
    st.integers(0, 10**6),
)
def test_a_point_on_the_ray_of_a_pixel_projects_to_its_centre(
    size: int, aperture: float, distance: float, seed: int
) -> None:
    """Rays make masks and projection makes tests and drawings: off by half a pixel is easy."""
    rng = np.random.default_rng(seed)
    axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    pose = CameraPose(rng.normal(size=3), axes)
    camera = CameraSettings(aperture_mm=aperture)
    rays = camera_rays(pose, camera, size)
    row, column = int(rng.integers(size)), int(rng.integers(size))
    place = project((pose.position + distance * rays[row, column])[None], pose, camera, size)
    np.testing.assert_allclose(place[0], [column + 0.5, row + 0.5], atol=1e-6 * size)
    np.testing.assert_allclose(np.linalg.norm(rays, axis=-1), 1.0, atol=1e-12)


def test_the_head_camera_looks_forward_and_down(world: World) -> None:
    """A pitch of the wrong sign shows the ceiling."""
    pose = pose_of(world, BASELINE)
    np.testing.assert_allclose(pose.position, HEAD)
    p = world.head_pitch_rad
    np.testing.assert_allclose(pose.axes[0], [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(pose.axes[1], [0, math.sin(p), math.cos(p)], atol=1e-12)
    np.testing.assert_allclose(pose.axes[2], [0, math.cos(p), -math.sin(p)], atol=1e-12)
    assert np.linalg.det(pose.axes) == pytest.approx(-1.0)  # right, up, forward is left-handed


def test_the_camera_turns_with_the_head_but_is_raised_along_world_z(world: World) -> None:
    """With the head on its side, an offset along the head's z would move the eye sideways."""
    half = math.sqrt(0.5)
    raised = CameraSettings(height_offset_m=0.5)
    turned = pose_of(world, raised, (half, 0, 0, half))  # a quarter turn to the left
    np.testing.assert_allclose(turned.axes[0], [0, 1, 0], atol=1e-12)
    assert turned.axes[2][0] == pytest.approx(-math.cos(world.head_pitch_rad))
    rolled = pose_of(world, raised, (half, 0, half, 0))
    np.testing.assert_allclose(rolled.position, np.add(HEAD, (0, 0, 0.5)), atol=1e-12)


def test_an_unknown_projection_lists_the_known_ones() -> None:
    """A variant of another lens must not come out as a pinhole."""
    with pytest.raises(UnknownNameError, match=r"'mirror' \(known: fisheye, pinhole\)"):
        camera_rays(LEVEL, CameraSettings(projection="mirror"), 8)


def test_the_fisheye_bends_angles_as_worked_out_by_hand() -> None:
    """Half the circle is 98.5 degrees, not 197; and without its square term half the way to the
    edge of the picture would be 70.6 degrees.
    """
    halfway = math.degrees(2.463 / 2 - 0.573 / 4)
    assert halfway == pytest.approx(62.4, abs=0.05)

    def at(degrees: float) -> list[float]:
        t = math.radians(degrees)
        return [math.sin(t), math.cos(t), 0.0]

    points = np.array(
        [[0.0, 3.0, 0.0], at(halfway), at(-98.49), [0, -0.05, 1], at(99), [0, -1.0, 0]]
    )
    found = project(points, LEVEL, FISHEYE, 512)
    edge = 0.877 * 256
    np.testing.assert_allclose(found[0], [256, 256], atol=1e-9)
    np.testing.assert_allclose(found[1], [384, 256], atol=1e-9)
    np.testing.assert_allclose(found[2], [256 - edge, 256], atol=0.1)
    assert found[3][0] == pytest.approx(256)
    assert 256 - edge < found[3][1] < 256 - 0.9 * edge
    assert np.isnan(found[4:]).all()


@pytest.mark.parametrize("size", [5, 8, 64, 301])
def test_the_fisheye_shows_a_circle_and_its_rays_and_pixels_are_inverse(size: int) -> None:
    """A ray outside the circle would show a thing where the picture is black."""
    rng = np.random.default_rng(size)
    axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    pose = CameraPose(rng.normal(size=3), axes)
    rays = camera_rays(pose, FISHEYE, size)
    across = np.arange(size) + 0.5
    centres = np.stack(np.meshgrid(across, across), axis=-1)
    inside = np.linalg.norm(centres - size / 2, axis=-1) <= CIRCLE_SHARE / 2 * size
    np.testing.assert_array_equal(np.isfinite(rays).all(axis=-1), inside)
    np.testing.assert_array_equal(np.isnan(rays).all(axis=-1), ~inside)
    np.testing.assert_allclose(np.linalg.norm(rays[inside], axis=-1), 1.0, atol=1e-12)
    points = pose.position + rays[inside] * rng.uniform(0.2, 5.0, (int(inside.sum()), 1))
    np.testing.assert_allclose(
        project(points, pose, FISHEYE, size), centres[inside], rtol=0, atol=1e-11 * size
    )


def test_a_world_without_its_head_body_is_an_error(world: World) -> None:
    """MuJoCo's id of a missing name is -1, which indexes the last body."""
    headless = dataclasses.replace(world, head_body="skull")
    with pytest.raises(RenderError, match="no body 'skull'"):
        pose_of(headless, BASELINE)
