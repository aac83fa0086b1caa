"""Catalogue of movable things: large, differently shaped, and coloured by the activity.

Every thing stands on the origin of its body (bottom centre). What is seen and what collides are
separate geoms: round things have flat collision shapes so that they do not roll away.
"""

from collections.abc import Callable
from dataclasses import dataclass

from enact_assets.contracts.errors import UnknownNameError
from enact_assets.simulator import crockery, groceries
from enact_assets.simulator.parts import Color, Parts, Vec3
from enact_assets.simulator.shapes import Scene
from enact_assets.simulator.world import WorldObject


@dataclass(frozen=True)
class Thing:
    """A movable thing: what it is, how it is held (``parts``), and what it is cut into or from."""

    name: str
    category: str
    parts: Parts
    halves: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()


Builder = Callable[[Scene, str, Color], Parts]

KINDS: dict[str, Builder] = {
    "plate": crockery.plate,
    "bowl": crockery.bowl,
    "pot": crockery.pot,
    "basket": crockery.basket,
    "tray": crockery.tray,
    "cutting_board": crockery.tray,
    "jug": crockery.jug,
    "kettle": crockery.kettle,
    "bottle": crockery.bottle,
    "milk_carton": groceries.carton,
    "cereal_box": groceries.cereal_box,
    "can": groceries.can,
    "mug": crockery.mug,
    "bread_loaf": groceries.bread,
    "watermelon": groceries.watermelon,
    "half_watermelon": groceries.half_watermelon,
    "pumpkin": groceries.pumpkin,
    "orange": groceries.orange,
    "pineapple": groceries.pineapple,
    "vase": crockery.vase,
    "knife": crockery.knife,
}


def add_thing(
    scene: Scene,
    name: str,
    kind: str,
    color: Color,
    pos: Vec3,
    *,
    halves: tuple[str, ...] = (),
    parents: tuple[str, ...] = (),
) -> Thing:
    """Add a movable thing of the given kind; its category is the kind.

    Errors: :class:`UnknownNameError` for a kind that is not in :data:`KINDS`.
    """
    if kind not in KINDS:
        raise UnknownNameError.of("kind of thing", kind, KINDS, "Add it to simulator/things.py.")
    parts = KINDS[kind](scene, name, color)
    scene.body(name, pos, parts.geoms, kind="free")
    scene.objects.append(WorldObject(name, kind, (name,), parents=parents))
    return Thing(name, kind, halves=halves, parents=parents, parts=parts)
