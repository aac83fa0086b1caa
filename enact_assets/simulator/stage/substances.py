"""Substances as an activity declares them: what they look like and where they may be.

A substance is one object of the scene graph that stands for all its particles. Its volume in a
vessel is shown by a level, on a surface by discs, one for each particle, and on its way down by a
thin stream: bodies that touch nothing and are only moved.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.shapes.mjcf import Profile, Scene
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import WorldObject
from enact_assets.simulator.stage.hollows import Hollow
from enact_assets.simulator.things.thing_parts import Coat, Vessel

Kind = Literal["liquid", "grains", "film"]
"""Liquids and grains flow (grains like a liquid of their bulk volume); a film never does."""

PATCH_M = 0.03
COAT_THICKNESS_M = 0.004
"""A particle on a surface is a disc of this thickness; so much volume goes into one."""
DISC_STEP_M = 0.006
MAX_DISCS = 6
"""Level discs of one vessel differ by this much in radius, and there are at most this many."""
DISC_HALF_M = 0.002
SLABS = 5
"""A clear vessel shows its content as this many layers, each with the slope of its wall."""
WALL_GAP_M = 0.0015
STREAM_PIECES = 4
STREAM_RADIUS_M = 0.008
STREAM_HALF_M = 0.035

HIDDEN: tuple[float, float, float] = (0.0, 9.0, -6.0)
"""Where bodies wait that show nothing now: below the place where things wait."""


@dataclass(frozen=True)
class Substance:
    """One substance: ``holders`` are vessels it may fill, ``coats`` what it may lie on, by name."""

    name: str
    surface: Surface
    kind: Kind = "liquid"
    holders: tuple[str, ...] = ()
    coats: tuple[str, ...] = ()
    patch_m: float = PATCH_M

    @property
    def flows(self) -> bool:
        """Whether it can be poured."""
        return self.kind != "film"

    @property
    def patch_m3(self) -> float:
        """Volume of one particle on a surface."""
        return float(np.pi * self.patch_m**2 * COAT_THICKNESS_M)

    def stream_body(self, k: int) -> str:
        """Name of piece ``k`` of its stream."""
        return f"{self.name}.stream.{k}"

    def level_body(self, holder: str, k: int) -> str:
        """Name of the k-th body that shows its level in ``holder``."""
        return f"{self.name}.in.{holder}.{k}"

    def patch_body(self, on: str, k: int) -> str:
        """Name of the k-th disc on the thing ``on``."""
        return f"{self.name}.on.{on}.{k}"


@dataclass(frozen=True)
class Filling:
    """A vessel filled at the start to ``share`` of its volume."""

    vessel: str
    substance: str
    share: float


@dataclass(frozen=True)
class Covering:
    """A thing covered at the start: on all its places, or on the first ``n``.

    ``places`` are their numbers, once the coat is known.
    """

    on: str
    substance: str
    n: int | None = None
    places: tuple[int, ...] = ()

    def placed(self, n_places: int) -> "Covering":
        """The same with the numbers of its places, of which the thing has ``n_places``."""
        return replace(self, places=tuple(range(n_places)[: self.n]))


def disc_radii(vessel: Vessel) -> tuple[float, ...]:
    """Radii of the level discs of a vessel, ascending: few, and near enough to any section."""
    radii = [r for _, r in vessel.profile]
    low, high = max(min(radii), 0.5 * max(radii)), max(radii)
    n = min(MAX_DISCS, 1 + int(np.ceil((high - low) / DISC_STEP_M - 1e-9)))
    return tuple(round(float(r), 6) for r in np.linspace(low, high, n)) if n > 1 else (high,)


def slab_heights(vessel: Vessel) -> Floats:
    """Heights (SLABS + 1,) between which the layers of a clear vessel lie."""
    return np.linspace(vessel.profile[0][0], vessel.mouth_height, SLABS + 1)


def add_substance(
    scene: Scene,
    substance: Substance,
    vessels: dict[str, Vessel],
    coats: dict[str, Coat],
    parents: tuple[str, ...] = (),
) -> None:
    """Add the bodies of a substance to the scene, all hidden, and its object.

    ``vessels`` and ``coats`` are those of its holders and of what it may lie on, by name.
    """
    bodies = [
        *(_level(scene, substance, name, vessel) for name, vessel in vessels.items()),
        *(_patches(scene, substance, name, coat) for name, coat in coats.items()),
    ]
    if substance.flows and (vessels or coats):
        bodies.append(_stream(scene, substance))
    names = []
    for name, geom in (pair for some in bodies for pair in some):
        scene.body(name, HIDDEN, geom, kind="mocap")
        names.append(name)
    scene.objects.append(
        WorldObject(
            substance.name, substance.name, tuple(names), parents=parents, is_particles=True
        )
    )


def _level(
    scene: Scene, substance: Substance, holder: str, vessel: Vessel
) -> Iterator[tuple[str, str]]:
    if vessel.is_clear:
        heights, hollow = slab_heights(vessel), Hollow.of(vessel)
        for k in range(SLABS):
            low, high = float(heights[k]), float(heights[k + 1])
            inner = [max(hollow.radius(h) - WALL_GAP_M, 0.002) for h in (low, high)]
            profile: Profile = ((0, 0), (inner[0], 0), (inner[1], high - low), (0, high - low))
            name = substance.level_body(holder, k)
            mesh = scene.mesh(_slab_mesh(profile), profile)
            yield name, scene.visible(f"{name}.slab", "mesh", mesh, substance.surface)
        return
    for k, radius in enumerate(disc_radii(vessel)):
        name = substance.level_body(holder, k)
        yield (
            name,
            scene.visible(f"{name}.disc", "cylinder", (radius, DISC_HALF_M), substance.surface),
        )


def _slab_mesh(profile: Profile) -> str:
    return "slab_" + "_".join(f"{1e5 * v:.0f}" for point in profile for v in point)


def _patches(scene: Scene, substance: Substance, on: str, coat: Coat) -> Iterator[tuple[str, str]]:
    size = (coat.patch_m or substance.patch_m, coat.half_m)
    for k in range(len(coat.patches)):
        name = substance.patch_body(on, k)
        yield name, scene.visible(f"{name}.disc", "cylinder", size, substance.surface)


def _stream(scene: Scene, substance: Substance) -> Iterator[tuple[str, str]]:
    size = (STREAM_RADIUS_M, STREAM_HALF_M)
    for k in range(STREAM_PIECES):
        name = substance.stream_body(k)
        yield name, scene.visible(f"{name}.piece", "cylinder", size, substance.surface)
