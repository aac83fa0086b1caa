"""The log of a finished simulation as arrays: what facts are decided on."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from enact_assets.settings.arrays import Bools, Floats
from enact_assets.simulator.mechanics.bounds import GeomShapes, geom_bounds
from enact_assets.simulator.robot.kinematics import SIDES
from enact_assets.simulator.simulation.physics import Physics


@dataclass(frozen=True)
class PhysicsLog:
    """What predicates are decided on, for t frames and n objects (the robot has no box).

    ``low`` and ``high`` (t, n, 3) are boxes without doors, ``origin`` (t, n, 3) and ``turn``
    (t, n, 3, 3) the body frames, ``contact`` (t, n, n) symmetric contacts of two objects,
    ``exists`` (t, n). ``held`` maps "left" and "right" to (t,) object indices or -1. ``doors`` maps
    an object to (t,) shares of its door's range, ``toggled`` to (t,) booleans. ``cavities`` are
    boxes in the object's own frame. ``covers`` are fixtures that things may lie under.
    ``contained`` maps (vessel, substance) to (t,) particles in it, ``covering`` (thing, substance)
    to (t,) particles on it, ``hottest`` a thing to (t,) the highest temperature it has had.
    """

    names: tuple[str, ...]
    is_movable: Bools
    low: Floats
    high: Floats
    origin: Floats
    turn: Floats
    contact: Bools
    exists: Bools
    held: dict[str, NDArray[np.int64]]
    doors: dict[str, Floats] = field(default_factory=dict)
    toggled: dict[str, Bools] = field(default_factory=dict)
    cavities: dict[str, tuple[Floats, Floats]] = field(default_factory=dict)
    covers: frozenset[str] = frozenset()
    contained: dict[tuple[str, str], Floats] = field(default_factory=dict)
    covering: dict[tuple[str, str], Floats] = field(default_factory=dict)
    hottest: dict[str, Floats] = field(default_factory=dict)
    robot: str = "robot"

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return int(self.contact.shape[0])


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
