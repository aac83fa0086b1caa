"""The robot's shells: whole, the right way round, as long as the arms, and out of the way."""

import math

import mujoco
import numpy as np
import pytest
from simulator.robot_room import REST, robot_room, robot_state

from enact_assets.settings.registry import AppearanceSettings, CameraSettings
from enact_assets.simulator.rendering.materials import check_surfaces, dressed
from enact_assets.simulator.robot import arms, trunk
from enact_assets.simulator.robot.arms import Piece
from enact_assets.simulator.robot.kinematics import (
    BODIES,
    SEGMENT_M,
    SIDES,
    WRIST_M,
    BasePose,
    HandPose,
    shoulder,
)
from enact_assets.simulator.shapes.lofts import (
    Section,
    along_x,
    along_y,
    joined,
    mirrored_x,
    rounded,
)
from enact_assets.simulator.view.cameras import camera_pose
from enact_assets.simulator.view.masks import VISIBLE_GROUPS, cast_picture, geom_objects
from enact_assets.simulator.view.poses import pose_world

PIECES = (
    *trunk.BASE,
    *arms.UPPER,
    *arms.FORE,
    *arms.HAND,
    *arms.FINGERS,
    *arms.THUMB,
)
MOST_TRIANGLES = 16_000
"""Of both arms and the trunk: rays are tried on them, and pictures must stay quick."""
CAMERAS = (
    CameraSettings(),
    CameraSettings(aperture_mm=80.0),
    CameraSettings(height_offset_m=-0.25),
    CameraSettings(height_offset_m=0.5),
    CameraSettings(projection="fisheye"),
)


@pytest.mark.parametrize("piece", PIECES, ids=lambda p: p.name)
def test_a_piece_is_closed_and_faces_outwards(piece: Piece) -> None:
    """A face turned inwards is lit as if from behind: a dark patch nobody can explain."""
    vertices, faces = piece.mesh
    assert set(faces.ravel().tolist()) <= set(range(len(vertices)))
    points, index = np.unique(vertices, axis=0, return_inverse=True)
    welded = index.reshape(-1)[faces]
    directed = np.concatenate([welded[:, [0, 1]], welded[:, [1, 2]], welded[:, [2, 0]]])
    directed = directed[directed[:, 0] != directed[:, 1]]
    there, n_there = np.unique(directed, axis=0, return_counts=True)
    back, n_back = np.unique(directed[:, ::-1], axis=0, return_counts=True)
    np.testing.assert_array_equal(there, back)
    np.testing.assert_array_equal(n_there, n_back)
    a, b, c = (points[welded[:, k]] for k in range(3))
    assert np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6 > 1e-6


def test_turned_and_mirrored_meshes_still_face_outwards() -> None:
    """A mirror image turns every face inside out unless its corners change places."""
    block = rounded([Section(1.0, 0.3, 0.1), Section(2.0, 0.2, 0.1, x=0.1)], 0.05)

    def volume(mesh: tuple[np.ndarray, np.ndarray]) -> float:
        a, b, c = (mesh[0][mesh[1][:, k]] for k in range(3))
        return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)

    assert volume(block) > 0.01
    for other in (along_x(block), along_y(block), mirrored_x(block)):
        assert math.isclose(volume(other), volume(block), rel_tol=1e-9)
    assert math.isclose(volume(joined(block, block)), 2 * volume(block), rel_tol=1e-9)
    assert along_x(block)[0][:, 0].min() == pytest.approx(1.0)
    assert along_y(block)[0][:, 1].max() == pytest.approx(2.0)


def test_every_body_of_the_robot_is_drawn_and_all_its_geoms_are_the_robots() -> None:
    """A geom that is missing from the list would keep its colour when the robot changes its own."""
    world = robot_room()
    model = world.model
    check_surfaces(world)
    bodies = {model.body(int(model.geom_bodyid[model.geom(n).id])).name for n in world.robot_geoms}
    assert bodies == set(BODIES)
    index = [o.name for o in world.objects].index("robot")
    owned = np.flatnonzero(geom_objects(world) == index)
    assert {model.geom(int(g)).name for g in owned} == world.robot_geoms
    assert np.isin(model.geom_group[owned], VISIBLE_GROUPS).all()
    assert not model.geom_contype[owned].any()
    assert not model.geom_conaffinity[owned].any()
    assert [int(model.body(name).mocapid[0]) for name in BODIES] == list(range(len(BODIES)))
    meshes = model.geom_dataid[owned]
    assert model.mesh_facenum[meshes[meshes >= 0]].sum() < MOST_TRIANGLES
    assert model.nmesh == len(PIECES)


