"""Shows substances where they are: moves the bodies of levels, particles and streams.

Only what changed is moved, and nothing that shows nothing leaves its hiding place.
"""

import numpy as np

from enact_assets.settings.arrays import Bools, Floats
from enact_assets.simulator.matter.coats import Coats, CoatState
from enact_assets.simulator.matter.fluids import PARTICLE_M3, Fluids
from enact_assets.simulator.mechanics.bodies import Bodies
from enact_assets.simulator.shapes.rotations import frame_along, quat_product
from enact_assets.simulator.stage.hollows import Hollow
from enact_assets.simulator.stage.stage import Stage
from enact_assets.simulator.stage.substances import (
    DISC_HALF_M,
    HIDDEN,
    SLABS,
    STREAM_HALF_M,
    STREAM_PIECES,
    disc_radii,
    slab_heights,
)

NOTICED_M = 2e-5
"""Smaller moves, and turns of a quaternion, are the solver's: no reason to move anything."""
WALL_SLACK_M = 0.002
"""A level disc may reach this far into the wall of its vessel."""
LEVEL = np.array([1.0, 0.0, 0.0, 0.0])


class Display:
    """The moving bodies of all substances of a stage."""

    def __init__(self, stage: Stage, bodies: Bodies, fluids: Fluids, coats: Coats) -> None:
        model = bodies.model

        def moved(name: str) -> int:
            return int(model.body_mocapid[model.body(name).id])

        self._levels = {
            (s, h): [moved(fluids.substances[s].level_body(fluids.holders[h], k))
                     for k in range(_bodies(fluids.hollows[h]))]
            for s, h in np.argwhere(fluids.allowed).tolist()
        }  # fmt: skip
        self._radii = [np.array(disc_radii(hollow.vessel)) for hollow in fluids.hollows]
        self._lowest = [
            _first_height(hollow, float(r[0]))
            for hollow, r in zip(fluids.hollows, self._radii, strict=True)
        ]
        self._streams = {
            k: [moved(s.stream_body(j)) for j in range(STREAM_PIECES)]
            for k, s in enumerate(fluids.substances)
            if s.flows
        }
        self._patches = [
            [moved(fluids.substances[state.substance].patch_body(state.on, k))
             for k in range(len(state.places))]
            for state in coats.states
        ]  # fmt: skip
        self._normals = [
            frame_along(np.array(stage.coats[state.on].normal), np.array([1.0, 0.3, 0.2]))
            for state in coats.states
        ]
        self._n_holders = len(fluids.holders)
        tracked = [*fluids.bodies.tolist(), *(state.body for state in coats.states)]
        self._tracked = np.array(tracked, dtype=np.int64)
        self._pos, self._quat = np.zeros((len(tracked), 3)), np.zeros((len(tracked), 4))
        self._shown_pos = np.full_like(self._pos, np.nan)
        self._shown_quat = np.full_like(self._quat, np.nan)
        self._streaming: set[int] = set()
        self._seen: set[int] = set()

    def show(self, bodies: Bodies, fluids: Fluids, coats: Coats) -> None:
        """Bring everything up to date."""
        data = bodies.data
        data.xpos.take(self._tracked, axis=0, out=self._pos)
        data.xquat.take(self._tracked, axis=0, out=self._quat)
        way = np.abs(self._pos - self._shown_pos)
        turn = np.abs(self._quat - self._shown_quat)
        # What was never shown is at nan, which is not within anything.
        is_still = not way.size or (way.max() < NOTICED_M and turn.max() < NOTICED_M)
        if fluids.changed or coats.is_changed or not is_still:
            still = (way.max(axis=1) < NOTICED_M) & (turn.max(axis=1) < NOTICED_M)
            moved = np.logical_not(still)
            self._shown_pos[moved] = self._pos[moved]
            self._shown_quat[moved] = self._quat[moved]
            self._show_levels(bodies, fluids, moved[: self._n_holders])
            self._show_coats(bodies, coats, moved[self._n_holders :])
            fluids.changed.clear()
            coats.is_changed = False
        if fluids.streams or self._streaming:
            self._show_streams(bodies, fluids)

    def _put(self, bodies: Bodies, body: int, place: Floats, quat: Floats) -> None:
        bodies.data.mocap_pos[body] = place
        bodies.data.mocap_quat[body] = quat
        self._seen.add(body)

    def _hide(self, bodies: Bodies, body: int) -> None:
        if body in self._seen:
            bodies.data.mocap_pos[body] = HIDDEN
            bodies.data.mocap_quat[body] = LEVEL
            self._seen.remove(body)

    def _show_levels(self, bodies: Bodies, fluids: Fluids, moved: Bools) -> None:
        due = fluids.changed | set(np.flatnonzero(moved & (fluids.totals > 0.0)).tolist())
        for h in sorted(due):
            if fluids.hollows[h].vessel.is_clear:
                self._show_layers(bodies, fluids, h)
            else:
                self._show_surface(bodies, fluids, h)

    def _show_surface(self, bodies: Bodies, fluids: Fluids, h: int) -> None:
        """The uppermost substance of an opaque vessel, as a disc of a fitting radius."""
        hollow, turn = fluids.hollows[h], fluids.turns[h]
        total = float(fluids.totals[h])
        seen = [s for s in fluids.layers[h] if fluids.volumes[s, h] >= PARTICLE_M3]
        shown = -1
        section = hollow.section(turn[2], total)
        if seen and section.radius > 0.6 * self._radii[h][0]:
            shown = int(np.searchsorted(self._radii[h], section.radius + WALL_SLACK_M)) - 1
            shown = max(shown, 0)
        for s in range(len(fluids.substances)):
            for k, body in enumerate(self._levels.get((s, h), ())):
                if seen and s == seen[-1] and k == shown:
                    middle = section.middle.copy()
                    middle[2] = max(middle[2], self._lowest[h])
                    place = fluids.positions[h] + turn @ middle
                    place[2] -= DISC_HALF_M
                    self._put(bodies, body, place, LEVEL)
                else:
                    self._hide(bodies, body)

    def _show_layers(self, bodies: Bodies, fluids: Fluids, h: int) -> None:
        """All substances of a clear vessel, one layer above the other, tilted with it."""
        hollow, turn = fluids.hollows[h], fluids.turns[h]
        edges = slab_heights(hollow.vessel)
        quat = bodies.data.xquat[fluids.bodies[h]]
        below = 0.0
        bottoms: dict[int, tuple[float, float]] = {}
        for s in fluids.layers[h]:
            above = below + float(fluids.volumes[s, h])
            if above - below >= PARTICLE_M3:
                bottoms[s] = (hollow.height_of(below), hollow.height_of(above))
            below = above
        for s in range(len(fluids.substances)):
            low, high = bottoms.get(s, (0.0, 0.0))
            for k, body in enumerate(self._levels.get((s, h), ())):
                if s in bottoms and edges[k] < high and edges[k + 1] > low:
                    bottom = min(edges[k], high - (edges[1] - edges[0]))
                    place = fluids.positions[h] + turn[:, 2] * bottom
                    self._put(bodies, body, place, quat)
                else:
                    self._hide(bodies, body)

    def _show_coats(self, bodies: Bodies, coats: Coats, moved: Bools) -> None:
        for k, state in enumerate(coats.states):
            if not state.is_shown or (moved[k] and state.n_particles):
                self._show_patches(bodies, k, state)
                state.is_shown = True

    def _show_patches(self, bodies: Bodies, k: int, state: CoatState) -> None:
        places = state.world_places(bodies)
        quat = quat_product(bodies.data.xquat[state.body], self._normals[k])
        for place, bears, body in zip(places, state.bears, self._patches[k], strict=True):
            if bears:
                self._put(bodies, body, place, quat)
            else:
                self._hide(bodies, body)

    def _show_streams(self, bodies: Bodies, fluids: Fluids) -> None:
        streams = {stream.substance: stream for stream in fluids.streams}
        for s in self._streaming | set(streams):
            stream = streams.get(s)
            length = stream.top[2] - max(stream.bottom, stream.top[2] - 2.0) if stream else 0.0
            n = min(int(np.ceil(length / (2 * STREAM_HALF_M))), STREAM_PIECES)
            for k, body in enumerate(self._streams[s]):
                if stream is None or k >= n:
                    self._hide(bodies, body)
                    continue
                drop = STREAM_HALF_M + k * max(length - 2 * STREAM_HALF_M, 0.0) / max(n - 1, 1)
                self._put(bodies, body, stream.top - np.array([0.0, 0.0, drop]), LEVEL)
        self._streaming = set(streams)


def _bodies(hollow: Hollow) -> int:
    return SLABS if hollow.vessel.is_clear else len(disc_radii(hollow.vessel))


def _first_height(hollow: Hollow, radius: float) -> float:
    """Lowest height at which a disc of ``radius`` fits into the hollow."""
    wide = np.flatnonzero(hollow.radii >= radius - WALL_SLACK_M)
    return float(hollow.heights[wide[0]]) if wide.size else float(hollow.edges[-1])
