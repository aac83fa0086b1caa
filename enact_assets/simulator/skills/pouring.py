"""The skill of pouring: a held vessel is tilted over another until a share of it has run out."""

import math
from dataclasses import dataclass

import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.matter.fluids import PARTICLE_M3
from enact_assets.simulator.robot.kinematics import BasePose, HandPose, Side
from enact_assets.simulator.robot.stances import lifted
from enact_assets.simulator.shapes.rotations import rotate_z
from enact_assets.simulator.simulation.physics import FRAME_RATE_HZ
from enact_assets.simulator.skills.clearance import carry
from enact_assets.simulator.skills.handling import Hold, bring_over, tilt_towards
from enact_assets.simulator.skills.motion import Motion, Motions
from enact_assets.simulator.stage.hollows import Hollow

MAX_TILT_RAD = math.radians(135)
TILT_RAD_PER_S = math.radians(60)
CLEARANCE_M = 0.04
"""The lowest part of a tilted vessel stays this far above the mouth it pours into."""
PATIENCE_S = 20.0
BRIM_SHARE = 0.97
"""A vessel is never poured fuller than this."""


@dataclass(frozen=True)
class Tilting:
    """A held vessel that is tilted about its lip, over the point ``target`` (3,)."""

    hold: Hold
    hollow: Hollow
    target: Floats
    direction: Floats

    @property
    def own(self) -> Floats:
        """The direction (3,) in the frame of the vessel."""
        return np.asarray(self.hold.turn.T @ self.direction)

    def lip(self, theta: float) -> Floats:
        """The point (3,) of the vessel, in its frame, that it pours over at a tilt of ``theta``."""
        return self.hollow.lip(_up(self.own, max(theta, 0.05)))

    def hand(self, theta: float) -> HandPose:
        """Where the hand is at a tilt of ``theta``: the lip above the target, no part below it."""
        lip = self.lip(theta)
        turn = tilt_towards(self.direction, theta) @ self.hold.turn
        height = CLEARANCE_M + float(lip[2]) * max(math.cos(theta), 0.0)
        return self.hold.hand(turn, lip, self.target + np.array([0.0, 0.0, height]))

    def angle_leaving(self, volume: float) -> float:
        """The smallest tilt that leaves no more than ``volume`` in the vessel, in rad."""
        low, high = 0.0, MAX_TILT_RAD
        for _ in range(24):
            middle = 0.5 * (low + high)
            if self.hollow.capacity(_up(self.own, middle)) > volume:
                low = middle
            else:
                high = middle
        return high


