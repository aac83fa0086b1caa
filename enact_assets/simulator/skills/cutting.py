"""The skills of slicing and dicing: a knife swaps a thing for its pieces when it touches it."""

from dataclasses import replace

import numpy as np

from enact_assets.simulator.robot.kinematics import BasePose, HandPose, Side
from enact_assets.simulator.robot.stances import lifted
from enact_assets.simulator.shapes.rotations import rotate_z, yaw_of
from enact_assets.simulator.skills.clearance import carry
from enact_assets.simulator.skills.motion import Motion, Motions
from enact_assets.simulator.stage.transitions import Cut, Diced

CHOPS = 3
"""How often the knife comes down to dice something; the pile is there the last time."""
CHOP_M = 0.06
OVER_M = 0.09
"""So far above the top of a thing the knife waits."""
EDGE_M = 0.008
"""The blade stops this far above what must not be pushed."""


def slice_thing(robot: Motion, side: Side, name: str) -> Motions:
    """Cut a thing with the held knife: at first contact its halves take its place.

    The blade goes on down between them. Errors: :class:`PlanError` without a knife, or if the thing
    cannot be cut.
    """
    robot.step_name = f"slice({side}, {name})"
    when = Cut(name)
    over, base = _raise_knife(robot, side, name, when, "sliced")
    yield from robot.move(side, lifted(over, 0.05), base)
    # Not into what the thing lies on: the blade starts so far above the bottom of the thing.
    way = robot.stage.thing(name).parts.height + OVER_M - EDGE_M
    deep = lifted(over, -min(0.16, way))
    touched = yield from robot.move(
        side, deep, base, least_s=0.8, until=lambda: _cut(robot, side, name, when)
    )
    robot.require(touched, f"the blade never touched {name}")
    yield from robot.move(side, deep, base, least_s=0.3)
    yield from _withdraw(robot, side, over, base)


def dice_thing(robot: Motion, side: Side, name: str) -> Motions:
    """Cut a thing to pieces with the held knife, which comes down some times: at contact, the last
    time, a pile takes its place, and the knife is taken away, so that it is seen.

    Errors: :class:`PlanError` without a knife, or if the thing cannot be diced.
    """
    robot.step_name = f"dice({side}, {name})"
    when = Diced(name)
    over, base = _raise_knife(robot, side, name, when, "diced")
    for _ in range(CHOPS - 1):
        yield from robot.move(side, lifted(over, EDGE_M + CHOP_M - OVER_M), base, least_s=0.25)
        yield from robot.move(side, lifted(over, EDGE_M - OVER_M), base, least_s=0.25)
    yield from robot.move(side, lifted(over, EDGE_M + CHOP_M - OVER_M), base, least_s=0.25)
    touched = False
    # Tall things, such as a pineapple with its leaves, are solid below their tops only.
    deep = lifted(over, -max(0.16, robot.stage.thing(name).parts.height))
    for _ in robot.move(side, deep, base, least_s=0.8):
        yield
        touched = _cut(robot, side, name, when)
        if touched:
            break
    robot.park(side)
    robot.require(touched, f"the blade never touched {name}")
    yield from _withdraw(robot, side, over, base)


def _raise_knife(
    robot: Motion, side: Side, name: str, when: Cut | Diced, deed: str
) -> tuple[HandPose, BasePose]:
    """Where the hand is when the knife it holds is just above a thing, and where the base is."""
    thing = robot.stage.thing(name)
    physics = robot.physics
    knife = physics.held[side]
    robot.require(
        knife is not None and robot.stage.thing(knife).parts.is_slicer, "no knife in the hand"
    )
    recipes = [r for r in physics.matter.recipes if r.when == when]
    robot.require(bool(recipes), f"{name} cannot be {deed}")
    robot.require(name in physics.existing, f"{name} does not exist (now)")
    where = physics.pose(name)[0]
    base = robot.stand(side, where + np.array([0, -0.15, 0.1]))
    pos, quat = physics.pose(str(knife))
    turn = -yaw_of(quat)
    hand = robot.hands[side]
    # The middle of the blade lies 0.1 m before the origin of the knife.
    above = where + np.array([0, -0.1, thing.parts.height + OVER_M])
    over = HandPose(
        above + rotate_z(hand.pos - pos, turn), hand.yaw + turn, hand.pitch, hand.opening
    )
    return over, base


def _cut(robot: Motion, side: Side, name: str, when: Cut | Diced) -> bool:
    """Let the pieces take the place of a thing if the knife touches it; whether it did."""
    physics = robot.physics
    knife = str(physics.held[side])
    return physics.touches(knife, name) and bool(physics.matter.bring_about(when, physics))


def _withdraw(robot: Motion, side: Side, over: HandPose, base: BasePose) -> Motions:
    back = over.pos + np.array([0, -0.12, 0.06])
    yield from robot.move(side, replace(over, pos=back), base, least_s=0.4)
    yield from carry(robot, side, base)
