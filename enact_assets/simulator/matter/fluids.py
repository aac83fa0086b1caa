"""Volumes of substances in vessels: how they flow out of a tilted one, and where they land.

A vessel pours what its tilt leaves no room for, at a bounded rate. The stream falls straight down
from its lip: into a vessel whose mouth is below and not covered, else onto the coat of what is
there, else it is spilled. What lies in a vessel flows out in the proportion it is there; things in
it displace nothing. No volume is ever lost: it is in a vessel, on a surface, or in a ledger.
"""

from dataclasses import dataclass

import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.matter.coats import Coats
from enact_assets.simulator.mechanics.bodies import Bodies
from enact_assets.simulator.mechanics.containment import is_inside
from enact_assets.simulator.stage.hollows import Hollow
from enact_assets.simulator.stage.stage import Stage

PARTICLE_M3 = 1e-6
"""Volume of one particle of what flows: a vessel contains a substance if it holds this much."""
FLOW_M3_PER_S = 5e-4
"""Most that flows out of a vessel in a second."""
DROP_M3_PER_S = 3e-5
"""Least, while anything does."""
RUNOUT_S = 0.15
"""An excess flows out within about this time, if the bound allows it."""
TAP_M3_PER_S = 2.5e-4
LID_SLACK_M = 0.015
"""What is hit less than this below a mouth, or above it, covers the mouth."""
UPRIGHT_COSINE = 0.7
"""A vessel that is tilted farther catches nothing."""
POURING_COSINE = 0.995
"""A vessel tilted less than this, by 6 degrees, pours only if it is too full."""
COLLIDING_GROUPS = (0, 3)


@dataclass(frozen=True)
class Stream:
    """Substance (its number) that falls from ``top`` (3,) down to the height ``bottom``."""

    substance: int
    top: Floats
    bottom: float


