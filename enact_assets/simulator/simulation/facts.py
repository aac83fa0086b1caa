"""Facts of a scene graph from the physics log, by OmniGibson's rules, as maximal intervals.

- LeftGrasping, RightGrasping: the hand's constraint on the thing is on.
- Inside(a, b): the middle of a's box lies in b's declared cavity.
- OnTop(a, b): a touches b, a's middle is above b's outline, a's bottom above b's mid-height (doors
  not counted), and a is not inside b. a is movable.
- Under(a, b): a rests (touches something and is not held) within b's outline, its top below b's
  bottom by at most 0.8 m; b is a declared cover or a thing at rest; they do not touch, and no
  lower cover lies between. What is inside a fixture is under nothing outside it. a is movable.
- Touching(a, b): any contact between two objects, the robot excepted.
- Contains(a, b): at least one particle (a cubic centimetre) of the substance b is in the vessel a.
- Covered(a, b): at least one particle of the substance b lies on a.
- Cooked(a): a has once been at 70 degrees Celsius.
- Open(a): the door is past five per cent of its range. ToggledOn(a): the button was pressed to on.
- Exists(a): the object is in the world; everything else is false while it is not. A substance is
  there from the start, or from the recipe that makes it, even while there is none of it anywhere,
  as OmniGibson's systems are; it stops existing when a recipe uses up the last particle of it, and
  exists again as soon as there is one (from a tap).

The thresholds of Contains, Covered and Cooked are those of OmniGibson 1.1.1 (object_states:
contains.py, covered.py, cooked.py). There a liquid is made of simulated particles; here it is a
volume, a particle is a cubic centimetre of it, and what lies on a thing is counted discs.

Flicker stays in: smoothing belongs to segmentation.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from enact_assets.settings.arrays import Bools
from enact_assets.simulator.matter.heat import COOKED_C
from enact_assets.simulator.mechanics.containment import in_cavity
from enact_assets.simulator.rooms.fixtures import OPEN_FRACTION
from enact_assets.simulator.simulation.physics_log import PhysicsLog

UNDER_REACH_M = 0.8
"""Something farther above than this is not what a thing lies under."""
CONTAINED_PARTICLES = 1.0
COVERING_PARTICLES = 1
"""Thresholds of Contains and Covered."""

Key = tuple[str, str, str | None]


@dataclass(frozen=True)
class Fact:
    """An atomic fact that holds from ``frame_from`` up to, not including, ``frame_to``."""

    predicate: str
    subject: str
    object: str | None
    frame_from: int
    frame_to: int


def find_intervals(holds: Bools) -> list[tuple[int, int]]:
    """Maximal half-open runs of true in a (t,) array."""
    padded = np.concatenate([[False], holds, [False]]).astype(np.int8)
    edges = np.flatnonzero(np.diff(padded))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def find_facts(log: PhysicsLog) -> list[Fact]:
    """All facts of a log, sorted by predicate, objects and start."""
    index = {name: k for k, name in enumerate(log.names)}
    found: dict[Key, Bools] = {}

    def keep(key: Key, holds: Bools) -> None:
        present = holds.copy()
        for name in key[1:]:
            if name is not None:
                present &= log.exists[:, index[name]]
        if present.any():
            found[key] = present

    for key, holds in _states(log):
        keep(key, holds)
    inside = _inside(log, index)
    for (a, b), holds in inside.items():
        keep(("Inside", log.names[a], log.names[b]), holds)
    for (a, b), holds in _on_top(log, inside).items():
        keep(("OnTop", log.names[a], log.names[b]), holds)
    for (a, b), holds in _under(log, index, inside).items():
        keep(("Under", log.names[a], log.names[b]), holds)
    for a, b in _pairs(log.contact):
        first, second = sorted((log.names[a], log.names[b]))
        if a < b:
            keep(("Touching", first, second), log.contact[:, a, b])
    facts = [
        Fact(*key, start, stop)
        for key, holds in found.items()
        for start, stop in find_intervals(holds)
    ]
    return sorted(facts, key=lambda f: (f.predicate, f.subject, f.object or "", f.frame_from))


def _states(log: PhysicsLog) -> Iterator[tuple[Key, Bools]]:
    """What is read off the log: existence, grasps, panels, buttons, substances and heat."""
    everything = np.ones(log.n_frames, dtype=np.bool_)
    for name in log.names:
        yield ("Exists", name, None), everything
    for side, predicate in (("left", "LeftGrasping"), ("right", "RightGrasping")):
        for k in np.unique(log.held[side]):
            if k >= 0:
                yield (predicate, log.robot, log.names[int(k)]), log.held[side] == k
    for name, share in log.doors.items():
        yield ("Open", name, None), share > OPEN_FRACTION
    for name, is_on in log.toggled.items():
        yield ("ToggledOn", name, None), is_on
    for pair, particles in log.contained.items():
        yield ("Contains", *pair), particles >= CONTAINED_PARTICLES
    for pair, particles in log.covering.items():
        yield ("Covered", *pair), particles >= COVERING_PARTICLES
    for name, temperature in log.hottest.items():
        yield ("Cooked", name, None), temperature >= COOKED_C


def _pairs(holds: Bools) -> list[tuple[int, int]]:
    """Index pairs (a, b) for which a (t, n, n) array is ever true."""
    return [(int(a), int(b)) for a, b in np.argwhere(holds.any(axis=0))]


def _inside(log: PhysicsLog, index: dict[str, int]) -> dict[tuple[int, int], Bools]:
    middle = (log.low + log.high) / 2
    found = {}
    for name, cavity in log.cavities.items():
        b = index[name]
        holds = in_cavity(middle, log.origin[:, b], log.turn[:, b], cavity)
        for a in np.flatnonzero(log.is_movable).tolist():
            if a != b and holds[:, a].any():
                found[(a, b)] = holds[:, a]
    return found


def _within(log: PhysicsLog, a: int, b: int) -> Bools:
    """Whether the middle of a lies within the outline of b, seen from above: (t,)."""
    holds = np.ones(log.n_frames, dtype=np.bool_)
    for axis in (0, 1):
        middle = (log.low[:, a, axis] + log.high[:, a, axis]) / 2
        holds &= (middle >= log.low[:, b, axis]) & (middle <= log.high[:, b, axis])
    return holds


def _on_top(log: PhysicsLog, inside: dict[tuple[int, int], Bools]) -> dict[tuple[int, int], Bools]:
    found = {}
    nowhere = np.zeros(log.n_frames, dtype=np.bool_)
    for a, b in _pairs(log.contact):
        if not log.is_movable[a]:
            continue
        mid_height = (log.low[:, b, 2] + log.high[:, b, 2]) / 2
        holds = (
            log.contact[:, a, b]
            & _within(log, a, b)
            & (log.low[:, a, 2] > mid_height)
            & ~inside.get((a, b), nowhere)
        )
        if holds.any():
            found[(a, b)] = holds
    return found


def _under(
    log: PhysicsLog, index: dict[str, int], inside: dict[tuple[int, int], Bools]
) -> dict[tuple[int, int], Bools]:
    n = len(log.names)
    is_held = np.zeros((log.n_frames, n), dtype=np.bool_)
    for held in log.held.values():
        rows = np.flatnonzero(held >= 0)
        is_held[rows, held[rows]] = True
    rests = log.contact.any(axis=2) & ~is_held & log.exists
    covers = [
        b
        for b in range(n)
        if (log.is_movable[b] or log.names[b] in log.covers) and b != index.get(log.robot)
    ]
    candidates: dict[int, dict[int, Bools]] = {}
    closed_in = [pair for pair in inside if not log.is_movable[pair[1]]]
    nowhere = np.zeros(log.n_frames, dtype=np.bool_)
    for a in np.flatnonzero(log.is_movable).tolist():
        above: dict[int, Bools] = {}
        for b in covers:
            holds = _within(log, a, b)
            if b == a or not holds.any():
                continue
            gap = log.low[:, b, 2] - log.high[:, a, 2]
            holds &= (
                (gap > -0.005)
                & (gap < UNDER_REACH_M)
                & rests[:, a]
                & (rests[:, b] | (not log.is_movable[b]))
                & ~inside.get((a, b), nowhere)
            )
            for c, fixture in closed_in:
                if c == a:
                    holds &= ~inside[a, fixture] | inside.get((b, fixture), nowhere)
            if holds.any():
                above[b] = holds
        candidates[a] = above
    found = {}
    for a, above in candidates.items():
        for b, holds in above.items():
            nearest = holds & ~log.contact[:, a, b]
            for c, other in above.items():
                if c != b:
                    nearest &= ~(other & (log.low[:, c, 2] < log.low[:, b, 2]))
            if nearest.any():
                found[(a, b)] = nearest
    return found
