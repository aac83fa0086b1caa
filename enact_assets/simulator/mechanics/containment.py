"""What is inside what: one rule for recipes while a simulation runs and for facts of its log."""

import numpy as np

from enact_assets.settings.arrays import Bools, Floats
from enact_assets.simulator.mechanics.bodies import Bodies


def in_cavity(middle: Floats, origin: Floats, turn: Floats, cavity: tuple[Floats, Floats]) -> Bools:
    """Whether middles (..., n, 3) of boxes lie in a cavity: the rule of Inside, (..., n).

    ``cavity`` has its low and high corner in a frame at ``origin`` (..., 3) with the axes ``turn``
    (..., 3, 3).
    """
    low, high = cavity
    local = np.einsum("...ji,...nj->...ni", turn, middle - origin[..., None, :])
    return np.asarray(((local > low) & (local < high)).all(axis=-1))


def is_inside(bodies: Bodies, name: str, place: str) -> bool:
    """Whether a thing is Inside ``place`` now, by the same rule as the predicate.

    A vessel without a cavity, of which Inside is never said, holds things whose middle lies in its
    hollow: what runs down a spoon in a jug is in the jug.
    """
    stage = bodies.stage
    low, high = bodies.box(name)
    middle = (low + high) / 2
    body = bodies.data.body(stage.frame_body(place))
    turn = body.xmat.reshape(3, 3)
    if place in stage.cavities:
        return bool(in_cavity(middle[None], body.xpos, turn, stage.cavities[place])[0])
    vessel = stage.vessels.get(place)
    if vessel is None:
        return False
    is_fixed = place in stage.fixtures
    local = turn.T @ (middle - (stage.fixtures[place].origin if is_fixed else body.xpos))
    return bool(
        np.hypot(local[0], local[1]) < vessel.mouth_radius
        and vessel.profile[0][0] - 0.01 < local[2] < vessel.mouth_height + 0.05
    )
