"""How high a thing must be carried to clear what stands on its way."""

import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.skills.motion import Motion

CLEARANCE_M = 0.03
FURNITURE_TOP_M = 1.3
"""Nothing is carried over what is higher than this: cabinets, shelves, the fridge."""
HANGING_M = 1.2
"""What begins above this hangs over the way, not in it: the bottom of a cabinet."""


def transit_height(
    robot: Motion, name: str, start: Floats, goal: Floats, landing_on: str | None = None
) -> float:
    """Height of the bottom of ``name`` that clears everything between two points, in m.

    What it lands on counts only if that has walls to clear.
    """
    owners, low, high = robot.physics.bounds()
    ignored = _companions(robot, name) | {"limbo"}
    landing = robot.stage.fixtures.get(landing_on or "")
    if landing is not None and landing.cavity is None:
        ignored.add(landing.name)
    radius = robot.stage.thing(name).parts.radius + 0.02
    path = start[:2] + np.linspace(0, 1, 16)[:, None] * (goal[:2] - start[:2])
    height = float(goal[2])
    for owner, corner, opposite in zip(owners, low, high, strict=True):
        if owner in ignored or opposite[2] > FURNITURE_TOP_M or corner[2] > HANGING_M:
            continue
        gap = np.maximum(np.maximum(corner[:2] - path, path - opposite[:2]), 0.0)
        if float(np.hypot(gap[:, 0], gap[:, 1]).min()) < radius:
            height = max(height, float(opposite[2]) + CLEARANCE_M)
    return height


def _companions(robot: Motion, name: str) -> set[str]:
    """The thing and whatever stands in or on it: they move together."""
    thing = robot.stage.thing(name)
    found = {name}
    if not thing.parts.rest_height:
        return found
    pos, _ = robot.physics.pose(name)
    for other in robot.stage.things:
        offset = robot.physics.pose(other)[0] - pos
        if float(np.abs(offset[:2]).max()) < thing.parts.radius and 0 <= offset[2] < 0.15:
            found.add(other)
    return found
