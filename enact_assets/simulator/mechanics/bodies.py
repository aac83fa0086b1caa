"""The bodies of a running simulation: where they are, which are held, and their logged frames."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from enact_assets.settings.arrays import Floats, Ints
from enact_assets.simulator.mechanics.bounds import GeomShapes, geom_bounds
from enact_assets.simulator.robot.kinematics import SIDES, Side
from enact_assets.simulator.rooms.fixtures import CATCHES, GOES, Fixture
from enact_assets.simulator.shapes.rotations import quat_inverse, quat_product, quat_to_matrix
from enact_assets.simulator.stage.stage import Stage


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


def at_start(stage: Stage) -> Any:
    """MuJoCo's state of a stage before the first frame, with what is open at the start."""
    import mujoco

    model = stage.world.model
    data = mujoco.MjData(model)
    for name in stage.opened:
        fixture = stage.fixture(name)
        data.qpos[int(model.joint(fixture.joint).qposadr[0])] = fixture.opening.opened
    return data


class Bodies:
    """The bodies of a stage as they are now. ``where`` names the simulation in errors, e.g.
    "make_a_salad seed 0".

    :class:`simulator.simulation.physics.Physics` moves them.
    """

    def __init__(self, stage: Stage, where: str) -> None:
        import mujoco

        self.stage = stage
        self.where = where
        self.model: mujoco.MjModel = stage.world.model
        self.data = at_start(stage)
        self.log = FrameLog()
        self.held: dict[Side, str | None] = dict.fromkeys(SIDES)
        self.existing = frozenset(o.name for o in stage.world.objects if not o.parents)
        self.appearance = np.zeros(len(stage.world.cues))
        self.appearance[[stage.fixture(name).cue for name in stage.switched_on]] = 1.0
        self._eq = {self.model.equality(i).name: i for i in range(self.model.neq)}
        self._shapes = GeomShapes.of(self.model)
        self._shapes_of = {name: self._shapes.of_body(self.model, name) for name in stage.things}
        self._sliding: set[str] = set()

    @property
    def frame(self) -> int:
        """Number of frames logged so far."""
        return len(self.log.qpos)

    @property
    def colliding(self) -> Ints:
        """Ids (g,) of all geoms that collide, in the order of :meth:`bounds`."""
        return self._shapes.ids

    def pose(self, name: str) -> tuple[Floats, Floats]:
        """Position (3,) and quaternion (4,) of the body of a thing."""
        body = self.data.body(name)
        return np.array(body.xpos), np.array(body.xquat)

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

    def copied(self) -> Any:
        """MuJoCo's data with all geoms where they are now, to try things out with."""
        import mujoco

        copy = mujoco.MjData(self.model)
        copy.geom_xpos[:], copy.geom_xmat[:] = self.data.geom_xpos, self.data.geom_xmat
        return copy

    def box(self, name: str) -> tuple[Floats, Floats]:
        """Low and high corner (3,) of the box about a thing now."""
        shapes, data = self._shapes_of[name], self.data
        mat = data.geom_xmat[shapes.ids].reshape(1, -1, 3, 3)
        low, high = geom_bounds(shapes, data.geom_xpos[shapes.ids][None], mat)
        return low[0].min(axis=0), high[0].max(axis=0)

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
            self.model.joint(self.stage.fixture(name).joint).frictionloss = GOES
        data.eq_active[index] = 1

    def release(self, side: Side, name: str) -> None:
        """Undo :meth:`hold`."""
        self.data.eq_active[self._eq[f"{side}.{name}"]] = 0
        self._sliding.discard(name)
        if name in self.stage.things:
            self.held[side] = None
        else:
            self.model.joint(self.stage.fixture(name).joint).frictionloss = CATCHES

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
