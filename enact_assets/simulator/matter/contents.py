"""All substances and heat in a simulation, and the products of recipes."""

import numpy as np

from enact_assets.simulator.matter.coats import Coats
from enact_assets.simulator.matter.fluids import PARTICLE_M3, Fluids
from enact_assets.simulator.matter.heat import Heat
from enact_assets.simulator.mechanics.bodies import Bodies
from enact_assets.simulator.rooms.fixtures import Access
from enact_assets.simulator.stage.stage import Stage
from enact_assets.simulator.stage.transitions import Recipe


class Contents:
    """Substances in vessels and on surfaces, temperatures, and the recipes ``done``.

    ``used`` and ``made`` are volumes in m3 that recipes turned into things, or things into.
    ``access`` and ``resting`` say how each thing is reached and what it was put on or in; the robot
    shares them, so that it finds what recipes make.
    """

    def __init__(self, stage: Stage, bodies: Bodies) -> None:
        self.stage = stage
        self.fluids = Fluids(stage, bodies)
        self.coats = Coats(stage, bodies)
        self.heat = Heat(stage, bodies)
        self.access: dict[str, Access] = dict(stage.access)
        self.resting: dict[str, str] = dict(stage.resting)
        self.done: set[Recipe] = set()
        self.used = 0.0
        self.made = 0.0
        self._used_up: set[str] = set()

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

    def use_up(self, substance: str, bodies: Bodies) -> None:
        """Let a substance exist no longer of which no particle is left: the rest is spilled."""
        s = self.fluids.number[substance]
        self.fluids.spilled[s] += self.fluids.empty(s) + self.coats.drop_pending(s)
        self._used_up.add(substance)
        bodies.existing -= {substance}

    def bring_back(self, bodies: Bodies) -> None:
        """Let used-up substances exist again if there is a particle of them."""
        again = {substance for substance in self._used_up if self.is_left(substance)}
        self._used_up -= again
        bodies.existing |= again

    def total(self) -> float:
        """Volume of everything, ledgers included: what no step may change, in m3."""
        ledgers = self.fluids.spilled.sum() - self.fluids.drawn.sum() + self.coats.wiped.sum()
        lying = sum(state.volume for state in self.coats.states)
        return float(self.fluids.volumes.sum() + lying + ledgers) + self.used - self.made
