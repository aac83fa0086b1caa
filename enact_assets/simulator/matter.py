"""The running state of all substances, temperatures and recipes of a simulation.

:class:`simulator.physics.Physics` advances it once a frame, after the bodies have moved.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from numpy.typing import NDArray

from enact_assets.simulator.bounds import GeomShapes, geom_bounds
from enact_assets.simulator.coats import Coats
from enact_assets.simulator.display import Display
from enact_assets.simulator.fixtures import Access
from enact_assets.simulator.fluids import PARTICLE_M3, Fluids
from enact_assets.simulator.heat import Heat
from enact_assets.simulator.making import make, missing_parents
from enact_assets.simulator.stage import Stage
from enact_assets.simulator.transitions import Baked, Recipe, Switched, When

if TYPE_CHECKING:
    from enact_assets.simulator.physics import Physics

Floats = NDArray[np.float64]


class Logged(TypedDict):
    """The fields of :class:`simulator.predicates.PhysicsLog` about matter."""

    contained: dict[tuple[str, str], Floats]
    covering: dict[tuple[str, str], Floats]
    hottest: dict[str, Floats]


@dataclass(frozen=True)
class MatterLog:
    """What is known of matter in every frame.

    A row has the particles in ``contained`` (vessel, substance), then those on ``covering`` (thing,
    substance), then the highest temperatures of ``hottest`` (thing).
    """

    contained: tuple[tuple[str, str], ...]
    covering: tuple[tuple[str, str], ...]
    hottest: tuple[str, ...]
    rows: list[Floats] = field(default_factory=list)

    def as_arrays(self) -> Logged:
        """Each quantity as an array over the frames, (t,)."""
        n, m = len(self.contained), len(self.covering)
        width = n + m + len(self.hottest)
        columns = np.ascontiguousarray(np.array(self.rows).reshape(len(self.rows), width).T)
        return {
            "contained": dict(zip(self.contained, columns[:n], strict=True)),
            "covering": dict(zip(self.covering, columns[n : n + m], strict=True)),
            "hottest": dict(zip(self.hottest, columns[n + m :], strict=True)),
        }


class Matter:
    """Substances, heat and recipes of one simulation.

    ``used`` and ``made`` are volumes in m3 that recipes turned into things, or things into.
    ``access`` and ``resting`` say how each thing is reached and what it was put on or in; the robot
    shares them, so that it finds what recipes make. ``wiping`` says what each wiper is being drawn
    over.
    """

    def __init__(self, stage: Stage, physics: "Physics") -> None:
        self.stage = stage
        self.fluids = Fluids(stage, physics)
        self.coats = Coats(stage, physics)
        self.heat = Heat(stage, physics)
        self.recipes = tuple(stage.matter.recipes)
        self.access: dict[str, Access] = dict(stage.access)
        self.resting: dict[str, str] = dict(stage.resting)
        self.done: set[Recipe] = set()
        self.used = 0.0
        self.made = 0.0
        self.wiping: dict[str, str] = {}
        self._used_up: set[str] = set()
        self._automatic = tuple(r for r in self.recipes if isinstance(r.when, Switched | Baked))
        self._display = Display(stage, physics, self.fluids, self.coats)
        shapes = GeomShapes.of(physics.model)
        self._shapes = {name: shapes.of_body(physics.model, name) for name in stage.things}
        pairs = np.argwhere(self.fluids.allowed)
        self._pairs = (pairs[:, 0], pairs[:, 1])
        names = [s.name for s in self.fluids.substances]
        self.log = MatterLog(
            contained=tuple((self.fluids.holders[h], names[s]) for s, h in pairs.tolist()),
            covering=tuple((state.on, names[state.substance]) for state in self.coats.states),
            hottest=tuple(self.heat.names),
        )
        self._row: Floats | None = None
        self._is_idle = not (stage.matter.substances or self.heat.names or self._automatic)

    def begin(self, physics: "Physics") -> None:
        """Carry out what heat and machines brought about by the last frame, before bodies move.

        So the first frame in which a product exists shows it where it came to lie.
        """
        for recipe in self._automatic:
            if recipe not in self.done and self._is_due(recipe, physics):
                make(recipe, physics, self)

    def step(self, physics: "Physics", seconds: float) -> None:
        """Advance by ``seconds`` and show the outcome, after bodies have moved."""
        if self._is_idle:
            return
        self.fluids.locate(physics)
        self.fluids.step(physics, self.coats, seconds)
        again = {substance for substance in self._used_up if self.is_left(substance)}
        self._used_up -= again
        physics.existing |= again
        for name in physics.held.values():
            if name is not None and self.stage.things[name].parts.is_wiper:
                box = partial(self.box, physics, name)
                self.coats.wipe(physics, name, box, self.wiping.get(name))
        is_warmer = self.heat.step(physics, seconds)
        if is_warmer or self.fluids.changed or self.coats.is_changed:
            self._row = None
        self._display.show(physics, self.fluids, self.coats)

    def record(self) -> None:
        """Log this frame."""
        if self._row is None:
            self._row = np.concatenate(
                [
                    self.fluids.volumes[self._pairs] / PARTICLE_M3,
                    [state.n_particles for state in self.coats.states],
                    self.heat.highest,
                ]
            )
        self.log.rows.append(self._row)

    def recipes_for(self, when: When) -> list[Recipe]:
        """Recipes still to be carried out that ``when`` brings about."""
        return [r for r in self.recipes if r.when == when and r not in self.done]

    def bring_about(self, when: When, physics: "Physics") -> list[Recipe]:
        """Carry out every recipe that ``when`` brings about and whose parents are in place."""
        due = [r for r in self.recipes_for(when) if not missing_parents(r, physics, self)]
        for recipe in due:
            make(recipe, physics, self)
        return due

    def missing(self, recipe: Recipe, physics: "Physics") -> list[str]:
        """Parents of a recipe that are not yet where it needs them."""
        return missing_parents(recipe, physics, self)

    def load(self, tool: str, vessel: str, substance: str) -> int:
        """Let a tool take a substance out of a vessel; the number of particles it took up."""
        h = self.fluids.place[vessel]
        s = self.fluids.number[substance]
        state = self.coats.index[(s, tool)]
        taken = 0
        while not state.bears.all() and self.fluids.volumes[s, h] >= state.patch_m3:
            self.fluids.take(s, h, state.patch_m3)
            self.coats.lay(state, int(np.flatnonzero(~state.bears)[0]))
            taken += 1
        return taken

    def is_left(self, substance: str) -> bool:
        """Whether there is a particle of a substance anywhere."""
        s = self.fluids.number[substance]
        if (self.fluids.volumes[s] >= PARTICLE_M3).any():
            return True
        return any(state.substance == s and state.n_particles > 0 for state in self.coats.states)

    def use_up(self, substance: str, physics: "Physics") -> None:
        """Let a substance exist no longer of which no particle is left: the rest is spilled."""
        s = self.fluids.number[substance]
        self.fluids.spilled[s] += self.fluids.empty(s) + self.coats.drop_pending(s)
        self._used_up.add(substance)
        physics.existing -= {substance}

    def box(self, physics: "Physics", name: str) -> tuple[Floats, Floats]:
        """Low and high corner (3,) of the box about a thing now."""
        shapes, data = self._shapes[name], physics.data
        mat = data.geom_xmat[shapes.ids].reshape(1, -1, 3, 3)
        low, high = geom_bounds(shapes, data.geom_xpos[shapes.ids][None], mat)
        return low[0].min(axis=0), high[0].max(axis=0)

    def total(self) -> float:
        """Volume of everything, ledgers included: what no step may change, in m3."""
        ledgers = self.fluids.spilled.sum() - self.fluids.drawn.sum() + self.coats.wiped.sum()
        lying = sum(state.volume for state in self.coats.states)
        return float(self.fluids.volumes.sum() + lying + ledgers) + self.used - self.made

    def _is_due(self, recipe: Recipe, physics: "Physics") -> bool:
        if isinstance(recipe.when, Switched):
            cue = physics.stage.fixtures[recipe.when.fixture].cue
            if physics.appearance[cue] <= 0.5:
                return False
        return not missing_parents(recipe, physics, self)
