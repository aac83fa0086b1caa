"""Where particles may lie on any kind of thing: on what is seen of it from above."""

from functools import cache

import numpy as np

from enact_assets.engine.errors import entry_named
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.things.kinds import builders
from enact_assets.simulator.things.thing_parts import Coat

PLACES = 4
LEVEL_M = 0.03
"""A cloth reaches places that lie no farther below the highest one."""
LEAST_M = 0.002
ABOVE_M = 0.002
PATCH_M = 0.018
SEEN = np.array([1, 1, 0, 0, 0, 0], dtype=np.uint8)


@cache
def top_coat(kind: str) -> Coat:
    """Places on a kind as far from each other as they go, near its highest point, found by rays
    from above.
    """
    import mujoco

    scene = Scene()
    parts = entry_named(builders(), kind, "kind of thing")(scene, kind, (0.5, 0.5, 0.5))
    scene.body(kind, (0, 0, 0), parts.geoms)
    model = mujoco.MjModel.from_xml_string(scene.xml())
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    hit = np.zeros(1, dtype=np.int32)
    found: list[tuple[float, float, float]] = []
    across = np.linspace(-0.75 * parts.radius, 0.75 * parts.radius, 9)
    for x in across.tolist():
        for y in across.tolist():
            start, down = np.array([x, y, 1.0]), np.array([0.0, 0.0, -1.0])
            z = 1.0 - mujoco.mj_ray(model, data, start, down, SEEN, 1, -1, hit)
            if LEAST_M < z < 1.0:
                found.append((x, y, z + ABOVE_M))
    highest = max(found, key=lambda place: place[2])
    near = [place for place in found if place[2] > highest[2] - LEVEL_M]
    chosen = [highest]
    while len(chosen) < min(PLACES, len(near)):
        chosen.append(
            max(near, key=lambda p: min(np.hypot(p[0] - q[0], p[1] - q[1]) for q in chosen))
        )
    return Coat(tuple(chosen), patch_m=PATCH_M)
