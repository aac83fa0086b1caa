"""Leaving out geoms that a part of a picture cannot show changes no pixel."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulator.painted_world import first_state, small_world
from simulator.robot_room import REST, robot_room, robot_state

from enact_assets.settings.registry import CameraSettings
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import World, WorldObject, WorldState
from enact_assets.simulator.view.cameras import (
    CameraPose,
    camera_pose,
    in_world,
    picture_directions,
)
from enact_assets.simulator.view.masks import (
    PLANES,
    VISIBLE_GROUPS,
    cast_picture,
    cast_rays,
    cut_picture,
    geom_objects,
    geoms_in_parts,
    object_masks,
)
from enact_assets.simulator.view.poses import pose_world

from reference.projections import camera_rays

CAMERAS = {
    "baseline": CameraSettings(),
    "wide": CameraSettings(aperture_mm=80.0),
    "high": CameraSettings(height_offset_m=0.5),
    "fisheye": CameraSettings(projection="fisheye"),
}
WORLDS = {
    "room": (robot_room(), robot_state(REST)),
    "small": (small_world(), first_state(small_world())),
}


def hits_of_all_geoms(world: World, state: WorldState, camera: CameraSettings, size: int) -> list:  # type: ignore[type-arg]
    """Geom, distance, position and normal by trying every ray on every geom."""
    data = pose_world(world, state)
    pose = camera_pose(world, data, camera)
    rays = camera_rays(pose, camera, size).reshape(-1, 3)
    shown = np.isfinite(rays[:, 0])
    hits = cast_rays(world, data, pose.position, rays[shown])
    found = [np.full(len(rays), -1, np.int32), np.full(len(rays), -1.0)]
    found += [np.zeros((len(rays), 3)), np.zeros((len(rays), 3))]
    for whole, part in zip(
        found, (hits.geom, hits.distance, hits.position, hits.normal), strict=True
    ):
        whole[shown] = part
    return found


@pytest.mark.parametrize("where", sorted(WORLDS))
@pytest.mark.parametrize("camera", sorted(CAMERAS))
@pytest.mark.parametrize("size", [97, 256])
def test_masks_and_guides_are_those_of_rays_tried_on_all_geoms(
    where: str, camera: str, size: int
) -> None:
    """A geom left out of a part it shows in would open a hole there, and masks would still look
    plausible.
    """
    world, state = WORLDS[where]
    geom, distance, position, normal = hits_of_all_geoms(world, state, CAMERAS[camera], size)
    assert len(np.unique(geom)) > 5
    expected = np.where(geom >= 0, geom_objects(world)[geom], -1)
    mask = object_masks(world, state, CAMERAS[camera], size)
    np.testing.assert_array_equal(mask.ravel(), expected)
    data = pose_world(world, state)
    hits = cast_picture(
        world, data, camera_pose(world, data, CAMERAS[camera]), CAMERAS[camera], size
    )
    np.testing.assert_array_equal(hits.geom, geom)
    np.testing.assert_array_equal(hits.distance, distance)
    np.testing.assert_array_equal(hits.position, position)
    np.testing.assert_array_equal(hits.normal, normal)


KINDS = {"box": 3, "sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "plane": 3}


@st.composite
def crowded(draw: st.DrawFn) -> World:
    """Geoms of every kind all round the eye, some of them with the eye inside."""
    numbers = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=3, max_size=12))
    geoms = []
    for k, kind in enumerate(kinds):
        size = " ".join(map(str, numbers.uniform(0.02, 0.8, KINDS[kind])))
        turn = " ".join(map(str, numbers.normal(size=4)))
        away = numbers.uniform(0.0, 2.5) * numbers.normal(size=3)
        place = " ".join(map(str, away))
        geoms.append(f'<geom name="g{k}" type="{kind}" size="{size}" pos="{place}" quat="{turn}"/>')
    xml = (
        f'<mujoco><worldbody><body name="head"/><body name="all">{"".join(geoms)}</body>'
        "</worldbody></mujoco>"
    )
    surfaces = {f"g{k}": Surface((0.5, 0.5, 0.5)) for k in range(len(kinds))}
    return World(xml=xml, objects=(WorldObject("all", "all", ("all",)),), surfaces=surfaces)


@given(world=crowded(), camera=st.sampled_from(sorted(CAMERAS)))
def test_no_ray_loses_what_it_hits_among_any_geoms(world: World, camera: str) -> None:
    """Bounding boxes are turned and the eye may be inside of them: signs are easily wrong."""
    state = WorldState(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 4)), np.zeros(0))
    geom, distance, *_ = hits_of_all_geoms(world, state, CAMERAS[camera], 70)
    data = pose_world(world, state)
    pose = camera_pose(world, data, CAMERAS[camera])
    hits = cast_picture(world, data, pose, CAMERAS[camera], 70)
    np.testing.assert_array_equal(hits.geom, geom)
    np.testing.assert_array_equal(hits.distance, distance)


@pytest.mark.parametrize("camera", sorted(CAMERAS))
def test_parts_cover_the_picture_once_and_lie_within_their_planes(camera: str) -> None:
    """A plane that cuts through its own part would drop geoms at the part's rim only."""
    size, rows = 200, 131
    cut = cut_picture(CAMERAS[camera], size, rows)
    times = np.zeros((rows, size), dtype=np.int64)
    back = np.full((rows, size, 3), np.nan)
    for part, normals in zip(cut.parts, cut.normals, strict=True):
        times[part.rows, part.columns] += (
            1 if part.shown is None else part.shown.reshape(times[part.rows, part.columns].shape)
        )
        part.fill(back, part.rays)
        assert normals.shape == (PLANES, 3)
        assert (part.rays @ normals.T).min() > -1e-12
    directions = picture_directions(CAMERAS[camera], size)[:rows]
    np.testing.assert_array_equal(times == 1, np.isfinite(directions[..., 0]))
    assert times.max() == 1
    np.testing.assert_array_equal(back, directions)


def test_most_geoms_are_left_out_of_most_parts() -> None:
    """Keeping everything everywhere would be right, too, but twice as slow."""
    world, state = WORLDS["room"]
    data = pose_world(world, state)
    pose = camera_pose(world, data, CAMERAS["baseline"])
    kept = geoms_in_parts(
        world.model, data, pose, cut_picture(CAMERAS["baseline"], 512, 512).normals
    )
    visible = np.isin(world.model.geom_group, VISIBLE_GROUPS)
    assert kept[:, visible].mean() < 0.15


def test_rays_of_a_camera_are_shared_and_cannot_be_changed() -> None:
    """They are kept between pictures: whoever wrote into them would bend all later ones."""
    directions = picture_directions(CAMERAS["baseline"], 16)
    assert picture_directions(CameraSettings(), 16) is directions
    with pytest.raises(ValueError, match="read-only"):
        directions[0] = 0.0
    level = CameraPose(np.zeros(3), np.eye(3))
    assert in_world(directions, level).flags.writeable


def test_rows_that_show_nothing_hit_nothing() -> None:
    """The upper rows of a fisheye picture are black: no part of them has a ray."""
    world, state = WORLDS["room"]
    data = pose_world(world, state)
    pose = camera_pose(world, data, CAMERAS["fisheye"])
    hits = cast_picture(world, data, pose, CAMERAS["fisheye"], 100, rows=5)
    np.testing.assert_array_equal(hits.geom, np.full(500, -1))
    assert not hits.position.any()
