"""Ways on which what a hand carries meets nothing: straight where it can, else over what stands
there, or drawn back before it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.robot.kinematics import REACH_M, BasePose, HandPose, Side, reach_needed
from enact_assets.simulator.shapes.rotations import rotate_z, wrap_angle
from enact_assets.simulator.skills.motion import AWAY, Motion, Motions

CLEARANCE_M = 0.03
FURNITURE_TOP_M = 1.3
"""Nothing is carried over what is higher than this: cabinets, shelves, the fridge."""
HANGING_M = 1.2
"""What begins above this hangs over the way, not in it: the bottom of a cabinet."""
SPARE_M = 0.012
"""What is carried past something keeps so far from it."""
STEP_M = 0.025
"""Ways are looked at so often."""
BACK_M = (0.0, 0.12, 0.24, 0.36)
"""So far things are drawn back, towards the robot, before they go aside."""
HIGHER_M = (0.0, 0.08, 0.16, 0.26)
CARRY_AT = ((0.42, 0.24, 1.1), (0.42, 0.24, 1.2), (0.42, 0.1, 1.1), (0.3, 0.16, 1.15), (0.5, 0.1, 1.2),
            (0.42, 0.1, 1.3), (0.2, 0.1, 1.25))  # fmt: skip
"""Where a full hand may wait, in the base frame of a right hand: before the robot, lower than what
stands on the furniture; the first one that is free.
"""


@dataclass(frozen=True)
class Load:
    """What a hand carries, with all that stands in or on it: corners ``low`` and ``high`` (3,) of
    its box about the place of the thing, and the boxes (n, 3) of all that may be in its way.
    """

    low: Floats
    high: Floats
    lows: Floats
    highs: Floats

    @classmethod
    def of(cls, robot: Motion, name: str) -> "Load":
        """As things stand now."""
        owners, lows, highs = robot.physics.bounds()
        own = _companions(robot, name)
        moved = np.array([owner in own for owner in owners], dtype=np.bool_)
        away = np.array([owner == "limbo" for owner in owners], dtype=np.bool_)
        pos = robot.physics.pose(name)[0]
        return cls(
            lows[moved].min(axis=0) - pos,
            highs[moved].max(axis=0) - pos,
            lows[~(moved | away)],
            highs[~(moved | away)],
        )

    def met_at(self, places: Floats, spare_m: float = SPARE_M) -> Floats:
        """Whether each box is met (k, n) with the thing at ``places`` (k, 3)."""
        low, high = places + self.low - spare_m, places + self.high + spare_m
        # What it stands on or hangs below is touched, not met.
        low[:, 2] += spare_m + 0.002
        high[:, 2] -= spare_m
        return np.asarray(
            (low[:, None] < self.highs[None]).all(axis=-1)
            & (self.lows[None] < high[:, None]).all(axis=-1)
        )

    def meets(self, way: Sequence[Floats]) -> int:
        """How many boxes are met on a ``way`` of points (3,), but for those met at both ends of
        it from the first: what it stands in or beside already.
        """
        met = [self.met_at(_samples(start, goal)).any(axis=0) for start, goal in pairwise(way)]
        there = self.met_at(np.array([way[0], way[-1]])).any(axis=0)
        return int((np.any(met, axis=0) & ~there).sum()) if met else 0


def _samples(start: Floats, goal: Floats) -> Floats:
    n = 2 + int(np.linalg.norm(goal - start) / STEP_M)
    return np.asarray(start + np.linspace(0.0, 1.0, n)[:, None] * (goal - start))


def bring(
    robot: Motion,
    side: Side,
    goal: HandPose,
    base: BasePose,
    *,
    least_s: float = 0.3,
    is_straight: bool = True,
) -> Motions:
    """Bring a hand and what it holds to ``goal`` on the first way that meets nothing.

    Tried are the straight way, if ``is_straight``, ways over what stands between, and the same
    drawn back first; of ways that all meet something, the one that meets least. Errors:
    :class:`PlanError` if the goal is out of reach.
    """
    name, hand = robot.physics.held[side], robot.hands[side]
    robot.require_reach(side, goal, base)
    if name is None:
        yield from robot.move(side, goal, base, least_s=least_s)
        return
    load, start = Load.of(robot, name), robot.physics.pose(name)[0]
    # It turns with the hand.
    off = rotate_z(start - hand.pos, wrap_angle(goal.yaw - hand.yaw))
    end = goal.pos + off
    best: tuple[int, list[Floats]] | None = None
    for way in islice(_ways(robot, name, start, end), 0 if is_straight else 1, None):
        poses = [_on_way(hand, goal, point - off) for point in way[1:-1]]
        if any(_from(robot, side, pose, base) is None for pose in poses):
            continue
        found = load.meets(way)
        if best is None or found < best[0]:
            best = (found, way)
        if not found:
            break
    points = best[1][1:-1] if best else []
    for point in points:
        pose = _on_way(hand, goal, point - off)
        yield from robot.move(side, pose, _from(robot, side, pose, base) or base, least_s=0.2)
    yield from robot.move(side, goal, base, least_s=least_s)


def _from(robot: Motion, side: Side, pose: HandPose, base: BasePose) -> BasePose | None:
    """Where the base stands on the way, if ``pose`` is in reach: at its goal, or where it is."""
    near = (at for at in (base, robot.base) if reach_needed(at, side, pose) <= REACH_M)
    return next(near, None)


def _on_way(hand: HandPose, goal: HandPose, pos: Floats) -> HandPose:
    return replace(goal, pos=pos, opening=hand.opening)


def _ways(robot: Motion, name: str, start: Floats, end: Floats) -> Iterator[list[Floats]]:
    """Points (3,) from ``start`` to ``end``, ways of least trouble first."""
    yield [start, end]
    over = max(transit_height(robot, name, start, end), float(start[2]), float(end[2]))
    for back in BACK_M:
        for higher in HIGHER_M:
            near = [point - AWAY * back for point in (start, end)]
            high = [np.array([*point[:2], over + higher]) for point in near]
            yield _without_pauses([start, near[0], *high, near[1], end])


def _without_pauses(points: list[Floats]) -> list[Floats]:
    """Points that are not where the one before is."""
    kept = points[:1]
    for point in points[1:]:
        if float(np.linalg.norm(point - kept[-1])) > 1e-6:
            kept.append(point)
    return kept if len(kept) > 1 else points[:2]


def carry(robot: Motion, side: Side, base: BasePose) -> Motions:
    """Bring a full hand to where it waits, clear of furniture and of what stands there."""
    hand, name = robot.hands[side], robot.physics.held[side]
    spots = [carry_point(side, base, at) for at in CARRY_AT]
    pos = spots[0]
    if name is not None:
        load, here = Load.of(robot, name), robot.physics.pose(name)[0]
        off = rotate_z(here - hand.pos, wrap_angle(base.yaw - hand.yaw))
        met = load.met_at(np.array(spots) + off).sum(axis=1)
        pos = spots[int(met.argmin())]
    if hand.pos[2] > pos[2] + 0.02:
        # What was lifted over others must not sink among them on its way back.
        level = np.array([pos[0], pos[1], hand.pos[2]])
        yield from bring(robot, side, replace(hand, pos=level, yaw=base.yaw), base)
    yield from bring(robot, side, replace(hand, pos=pos, yaw=base.yaw), base)


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
    found = {name} | {other for other in robot.resting if name in _below(robot, other)}
    if not thing.parts.rest_height:
        return found
    pos, _ = robot.physics.pose(name)
    for other in robot.stage.things:
        offset = robot.physics.pose(other)[0] - pos
        if float(np.abs(offset[:2]).max()) < thing.parts.radius and 0 <= offset[2] < 0.15:
            found.add(other)
    return found


def _below(robot: Motion, name: str) -> Iterator[str]:
    """What a thing stands on or in, and what that stands on."""
    while name in robot.resting:
        name = robot.resting[name]
        yield name
