"""Turns and profiles of which things and furniture have many."""

from enact_assets.simulator.shapes.mjcf import Profile, Scene, Vec3

HALF_PI = 1.5707963267948966
ALONG_X: Vec3 = (0.0, HALF_PI, 0.0)
ALONG_Y: Vec3 = (HALF_PI, 0.0, 0.0)
"""Turns that lay a cylinder or capsule down: its axis points right, or away from the robot."""


def band_profile(radius: float, low: float, high: float) -> Profile:
    """A thin tube about the axis: a label round a hollow vessel, a hoop."""
    inner, outer = radius - 0.0015, radius + 0.0015
    return ((inner, low), (outer, low), (outer, high), (inner, high), (inner, low))


def band(scene: Scene, name: str, radius: float, low: float, high: float) -> str:
    """The mesh of a :func:`band_profile`."""
    return scene.mesh(name, band_profile(radius, low, high))
