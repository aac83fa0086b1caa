"""Substances, temperatures and recipes of a simulation as frames go by.

:class:`simulator.simulation.physics.Physics` advances it once a frame, after the bodies have moved.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import TypedDict

import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.matter.contents import Contents
from enact_assets.simulator.matter.display import Display
from enact_assets.simulator.matter.fluids import PARTICLE_M3
from enact_assets.simulator.matter.recipes import make, missing_parents
from enact_assets.simulator.mechanics.bodies import Bodies
from enact_assets.simulator.stage.stage import Stage
from enact_assets.simulator.stage.transitions import Baked, Recipe, Switched, When


class Logged(TypedDict):
    """The fields of :class:`simulator.simulation.physics_log.PhysicsLog` about matter."""

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


class Matter(Contents):
    """Substances, heat and recipes of one simulation, frame by frame.

    ``wiping`` says what each wiper is being drawn over.
    """

    def __init__(self, stage: Stage, bodies: Bodies) -> None:
        super().__init__(stage, bodies)
        self.recipes = tuple(stage.matter.recipes)
        self.wiping: dict[str, str] = {}
        self._automatic = tuple(r for r in self.recipes if isinstance(r.when, Switched | Baked))
        self._display = Display(stage, bodies, self.fluids, self.coats)
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

    def begin(self, bodies: Bodies) -> None:
        """Carry out what heat and machines brought about by the last frame, before bodies move.

        So the first frame in which a product exists shows it where it came to lie.
        """
        for recipe in self._automatic:
            if recipe not in self.done and self._is_due(recipe, bodies):
                make(recipe, bodies, self)

    def step(self, bodies: Bodies, seconds: float) -> None:
        """Advance by ``seconds`` and show the outcome, after bodies have moved."""
        if self._is_idle:
            return
        self.fluids.locate(bodies)
        self.fluids.step(bodies, self.coats, seconds)
        self.bring_back(bodies)
        for name in bodies.held.values():
            if name is not None and self.stage.things[name].parts.is_wiper:
                box = partial(bodies.box, name)
                self.coats.wipe(bodies, name, box, self.wiping.get(name))
        is_warmer = self.heat.step(bodies, seconds)
        if is_warmer or self.fluids.changed or self.coats.is_changed:
            self._row = None
        self._display.show(bodies, self.fluids, self.coats)

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

    def bring_about(self, when: When, bodies: Bodies) -> list[Recipe]:
        """Carry out every recipe that ``when`` brings about and whose parents are in place."""
        due = [r for r in self.recipes_for(when) if not missing_parents(r, bodies, self)]
        for recipe in due:
            make(recipe, bodies, self)
        return due

    def _is_due(self, recipe: Recipe, bodies: Bodies) -> bool:
        if isinstance(recipe.when, Switched):
            cue = bodies.stage.fixtures[recipe.when.fixture].cue
            if bodies.appearance[cue] <= 0.5:
                return False
        return not missing_parents(recipe, bodies, self)
