"""Pick up toys: into a toy box, into drawers and onto a shelf, and leave the room in order.

A seed draws the room, which toys lie about and where each of them goes, what is switched on at the
end, and the order.
"""

import numpy as np

from enact_assets.simulator.activities.base import (
    HEAD_PITCH_RAD,
    PALETTE,
    Activity,
    Episode,
    Mirror,
    draw_one,
    draw_some,
)
from enact_assets.simulator.activities.drawn_stage import Drawing, differing
from enact_assets.simulator.planning.basic_steps import (
    Close,
    Open,
    Press,
    Task,
    in_any_order,
    move_wide,
)
from enact_assets.simulator.rooms import kitchen, living_comforts, living_room, storage
from enact_assets.simulator.stage.stage_builder import StageBuilder

BOX_TOYS = ("ball", "rubber_duck", "toy_train", "toy_blocks", "toy_car")
"""Low enough for the lid of the toy box to shut over them."""
DRAWER_TOYS = ("drum", "board_game", "xylophone")
SHELF_TOYS = ("teddy_bear", "stacking_rings", "toy_boat", "globe")
NEAR_BOX = ((-0.304, -0.21), (-0.304, 0.1))
IN_BOX = ((-0.15, 0.07), (0.14, 0.08), (0.09, -0.095))


def build(rng: np.random.Generator) -> Episode:
    """Draw one round of picking up."""
    mirror = Mirror.draw(rng)
    style = draw_one(rng, living_room.STYLES)
    stage = StageBuilder()
    living_room.add_room(stage.scene, style)
    box_style = storage.Style(style.front, style.fabric, style.wood, living_room.BRASS)
    chest_style = storage.Style(style.wood, style.front, style.wood, living_room.BRASS)
    left_x, right_x = mirror.x(kitchen.LEFT_X), mirror.x(kitchen.RIGHT_X)
    stage.furnish(
        storage.add_chest(stage.scene, box_style, left_x, "toy_box"),
        living_room.add_table(stage.scene, style),
        *storage.add_drawer_unit(stage.scene, chest_style, right_x, "dresser"),
        living_room.add_shelf(stage.scene, style, right_x),
    )
    add_comfort = draw_one(rng, (living_comforts.add_lamp, living_comforts.add_radio))
    comfort = add_comfort(stage.scene, style, (right_x + mirror.x(0.19), 0.98, 0.9))
    stage.furnish(comfort)

    boxed = draw_some(rng, BOX_TOYS, 3)
    drawn = draw_some(rng, DRAWER_TOYS, 2)
    shelved = draw_some(rng, SHELF_TOYS, 2)
    drawing = Drawing(rng, mirror, stage, differing(PALETTE, style.wood.color))
    for name, place in zip((boxed[2], boxed[0]), draw_some(rng, NEAR_BOX), strict=True):
        drawing.put(name, "table", *place, off_m=0.006)
    drawing.put(boxed[1], "table", -0.02, 0.17)
    drawing.put("doll_house", "table", 0.0, -0.22, off_m=0.006)
    drawing.put(drawn[0], "table", 0.302, -0.21, off_m=0.006)
    drawing.put(drawn[1], "dresser", -0.12, 0.14, access="front")
    drawing.put(shelved[0], "table", 0.32, 0.12)
    drawing.put("book", "shelf", 0.15, off_m=0.01)
    drawing.put(shelved[1], "book", off_m=0.005)

    plan = (
        *_with_both_hands(drawing, boxed[2], drawn[0]),
        *in_any_order(
            rng,
            _into_the_box(drawing, boxed[:2]),
            _into_the_drawer(drawing, drawn[1]),
            drawing.move("right", shelved[0], "shelf", -0.14, -0.01, off_m=0.01),
        ),
        Press(drawing.side("right"), comfort.name),
    )
    goal = (
        *(("Inside", toy, "toy_box") for toy in boxed),
        ("Inside", drawn[0], "top_drawer"),
        ("Inside", drawn[1], "bottom_drawer"),
        ("OnTop", "doll_house", "dresser"),
        ("OnTop", shelved[0], "shelf"),
        ("ToggledOn", comfort.name, None),
    )
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset({"shelf"}))


def _with_both_hands(drawing: Drawing, boxed: str, drawn: str) -> Task:
    """Box and drawer are opened, a toy put into each at the same time, the drawer closed."""
    left, right = drawing.side("left"), drawing.side("right")
    return (
        *in_any_order(drawing.rng, (Open(left, "toy_box"),), (Open(right, "top_drawer"),)),
        drawing.mirror.together(
            drawing.move("left", boxed, "toy_box", *IN_BOX[2], off_m=0.008),
            drawing.move("right", drawn, "top_drawer", -0.07),
        ),
        Close(right, "top_drawer"),
    )


def _into_the_box(drawing: Drawing, toys: list[str]) -> Task:
    """The other toys join it, and the box is closed."""
    moves = [
        drawing.move("left", toy, "toy_box", *place, off_m=0.008)
        for toy, place in zip(toys, IN_BOX[:2], strict=True)
    ]
    return (*in_any_order(drawing.rng, *moves), Close(drawing.side("left"), "toy_box"))


def _into_the_drawer(drawing: Drawing, toy: str) -> Task:
    """A toy is cleared off the dresser, and the doll house takes its place."""
    right = drawing.side("right")
    return (
        Open(right, "bottom_drawer"),
        *drawing.move("right", toy, "bottom_drawer"),
        Close(right, "bottom_drawer"),
        *move_wide("doll_house", "dresser", drawing.near(-0.1, -0.15, 0.01)),
    )


ACTIVITY = Activity(
    "picking_up_toys",
    "Put toys into a box, into drawers and onto a shelf, and switch on a lamp or a radio.",
    build,
)