class Fluids:
    """Volumes (substances, holders) in m3, and the ledgers (substances,) of what left them.

    :meth:`add` and :meth:`take` change the volumes; they note which holders ``changed`` since what
    shows them was last brought up to date.
    """

    def __init__(self, stage: Stage, bodies: Bodies) -> None:
        self.substances = list(stage.matter.substances.values())
        self.number = {s.name: k for k, s in enumerate(self.substances)}
        self.holders = sorted({h for s in self.substances for h in s.holders})
        self.place = {name: k for k, name in enumerate(self.holders)}
        n, m = len(self.substances), len(self.holders)
        model = bodies.model
        self.hollows = [Hollow.of(stage.vessels[name]) for name in self.holders]
        self.sizes = np.array([h.volume for h in self.hollows])
        self.is_fixed = np.array([name in stage.fixtures for name in self.holders], dtype=np.bool_)
        self.bodies = np.array([model.body(name).id for name in self.holders], dtype=np.int64)
        self.origins = np.array(
            [stage.fixtures[name].origin if name in stage.fixtures else (0.0, 0.0, 0.0)
             for name in self.holders]
        ).reshape(-1, 3)  # fmt: skip
        self.allowed = np.zeros((n, m), dtype=np.bool_)
        for substance in self.substances:
            for holder in substance.holders:
                self.allowed[self.number[substance.name], self.place[holder]] = True
        self.flows = np.array([s.flows for s in self.substances], dtype=np.bool_)
        self.volumes = np.zeros((n, m))
        self.totals = np.zeros(m)
        self.changed: set[int] = set()
        self._filled: set[int] = set()
        self._overfull: set[int] = set()
        self.layers: list[list[int]] = [[] for _ in self.holders]
        for start in stage.matter.fillings:
            h = self.place[start.vessel]
            self.add(self.number[start.substance], h, start.share * self.sizes[h])
        self.taps = [
            (stage.fixtures[name], self.number[substance])
            for name, substance in sorted(stage.matter.taps.items())
        ]
        self.spilled = np.zeros(n)
        self.drawn = np.zeros(n)
        self.streams: list[Stream] = []
        self.positions = np.zeros((m, 3))
        self.turns = np.zeros((m, 3, 3))
        self._groups = np.zeros((6, 1), dtype=np.uint8)
        self._groups[list(COLLIDING_GROUPS)] = 1

    def add(self, substance: int, holder: int, volume: float) -> None:
        """Put ``volume`` of a substance on top of what a holder has."""
        if volume > 0:
            self.volumes[substance, holder] += volume
            self._count(holder)
            if substance not in self.layers[holder]:
                self.layers[holder].append(substance)

    def take(self, substance: int, holder: int, volume: float) -> float:
        """Take up to ``volume`` of a substance out of a holder; what was taken."""
        taken = min(volume, float(self.volumes[substance, holder]))
        self.volumes[substance, holder] -= taken
        if self.volumes[substance, holder] <= 0.0 and substance in self.layers[holder]:
            self.volumes[substance, holder] = 0.0
            self.layers[holder].remove(substance)
        self._count(holder)
        return taken

    def empty(self, substance: int) -> float:
        """Take a substance out of all holders; what was taken."""
        holders = np.flatnonzero(self.volumes[substance]).tolist()
        return sum(self.take(substance, h, np.inf) for h in holders)

    def _count(self, holder: int) -> None:
        total = float(self.volumes[:, holder].sum())
        self.totals[holder] = total
        self.changed.add(holder)
        (self._filled.add if total > 0.0 else self._filled.discard)(holder)
        (self._overfull.add if total > self.sizes[holder] else self._overfull.discard)(holder)

    def content(self, holder: str) -> dict[str, float]:
        """Volumes of at least a particle in a holder by substance, from the bottom to the top."""
        h = self.place.get(holder)
        if h is None:
            return {}
        return {
            self.substances[s].name: float(self.volumes[s, h])
            for s in self.layers[h]
            if self.volumes[s, h] >= PARTICLE_M3
        }

    def locate(self, bodies: Bodies) -> None:
        """Read ``positions`` (m, 3) of the hollows and ``turns`` (m, 3, 3) of the holders."""
        data = bodies.data
        self.turns = data.xmat.take(self.bodies, axis=0).reshape(-1, 3, 3)
        self.positions = data.xpos.take(self.bodies, axis=0) + self.origins

    def step(self, bodies: Bodies, coats: Coats, seconds: float) -> None:
        """Let run and fall what does so in ``seconds``; :meth:`locate` comes before."""
        self.streams = []
        if not self.holders:
            return
        cosines = self.turns[:, 2, 2].tolist()
        due = [h for h in self._filled if cosines[h] < POURING_COSINE or h in self._overfull]
        for h in sorted(due):
            self._pour(bodies, coats, h, seconds)
        for fixture, substance in self.taps:
            if bodies.appearance[fixture.cue] > 0.5:
                volume = TAP_M3_PER_S * seconds
                self.drawn[substance] += volume
                top = np.array(fixture.spout)
                self._land(bodies, coats, {substance: volume}, top, -1)

    def _pour(self, bodies: Bodies, coats: Coats, holder: int, seconds: float) -> None:
        hollow, up = self.hollows[holder], self.turns[holder, 2]
        held = self.volumes[:, holder]
        excess = float(held.sum()) - hollow.capacity(up)
        loose = np.where(self.flows, held, 0.0)
        available = float(loose.sum())
        if excess <= 0.0 or available <= 0.0:
            return
        rate = min(max(excess / RUNOUT_S, DROP_M3_PER_S), FLOW_M3_PER_S)
        volume = min(rate * seconds, excess, available)
        out = {
            s: self.take(s, holder, volume * float(loose[s]) / available)
            for s in np.flatnonzero(loose).tolist()
        }
        lip = self.positions[holder] + self.turns[holder] @ hollow.lip(up)
        self._land(bodies, coats, out, lip, holder)

    def _land(
        self,
        bodies: Bodies,
        coats: Coats,
        volumes: dict[int, float],
        top: Floats,
        source: int,
    ) -> None:
        """Let volumes by substance fall down from ``top``."""
        holder, owner, bottom = self.below(bodies, top, source)
        for s, volume in volumes.items():
            if holder >= 0 and self.allowed[s, holder]:
                self.add(s, holder, volume)
            elif holder < 0 and owner is not None:
                at = np.array([top[0], top[1], bottom])
                self.spilled[s] += coats.deposit(bodies, s, owner, at, volume)
            else:
                self.spilled[s] += volume
            self.streams.append(Stream(s, top, bottom))

    def below(self, bodies: Bodies, top: Floats, source: int) -> tuple[int, str | None, float]:
        """What a drop from ``top`` meets: a holder's number or -1, an object or None, its height.

        ``source`` is the number of the holder it comes from, or -1. What runs down something that
        stands in a vessel is in the vessel.
        """
        hit, owner = self._first_solid(bodies, top, source)
        best, mouth = -1, -np.inf
        for h, hollow in enumerate(self.hollows):
            turn = self.turns[h]
            if h == source or turn[2, 2] < UPRIGHT_COSINE:
                continue
            if self.holders[h] not in bodies.existing:
                continue
            rim = self.positions[h] + turn[:, 2] * hollow.vessel.mouth_height
            aside = np.hypot(rim[0] - top[0], rim[1] - top[1])
            if aside < hollow.vessel.mouth_radius and mouth < rim[2] < top[2] + 1e-9:
                best, mouth = h, float(rim[2])
        if best >= 0 and (hit <= mouth - LID_SLACK_M or self._runs_in(bodies, owner, best)):
            level = self.hollows[best].height_of(float(self.totals[best]))
            surface = self.positions[best] + self.turns[best][:, 2] * level
            return best, self.holders[best], float(surface[2])
        return -1, owner, hit

    def _runs_in(self, bodies: Bodies, owner: str | None, holder: int) -> bool:
        """Whether what hits ``owner`` runs into a vessel: this one, or a thing within its rim."""
        name, things = self.holders[holder], bodies.stage.things
        if owner is None or owner not in things:
            return owner == name
        radius = self.hollows[holder].vessel.mouth_radius
        return owner == name or (
            things[owner].parts.radius < radius and is_inside(bodies, owner, name)
        )

    def _first_solid(self, bodies: Bodies, top: Floats, source: int) -> tuple[float, str | None]:
        """Height and owner of the first colliding geom below ``top``; -inf and None for nothing."""
        import mujoco

        model = bodies.model
        geom = np.full((1, 1), -1, dtype=np.int32)
        down = np.array([[0.0], [0.0], [-1.0]])
        exclude = int(self.bodies[source]) if source >= 0 and not self.is_fixed[source] else -1
        start = np.ascontiguousarray(top, dtype=np.float64).reshape(3, 1)
        way = mujoco.mj_ray(
            model,
            bodies.data,
            start,
            down,
            self._groups,
            True,  # static geoms are hit too  # noqa: FBT003 (MuJoCo names no parameters)
            exclude,
            geom,
        )
        if geom[0, 0] < 0:
            return -np.inf, None
        root = int(model.body_rootid[model.geom_bodyid[geom[0, 0]]])
        return float(top[2]) - float(way), str(model.body(root).name)
