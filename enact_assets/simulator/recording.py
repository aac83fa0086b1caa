"""From a finished simulation to a recording: the log as arrays, and its facts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from enact_assets.simulator.bounds import GeomShapes, geom_bounds
from enact_assets.simulator.physics import Physics
from enact_assets.simulator.predicates import Fact, PhysicsLog, find_facts
from enact_assets.simulator.robot import SIDES
from enact_assets.simulator.world import World, WorldState

Floats = NDArray[np.float64]
GoalFact = tuple[str, str, str | None]


@dataclass(frozen=True)
class Recording:
    """One simulated demonstration at ``frame_rate_hz``.

    Shapes: qpos (t, nq), mocap_pos (t, nmocap, 3), mocap_quat (t, nmocap, 4), appearance
    (t, n_cues). All facts of ``goal`` hold in the last frame: without that there is no recording.
    """

    activity: str
    seed: int
    world: World
    frame_rate_hz: float
    qpos: Floats
    mocap_pos: Floats
    mocap_quat: Floats
    appearance: Floats
    facts: tuple[Fact, ...]
    goal: tuple[GoalFact, ...]

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return len(self.qpos)

    def state(self, frame: int) -> WorldState:
        """One frame, to be shown."""
        return WorldState(
            self.qpos[frame], self.mocap_pos[frame], self.mocap_quat[frame], self.appearance[frame]
        )


def missing_goals(facts: Sequence[Fact], goal: Sequence[GoalFact], n_frames: int) -> list[GoalFact]:
    """Goal facts that do not hold in the last frame."""
    holding = {(f.predicate, f.subject, f.object) for f in facts if f.frame_to == n_frames}
    return [g for g in goal if g not in holding]


def physics_log(physics: Physics, covers: frozenset[str]) -> PhysicsLog:
    """The arrays predicates need, from the frames a simulation logged."""
    model, stage, log = physics.model, physics.stage, physics.log
    names = tuple(o.name for o in stage.world.objects)
    index = {name: k for k, name in enumerate(names)}
    n_frames, n = len(log.qpos), len(names)
    shapes = GeomShapes.of(model)
    body_object = np.full(model.nbody, -1, dtype=np.int64)
    for body in range(model.nbody):
        name = model.body(int(model.body_rootid[body])).name
        body_object[body] = index.get(name, -1)
    geom_object = body_object[model.geom_bodyid]
    doors = [
        model.body(f.panel_body).id for f in stage.fixtures.values() if f.panel and not f.is_drawer
    ]
    low, high = geom_bounds(shapes, np.array(log.geom_pos), np.array(log.geom_mat))
    box_low, box_high = np.full((2, n_frames, n, 3), np.nan)
    for k in range(n):
        owned = (geom_object[shapes.ids] == k) & ~np.isin(model.geom_bodyid[shapes.ids], doors)
        if owned.any():
            box_low[:, k] = low[:, owned].min(axis=1)
            box_high[:, k] = high[:, owned].max(axis=1)
    contact = np.zeros((n_frames, n, n), dtype=np.bool_)
    frame = np.repeat(np.arange(n_frames), [len(geoms) for geoms in log.contact_geoms])
    first, second = geom_object[np.concatenate(log.contact_geoms)].T
    counts = (first >= 0) & (second >= 0) & (first != second)
    frame, first, second = frame[counts], first[counts], second[counts]
    contact[frame, first, second] = True
    contact[frame, second, first] = True
    existing = {now: [name in now for name in names] for now in set(log.existing)}
    return PhysicsLog(
        names=names,
        is_movable=np.array([name in stage.things for name in names]),
        low=box_low,
        high=box_high,
        origin=np.array(log.body_pos),
        turn=np.array(log.body_mat),
        contact=contact,
        exists=np.array([existing[now] for now in log.existing]),
        held={
            side: np.array([index.get(now[side] or "", -1) for now in log.held]) for side in SIDES
        },
        doors={
            f.name: np.array(log.qpos)[:, int(model.joint(f.joint).qposadr[0])] / f.opening.span
            for f in stage.fixtures.values()
            if f.panel
        },
        toggled={
            f.name: np.array(log.appearance)[:, f.cue] > 0.5
            for f in stage.fixtures.values()
            if f.button is not None
        },
        cavities=stage.cavities,
        **physics.matter.log.as_arrays(),
        covers=covers,
    )


def facts_of(physics: Physics, covers: frozenset[str]) -> tuple[Fact, ...]:
    """All facts of a finished simulation."""
    return tuple(find_facts(physics_log(physics, covers)))
