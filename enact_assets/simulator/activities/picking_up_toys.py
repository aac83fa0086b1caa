"""Pick up toys: into a toy box, into drawers and onto a shelf, and leave the room in order.

A seed draws the room, which toys lie about and where each of them goes, what is switched
on or off, and the order.
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
    is_drawn,
)
from enact_assets.simulator.activities.drawn_stage import Drawing, differing
from enact_assets.simulator.planning.basic_steps import Press, Task, move_wide
from enact_assets.simulator.planning.job_orders import Job, in_valid_order, in_visits
from enact_assets.simulator.rooms import kitchen, living_comforts, living_room, storage
from enact_assets.simulator.stage.stage_builder import StageBuilder

BOX_TOYS = ("ball", "rubber_duck", "toy_train", "toy_blocks", "toy_car")
"""Low enough for the lid of the toy box to shut over them."""
DRAWER_TOYS = ("drum", "board_game", "xylophone")
SHELF_TOYS = ("teddy_bear", "stacking_rings", "toy_boat", "globe")
HOUSE_AT = (("table", 0.0, -0.22), ("dresser", -0.1, -0.15))
"""Where the doll house stands at the start and at the end, or the other way round."""
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

    is_on = is_drawn(rng)
    if is_on:
        stage.leave_on(comfort.name)
    if is_drawn(rng):
        stage.leave_open("toy_box")
    boxed = draw_some(rng, BOX_TOYS, 3)
    drawn = draw_some(rng, DRAWER_TOYS, 2)
    shelved = draw_some(rng, SHELF_TOYS, 2)
    drawing = Drawing(rng, mirror, stage, differing(PALETTE, style.wood.color))
    for name, place in zip((boxed[2], boxed[0]), draw_some(rng, NEAR_BOX), strict=True):
        drawing.put(name, "table", *place, off_m=0.006)
    drawing.put(boxed[1], "table", -0.02, 0.17)
    house = draw_some(rng, HOUSE_AT)
    drawing.put("doll_house", house[0][0], *house[0][1:], off_m=0.006)
    drawing.put(drawn[0], "table", 0.302, -0.21, off_m=0.006)
    drawing.put(drawn[1], "dresser", -0.12, 0.14, access="front")
    drawing.put(shelved[0], "table", 0.32, 0.12)
    drawing.put("book", "shelf", 0.15, off_m=0.01)
    drawing.put(shelved[1], "book", off_m=0.005)

    on, x, y = house[1]
    carry = Job(move_wide("doll_house", on, drawing.near(x, y, 0.01)))
    switch = Job((Press(drawing.side("right"), comfort.name),))
    plan = _plan(drawing, boxed, drawn, shelved[0], (carry, switch))
    goal = (
        *(("Inside", toy, "toy_box") for toy in boxed),
        ("Inside", drawn[0], "top_drawer"),
        ("Inside", drawn[1], "bottom_drawer"),
        ("OnTop", "doll_house", house[1][0]),
        ("OnTop", shelved[0], "shelf"),
        *(() if is_on else (("ToggledOn", comfort.name, None),)),
    )
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset({"shelf"}))


def _plan(
    drawing: Drawing, boxed: list[str], drawn: list[str], shelved: str, others: tuple[Job, Job]
) -> Task:
    """Toys into the box, the drawers and onto the shelf.

    Of the ``others`` the first carries the doll house; the second one is free.
    """
    house = others[0]
    rng, left, right = drawing.rng, drawing.side("left"), drawing.side("right")
    into_both = Job(
        (
            drawing.mirror.together(
                drawing.move("left", boxed[2], "toy_box", *IN_BOX[2], off_m=0.008),
                drawing.move("right", drawn[0], "top_drawer", -0.07),
            ),
        )
    )
    into_box = [
        Job(drawing.move("left", toy, "toy_box", *place, off_m=0.008))
        for toy, place in zip(boxed[:2], IN_BOX[:2], strict=True)
    ]
    into_drawer = Job(drawing.move("right", drawn[1], "bottom_drawer"))
    # On the dresser it stands before a toy.
    is_off = drawing.stage.resting["doll_house"] == "dresser"
    first, second = (house, into_drawer) if is_off else (into_drawer, house)
    second.after.append(first)
    box = in_visits(
        rng, left, "toy_box", [into_both, *into_box],
        is_open="toy_box" in drawing.stage.opened,
    )  # fmt: skip
    top, bottom = (
        in_visits(rng, right, name, [job])
        for name, job in (("top_drawer", into_both), ("bottom_drawer", into_drawer))
    )
    # The upper drawer hides the lower one while it is open.
    earlier, later = draw_some(rng, (top, bottom))
    later[1].after.append(earlier[-1])
    return in_valid_order(
        rng,
        *box,
        *top[1:],
        *bottom,
        *others,
        Job(drawing.move("right", shelved, "shelf", -0.14, -0.01, off_m=0.01)),
    )


ACTIVITY = Activity(
    "picking_up_toys",
    "Put toys into a box, into drawers and onto a shelf, and switch a lamp or a radio.",
    build,
)
