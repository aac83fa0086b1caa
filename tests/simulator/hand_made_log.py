"""Tiny physics logs written by hand: boxes at given places, touching or not."""

from collections.abc import Sequence

import numpy as np

from enact_assets.simulator.simulation.facts import Fact, find_facts
from enact_assets.simulator.simulation.physics_log import PhysicsLog

Box = tuple[tuple[float, float, float], tuple[float, float, float]]

TABLE: Box = ((0.0, 0.0, 0.35), (0.5, 0.5, 0.35))


def log_of(
    boxes: dict[str, Sequence[Box]],
    *,
    fixed: frozenset[str] = frozenset({"table", "cabinet", "shelf"}),
    contacts: Sequence[tuple[str, str]] = (),
    **fields: object,
) -> PhysicsLog:
    """Objects as (middle, half size) per frame; a robot without a box is always there."""
    names = ("robot", *boxes)
    n_frames = len(next(iter(boxes.values())))
    n = len(names)
    low, high = np.full((2, n_frames, n, 3), np.nan)
    for k, name in enumerate(boxes, start=1):
        for t, (middle, half) in enumerate(boxes[name]):
            low[t, k] = np.subtract(middle, half)
            high[t, k] = np.add(middle, half)
    contact = np.zeros((n_frames, n, n), dtype=np.bool_)
    for a, b in contacts:
        i, j = names.index(a), names.index(b)
        contact[:, i, j] = contact[:, j, i] = True
    settings: dict[str, object] = {
        "names": names,
        "is_movable": np.array([name not in fixed and name != "robot" for name in names]),
        "low": low,
        "high": high,
        "origin": np.zeros((n_frames, n, 3)),
        "turn": np.tile(np.eye(3), (n_frames, n, 1, 1)),
        "contact": contact,
        "exists": np.ones((n_frames, n), dtype=np.bool_),
        "held": {side: np.full(n_frames, -1) for side in ("left", "right")},
    }
    return PhysicsLog(**{**settings, **fields})  # type: ignore[arg-type]


def relations(log: PhysicsLog) -> set[tuple[str, str, str | None]]:
    """Everything that ever holds, existence aside."""
    return {(f.predicate, f.subject, f.object) for f in find_facts(log) if f.predicate != "Exists"}


def facts_named(log: PhysicsLog, predicate: str) -> list[Fact]:
    return [f for f in find_facts(log) if f.predicate == predicate]
