"""One running simulation: steps MuJoCo, switches constraints, and logs thirty frames a second."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from enact_assets.contracts.errors import PhysicsError
from enact_assets.simulator.bounds import GeomShapes, geom_bounds
from enact_assets.simulator.fixtures import Fixture
from enact_assets.simulator.matter import Matter
from enact_assets.simulator.physics_check import Room, check_start
from enact_assets.simulator.robot import (
    BODIES,
    SIDES,
    BasePose,
    HandPose,
    Side,
    body_poses,
)
from enact_assets.simulator.rotations import quat_inverse, quat_product, quat_to_matrix
from enact_assets.simulator.shapes import STEPS_PER_SECOND
from enact_assets.simulator.stage import Stage

Floats = NDArray[np.float64]

FRAME_RATE_HZ = 30
STEPS_PER_FRAME = STEPS_PER_SECOND // FRAME_RATE_HZ
PRESS_FRAMES = 5
"""A finger in the button for this many frames toggles it once (OmniGibson's ToggledOn rule)."""
PRESS_RADIUS_M = 0.05
AWAKE = 1
"""MuJoCo's mjtSleepState of a body that moves."""


@dataclass
class FrameLog:
    """What is kept of every frame; lists grow by one entry a frame."""

    qpos: list[Floats] = field(default_factory=list)
    mocap_pos: list[Floats] = field(default_factory=list)
    mocap_quat: list[Floats] = field(default_factory=list)
    appearance: list[Floats] = field(default_factory=list)
    geom_pos: list[Floats] = field(default_factory=list)
    geom_mat: list[Floats] = field(default_factory=list)
    body_pos: list[Floats] = field(default_factory=list)
    body_mat: list[Floats] = field(default_factory=list)
    contact_geoms: list[NDArray[np.int64]] = field(default_factory=list)
    held: list[dict[Side, str | None]] = field(default_factory=list)
    existing: list[frozenset[str]] = field(default_factory=list)


class Physics:
    """The state of one simulation. ``where`` names it in errors, e.g. "make_a_salad seed 0".

    Errors: :class:`PhysicsError` if things stand in each other at the start.
    """

    def __init__(self, stage: Stage, where: str, progress: Callable[[float], None] | None = None):
        import mujoco

        check_start(stage, where)
        self.stage = stage
        self.where = where
        self.model: mujoco.MjModel = stage.world.model
        self.data: Any = mujoco.MjData(self.model)
        self.log = FrameLog()
        self.held: dict[Side, str | None] = dict.fromkeys(SIDES)
        self.existing = frozenset(o.name for o in stage.world.objects if not o.parents)
        self.appearance = np.zeros(len(stage.world.cues))
        self._presses: dict[str, int] = {}
        self._progress = progress
        drawers = {f.name: f.panel_body for f in stage.fixtures.values() if f.is_drawer}
        self._object_bodies = np.array(
            [self.model.body(drawers.get(o.name, o.bodies[0])).id for o in stage.world.objects],
            dtype=np.int64,
        )
        self._eq = {self.model.equality(i).name: i for i in range(self.model.neq)}
        self._shapes = GeomShapes.of(self.model)
        self._geom_body = np.array(self.model.geom_bodyid)
        self._scripted: tuple[object, ...] = ()
        self._sliding: set[str] = set()
        self._room = Room(stage)
        self.matter = Matter(stage, self)

    @property
    def frame(self) -> int:
        """Number of frames logged so far."""
        return len(self.log.qpos)

    def pose(self, name: str) -> tuple[Floats, Floats]:
        """Position (3,) and quaternion (4,) of the body of a thing."""
        body = self.data.body(name)
        return np.array(body.xpos), np.array(body.xquat)

    def step(self, base: BasePose, hands: dict[Side, HandPose]) -> None:
        """Advance by one frame with the robot in the given pose, and log it.

        Errors: :class:`PhysicsError` if MuJoCo warned or a thing left the room; the simulation must
        then be given up.
        """
        import mujoco

        self.matter.begin(self)
        n = len(BODIES)
        before = self.data.mocap_pos[:n].copy(), self.data.mocap_quat[:n].copy()
        moves = self._script_robot(base, hands)
        if moves and (self._sliding or any(self.held.values())):
            self._glide(*before)
        else:
            mujoco.mj_step(self.model, self.data, STEPS_PER_FRAME)
        self._check_warnings()
        # mj_step leaves positions of the step before; predicates must see the logged state.
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_collision(self.model, self.data)
        self._room.check(self)
        self._press_buttons(hands)
        self.matter.step(self, 1.0 / FRAME_RATE_HZ)
        self._record()
        if self._progress is not None and self.frame % FRAME_RATE_HZ == 0:
            self._progress(self.frame / FRAME_RATE_HZ)

    def _glide(self, pos: Floats, quat: Floats) -> None:
        """Take the steps of a frame, the robot moving on in each one from ``pos`` and ``quat``.

        Else what it leads would start and stop thirty times a second, and what stands in a drawer
        or a basket would slide.
        """
        import mujoco

        data, n = self.data, len(BODIES)
        way, turn = data.mocap_pos[:n] - pos, data.mocap_quat[:n].copy()
        turn[(turn * quat).sum(axis=1) < 0] *= -1.0
        turn -= quat
        for k in range(1, STEPS_PER_FRAME + 1):
            share = k / STEPS_PER_FRAME
            data.mocap_pos[:n] = pos + share * way
            data.mocap_quat[:n] = quat + share * turn
            mujoco.mj_step(self.model, data)

    def _script_robot(self, base: BasePose, hands: dict[Side, HandPose]) -> bool:
        """Put the robot's bodies where the pose says; whether it moved."""
        each = [hands[side] for side in SIDES]
        pose = (base, *((h.pos.tobytes(), h.yaw, h.pitch, h.opening, h.roll) for h in each))
        if pose == self._scripted:
            return False
        pos, quat = body_poses(base, hands)
        self.data.mocap_pos[: len(BODIES)] = pos
        self.data.mocap_quat[: len(BODIES)] = quat
        self._scripted = pose
        return True

    def _check_warnings(self) -> None:
        import mujoco

        numbers = self.data.warning.number.tolist()
        if any(numbers):
            first = next(i for i, n in enumerate(numbers) if n)
            raise PhysicsError(
                f"{self.where}, frame {self.frame}: MuJoCo warned {numbers[first]} time(s): "
                f"{mujoco.mjtWarning(first).name} (last info {self.data.warning[first].lastinfo}). "
                "The state cannot be trusted; choose another seed or mend the activity."
            )

    def _press_buttons(self, hands: dict[Side, HandPose]) -> None:
        for fixture in self.stage.fixtures.values():
            if fixture.button is None:
                continue
            button = np.asarray(fixture.button)
            is_near = any(
                float(np.linalg.norm(hands[side].pos - button)) < PRESS_RADIUS_M for side in SIDES
            )
            count = self._presses.get(fixture.name, 0) + 1 if is_near else 0
            self._presses[fixture.name] = count
            if count == PRESS_FRAMES:
                self.appearance[fixture.cue] = 1.0 - self.appearance[fixture.cue]

    def _record(self) -> None:
        data, log = self.data, self.log
        log.qpos.append(data.qpos.copy())
        log.mocap_pos.append(data.mocap_pos.copy())
        log.mocap_quat.append(data.mocap_quat.copy())
        log.appearance.append(self.appearance.copy())
        log.geom_pos.append(data.geom_xpos.take(self._shapes.ids, axis=0))
        log.geom_mat.append(data.geom_xmat.take(self._shapes.ids, axis=0).reshape(-1, 3, 3))
        log.body_pos.append(data.xpos.take(self._object_bodies, axis=0))
        log.body_mat.append(data.xmat.take(self._object_bodies, axis=0).reshape(-1, 3, 3))
        log.contact_geoms.append(self._contacts())
        log.held.append(dict(self.held))
        log.existing.append(self.existing)
        self.matter.record()

    def _contacts(self) -> NDArray[np.int64]:
        """Pairs (k, 2) of geoms in contact now.

        MuJoCo looks for no contact between bodies that are fixed or asleep, so theirs are those of
        the frame before.
        """
        now = np.array(self.data.contact.geom[: self.data.ncon], dtype=np.int64)
        if not self.log.contact_geoms:
            return now
        before = self.log.contact_geoms[-1]
        is_awake = self.data.body_awake[self._geom_body[before]] == AWAKE
        return np.concatenate([before[~is_awake.any(axis=1)], now])

    def bounds(self) -> tuple[list[str], Floats, Floats]:
        """Owner, low and high corner of every colliding geom now: (g,), (g, 3), (g, 3)."""
        ids = self._shapes.ids
        low, high = geom_bounds(
            self._shapes,
            self.data.geom_xpos[ids][None],
            self.data.geom_xmat[ids].reshape(1, -1, 3, 3),
        )
        roots = self.model.body_rootid[self.model.geom_bodyid[ids]]
        return [self.model.body(int(root)).name for root in roots], low[0], high[0]

    def hold(self, side: Side, name: str) -> None:
        """Weld a thing to the hand as it is now, or take hold of the door of a fixture."""
        data = self.data
        index = self._eq[f"{side}.{name}"]
        hand = data.body(f"robot.{side}_hand")
        hand_pos, hand_quat = np.array(hand.xpos), np.array(hand.xquat)
        row = self.model.eq_data[index]
        if name in self.stage.things:
            pos, quat = self.pose(name)
            turn = quat_to_matrix(hand_quat)
            row[0:3] = 0.0
            row[3:6] = turn.T @ (pos - hand_pos)
            row[6:10] = quat_product(quat_inverse(hand_quat), quat)
            self.held[side] = name
        else:
            pos, quat = self.pose(self.stage.fixture(name).panel_body)
            row[0:3] = quat_to_matrix(quat).T @ (hand_pos - pos)
            row[3:6] = 0.0
            if self.stage.fixture(name).is_drawer:
                self._sliding.add(name)
        data.eq_active[index] = 1

    def release(self, side: Side, name: str) -> None:
        """Undo :meth:`hold`."""
        self.data.eq_active[self._eq[f"{side}.{name}"]] = 0
        self._sliding.discard(name)
        if name in self.stage.things:
            self.held[side] = None

    def touches(self, first: str, second: str) -> bool:
        """Whether two bodies were in contact at the last logged frame."""
        bodies = {self.model.body(first).id, self.model.body(second).id}
        geoms = self.log.contact_geoms[-1]
        return any(set(self.model.geom_bodyid[pair].tolist()) == bodies for pair in geoms)

    def teleport(self, name: str, pos: Floats, quat: Floats) -> None:
        """Set the pose of a thing and stop it."""
        joint = self.model.joint(name)
        q, v = int(joint.qposadr[0]), int(joint.dofadr[0])
        self.data.qpos[q : q + 7] = np.concatenate([pos, quat])
        self.data.qvel[v : v + 6] = 0.0

    def open_fraction(self, fixture: str) -> float:
        """How far a door, lid or drawer is open, as a share of its range."""
        found = self.stage.fixture(fixture)
        joint = self.model.joint(found.joint)
        return float(self.data.qpos[int(joint.qposadr[0])]) / found.opening.span

    def fixture_origin(self, fixture: Fixture) -> Floats:
        """Where things on a fixture stand now: that of a drawer moves with it."""
        origin = np.asarray(fixture.origin, dtype=np.float64)
        if fixture.is_drawer:
            panel = fixture.opening
            way = self.open_fraction(fixture.name) * panel.span
            origin = origin + way * np.asarray(panel.axis)
        return origin
