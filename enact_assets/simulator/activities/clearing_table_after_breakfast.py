"""Clear a table after breakfast: food away, dishes onto a tray, crumbs wiped up, flowers back.

A seed draws the room, which food is left and where it goes, the order of tidying, and the order of
wiping. Crumbs stay on the plate, so that those on the table and the mat are seen to be gone.
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
from enact_assets.simulator.planning.basic_steps import Grasp, Place, move_wide
from enact_assets.simulator.planning.job_orders import Job, in_valid_order, in_visits
from enact_assets.simulator.planning.matter_steps import Wipe
from enact_assets.simulator.rooms import kitchen, living_room
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.stage.stage_builder import StageBuilder
from enact_assets.simulator.things.thing_parts import Coat

FOOD = ("cereal_box", "milk_carton", "honey_jar", "bottle", "teapot")
CUPS = ("mug", "glass", "goblet")
LOAVES = ("bread_loaf", "cheese", "pineapple")
"""What goes into the basket."""
FLOWERS = ("vase", "candle", "picture_frame")
"""What stands on the table between meals."""
BRIGHT_CRUMBS = Surface((0.95, 0.6, 0.15), finish="matte")
DARK_CRUMBS = Surface((0.42, 0.17, 0.03), finish="matte")
CRUMBS_ON_TABLE = (
    (-0.24, 0.04), (-0.17, 0.09), (-0.11, 0.03), (-0.04, 0.08), (0.03, 0.03), (0.09, 0.09),
    (-0.2, -0.03), (0.14, 0.03),
)  # fmt: skip
CRUMB_M = 0.018
COVERED = ("table", "placemat", "plate")
ON_TABLE = ((-0.31, 0.22), (-0.13, 0.23), (0.05, 0.22))
IN_CUPBOARD = ((-0.18, -0.03), (0.01, -0.03), (0.19, -0.03))


def build(rng: np.random.Generator) -> Episode:
    """Draw one table after breakfast."""
    mirror = Mirror.draw(rng)
    style = draw_one(rng, living_room.STYLES)
    stage = StageBuilder()
    living_room.add_room(stage.scene, style)
    stage.furnish(
        living_room.add_cupboard(stage.scene, style, mirror.x(kitchen.LEFT_X)),
        living_room.add_table(stage.scene, style, coat=_crumb_places(mirror)),
        living_room.add_sideboard(stage.scene, style, mirror.x(kitchen.RIGHT_X)),
    )
    crumbs = DARK_CRUMBS if style.wood.color[1] > 0.4 else BRIGHT_CRUMBS
    colors = differing(PALETTE, style.wood.color, crumbs.color)
    drawing = Drawing(rng, mirror, stage, colors)
    if is_drawn(rng):
        stage.leave_open("cupboard")
    food, flowers = draw_some(rng, FOOD, 3), draw_one(rng, FLOWERS)
    cup, loaf = draw_one(rng, CUPS), draw_one(rng, LOAVES)
    for name, place in zip(food, draw_some(rng, ON_TABLE), strict=True):
        drawing.put(name, "table", *place, off_m=0.008)
    drawing.put("placemat", "table", -0.27, -0.2, off_m=0.008)
    drawing.put("plate", "placemat", off_m=0.006)
    drawing.put(cup, "table", -0.35, 0.04, off_m=0.008)
    drawing.put("serving_tray", "table", 0.155, -0.2, off_m=0.006)
    drawing.put("rag", "table", 0.3, 0.045, off_m=0.006)
    drawing.put(loaf, "table", 0.28, 0.185, off_m=0.006)
    drawing.put("basket", "sideboard", -0.13, 0.13, off_m=0.008)
    drawing.put(flowers, "sideboard", 0.18, 0.12, off_m=0.008)
    stage.substance("crumbs", crumbs, kind="film", coats=COVERED)
    for on in COVERED:
        stage.cover(on, "crumbs")

    away = [
        Job(drawing.move("left", name, "cupboard", *place, off_m=0.008))
        for name, place in zip(food, draw_some(rng, IN_CUPBOARD), strict=True)
    ]
    # Plate and loaf at the same time, one with each hand.
    both = Job(
        (
            mirror.together(
                drawing.move("left", "plate", "serving_tray", -0.075, off_m=0.004),
                drawing.move("right", loaf, "basket", off_m=0.004),
            ),
        )
    )
    # The plate would push the cup aside.
    cup_away = Job(drawing.move("left", cup, "serving_tray", 0.145, -0.02, off_m=0.004), [both])
    tray = Job(move_wide("serving_tray", "sideboard", drawing.near(0.0, -0.185, 0.005)), [cup_away])
    # The rag pushes what it meets: the table must be empty there.
    wipe_table, wipe_mat = (
        Job(
            (
                Grasp(drawing.side("right"), "rag"),
                Wipe(drawing.side("right"), on, "crumbs"),
                Place(drawing.side("right"), "table", drawing.near(0.3, 0.045, 0.006)),
            ),
            needs,
        )
        for on, needs in (("table", [*away, tray]), ("placemat", [both]))
    )
    plan = in_valid_order(
        rng,
        *in_visits(rng, drawing.side("left"), "cupboard", away, is_open="cupboard" in stage.opened),
        both,
        cup_away,
        tray,
        wipe_table,
        wipe_mat,
        Job(drawing.move("right", flowers, "table", 0.32, 0.2, off_m=0.006), [both]),
    )
    goal = (
        *(("Inside", name, "cupboard") for name in food),
        ("Inside", loaf, "basket"),
        ("OnTop", "plate", "serving_tray"),
        ("OnTop", cup, "serving_tray"),
        ("OnTop", "serving_tray", "sideboard"),
        ("OnTop", flowers, "table"),
    )
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset())


def _crumb_places(mirror: Mirror) -> Coat:
    """Crumbs on the bare middle of the table."""
    height = living_room.TABLE_M + 0.0015
    return Coat(
        tuple((mirror.x(x), living_room.TABLE_Y + y, height) for x, y in CRUMBS_ON_TABLE),
        patch_m=CRUMB_M,
    )


ACTIVITY = Activity(
    "clearing_table_after_breakfast",
    "Put food into a cupboard, carry dishes off on a tray and wipe up the crumbs.",
    build,
)
