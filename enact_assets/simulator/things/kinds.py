"""Catalogue of movable things: large, differently shaped, and coloured by the activity.

Every thing stands on the origin of its body (bottom centre). What is seen and what collides are
separate geoms: round things have flat collision shapes so that they do not roll away.
"""

from dataclasses import dataclass

from enact_assets.engine.errors import UnknownNameError
from enact_assets.simulator.shapes.mjcf import Scene, Vec3
from enact_assets.simulator.shapes.surfaces import Color
from enact_assets.simulator.shapes.world import WorldObject
from enact_assets.simulator.things.catalogue import (
    cookware,
    crockery,
    cuts,
    fresh,
    groceries,
    laundry,
    living,
    plants,
    produce,
    rubbish,
    serving,
    supplies,
    tableware,
    tools,
    toy_models,
    toys,
)
from enact_assets.simulator.things.thing_parts import Builder, Parts


@dataclass(frozen=True)
class Thing:
    """A movable thing: what it is, and how it is held (``parts``)."""

    name: str
    category: str
    parts: Parts


KINDS: dict[str, Builder] = {
    **cookware.KINDS,
    **crockery.KINDS,
    **cuts.KINDS,
    **fresh.KINDS,
    **groceries.KINDS,
    **laundry.KINDS,
    **living.KINDS,
    **plants.KINDS,
    **produce.KINDS,
    **rubbish.KINDS,
    **serving.KINDS,
    **supplies.KINDS,
    **tableware.KINDS,
    **tools.KINDS,
    **toy_models.KINDS,
    **toys.KINDS,
}


def add_thing(
    scene: Scene,
    name: str,
    kind: str,
    color: Color,
    pos: Vec3,
) -> Thing:
    """Add a movable thing of the given kind; its category is the kind.

    Errors: :class:`UnknownNameError` for a kind that is not in :data:`KINDS`.
    """
    if kind not in KINDS:
        raise UnknownNameError.of(
            "kind of thing", kind, KINDS, "Add it to simulator/things/catalogue."
        )
    parts = KINDS[kind](scene, name, color)
    scene.body(name, pos, parts.geoms, kind="free")
    scene.objects.append(WorldObject(name, kind, (name,)))
    return Thing(name, kind, parts)
