"""Skills with tools that carry a substance: dip them in, spread it, wipe it up, stir with them."""

import math

import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.matter.recipes import missing_parents
from enact_assets.simulator.robot.kinematics import BasePose, HandPose, Side
from enact_assets.simulator.skills.clearance import carry
from enact_assets.simulator.skills.handling import Hold, bring_over, tilt_towards
from enact_assets.simulator.skills.motion import Motion, Motions
from enact_assets.simulator.stage.transitions import Stirred

DIP_RAD = math.radians(40)
STIR_RAD = math.radians(60)
SPREAD_RAD = math.radians(25)
"""How far a tool with its tip ahead is tilted to reach with it."""
DIP_DEPTH_M = 0.03
SPREAD_HEIGHT_M = 0.012
WIPE_HEIGHT_M = 0.004
COVERS_M = 0.025
"""What lies so far inside the edge of a wiper is wiped up."""
LEAVE_M = 0.12
LONG_M = 0.08
"""A tool whose tip lies farther ahead than this is tilted to reach with it."""
ROW_M = 0.05
WIPE_TIMES = 4
STIR_TURNS = 2
STIR_S = 2.4


def dip(robot: Motion, side: Side, vessel: str) -> Motions:
    """Dip the held applier into a vessel: it takes up what may lie on it.

    Errors: :class:`PlanError` if the tool takes nothing up, or there is too little in the vessel.
    """
    physics, matter = robot.physics, robot.physics.matter
    robot.step_name = f"dip({side}, {physics.held[side]}, into {vessel})"
    hold = _tool(robot, side, "is_applier", "takes up substances (is_applier)")
    _require_open(robot, vessel)
    content = matter.fluids.content(vessel)
    robot.require(bool(content), f"{vessel} is empty")
    name = list(content)[-1]
    state = matter.coats.index.get((matter.fluids.number[name], hold.thing.name))
    robot.require(
        state is not None, f"{name} may not lie on {hold.thing.name}: name it in its coats"
    )
    at = _surface(robot, vessel)
    turn = tilted(hold, DIP_RAD)
    base = yield from bring_over(robot, hold, vessel, [_hand(hold, turn, at)])
    taken = matter.load(hold.thing.name, vessel, name)
    robot.require(taken > 0, f"there is too little {name} in {vessel} to take any up")
    yield from robot.wait(0.3)
    yield from _leave(robot, hold, turn, at, base)


def spread(robot: Motion, side: Side, on: str) -> Motions:
    """Leave what the held tool bears on the free places of ``on``.

    Errors: :class:`PlanError` if the tool bears nothing, or none of it may lie there.
    """
    physics, matter = robot.physics, robot.physics.matter
    robot.step_name = f"spread({side}, {physics.held[side]}, on {on})"
    hold = _tool(robot, side, "is_applier", "spreads substances (is_applier)")
    tool = hold.thing.name
    loads = matter.coats.on(tool)
    robot.require(bool(loads), f"there is nothing on {tool}: dip it first")
    robot.require(on in physics.existing, f"{on} does not exist (now)")
    load = loads[0]
    state = matter.coats.index.get((load.substance, on))
    name = matter.fluids.substances[load.substance].name
    robot.require(state is not None, f"{name} may not lie on {on}: name it in its coats")
    assert state is not None  # noqa: S101 - for mypy
    robot.require(not state.bears.all(), f"{on} is covered by {name} all over")
    places = state.world_places(physics)[~state.bears][: int(load.bears.sum())]
    lift = np.array([0.0, 0.0, SPREAD_HEIGHT_M])
    turn = tilted(hold, SPREAD_RAD)
    poses = [_hand(hold, turn, place + lift) for place in places]
    base = yield from bring_over(robot, hold, on, poses)
    for pose in poses:
        yield from robot.move(side, pose, base, least_s=0.25)
    # All at once, and then the hand is taken away: so that a picture shows it.
    for place in places:
        matter.coats.transfer(physics, load, state, place)
    yield from _leave(robot, hold, turn, places[-1] + lift, base)


