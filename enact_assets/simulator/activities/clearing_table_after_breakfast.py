"""Clear a table after breakfast: food away, dishes onto a tray, crumbs wiped up.

A seed draws the room, which food is left and which comes out of the cupboard, whether the tray is
brought or carried off, whether loaf or flowers leave the table for the other one, what is wiped,
and the order. Crumbs stay on the plate, so that those on the table and the mat are seen to be gone.
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
from enact_assets.simulator.planning.basic_steps import Grasp, Place, move_wide
from enact_assets.simulator.planning.job_orders import Job, in_valid_order, in_visits
from enact_assets.simulator.planning.matter_steps import Wipe
from enact_assets.simulator.rooms import kitchen, living_room
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.simulation.recording import GoalFact
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
    (-0.19, 0.05), (-0.16, 0.1), (-0.12, 0.04), (-0.08, 0.095), (-0.045, 0.045), (-0.01, 0.1),
    (0.03, 0.04), (0.065, 0.095),
)  # fmt: skip
CRUMB_M = 0.018
CUP_ON_TRAY, RAG_AT = (0.145, -0.02), (0.3, 0.045)
CRUMBY = ("table", "placemat")
TRAY_AT = (Spot("table", 0.155, -0.2), Spot("sideboard", 0.0, -0.185))
"""The tray is brought for the dishes, or stands there and is carried off with them."""
ON_TABLE = ((-0.31, 0.22), (-0.13, 0.23), (0.05, 0.22))
IN_CUPBOARD = ((-0.165, -0.03), (0.015, -0.03), (0.19, -0.03))


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
    tray_at = draw_some(rng, TRAY_AT)
    drawing.put("placemat", "table", -0.27, -0.2, off_m=0.008)
    drawing.put("plate", "placemat", off_m=0.006)
    cup = draw_one(rng, CUPS)
    drawing.put("serving_tray", tray_at[0].on, tray_at[0].x, tray_at[0].y, off_m=0.006)
    is_cup_away = is_drawn(rng)
    if is_cup_away:
        drawing.put(cup, "serving_tray", *CUP_ON_TRAY, off_m=0.004)
    else:
        drawing.put(cup, "table", -0.35, 0.04, off_m=0.008)
    drawing.put("rag", "table", *RAG_AT, off_m=0.006)
    drawing.put("basket", "sideboard", -0.13, 0.13, off_m=0.008)
    stage.substance("crumbs", crumbs, kind="film", coats=(*CRUMBY, "plate", "rag"))
    wiped = draw_one(rng, (None, *CRUMBY))
    crumby = [on for on in CRUMBY if on != wiped]
    for on in ("plate", *crumby, *(["rag"] if wiped else [])):
        stage.cover(on, "crumbs")

    food, stowed, over_cup = _food(drawing)
    (leaves, comes), swapped = _swap(drawing)
    plate_task = drawing.move("left", "plate", "serving_tray", -0.075, off_m=0.004)
    if swapped[0][0] == "Inside":
        # Plate and loaf at the same time, one with each hand.
        plate = leaves = Job((mirror.together(plate_task, leaves.steps),))
    else:
        plate = Job(plate_task)
    comes.after.append(leaves)
    dishes = [plate]
    if not is_cup_away:
        # The plate would push the cup aside.
        move_cup = drawing.move("left", cup, "serving_tray", *CUP_ON_TRAY, off_m=0.004)
        dishes.append(Job(move_cup, [plate]))
        for job in over_cup:
            job.after.append(dishes[-1])
    end = tray_at[1]
    tray = Job(move_wide("serving_tray", end.on, drawing.near(end.x, end.y, 0.005)))
    first, second = (tray, dishes[0]) if end.on == "table" else (dishes[-1], tray)
    second.after.append(first)
    wipes = {
        on: Job(
            (
                Grasp(drawing.side("right"), "rag"),
                Wipe(drawing.side("right"), on),
                Place(drawing.side("right"), "table", drawing.near(*RAG_AT, 0.006)),
            )
        )
        for on in crumby
    }
    if "placemat" in wipes:
        wipes["placemat"].after.append(plate)
    is_open = "cupboard" in stage.opened
    plan = in_valid_order(
        rng,
        *in_visits(rng, drawing.side("left"), "cupboard", food, is_open=is_open),
        *dict.fromkeys((*dishes, leaves, comes, tray, *wipes.values())),
    )
    goal = (
        *stowed,
        *swapped,
        ("OnTop", "plate", "serving_tray"),
        ("OnTop", cup, "serving_tray"),
        ("OnTop", "serving_tray", end.on),
    )
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset())


def _food(drawing: Drawing) -> tuple[list[Job], list[GoalFact], list[Job]]:
    """Of three foods one or two go into the cupboard; the others, kept there, come to the table.

    Returns the jobs, their facts, and the jobs that put food behind the cup: the arm would knock
    it over.
    """
    rng = drawing.rng
    names = draw_some(rng, FOOD, 3)
    out = names[: int(rng.integers(1, 3))]
    lying = [Spot("table", x, y) for x, y in draw_some(rng, ON_TABLE)]
    kept = [Spot("cupboard", x, y) for x, y in draw_some(rng, IN_CUPBOARD)]
    found, over_cup = [], []
    for name, on_table, inside in zip(names, lying, kept, strict=True):
        start, end = (inside, on_table) if name in out else (on_table, inside)
        thing, hand = (name, drawing.color(name)), drawing.side("left")
        found.append(carry(rng, drawing.mirror, drawing.stage, hand, thing, start=start, end=end))
        if (end.x, end.y) == ON_TABLE[0]:
            over_cup.append(found[-1][0])
    return [job for job, _ in found], [fact for _, fact in found], over_cup


def _swap(drawing: Drawing) -> tuple[list[Job], list[GoalFact]]:
    """A loaf and flowers change places, where there is room for one of them: either the loaf goes
    into the basket and flowers come to the table, or the other way round. What leaves goes first.
    """
    rng = drawing.rng
    loaf, flowers = draw_one(rng, LOAVES), draw_one(rng, FLOWERS)
    between = (
        (loaf, Spot("table", 0.28, 0.185), Spot("basket", 0.0, 0.0)),
        (flowers, Spot("table", 0.32, 0.2), Spot("sideboard", 0.18, 0.12)),
    )
    leaving, coming = draw_some(rng, between)
    found = []
    for (name, on_table, beside), is_leaving in ((leaving, True), (coming, False)):
        start, end = (on_table, beside) if is_leaving else (beside, on_table)
        thing, hand = (name, drawing.color(name)), drawing.side("right")
        found.append(carry(rng, drawing.mirror, drawing.stage, hand, thing, start=start, end=end))
    return [job for job, _ in found], [fact for _, fact in found]


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
