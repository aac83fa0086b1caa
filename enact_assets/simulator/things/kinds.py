"""Catalogue of movable things: large, differently shaped, and coloured by the activity.

Every thing stands on the origin of its body (bottom centre). What is seen and what collides are
separate geoms: round things have flat collision shapes so that they do not roll away.
"""

from dataclasses import dataclass
from functools import cache, partial

from enact_assets.engine.errors import UnknownNameError
from enact_assets.simulator.shapes.mjcf import Scene, Vec3
from enact_assets.simulator.shapes.surfaces import Color
from enact_assets.simulator.shapes.world import WorldObject
from enact_assets.simulator.things.thing_builder import build_thing
from enact_assets.simulator.things.thing_parts import Builder, Parts
from enact_assets.simulator.things.thing_rows import CATALOGUE


@dataclass(frozen=True)
class Thing:
    """A movable thing: what it is, and how it is held (``parts``)."""

    name: str
    category: str
    parts: Parts


@cache
def builders() -> dict[str, Builder]:
    """What adds a thing of each kind of the catalogue."""
    return {
        kind: partial(build_thing, theme, kind)
        for theme in CATALOGUE.themes
        for kind in CATALOGUE.kinds_of(theme)
    }


def add_thing(
    scene: Scene,
    name: str,
    kind: str,
    color: Color,
    pos: Vec3,
) -> Thing:
    """Add a movable thing of the given kind; its category is the kind.

    Errors: :class:`UnknownNameError` for a kind that is not in :func:`builders`,
    :class:`SettingsError` for one whose row is wrong.
    """
    known = builders()
    if kind not in known:
        raise UnknownNameError.of(
            "kind of thing", kind, known, "Add it to simulator/things/catalogue."
        )
    parts = known[kind](scene, name, color)
    scene.body(name, pos, parts.geoms, kind="free")
    scene.objects.append(WorldObject(name, kind, (name,)))
    return Thing(name, kind, parts)
