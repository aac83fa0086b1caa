"""Ways on which what a hand carries meets nothing: straight where it can, else over what stands
there, or drawn back before it.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from enact_assets.settings.arrays import Bools, Floats, Ints
from enact_assets.simulator.robot.kinematics import REACH_M, BasePose, HandPose, Side, reach_needed
from enact_assets.simulator.robot.stances import moved
from enact_assets.simulator.shapes.rotations import quat_to_matrix
from enact_assets.simulator.skills.motion import AWAY, Motion, Motions, between

CLEARANCE_M = 0.03
FURNITURE_TOP_M = 1.3
"""Nothing is carried over what is higher than this: cabinets, shelves, the fridge."""
HANGING_M = 1.2
"""What begins above this hangs over the way, not in it: the bottom of a cabinet."""
SPARE_M, TOUCH_M, FAR_M = 0.005, 0.002, 0.02
"""What is carried past something keeps so far from it; what goes less deep into it, only touches
it; what is farther away does not matter.
"""
STEP_M, STILL_M = 0.01, 1e-6
"""Between two looks at a way nothing moves farther; places that are so near are the same."""
BACK_M = (0.0, 0.12, 0.24, 0.36)
"""So far things are drawn back, towards the robot, before they go aside."""
HIGHER_M = (0.0, 0.08, 0.16, 0.26)
"""So much higher than usual they are brought over others."""
CARRY_AT = (
    (0.42, 0.24, 1.1), (0.42, 0.24, 1.2), (0.42, 0.1, 1.1), (0.3, 0.16, 1.15), (0.5, 0.1, 1.2),
    (0.42, 0.1, 1.3), (0.2, 0.1, 1.25),
)  # fmt: skip
"""Where a full hand may wait, in the base frame of a right hand: before the robot, lower than what
stands on the furniture; the first one that is free.
"""


@dataclass(frozen=True)
class Load:
    """What is led, with all that stands in or on it: its colliding ``geoms`` (g,) about ``lead`` as
    ``places`` (g, 3) and ``turns`` (g, 3, 3), and those of all ``others`` (n,), in boxes (n, 3).
    """

    lead: HandPose
    model: Any
    still: Any
    geoms: Ints
    places: Floats
    turns: Floats
    others: Ints
    lows: Floats
    highs: Floats
    collide: Bools
    """Which geoms feel which others (g, n)."""

    @classmethod
    def of(cls, robot: Motion, name: str, lead: HandPose) -> "Load":
        """As things stand now, ``lead`` being the hand or another pose that ``name`` goes with."""
        physics, own = robot.physics, _companions(robot, name)
        owners, lows, highs = physics.bounds()
        moves = np.array([owner in own for owner in owners], dtype=np.bool_)
        stays = ~moves & (np.array(owners) != "limbo")
        geoms, others = physics.colliding[moves], physics.colliding[stays]
        model, still, grip = physics.model, physics.copied(), quat_to_matrix(lead.quat)
        kind, feels = model.geom_contype, model.geom_conaffinity
        return cls(
            lead,
            model,
            still,
            geoms,
            (still.geom_xpos[geoms] - lead.pos) @ grip,
            grip.T @ still.geom_xmat[geoms].reshape(-1, 3, 3),
            others,
            lows[stays],
            highs[stays],
            ((kind[geoms, None] & feels[others]) | (feels[geoms, None] & kind[others])) > 0,
        )

    def gaps(self, poses: Sequence[HandPose]) -> Floats:
        """How near each of the others (n,) comes with the lead at any of ``poses``, in m: negative
        where it is met, at most :data:`FAR_M`.
        """
        import mujoco

        grips = np.array([quat_to_matrix(pose.quat) for pose in poses])
        at = np.array([pose.pos for pose in poses])[:, None] + self.places @ grips.mT
        away = np.maximum(self.lows - at[:, :, None], at[:, :, None] - self.highs)
        reach = self.model.geom_rbound[self.geoms, None] + FAR_M
        is_near = (np.linalg.norm(np.maximum(away, 0.0), axis=-1) < reach) & self.collide
        gaps = np.full(len(self.others), FAR_M)
        for k in np.flatnonzero(is_near.any(axis=(1, 2))).tolist():
            self.still.geom_xpos[self.geoms] = at[k]
            self.still.geom_xmat[self.geoms] = (grips[k] @ self.turns).reshape(-1, 9)
            for g, n in np.argwhere(is_near[k]).tolist():
                pair = int(self.geoms[g]), int(self.others[n])
                gap = mujoco.mj_geomDistance(self.model, self.still, *pair, FAR_M, None)
                gaps[n] = min(gaps[n], gap)
        return gaps

    def met(self, way: Sequence[HandPose]) -> int:
        """How many others are met on a ``way``: come near, or, if they are near at an end of it,
        are touched, but for those touched there.
        """
        here = self.gaps([self.lead, way[-1]])
        poses = [pose for pair in pairwise((self.lead, *way)) for pose in self.looks(*pair)]
        gaps = self.gaps(poses)
        limits = (SPARE_M + 0.5 * STEP_M, -TOUCH_M)
        is_met = np.any([(gaps < m) & (here >= m) for m in limits], axis=0)
        return int(is_met.sum())

    def clearest(self, goals: Sequence[HandPose]) -> HandPose:
        """The first of ``goals`` with the fewest others near."""
        return min(goals, key=lambda at: int((self.gaps([at]) < SPARE_M + 0.5 * STEP_M).sum()))

    def looks(self, start: HandPose, goal: HandPose) -> list[HandPose]:
        """Where a straight way is looked at."""
        arm = np.linalg.norm(self.places, axis=1) + self.model.geom_rbound[self.geoms]
        way = np.linalg.norm(goal.pos - start.pos) + arm.max() * abs(goal.yaw - start.yaw)
        shares = np.linspace(0.0, 1.0, 2 + int(way / STEP_M)).tolist()
        return [between(start, goal, share) for share in shares]


def free_way(
    load: Load, usual: Sequence[HandPose], reaches: Callable[[HandPose], bool]
) -> Sequence[HandPose]:
    """The first way from where a load is on which it meets nothing: the ``usual`` one, else over
    what stands between, else drawn back first; of ways that all meet something, the one that meets
    least.
    """
    way, least = usual, load.met(usual) if all(map(reaches, usual)) else math.inf
    for other in _other_ways(load.lead, usual):
        if not least:
            break
        if all(map(reaches, other)) and (found := load.met(other)) < least:
            way, least = other, found
    return way


def _other_ways(lead: HandPose, usual: Sequence[HandPose]) -> Iterator[list[HandPose]]:
    end = usual[-1]
    top = max(float(pose.pos[2]) for pose in (lead, *usual))
    for back in BACK_M:
        near = [moved(pose, -AWAY * back) for pose in (lead, end)]
        for higher in HIGHER_M:
            high = [replace(pose, pos=np.array([*pose.pos[:2], top + higher])) for pose in near]
            way = [lead, near[0], *high, near[1], end]
            yield [to for at, to in pairwise(way) if np.abs(to.pos - at.pos).max() > STILL_M]


def foot(robot: Motion, base: BasePose, hands: Mapping[Side, HandPose]) -> BasePose | None:
    """Where the base stands for ``hands`` on their way, if they are in reach: where it is, or at
    ``base``.
    """
    for at in (robot.base, base):
        if all(reach_needed(at, side, hand) <= REACH_M for side, hand in hands.items()):
            return at
    return None


def bring(
    robot: Motion, side: Side, base: BasePose, *usual: HandPose, least_s: float = 0.3
) -> Motions:
    """Bring a hand and what it holds to the last of ``usual`` on the first way that meets nothing.

    Errors: :class:`PlanError` if it is out of reach from ``base``.
    """
    load = Load.of(robot, str(robot.physics.held[side]), robot.hands[side])
    *via, goal = free_way(load, usual, lambda at: foot(robot, base, {side: at}) is not None)
    for at in via:
        yield from robot.move(side, at, foot(robot, base, {side: at}) or base, least_s=least_s)
    yield from robot.move(side, goal, base)


def carry(robot: Motion, side: Side, base: BasePose) -> Motions:
    """Bring a full hand to where it waits, clear of furniture and of what stands there."""
    hand = replace(robot.hands[side], yaw=base.yaw)
    load = Load.of(robot, str(robot.physics.held[side]), robot.hands[side])
    goal = load.clearest([replace(hand, pos=carry_point(side, base, at)) for at in CARRY_AT])
    if hand.pos[2] > goal.pos[2] + 0.02:
        # What was lifted over others must not sink among them on its way back.
        level = replace(goal, pos=np.array([*goal.pos[:2], hand.pos[2]]))
        yield from bring(robot, side, base, level, goal)
    else:
        yield from bring(robot, side, base, goal)


def carry_point(side: Side, base: BasePose, at: tuple[float, float, float] = CARRY_AT[0]) -> Floats:
    """Where a full hand waits (3,) in the world."""
    sign = -1.0 if side == "left" else 1.0
    return base.to_world(np.array([sign * at[0], at[1], at[2]]))


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
    while more := {other for other, on in robot.resting.items() if on in found} - found:
        found |= more
    if not thing.parts.rest_height:
        return found
    pos, _ = robot.physics.pose(name)
    for other in robot.stage.things:
        offset = robot.physics.pose(other)[0] - pos
        if float(np.abs(offset[:2]).max()) < thing.parts.radius and 0 <= offset[2] < 0.15:
            found.add(other)
    return found
