"""Particles of substances on the surfaces of things: laid down, taken up, and carried along.

Every thing with a coat has fixed places for particles. What lands fills the nearest free place, as
soon as it makes up a particle; a wiper frees the places it is drawn over.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from enact_assets.settings.arrays import Bools, Floats
from enact_assets.simulator.mechanics.bodies import Bodies
from enact_assets.simulator.stage.stage import Stage

WIPE_REACH_M = 0.03
"""A wiper at work takes up what lies within its outline, so far below or above its bottom."""


@dataclass
class CoatState:
    """One substance on one thing: which of its ``places`` (n, 3) bear a particle.

    ``pending`` is volume that has arrived and does not yet make up a particle. Only :class:`Coats`
    changes ``bears``; ``n_particles`` is how many there are.
    """

    substance: int
    on: str
    body: int
    is_fixed: bool
    places: Floats
    bears: Bools
    patch_m3: float
    pending: float = 0.0
    is_shown: bool = False
    n_particles: int = 0

    def __post_init__(self) -> None:
        self.low, self.high = self.places.min(axis=0), self.places.max(axis=0)
        self.radius = float(np.linalg.norm(self.places, axis=1).max())

    @property
    def volume(self) -> float:
        """Volume that lies here."""
        return self.n_particles * self.patch_m3 + self.pending

    def is_near(self, bodies: Bodies, point: Floats, reach: float) -> bool:
        """Whether a place may be within ``reach`` of a point (3,): quick, and never wrongly no."""
        if self.is_fixed:
            gap = np.maximum(self.low - point, point - self.high)
            return bool(gap.max() < reach)
        way = bodies.data.xpos[self.body] - point
        return float(way @ way) < (reach + self.radius) ** 2

    def world_places(self, bodies: Bodies) -> Floats:
        """The places (n, 3) in the world."""
        if self.is_fixed:
            return self.places
        turn = bodies.data.xmat[self.body].reshape(3, 3)
        found: Floats = self.places @ turn.T + bodies.data.xpos[self.body]
        return found


class Coats:
    """All coats of a stage, and the ledger (substances,) of what wipers took up for good.

    ``is_changed`` says that particles came or went since what shows them was last brought up to
    date.
    """

    def __init__(self, stage: Stage, bodies: Bodies) -> None:
        self.states: list[CoatState] = []
        self.index: dict[tuple[int, str], CoatState] = {}
        substances = list(stage.matter.substances.values())
        number = {s.name: k for k, s in enumerate(substances)}
        for substance in substances:
            for on in substance.coats:
                coat = stage.coats[on]
                state = CoatState(
                    substance=number[substance.name],
                    on=on,
                    body=bodies.model.body(on).id,
                    is_fixed=on in stage.fixtures,
                    places=np.array(coat.patches, dtype=np.float64),
                    bears=np.zeros(len(coat.patches), dtype=np.bool_),
                    patch_m3=substance.patch_m3,
                )
                self.states.append(state)
                self.index[(state.substance, on)] = state
        for cover in stage.matter.coverings:
            # A substance may be named by several coverings of one thing.
            state = self.index[(number[cover.substance], cover.on)]
            state.bears[list(cover.places)] = True
            state.n_particles = int(state.bears.sum())
        self.wiped = np.zeros(len(substances))
        self.is_changed = True

    def deposit(self, bodies: Bodies, substance: int, on: str, at: Floats, volume: float) -> float:
        """Let ``volume`` arrive on the thing ``on`` at the point ``at`` (3,); what runs off."""
        state = self.index.get((substance, on))
        if state is None:
            return volume
        state.pending += volume
        while state.pending >= state.patch_m3 and not state.bears.all():
            self.lay(state, self.nearest_free(bodies, state, at))
            state.pending -= state.patch_m3
        if not state.bears.all():
            return 0.0
        left, state.pending = state.pending, 0.0
        return left

    @staticmethod
    def nearest_free(bodies: Bodies, state: CoatState, at: Floats) -> int:
        """Number of the free place of ``state`` that is nearest to the point ``at`` (3,)."""
        way = ((state.world_places(bodies) - at) ** 2).sum(axis=1)
        return int(np.where(state.bears, np.inf, way).argmin())

    def lay(self, state: CoatState, place: int) -> None:
        """Put a particle on a free place."""
        state.bears[place] = True
        state.n_particles += 1
        state.is_shown, self.is_changed = False, True

    def clear(self, state: CoatState, place: int) -> None:
        """Take a particle away."""
        state.bears[place] = False
        state.n_particles -= 1
        state.is_shown, self.is_changed = False, True

    def on(self, name: str) -> list[CoatState]:
        """What lies on a thing, one entry for each substance with a particle there."""
        return [s for s in self.states if s.on == name and s.n_particles]

    def wipe(
        self,
        bodies: Bodies,
        wiper: str,
        box: Callable[[], tuple[Floats, Floats]],
        wiped: str | None = None,
    ) -> None:
        """Take up what lies under a wiper on things it touches, and on the thing ``wiped`` that it
        is drawn over just now; ``box`` gives the corners (3,) of its box, low and high.

        It stays on the wiper where it may lie there and has room; else it is gone.
        """
        middle = bodies.data.body(wiper).xpos
        reach = bodies.stage.things[wiper].parts.radius + WIPE_REACH_M
        near = [
            state
            for state in self.states
            if state.n_particles
            and state.on != wiper
            and state.is_near(bodies, middle, reach)
            and (state.on == wiped or bodies.touches(wiper, state.on))
        ]
        for state in near:
            low, high = box()
            places = state.world_places(bodies)
            under = (
                (places[:, :2] > low[:2]).all(axis=1)
                & (places[:, :2] < high[:2]).all(axis=1)
                & (np.abs(places[:, 2] - low[2]) < WIPE_REACH_M)
                & state.bears
            )
            for place in np.flatnonzero(under).tolist():
                self.clear(state, place)
                self._keep(bodies, state, wiper, places[place])

    def _keep(self, bodies: Bodies, source: CoatState, wiper: str, at: Floats) -> None:
        own = self.index.get((source.substance, wiper))
        if own is None or own.bears.all():
            self.wiped[source.substance] += source.patch_m3
        else:
            self.lay(own, self.nearest_free(bodies, own, at))

    def transfer(self, bodies: Bodies, source: CoatState, target: CoatState, at: Floats) -> None:
        """Move one particle from a tool to the free place of another thing nearest to ``at``."""
        self.clear(source, int(np.flatnonzero(source.bears)[-1]))
        self.lay(target, self.nearest_free(bodies, target, at))

    def drop_pending(self, substance: int) -> float:
        """Clear what has arrived anywhere and makes up no particle; its volume."""
        own = [state for state in self.states if state.substance == substance]
        gone = sum(state.pending for state in own)
        for state in own:
            state.pending = 0.0
        return gone

    def drop(self, name: str) -> Floats:
        """Clear all that lies on a thing; the volumes (substances,)."""
        gone = np.zeros(len(self.wiped))
        for state in self.states:
            if state.on == name:
                gone[state.substance] += state.volume
                state.bears[:] = False
                state.n_particles, state.pending = 0, 0.0
                state.is_shown, self.is_changed = False, True
        return gone