def pour(robot: Motion, side: Side, into: str, share: float = 1.0) -> Motions:
    """Pour ``share`` of what the held vessel has into the vessel, or onto the thing, ``into``.

    Errors: :class:`PlanError` if nothing in the hand can be poured, if ``into`` can take none of
    it or not so much, if something lies between, or if the share would not leave the vessel.
    """
    physics, fluids = robot.physics, robot.physics.matter.fluids
    robot.step_name = f"pour({side}, {physics.held[side]}, into {into})"
    hold = Hold.of(robot, side)
    source = hold.thing.name
    robot.require(source in fluids.place, f"{source} is not a vessel of any substance")
    robot.require(0.0 < share <= 1.0, f"the share to pour is {share}, not between 0 and 1")
    robot.require(into != source, f"{source} cannot be poured into itself")
    h = fluids.place[source]
    loose = {n: v for n, v in fluids.content(source).items() if fluids.flows[fluids.number[n]]}
    robot.require(bool(loose), f"there is nothing in {source} that flows")
    wanted = share * sum(loose.values())
    rest = float(fluids.volumes[:, h].sum()) - wanted
    target = _target(robot, into, tuple(loose), wanted)
    tilting = Tilting(hold, fluids.hollows[h], target, tilt_direction(hold, robot.base))
    angle = tilting.angle_leaving(rest)
    kept = fluids.hollows[h].capacity(_up(tilting.own, angle))
    robot.require(
        kept <= rest + PARTICLE_M3,
        f"{kept * 1e6:.0f} cm3 stay in {source} however it is tilted, so at most a share of "
        f"{share + (rest - kept) / sum(loose.values()):.2f} can be poured",
    )
    poses = [tilting.hand(part * angle) for part in (0.0, 0.25, 0.5, 0.75, 1.0)]
    base = yield from bring_over(robot, hold, into, poses)
    lip = physics.pose(source)[0] + hold.turn @ tilting.lip(0.0)
    found, owner, _ = fluids.below(physics, lip, h)
    meets = fluids.holders[found] if found >= 0 else owner
    robot.require(meets == into, f"{meets or 'nothing'} is below the lip, not {into}")
    seconds = angle / TILT_RAD_PER_S / robot.pace
    yield from robot.follow(lambda u: {side: tilting.hand(u * angle)}, base, seconds)
    for _ in range(round(PATIENCE_S * FRAME_RATE_HZ)):
        if float(fluids.volumes[:, h].sum()) <= rest + PARTICLE_M3:
            break
        yield
    yield from robot.follow(lambda u: {side: tilting.hand((1 - u) * angle)}, base, 0.7 * seconds)
    over = float(fluids.volumes[:, h].sum()) - rest
    robot.require(
        over <= 2 * PARTICLE_M3,
        f"{over * 1e6:.0f} of {wanted * 1e6:.0f} cm3 did not run out of {source} in time",
    )
    yield from robot.move(side, lifted(poses[0], 0.08), base, least_s=0.3)
    yield from carry(robot, side, base)


def _up(direction: Floats, angle: float) -> Floats:
    """The vertical in the frame of a vessel tilted by ``angle`` towards its own ``direction``."""
    up: Floats = -math.sin(angle) * direction
    up[2] = math.cos(angle)
    return up


def tilt_direction(hold: Hold, base: BasePose) -> Floats:
    """Level unit vector (3,) towards which the vessel tilts: its spout, or the robot's middle."""
    vessel = hold.thing.parts.vessel
    if vessel is not None and vessel.lip is not None:
        flat = hold.turn @ np.array([vessel.lip[0], vessel.lip[1], 0.0])
        towards: Floats = flat / float(np.linalg.norm(flat))
        return towards
    inwards = 1.0 if hold.side == "left" else -1.0
    return rotate_z(np.array([inwards, 0.0, 0.0]), base.yaw)


def _target(robot: Motion, into: str, names: tuple[str, ...], volume: float) -> Floats:
    """The point (3,) to pour at; :class:`PlanError` if ``into`` cannot take it."""
    physics = robot.physics
    fluids, coats = physics.matter.fluids, physics.matter.coats
    robot.require(into in physics.existing, f"{into} does not exist (now)")
    if into not in fluids.place:
        states = [coats.index.get((fluids.number[n], into)) for n in names]
        for name, state in zip(names, states, strict=True):
            robot.require(
                state is not None,
                f"{into} is not a vessel that holds {name}, and {name} may not lie on it: name it "
                "in the holders or coats of the substance",
            )
        found = [state for state in states if state is not None]
        return np.asarray(found[0].world_places(physics).mean(axis=0))
    h = fluids.place[into]
    strange = [n for n in names if not fluids.allowed[fluids.number[n], h]]
    robot.require(not strange, f"{''.join(strange[:1])} may not be in {into}: name it a holder")
    robot.require(fluids.turns[h][2, 2] > 0.95, f"{into} is not upright")
    room = BRIM_SHARE * float(fluids.sizes[h]) - float(fluids.volumes[:, h].sum())
    robot.require(
        volume <= room + PARTICLE_M3,
        f"{into} has room for {max(room, 0) * 1e6:.0f} cm3, not for {volume * 1e6:.0f}: pour a "
        "smaller share",
    )
    mouth = fluids.hollows[h].vessel.mouth_height
    return np.asarray(fluids.positions[h] + fluids.turns[h][:, 2] * mouth)
