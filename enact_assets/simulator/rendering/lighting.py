"""The light every world is shown in: a ceiling panel, and soft light from where the room is open.

The panel hangs in the room that the world's fixed geoms span, so a world needs no lamps of its own.
Few lights mean little noise: every sample goes to one of them.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.shapes.world import World
from enact_assets.simulator.view.masks import VISIBLE_GROUPS, cast_rays

if TYPE_CHECKING:
    import mujoco


AMBIENT = (0.46, 0.48, 0.51)
"""Radiance from all directions the room leaves open; also what a ray that leaves it shows."""
PANEL_RADIANCE = (10.5, 10.1, 9.5)
PANEL_HALF_M = (0.7, 0.45)
PANEL_PLACE = (0.42, 0.62)
"""Where the panel hangs, as shares of the room's width and depth, from left and back: off
the middle, so that things have a lit and a shaded side."""
AMBIENT_SAMPLING = 0.15
"""Share of light samples the ambient light gets, against 1 for the panel: most of it is behind
walls, and bounced rays find it anyway. Noise falls by a quarter."""
CEILING_M = 2.6
"""Height of the panel in a room without a ceiling."""
BELOW_CEILING_M = 0.03


@dataclass(frozen=True)
class Lighting:
    """Radiances of panel and ambient light, and half the panel's width and depth.

    Without ambient light, what the room leaves open is black.
    """

    panel_radiance: tuple[float, float, float] = PANEL_RADIANCE
    panel_half_m: tuple[float, float] = PANEL_HALF_M
    ambient: tuple[float, float, float] | None = AMBIENT

    @property
    def background(self) -> tuple[float, float, float]:
        """What a ray that leaves the room shows."""
        return self.ambient or (0.0, 0.0, 0.0)


EVERYDAY = Lighting()


@dataclass(frozen=True)
class Room:
    """Extent of the fixed geoms, and the height at which a panel can hang."""

    low: Floats
    high: Floats
    panel_z: float


def find_room(world: World, data: "mujoco.MjData") -> Room:
    """Extent of the geoms that cannot move, infinite planes left out."""
    import mujoco

    model = world.model
    fixed = [
        g
        for g in range(model.ngeom)
        if model.body_weldid[model.geom_bodyid[g]] == 0
        and int(model.geom_group[g]) in VISIBLE_GROUPS
        and model.geom_type[g] != mujoco.mjtGeom.mjGEOM_PLANE
    ]
    corners = []
    for g in fixed:
        centre, half = model.geom_aabb[g, :3], model.geom_aabb[g, 3:]
        turn = data.geom_xmat[g].reshape(3, 3)
        middle, reach = data.geom_xpos[g] + turn @ centre, np.abs(turn) @ half
        corners += [middle - reach, middle + reach]
    box = np.array(corners) if corners else np.array([[-2.0, -2.0, 0.0], [2.0, 2.0, 2.6]])
    low, high = box.min(axis=0), box.max(axis=0)
    origin = np.array([*(low + high)[:2] / 2.0, min(2.2, CEILING_M)])
    up = cast_rays(world, data, origin, np.array([[0.0, 0.0, 1.0]]))
    if up.geom[0] >= 0:
        return Room(low, high, float(up.position[0, 2]) - BELOW_CEILING_M)
    return Room(low, high, CEILING_M)


def lights(room: Room, lighting: Lighting = EVERYDAY) -> dict[str, Any]:
    """Mitsuba's emitters for a room, by name."""
    import mitsuba as mi

    transform = mi.ScalarTransform4f
    x, y = room.low[:2] + np.array(PANEL_PLACE) * (room.high - room.low)[:2]
    # A rectangle shines along its +z; the panel is turned to shine down.
    panel = (
        transform()
        .translate([float(x), float(y), room.panel_z])
        .rotate([1, 0, 0], 180)
        .scale([*lighting.panel_half_m, 1])
    )
    found: dict[str, Any] = {}
    if lighting.ambient is not None:
        found["ambient"] = {
            "type": "constant",
            "radiance": {"type": "rgb", "value": list(lighting.ambient)},
            "sampling_weight": AMBIENT_SAMPLING,
        }
    found["panel"] = {
        "type": "rectangle",
        "to_world": panel,
        "emitter": {
            "type": "area",
            "radiance": {"type": "rgb", "value": list(lighting.panel_radiance)},
        },
    }
    return found
