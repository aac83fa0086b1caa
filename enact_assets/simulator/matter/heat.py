"""Temperatures of cookable things, and when one is cooked.

Source: OmniGibson 1.1.1, object states Temperature, MaxTemperature, HeatSourceOrSink and Cooked:
a thing cools towards 23 degrees Celsius by 0.02 of the difference a second, a source of 200 degrees
warms it by 0.04 of the difference a second, and it is cooked once it has been at 70 degrees. Ours
differ in what a source reaches: a thing whose middle lies within its radius (there: any part of it
within 0.2 m), or inside a closed oven.
"""

import math

from enact_assets.simulator.mechanics.bodies import Bodies
from enact_assets.simulator.rooms.fixtures import OPEN_FRACTION, Fixture
from enact_assets.simulator.stage.stage import Stage

COOKED_C = 70.0
AMBIENT_C = 23.0
DECAY_PER_S = 0.02
SOURCE_C = 200.0
SOURCE_RATE_PER_S = 0.04
COLD_C = 1e-3
"""A thing so little warmer than its surroundings is as warm as they are."""


class Heat:
    """Temperatures of the cookable things ``names``, and the highest they have had, in order."""

    def __init__(self, stage: Stage, bodies: Bodies) -> None:
        self.names = sorted(stage.matter.cookable)
        self.number = {name: k for k, name in enumerate(self.names)}
        self.cues = [stage.matter.cooked_cues[name] for name in self.names]
        self.sources = [f for f in stage.fixtures.values() if f.heater is not None]
        self.temperatures = [AMBIENT_C] * len(self.names)
        self.highest = [AMBIENT_C] * len(self.names)
        self._bodies = [bodies.model.body(name).id for name in self.names]
        self._halves = [0.5 * stage.things[name].parts.height for name in self.names]
        self._is_warm = False

    def is_cooked(self, name: str) -> bool:
        """Whether a cookable thing has been hot enough."""
        return self.highest[self.number[name]] >= COOKED_C

    def middle(self, bodies: Bodies, k: int) -> tuple[float, float, float]:
        """Middle of thing ``k`` in the world."""
        body, half = self._bodies[k], self._halves[k]
        x, y, z = bodies.data.xpos[body].tolist()
        turn = bodies.data.xmat[body].tolist()
        return (x + half * turn[2], y + half * turn[5], z + half * turn[8])

    def step(self, bodies: Bodies, seconds: float) -> bool:
        """Warm and cool all things for ``seconds``; whether any temperature changed.

        Few things are cookable: plain numbers are faster here than arrays.
        """
        if not self.names:
            return False
        active = [f for f in self.sources if _is_hot(f, bodies)]
        if not active and not self._is_warm:
            return False
        self._is_warm = False
        for k in range(len(self.names)):
            now = self.temperatures[k]
            rate = (AMBIENT_C - now) * DECAY_PER_S
            if active:
                middle = self.middle(bodies, k)
                n = sum(reaches(fixture, middle) for fixture in active)
                rate += n * (SOURCE_C - now) * SOURCE_RATE_PER_S
            now += rate * seconds
            self.temperatures[k] = now
            if now > self.highest[k]:
                self.highest[k] = now
                bodies.appearance[self.cues[k]] = now >= COOKED_C
            self._is_warm |= now - AMBIENT_C > COLD_C
        return True

    def inherit(self, bodies: Bodies, child: str, parents: tuple[str, ...]) -> None:
        """Give what became of ``parents`` the highest of their temperatures."""
        own = [self.number[p] for p in parents if p in self.number]
        if child in self.number and own:
            k = self.number[child]
            self.temperatures[k] = max(self.temperatures[j] for j in own)
            self.highest[k] = max(self.highest[j] for j in own)
            bodies.appearance[self.cues[k]] = self.highest[k] >= COOKED_C


def _is_hot(fixture: Fixture, bodies: Bodies) -> bool:
    if bodies.appearance[fixture.cue] <= 0.5:
        return False
    needs_closed = fixture.heater is not None and fixture.heater.needs_closed
    return not needs_closed or bodies.open_fraction(fixture.name) <= OPEN_FRACTION


def reaches(fixture: Fixture, middle: tuple[float, float, float]) -> bool:
    """Whether the heater of a fixture, if it is hot, warms a thing with its middle there."""
    heater = fixture.heater
    if heater is None:
        return False
    if heater.needs_closed and fixture.cavity is not None:
        low, high = fixture.cavity
        return all(a < m < b for a, m, b in zip(low, middle, high, strict=True))
    return math.dist(middle, heater.centre) <= heater.radius_m
