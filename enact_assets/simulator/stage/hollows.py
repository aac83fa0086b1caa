"""Geometry of the hollow of a vessel: volumes, levels, and what a tilt makes it lose.

A hollow is a solid of revolution about its z axis, cut into thin slices. A level surface in a
tilted vessel is a plane; below it each slice is a circular segment.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.things.thing_parts import Vessel

SLICES = 128
"""With so many, a capacity is off by at most 0.3 per cent of the volume, at small tilts."""
LEVEL_M = 1e-4
LEVEL_COSINE = math.cos(math.radians(3))
"""A vessel tilted less than this is carried: its level is shown as if it were upright."""
UPRIGHT = 1.0 - 1e-6
"""Cosine of the tilt above which a vessel counts as upright: less than 0.1 degrees."""


@dataclass(frozen=True)
class Section:
    """The level surface in a vessel, in the vessel's frame: a disc that fits into it.

    ``middle`` (3,) and ``radius`` are of the largest circle about the middle of the surface.
    """

    middle: Floats
    radius: float


@dataclass(frozen=True, eq=False)
class Hollow:
    """A vessel's hollow in slices: ``heights`` (n,) of their middles, ``radii`` (n,), thickness.

    ``edges`` (n + 1,) and ``filled`` (n + 1,) give the volume below each height, upright.
    """

    vessel: Vessel
    heights: Floats
    radii: Floats
    thickness: float
    edges: Floats
    filled: Floats

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, vessel: Vessel) -> "Hollow":
        """The hollow of ``vessel``; made once for each."""
        heights, radii = np.array(vessel.profile, dtype=np.float64).T
        edges = np.linspace(heights[0], heights[-1], SLICES + 1)
        middles = 0.5 * (edges[1:] + edges[:-1])
        thickness = float(edges[1] - edges[0])
        wide = np.maximum(np.interp(middles, heights, radii), 1e-6)
        filled = np.concatenate([[0.0], np.cumsum(np.pi * wide * wide) * thickness])
        return cls(vessel, middles, wide, thickness, edges, filled)

    @property
    def volume(self) -> float:
        """Volume up to the rim, in m3."""
        return float(self.filled[-1])

    def radius(self, height: float) -> float:
        """Radius of the hollow at ``height``."""
        points = self.vessel.profile
        return float(np.interp(height, [h for h, _ in points], [r for _, r in points]))

    def height_of(self, volume: float) -> float:
        """Height of the level of ``volume`` in the upright vessel."""
        return float(np.interp(volume, self.filled, self.edges))

    def lip_offset(self, up: Floats) -> float:
        """``up`` times the lowest point at which the vessel pours; ``up`` (3,) in its frame."""
        return float(up @ self.lip(up))

    def lip(self, up: Floats) -> Floats:
        """The point (3,) it pours over, in its frame: its spout, or the lowest point of the rim.

        An upright vessel that is too full pours to the right.
        """
        vessel = self.vessel
        if vessel.lip is not None:
            return np.array(vessel.lip)
        flat = math.hypot(float(up[0]), float(up[1]))
        if flat < 1e-6:
            return np.array([vessel.mouth_radius, 0.0, vessel.mouth_height])
        out = -vessel.mouth_radius / flat
        return np.array([out * up[0], out * up[1], vessel.mouth_height])

    def volume_below(self, cosine: float, offset: float) -> float:
        """Volume of the points p with up . p < ``offset``, where up_z is ``cosine``.

        Source: each slice is a disc of radius r cut by the chord at b from its middle; the part
        on the near side has the area r^2 (pi - acos(b/r)) + b sqrt(r^2 - b^2).
        """
        sine = math.sqrt(max(1.0 - cosine * cosine, 0.0))
        if abs(cosine) > UPRIGHT:
            level = offset / cosine
            below = float(np.interp(level, self.edges, self.filled))
            return below if cosine > 0 else self.volume - below
        share = np.clip((offset - self.heights * cosine) / (sine * self.radii), -1.0, 1.0)
        area = np.pi - np.arccos(share) + share * np.sqrt(1.0 - share * share)
        return float(area @ (self.radii * self.radii)) * self.thickness

    def capacity(self, up: Floats) -> float:
        """What stays in the vessel when the vertical is ``up`` (3,) in its frame."""
        return self.volume_below(float(up[2]), self.lip_offset(up))

    def offset_of(self, up: Floats, volume: float) -> float:
        """Offset of the level plane of ``volume``: inverse of :meth:`volume_below`, to 0.1 mm.

        Source: the Illinois variant of false position, which never leaves its bracket.
        """
        cosine = float(up[2])
        if cosine > UPRIGHT:
            return self.height_of(volume) * cosine
        low, high = self._span(cosine)
        below, above = -volume, self.volume - volume
        offset, kept = low, 0
        for _ in range(40):
            if high - low < LEVEL_M:
                break
            offset = (low * above - high * below) / (above - below)
            miss = self.volume_below(cosine, offset) - volume
            if abs(miss) < 1e-5 * self.volume:
                return offset
            # An end that was kept twice counts half: the next guess falls on its side.
            if miss < 0.0:
                low, below = offset, miss
                above *= 0.5 if kept == 1 else 1.0
                kept = 1
            else:
                high, above = offset, miss
                below *= 0.5 if kept == -1 else 1.0
                kept = -1
        return offset

    def section(self, up: Floats, volume: float) -> Section:
        """The level surface of ``volume`` when the vertical is ``up`` (3,) in its frame."""
        cosine = float(up[2])
        if cosine > LEVEL_COSINE:
            height = self.height_of(volume)
            return Section(np.array([0.0, 0.0, height]), self.radius(height))
        offset = self.offset_of(up, volume)
        sine = math.sqrt(max(1.0 - cosine * cosine, 1e-12))
        chord = (offset - self.heights * cosine) / sine
        cut = np.abs(chord) < self.radii
        if not cut.any():
            height = float(np.clip(offset / max(cosine, 1e-3), self.edges[0], self.edges[-1]))
            return Section(np.array([0.0, 0.0, height]), self.radius(height))
        across, along = chord[cut], self.heights[cut]
        at, height = 0.5 * (across[0] + across[-1]), 0.5 * (along[0] + along[-1])
        # A circle about the middle stays inside if every chord it meets is long enough for it.
        squares = self.radii[cut] ** 2 - across**2 + (across - at) ** 2 + (along - height) ** 2
        flat = np.array([up[0], up[1]]) / sine * at
        return Section(np.array([flat[0], flat[1], height]), math.sqrt(float(squares.min())))

    def _span(self, cosine: float) -> tuple[float, float]:
        """Offsets of planes below and above the whole hollow."""
        sine = math.sqrt(max(1.0 - cosine * cosine, 0.0))
        reach = self.radii * sine
        along = self.heights * cosine
        slack = 0.5 * self.thickness * abs(cosine)
        return float((along - reach).min()) - slack, float((along + reach).max()) + slack
