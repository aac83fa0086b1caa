"""What shows that a simulation has come apart, though MuJoCo warns of nothing.

Two things that are put into each other are flung out of the room; a demonstration of that would
still be a recording, and its questions nonsense.
"""

import numpy as np

from enact_assets.engine.errors import PhysicsError
from enact_assets.simulator.mechanics.bodies import Bodies, at_start
from enact_assets.simulator.stage.stage import Stage

MAX_START_OVERLAP_M = 0.03
"""MuJoCo pushes what overlaps less than this apart within a frame, at walking pace or slower."""
ROOM_LOW_M = np.array([-3.0, -4.0, -0.2])
ROOM_HIGH_M = np.array([3.0, 4.0, 4.0])
_MIDDLE = (ROOM_LOW_M + ROOM_HIGH_M) / 2
_HALF = (ROOM_HIGH_M - ROOM_LOW_M) / 2


def check_start(stage: Stage, where: str) -> None:
    """Check that no thing stands in another thing or in furniture at the start.

    Things that do not exist yet are not looked at. ``where`` names the simulation in errors.
    Errors: :class:`PhysicsError` naming the two that overlap most, and how many pairs there are.
    """
    import mujoco

    model = stage.world.model
    data = at_start(stage)  # of its own: a look ahead may not change the simulation
    mujoco.mj_kinematics(model, data)
    mujoco.mj_collision(model, data)
    absent = {o.name for o in stage.world.objects if o.parents}
    movable = set(stage.things) - absent
    deepest: dict[tuple[str, str], float] = {}
    for geoms, gap in zip(data.contact.geom.tolist(), data.contact.dist.tolist(), strict=True):
        if gap >= -MAX_START_OVERLAP_M:
            continue
        roots = model.body_rootid[model.geom_bodyid[geoms]].tolist()
        first, second = sorted(model.body(root).name for root in roots)
        if {first, second} & movable and not {first, second} & absent:
            deepest[first, second] = max(deepest.get((first, second), 0.0), -gap)
    if not deepest:
        return
    first, second = max(deepest, key=lambda pair: (deepest[pair], pair))
    raise PhysicsError(
        f"{where}, frame 0: {first} and {second} stand {1e3 * deepest[first, second]:.0f} mm in "
        f"each other at the start, and would be flung apart ({len(deepest)} such pair(s)). Place "
        "them further apart in simulator/activities."
    )


class Room:
    """Checks in every frame that what exists is still in the room."""

    def __init__(self, stage: Stage) -> None:
        model = stage.world.model
        self._bodies = {name: int(model.body(name).id) for name in stage.things}
        self._existing: frozenset[str] = frozenset()
        self._names: list[str] = []
        self._ids = np.empty(0, dtype=np.int64)

    def check(self, bodies: Bodies) -> None:
        """Raise :class:`PhysicsError` naming a thing that exists and has left the room."""
        if bodies.existing is not self._existing:
            self._existing = bodies.existing
            self._names = [name for name in self._bodies if name in bodies.existing]
            self._ids = np.array([self._bodies[n] for n in self._names], dtype=np.int64)
        pos = bodies.data.xpos.take(self._ids, axis=0)
        is_in = abs(pos - _MIDDLE) <= _HALF  # in these words NaN is out of the room too
        if is_in.all():
            return
        gone = np.flatnonzero(~is_in.all(axis=1)).tolist()
        at = ", ".join(f"{v:.2f}" for v in pos[gone[0]])
        raise PhysicsError(
            f"{bodies.where}, frame {bodies.frame}: {self._names[gone[0]]} left the room and is "
            f"at ({at}) m ({len(gone)} thing(s) did). It was flung away by what it stood or was "
            "pressed into, or fell: mend the placements in simulator/activities, or choose "
            "another seed."
        )
