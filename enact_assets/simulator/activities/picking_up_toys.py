"""Pick up toys: into a toy box, into drawers and onto a shelf; others come out instead.

A seed draws the room, the toys, which of them lie about and which are kept away at the start, what
is switched on or off, and the order. So no toy in its place tells how much is done.
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
from enact_assets.simulator.activities.errands import Spot, carry
from enact_assets.simulator.planning.basic_steps import Press, Task, move_wide
from enact_assets.simulator.planning.job_orders import Job, in_valid_order, in_visits
from enact_assets.simulator.robot.kinematics import Side
from enact_assets.simulator.rooms import kitchen, living_comforts, living_room, storage
from enact_assets.simulator.simulation.recording import GoalFact
from enact_assets.simulator.stage.stage_builder import StageBuilder

BOX_TOYS = ("ball", "rubber_duck", "toy_train", "toy_blocks", "toy_car")
"""Low enough for the lid of the toy box to shut over them."""
DRAWER_TOYS = ("drum", "board_game", "xylophone")
SHELF_TOYS = ("teddy_bear", "stacking_rings", "toy_boat", "globe")
HOUSE_AT = (("table", 0.0, -0.22), ("dresser", -0.1, -0.15))
"""Where the doll house stands at the start and at the end, or the other way round."""
NEAR_BOX = ((-0.304, -0.21), (-0.304, 0.1))
IN_BOX = ((-0.15, 0.07), (0.14, 0.08), (0.09, -0.095))
LEAST_OUT, MOST_OUT = 2, 3
"""Of the six toys, how many are got out."""


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
    house = draw_some(rng, HOUSE_AT)
    drawing.put("doll_house", house[0][0], *house[0][1:], off_m=0.006)
    toys, in_place = _toys(drawing, boxed, drawn, shelved[0])
    drawing.put("book", "shelf", 0.15, off_m=0.01)
    drawing.put(shelved[1], "book", off_m=0.005)

    on, x, y = house[1]
    move_house = Job(move_wide("doll_house", on, drawing.near(x, y, 0.01)))
    switch = Job((Press(drawing.side("right"), comfort.name),))
    plan = _plan(drawing, [toys[name] for name in (*boxed, *drawn, shelved[0])], move_house, switch)
    goal = (
        *in_place,
        ("OnTop", "doll_house", house[1][0]),
        *(() if is_on else (("ToggledOn", comfort.name, None),)),
    )
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset({"shelf"}))


def _toys(
    drawing: Drawing, boxed: list[str], drawn: list[str], shelved: str
) -> tuple[dict[str, Job], list[GoalFact]]:
    """Put each toy where it lies about or where it belongs; its job carries it to the other place.

    Returns the jobs by toy, and the facts that hold after them.
    """
    rng = drawing.rng
    near = draw_some(rng, NEAR_BOX)
    places: dict[str, tuple[Side, Spot, Spot]] = {
        boxed[0]: ("left", Spot("table", *near[0]), Spot("toy_box", *IN_BOX[0])),
        boxed[1]: ("left", Spot("table", -0.02, 0.17), Spot("toy_box", *IN_BOX[1])),
        boxed[2]: ("left", Spot("table", *near[1]), Spot("toy_box", *IN_BOX[2])),
        drawn[0]: ("right", Spot("table", 0.302, -0.21), Spot("top_drawer", -0.07, 0.0)),
        drawn[1]: (
            "right",
            Spot("dresser", -0.12, 0.14, "front"),
            Spot("bottom_drawer", 0.0, 0.0),
        ),
        shelved: ("right", Spot("table", 0.32, 0.12), Spot("shelf", -0.14, -0.01)),
    }
    out = draw_some(rng, tuple(places), int(rng.integers(LEAST_OUT, MOST_OUT + 1)))
    jobs: dict[str, Job] = {}
    goal: list[GoalFact] = []
    for name, (hand, lying, kept) in places.items():
        start, end = (kept, lying) if name in out else (lying, kept)
        thing, side = (name, drawing.color(name)), drawing.side(hand)
        jobs[name], fact = carry(
            rng, drawing.mirror, drawing.stage, side, thing, start=start, end=end
        )
        goal.append(fact)
    return jobs, goal


def _plan(drawing: Drawing, toys: list[Job], house: Job, switch: Job) -> Task:
    """Three toys of the box, those of the upper and the lower drawer, and that of the shelf."""
    rng, left, right = drawing.rng, drawing.side("left"), drawing.side("right")
    *boxed, last_boxed, upper, lower, shelved = toys
    # One with each hand at the same time.
    both = Job((drawing.mirror.together(last_boxed.steps, upper.steps),))
    # On the dresser the house stands before a toy.
    is_off = drawing.stage.resting["doll_house"] == "dresser"
    first, second = (house, lower) if is_off else (lower, house)
    second.after.append(first)
    box = in_visits(rng, left, "toy_box", [both, *boxed], is_open="toy_box" in drawing.stage.opened)
    top, bottom = (
        in_visits(rng, right, name, [job])
        for name, job in (("top_drawer", both), ("bottom_drawer", lower))
    )
    # The upper drawer hides the lower one while it is open.
    earlier, later = draw_some(rng, (top, bottom))
    later[1].after.append(earlier[-1])
    return in_valid_order(rng, *box, *top[1:], *bottom, house, switch, shelved)


ACTIVITY = Activity(
    "picking_up_toys",
    "Put toys into a box, drawers or onto a shelf, get others out, and switch a lamp or a radio.",
    build,
)
