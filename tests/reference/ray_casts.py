"""Slow twin of masks: one ray at a time against boxes and spheres, by school geometry."""

import math
from dataclasses import dataclass

Vec = tuple[float, float, float]


@dataclass(frozen=True)
class Solid:
    """An axis-aligned box (half sizes) or a sphere (its radius, three times)."""

    name: str
    centre: Vec
    size: Vec
    is_sphere: bool


def nearest(origin: Vec, ray: Vec, solids: list[Solid]) -> str | None:
    """Name of the solid a unit ray meets first."""
    found = [(d, s.name) for s in solids if (d := _distance(origin, ray, s)) is not None]
    return min(found)[1] if found else None


def pixel_ray(pixel: tuple[int, int], size: int, width: float, pitch: float) -> Vec:
    """Ray of a pixel centre for an eye that looks along y, tilted down by ``pitch``.

    The picture plane is one unit before the eye; the picture is ``width`` wide on it.
    """
    row, column = pixel
    half = width / 2
    right = (column + 0.5 - size / 2) / (size / 2) * half
    up = (size / 2 - row - 0.5) / (size / 2) * half
    x = right
    y = math.cos(pitch) + up * math.sin(pitch)
    z = -math.sin(pitch) + up * math.cos(pitch)
    length = math.sqrt(x * x + y * y + z * z)
    return (x / length, y / length, z / length)


def _distance(origin: Vec, ray: Vec, solid: Solid) -> float | None:
    to = [o - c for o, c in zip(origin, solid.centre, strict=True)]
    if solid.is_sphere:
        b = sum(t * r for t, r in zip(to, ray, strict=True))
        c = sum(t * t for t in to) - solid.size[0] ** 2
        if b * b < c or -b - math.sqrt(b * b - c) < 0:
            return None
        return -b - math.sqrt(b * b - c)
    enter, leave = 0.0, math.inf
    for t, r, half in zip(to, ray, solid.size, strict=True):
        if abs(r) < 1e-15:
            if abs(t) > half:
                return None
            continue
        near, far = sorted(((-half - t) / r, (half - t) / r))
        enter, leave = max(enter, near), min(leave, far)
    return enter if 0 < enter <= leave else None


def fisheye_ray(pixel: tuple[int, int], size: int, pitch: float) -> Vec | None:
    """Ray of a pixel centre of the fisheye for the same eye, None more than 98.5 degrees off the
    axis.
    """
    row, column = pixel
    right = (column + 0.5) / (size / 2) - 1
    up = 1 - (row + 0.5) / (size / 2)
    out = math.hypot(right, up)
    angle = 2.463 * out - 0.573 * out * out
    if angle > math.radians(98.5):
        return None
    aside, ahead = math.sin(angle) / (out or 1.0), math.cos(angle)
    sin, cos = math.sin(pitch), math.cos(pitch)
    y, z = cos * ahead + sin * up * aside, -sin * ahead + cos * up * aside
    return (right * aside, y, z)