def test_limbs_end_where_the_kinematics_puts_their_joints() -> None:
    """Shapes are given in numbers of their own: a longer forearm would leave a gap at the wrist."""

    def heights(name: str) -> tuple[float, float]:
        vertices = next(p for p in PIECES if p.name == name).mesh[0]
        return float(vertices[:, 2].min()), float(vertices[:, 2].max())

    ball = np.array(arms.BALL)
    assert (ball[0, 1] + ball[-1, 1]) / 2 == pytest.approx(WRIST_M)
    ball_radius = ball[:, 0].max()
    assert SEGMENT_M - ball_radius < heights("fore_core")[1] < SEGMENT_M
    low, high = heights("upper_core")
    assert low < arms.SHOULDER_BALL_M
    assert high > SEGMENT_M
    axle = next(p for p in PIECES if p.name == "torso_core").mesh[0]
    end = axle[np.argmax(axle[:, 0])]
    joint = shoulder(BasePose(0.0, 0.0, 0.0), "right")
    assert np.linalg.norm(end - joint) < arms.SHOULDER_BALL_M + 0.02


@pytest.mark.parametrize("opening", [0.02, 0.1, 0.18])
@pytest.mark.parametrize("side", SIDES)
def test_jaws_stand_as_far_apart_as_the_hand_is_open(opening: float, side: str) -> None:
    """Fingers in a thing they hold, or away from it, would look like magic."""
    world = robot_room()
    hands = {s: HandPose(h.pos, 0.3, 0.7, opening, 0.5) for s, h in REST.items()}
    data = pose_world(world, robot_state(hands))  # type: ignore[arg-type]
    hand = hands[side]
    reach = {}
    for jaw in ("finger_in", "finger_out"):
        (geom,) = (
            world.model.geom(n).id for n in world.robot_geoms if n.startswith(f"robot.{side}_{jaw}")
        )
        mesh = int(world.model.geom_dataid[geom])
        first, n = world.model.mesh_vertadr[mesh], world.model.mesh_vertnum[mesh]
        points = world.model.mesh_vert[first : first + n].astype(np.float64)
        points = points @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom] - hand.pos
        tip = points[-points @ hand.approach < 0.03]
        reach[jaw] = tip @ hand.across
        palm = points[-points @ hand.approach > 0.08]
        assert np.abs(palm @ hand.across).min() < 0.057
    assert reach["finger_in"].max() == pytest.approx(-opening / 2, abs=2e-4)
    assert reach["finger_out"].min() == pytest.approx(opening / 2, abs=2e-4)


@pytest.mark.parametrize("camera", CAMERAS, ids=str)
@pytest.mark.parametrize("base", [BasePose(0.0, 0.0, 0.0), BasePose(0.3, 0.2, 0.5)], ids=str)
def test_no_camera_looks_into_the_robots_trunk(camera: CameraSettings, base: BasePose) -> None:
    """A shell around the eye would fill the picture, or hide half of it."""
    world = robot_room()
    hands = {s: HandPose(base.to_world(h.pos), base.yaw, 0.6, 0.1) for s, h in REST.items()}
    data = pose_world(world, robot_state(hands, base))  # type: ignore[arg-type]
    hits = cast_picture(world, data, camera_pose(world, data, camera), camera, 128)
    trunk = [world.model.geom(n).id for n in world.robot_geoms if n.startswith("robot.base")]
    seen = np.isin(hits.geom, trunk)
    assert seen.mean() < 0.2
    assert not seen.any() or hits.distance[seen].min() > 0.1
    eye = camera_pose(world, data, camera).position
    for geom in trunk:
        middle, half = world.model.geom_aabb[geom, :3], world.model.geom_aabb[geom, 3:]
        place = (eye - data.geom_xpos[geom]) @ data.geom_xmat[geom].reshape(3, 3) - middle
        assert (np.abs(place) > half).any()


@pytest.mark.parametrize("robot", ["white", "skin", "random"])
def test_a_robot_of_one_colour_has_it_on_shells_and_joints_alike(robot: str) -> None:
    """Black joints on a robot of skin would not be that variant."""
    world = robot_room()
    worn = dressed(world, world.surfaces, AppearanceSettings(robot), seed=3)
    colors = {worn[name].color for name in world.robot_geoms}
    assert len(colors) == 1
    assert len({world.surfaces[name].color for name in world.robot_geoms}) == 2


def test_mujoco_takes_the_meshes_without_a_warning() -> None:
    """A mesh MuJoCo repairs is not the one that is drawn."""
    model = robot_room().model
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert not any(w.number for w in data.warning)
    for piece in PIECES:
        assert model.mesh(f"robot_{piece.name}").facenum[0] == len(piece.mesh[1])
