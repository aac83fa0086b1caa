"""One running simulation: steps MuJoCo, switches constraints, and logs thirty frames a second."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.errors import PhysicsError
from enact_assets.settings.arrays import Floats
from enact_assets.simulator.matter.matter import Matter
from enact_assets.simulator.mechanics.bodies import Bodies
from enact_assets.simulator.mechanics.physics_check import Room, check_start
from enact_assets.simulator.robot.kinematics import (
    BODIES,
    SIDES,
    BasePose,
    HandPose,
    Side,
    body_poses,
)
from enact_assets.simulator.shapes.mjcf import STEPS_PER_SECOND
from enact_assets.simulator.stage.stage import Stage

FRAME_RATE_HZ = 30
STEPS_PER_FRAME = STEPS_PER_SECOND // FRAME_RATE_HZ
PRESS_FRAMES = 5
"""A finger in the button for this many frames toggles it once (OmniGibson's ToggledOn rule)."""
PRESS_RADIUS_M = 0.05
AWAKE = 1
"""MuJoCo's mjtSleepState of a body that moves."""


class Physics(Bodies):
    """One simulation. ``where`` names it in errors, e.g. "make_a_salad seed 0".

    Errors: :class:`PhysicsError` if things stand in each other at the start.
    """

    def __init__(self, stage: Stage, where: str, progress: Callable[[float], None] | None = None):
        check_start(stage, where)
        super().__init__(stage, where)
        drawers = {f.name: f.panel_body for f in stage.fixtures.values() if f.is_drawer}
        self._object_bodies = np.array(
            [self.model.body(drawers.get(o.name, o.bodies[0])).id for o in stage.world.objects],
            dtype=np.int64,
        )
        self._geom_body = np.array(self.model.geom_bodyid)
        self._presses: dict[str, int] = {}
        self._progress = progress
        self._scripted: tuple[object, ...] = ()
        self._room = Room(stage)
        self.matter = Matter(stage, self)

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
