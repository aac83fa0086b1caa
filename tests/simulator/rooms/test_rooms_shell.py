"""Shells of rooms: closed all round, the same place to every room, and nothing asked about."""

import numpy as np
import pytest
from simulator.robot_room import REST, robot_room, robot_state

from enact_assets.engine.errors import UnknownNameError
from enact_assets.simulator.rendering.lighting import PANEL_HALF_M, PANEL_PLACE, find_room
from enact_assets.simulator.rendering.materials import check_surfaces
from enact_assets.simulator.rooms import shell
from enact_assets.simulator.rooms.decor import DECOR
from enact_assets.simulator.rooms.shell import VIEWS
from enact_assets.simulator.rooms.walls import BEHIND_Y, HALF_WIDTH, HEIGHT, WALL_Y
from enact_assets.simulator.view.masks import cast_rays
from enact_assets.simulator.view.poses import pose_world

STATE = robot_state(REST)
WINDOWS = {
    "none": None,
    "casement": shell.CASEMENT,
    "two_panes": shell.Window(half_width=0.38, columns=2),
    "cross_bars": shell.Window(half_width=0.3, half_height=0.36, z=1.84, columns=2, rows=2),
    "wide": shell.Window(z=2.1, half_width=1.0, half_height=0.24, columns=3),
    "strip": shell.Window(z=2.25, half_width=0.9, half_height=0.14, columns=4, view="street"),
    **{view: shell.Window(view=view, columns=2, rows=2) for view in VIEWS},
}


@pytest.mark.slow
@pytest.mark.parametrize("window", sorted(WINDOWS))
def test_no_ray_leaves_a_room_but_over_its_walls(window: str) -> None:
    """A gap beside a window or in a corner shows the bare background."""
    rays = np.random.default_rng(1).normal(size=(20_000, 3))
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    eye = np.array([0.2, -0.1, 1.75])
    world = robot_room(WINDOWS[window])
    check_surfaces(world)
    hits = cast_rays(world, pose_world(world, STATE), eye, rays)
    # Height at which the ray passes the walls.
    along = np.stack(
        [
            (np.sign(rays[:, 0]) * HALF_WIDTH - eye[0]) / rays[:, 0],
            (np.where(rays[:, 1] > 0, WALL_Y, BEHIND_Y) - eye[1]) / rays[:, 1],
        ]
    ).min(axis=0)
    inside = eye[2] + along * rays[:, 2] < HEIGHT - 1e-6
    assert inside.mean() > 0.7
    assert (hits.geom[inside] >= 0).all()


def test_only_the_floor_is_an_object() -> None:
    """Walls in the scene graph would be asked about and touched."""
    names = {o.name: o.bodies for o in robot_room().objects}
    assert set(names) == {"floor", "robot"}
    assert names["floor"] == ("floor",)


@pytest.mark.parametrize("wall", ["back", "left", "right", "behind"])
@pytest.mark.parametrize("kind", sorted(DECOR))
def test_everything_can_hang_on_every_wall(kind: str, wall: str) -> None:
    """Hung the wrong way round it would stick in the wall, or float in the room."""
    two = [
        shell.Decor(kind, wall, along, 1.7, 0.4)  # type: ignore[arg-type]
        for along in (-0.9, 0.4)
    ]
    world = robot_room(None, two)
    check_surfaces(world)
    data = pose_world(world, STATE)
    model = world.model
    found = [g for g in range(model.ngeom) if model.geom(g).name.startswith(f"room.{kind}_")]
    assert len(found) >= 6
    for geom in found:
        turn = np.abs(data.geom_xmat[geom].reshape(3, 3))
        middle = (
            data.geom_xpos[geom] + data.geom_xmat[geom].reshape(3, 3) @ model.geom_aabb[geom, :3]
        )
        low, high = (middle + sign * turn @ model.geom_aabb[geom, 3:] for sign in (-1, 1))
        assert low[0] >= -HALF_WIDTH - 1e-6
        assert high[0] <= HALF_WIDTH + 1e-6
        assert low[1] >= BEHIND_Y - 1e-6
        assert high[1] <= WALL_Y + 1e-6
        away = {
            "back": WALL_Y - low[1],
            "behind": high[1] - BEHIND_Y,
            "left": high[0] + HALF_WIDTH,
            "right": HALF_WIDTH - low[0],
        }[wall]
        assert 0.0 < away < 0.5
        assert 1.3 < low[2] < high[2] < 2.1


def test_the_lamp_hangs_inside_the_walls() -> None:
    """The lamp is placed by what the fixed geoms span: in a wall it would leave the room dark."""
    world = robot_room()
    room = find_room(world, pose_world(world, STATE))
    x, y = room.low[:2] + np.array(PANEL_PLACE) * (room.high - room.low)[:2]
    assert abs(x) + PANEL_HALF_M[0] < HALF_WIDTH
    assert y - PANEL_HALF_M[1] > BEHIND_Y
    assert y + PANEL_HALF_M[1] < WALL_Y
    assert 2.4 < room.panel_z < HEIGHT


def test_what_nobody_defined_is_refused_with_the_known_names() -> None:
    """A typing error must not become a bare wall."""
    with pytest.raises(UnknownNameError, match="garden"):
        robot_room(shell.Window(view="sea"))
    with pytest.raises(UnknownNameError, match="clock"):
        robot_room(decor=[shell.Decor("mirror", "back", 0.0, 1.7)])