def wipe(robot: Motion, side: Side, on: str) -> Motions:
    """Draw the held wiper over every place of ``on`` that bears anything, and again where something
    is left because ``on`` was pushed along.

    Errors: :class:`PlanError` if there is nothing to wipe, or some of it is left after all.
    """
    physics, matter = robot.physics, robot.physics.matter
    robot.step_name = f"wipe({side}, {physics.held[side]}, {on})"
    hold = _tool(robot, side, "is_wiper", "wipes (is_wiper)")
    robot.require(on in physics.existing, f"{on} does not exist (now)")
    robot.require(bool(matter.coats.on(on)), f"there is nothing on {on}")
    lift = np.array([0.0, 0.0, WIPE_HEIGHT_M])
    base = None
    for k in range(WIPE_TIMES):
        if not (dirty := matter.coats.on(on)):
            break
        places = np.concatenate([s.world_places(physics)[s.bears] for s in dirty])
        if k == 0:
            # What it covers at once it need not be led over: beyond the edge there is more.
            low, high = physics.box(hold.thing.name)
            covers = np.maximum(0.5 * (high - low) - COVERS_M, 0.0) * (1.0, 1.0, 0.0)
            middle = 0.5 * (places.min(axis=0) + places.max(axis=0))
            places = places - np.clip(places - middle, -covers, covers)
        places = _in_rows(places)
        poses = [hold.hand(hold.turn, np.zeros(3), place + lift) for place in places]
        base = base or (yield from bring_over(robot, hold, on, poses))
        matter.wiping[hold.thing.name] = on
        for pose in poses:
            yield from robot.move(side, pose, base, least_s=0.2)
        del matter.wiping[hold.thing.name]
    left = sum(state.n_particles for state in matter.coats.on(on))
    robot.require(left == 0, f"{left} particles are left on {on}")
    yield from _leave(robot, hold, hold.turn, places[-1] + lift, base or robot.base)


def stir(robot: Motion, side: Side, vessel: str) -> Motions:
    """Stir in a vessel with the held tool; recipes that this brings about happen half way.

    Errors: :class:`PlanError` if the tool does not stir, or a recipe lacks parents.
    """
    physics, matter = robot.physics, robot.physics.matter
    robot.step_name = f"stir({side}, {physics.held[side]}, in {vessel})"
    hold = _tool(robot, side, "is_stirrer", "stirs (is_stirrer)")
    _require_open(robot, vessel)
    recipes = matter.recipes_for(Stirred(vessel))
    missing = {r: missing_parents(r, physics, matter) for r in recipes}
    robot.require(
        not recipes or any(not m for m in missing.values()),
        f"not all that is stirred is in {vessel}: "
        f"{', '.join(sorted({n for m in missing.values() for n in m}))} missing",
    )
    at = _surface(robot, vessel)
    turn = tilted(hold, STIR_RAD)
    reach = 0.35 * _rim(robot, vessel)[1]
    base = yield from bring_over(robot, hold, vessel, [_hand(hold, turn, at)])

    def path(u: float) -> dict[Side, HandPose]:
        angle = 2 * math.pi * STIR_TURNS * u
        swing = reach * min(1.0, 4 * u, 4 * (1 - u))
        off = np.array([swing * math.cos(angle), swing * math.sin(angle), 0.0])
        return {side: _hand(hold, turn, at + off)}

    yield from robot.follow(lambda u: path(0.5 * u), base, 0.5 * STIR_S)
    matter.bring_about(Stirred(vessel), physics)
    yield from robot.follow(lambda u: path(0.5 + 0.5 * u), base, 0.5 * STIR_S)
    yield from _leave(robot, hold, turn, at, base)


def _tool(robot: Motion, side: Side, flag: str, ability: str) -> Hold:
    hold = Hold.of(robot, side)
    is_able = bool(getattr(hold.thing.parts, flag))
    robot.require(is_able, f"{hold.thing.name} is not a tool that {ability}")
    return hold


def _require_open(robot: Motion, vessel: str) -> None:
    stage = robot.stage
    robot.require(vessel in robot.physics.existing, f"{vessel} does not exist (now)")
    is_hollow = vessel in stage.vessels
    is_cavity = vessel in stage.things and stage.things[vessel].parts.cavity is not None
    robot.require(is_hollow or is_cavity, f"{vessel} has no hollow")


def _rim(robot: Motion, vessel: str) -> tuple[Floats, float]:
    """Middle (3,) and radius of the opening of a vessel."""
    stage, physics = robot.stage, robot.physics
    if vessel in stage.fixtures:
        pos, up = np.array(stage.fixtures[vessel].origin), np.array([0.0, 0.0, 1.0])
    else:
        pos = physics.pose(vessel)[0]
        up = np.array(physics.data.body(vessel).xmat).reshape(3, 3)[:, 2]
    hollow = stage.vessels.get(vessel)
    if hollow is not None:
        return pos + up * hollow.mouth_height, hollow.mouth_radius
    parts = stage.things[vessel].parts
    return pos + up * parts.height, 0.6 * parts.radius


def _surface(robot: Motion, vessel: str) -> Floats:
    """The point (3,) a tip goes to: the level, as far down as a tool reaches, above all solids."""
    matter = robot.physics.matter
    rim, radius = _rim(robot, vessel)
    depth = DIP_DEPTH_M
    if vessel in matter.fluids.place:
        h = matter.fluids.place[vessel]
        hollow = matter.fluids.hollows[h]
        level = hollow.height_of(float(matter.fluids.volumes[:, h].sum()))
        depth = min(hollow.vessel.mouth_height - level + 0.005, DIP_DEPTH_M)
    owners, low, high = robot.physics.bounds()
    for owner, corner, opposite in zip(owners, low, high, strict=True):
        middle = 0.5 * (corner + opposite)
        is_near = float(np.hypot(*(middle - rim)[:2])) < radius and corner[2] < rim[2]
        if owner != vessel and is_near and owner in robot.stage.things:
            depth = min(depth, float(rim[2] - opposite[2]) - 0.005)
    return np.asarray(rim - np.array([0.0, 0.0, depth]))


def tilted(hold: Hold, angle_rad: float) -> Floats:
    """The turn that brings the tip of the tool down, if it lies ahead."""
    tip = hold.turn @ np.array(hold.thing.parts.tip)
    reach = math.hypot(float(tip[0]), float(tip[1]))
    if reach < LONG_M:
        return hold.turn
    ahead = np.array([tip[0] / reach, tip[1] / reach, 0.0])
    return tilt_towards(ahead, angle_rad) @ hold.turn


def _leave(robot: Motion, hold: Hold, turn: Floats, at: Floats, base: BasePose) -> Motions:
    """Take the tool up again and bring it, upright, to where a full hand waits."""
    above = at + np.array([0.0, 0.0, LEAVE_M])
    yield from robot.move(hold.side, _hand(hold, turn, above), base, least_s=0.35)
    yield from robot.move(hold.side, _hand(hold, hold.turn, above), base, least_s=0.3)
    yield from carry(robot, hold.side, base)


def _hand(hold: Hold, turn: Floats, at: Floats) -> HandPose:
    """The hand that brings the tip of the tool, turned to ``turn``, to ``at`` (3,)."""
    return hold.hand(turn, np.array(hold.thing.parts.tip), at)


def _in_rows(places: Floats) -> Floats:
    """Places (n, 3) in an order that sweeps from left to right and back, away from the robot."""
    rows = np.round(places[:, 1] / ROW_M).astype(np.int64)
    sign = np.where((rows - rows.min()) % 2 == 0, 1.0, -1.0)
    order = np.lexsort((sign * places[:, 0], rows))
    return np.asarray(places[order])
