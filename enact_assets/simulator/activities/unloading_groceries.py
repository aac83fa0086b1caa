"""Put groceries away: cold things into the fridge, dry ones into a cabinet and a drawer.

A basket of them is brought to the table with both hands first, or stands there and is carried off
when it is empty. A seed draws the groceries, what of them lies in the basket, where each dry one
goes, what comes out of fridge, cabinet and drawer instead, and the order.
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
from enact_assets.simulator.activities.errands import Spot
from enact_assets.simulator.planning.basic_steps import Grasp, Place, move_wide
from enact_assets.simulator.planning.job_orders import Job, in_valid_order, in_visits
from enact_assets.simulator.rooms import appliances, kitchen, storage
from enact_assets.simulator.rooms.fixtures import Access
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.simulation.recording import GoalFact
from enact_assets.simulator.stage.stage_builder import StageBuilder

COLD_WIDE = ("egg_carton", "cheese", "butter_dish", "lettuce", "watermelon")
COLD_NARROW = ("milk_carton", "bottle", "tomato", "jam_jar")
DRY_WIDE = ("cereal_box", "flour_bag", "bread_loaf", "pineapple")
DRY_NARROW = ("can_1", "can_2", "salt_shaker", "honey_jar", "onion")
FRUIT = ("apple", "orange", "lemon")
DECOYS = ("kettle", "teapot", "vase", "mug", "pepper_mill", "pumpkin")
JARS = {
    "jam_jar": ("jam", Surface((0.6, 0.02, 0.06), finish="gloss")),
    "honey_jar": ("honey", Surface((0.85, 0.45, 0.02), finish="gloss")),
}
Chapter = tuple[list[Job], tuple[GoalFact, ...]]
"""Jobs, and the facts that hold at the end because of them."""
WIDE_PLACE = (0.12, -0.04)
ON_TABLE = (0.34, -0.14)
NARROW_PLACES = ((-0.1, -0.17), (0.14, -0.235))
"""In the fridge: the wide thing behind, away from the side wall that hides what is next to it."""


def build(rng: np.random.Generator) -> Episode:
    """Draw one round of putting away."""
    mirror = Mirror.draw(rng)
    style = draw_one(rng, kitchen.STYLES)
    stage = StageBuilder()
    kitchen.add_room(stage.scene, style)
    left, right = mirror.x(kitchen.LEFT_X), mirror.x(kitchen.RIGHT_X)
    chest = storage.Style(style.front, style.cabinet, style.top)
    stage.furnish(
        *storage.add_drawer_unit(stage.scene, chest, left, "countertop"),
        kitchen.add_cabinet(stage.scene, style, left),
        kitchen.add_table(stage.scene, style),
        appliances.add_fridge(stage.scene, style, right),
    )
    for closed in ("fridge", "cabinet"):
        if is_drawn(rng):
            stage.leave_open(closed)
    colors = differing(PALETTE, style.table.color, style.top.color)
    drawing = Drawing(rng, mirror, stage, colors)
    basket_at = (Spot("countertop", 0.09, -0.17), Spot("table", -0.07, 0.15))
    start, end = draw_some(rng, basket_at)
    drawing.put("basket", start.on, start.x, start.y, off_m=0.006)
    carry_basket = Job(move_wide("basket", end.on, drawing.near(end.x, end.y, 0.006)))
    wide, narrow = draw_one(rng, COLD_WIDE), draw_some(rng, COLD_NARROW, 2)
    dry = draw_some(rng, DRY_NARROW, int(rng.integers(2, 4)))
    cold, in_basket = _cold(drawing, wide, narrow)
    cabinet, drawer, shelve = _dry(drawing, dry)
    chapters = [cold, cabinet, drawer]
    # On the worktop the basket stands over the drawer and before things; full, it is not taken off.
    needing = [in_basket, shelve, *drawer[0]]
    if end.on == "table":
        for job in needing:
            job.after.append(carry_basket)
    else:
        carry_basket.after += needing
    drawing.put(draw_one(rng, DECOYS), "countertop", -0.19, 0.2, access="front")
    for jar, (content, look) in JARS.items():
        if jar in stage.things:
            stage.substance(content, look, kind="film", holders=(jar,))
            stage.fill(jar, content, 0.85)
    plan = in_valid_order(rng, carry_basket, *(job for jobs, _ in chapters for job in jobs))
    goal = (("OnTop", "basket", end.on), *(fact for _, facts in chapters for fact in facts))
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset({"cabinet"}))


def _cold(drawing: Drawing, wide: str, narrow: list[str]) -> tuple[Chapter, Job]:
    """One narrow thing from the basket into the fridge; a fruit, a wide thing and another narrow
    one into it or out of it.

    The fruit stands in the middle, where the wide thing leaves no room for it: it comes out first
    or goes in last. The other job returned takes from the basket.
    """
    rng, right = drawing.rng, drawing.side("right")
    fruit = draw_one(rng, FRUIT)
    drawing.put("bowl", "table", 0.29, 0.19, off_m=0.004)
    in_basket, on_table = draw_some(rng, narrow)
    drawing.put(in_basket, "basket", 0.09, off_m=0.004)
    # What comes out stands away from the fruit, before the wide thing.
    comes_out = is_drawn(rng)
    first, second = (in_basket, on_table) if comes_out else draw_some(rng, narrow)
    places = {first: NARROW_PLACES[0], second: NARROW_PLACES[1]}
    goal: list[GoalFact] = [("Inside", in_basket, "fridge")]
    to_fridge = drawing.move("right", in_basket, "fridge", *places[in_basket], off_m=0.006)
    jobs = {in_basket: Job(to_fridge)}
    is_fruit_out = is_drawn(rng)
    between = (
        (fruit, Spot("bowl", 0.0, 0.0), Spot("fridge", 0.0, -0.13), is_fruit_out),
        (wide, Spot("table", 0.1, -0.19), Spot("fridge", *WIDE_PLACE), not is_fruit_out),
        (on_table, Spot("table", *ON_TABLE), Spot("fridge", *places[on_table]), comes_out),
    )
    for name, outside, inside, is_out in between:
        start, end = (inside, outside) if is_out else (outside, inside)
        drawing.put(name, start.on, start.x, start.y, off_m=0.006)
        jobs[name] = Job(drawing.move("right", name, end.on, end.x, end.y, off_m=0.006))
        goal.append(("OnTop" if end.on == "table" else "Inside", name, end.on))
    if comes_out:
        jobs[wide].after.append(jobs[second])
    else:
        jobs[second].after.append(jobs[wide])
    others = [jobs[name] for name in (wide, *narrow)]
    if is_fruit_out:
        for job in others:
            job.after.append(jobs[fruit])
    else:
        jobs[fruit].after += others
    visits = in_visits(
        rng, right, "fridge", list(jobs.values()), most=1,
        is_open="fridge" in drawing.stage.opened,
    )  # fmt: skip
    return (visits, tuple(goal)), jobs[in_basket]


def _dry(drawing: Drawing, narrow: list[str]) -> tuple[Chapter, Chapter, Job]:
    """One wide thing into the cabinet or out of it and one narrow thing into it, the others into
    the top drawer or out of it, but what is in the basket. The job returned is that of the narrow
    thing for the cabinet.
    """
    rng, left = drawing.rng, drawing.side("left")
    wide = draw_one(rng, DRY_WIDE)
    starts = (("basket", -0.09, 0.0), ("table", -0.15, -0.21), ("countertop", 0.14, 0.2))
    above, *below = draw_some(rng, narrow)
    drawn = dict(zip(below, draw_some(rng, (-0.11, 0.11)), strict=False))
    side = float(rng.choice((-1.0, 1.0)))
    stowed: list[Job] = []
    stored: list[GoalFact] = []
    for name, (on, x, y) in zip(narrow, starts, strict=False):
        access: Access | None = "front" if on == "countertop" else None
        if name in below and on != "basket" and is_drawn(rng):
            drawing.put(name, "top_drawer", drawn[name], -0.03, off_m=0.008)
            hand = drawing.side("left")
            back = Place(hand, on, drawing.near(x, y, 0.004), access)
            stowed.append(Job((Grasp(hand, name), back)))
            stored.append(("OnTop", name, on))
            continue
        drawing.put(name, on, x, y, off_m=0.004, access=access)
        if name in below:
            away = drawing.move("left", name, "top_drawer", drawn[name], -0.03, off_m=0.008)
            stowed.append(Job(away))
            stored.append(("Inside", name, "top_drawer"))
    shelve = Job(drawing.move("left", above, "cabinet", 0.16 * side, -0.02, off_m=0.006))
    between = draw_some(rng, (Spot("table", -0.31, -0.1), Spot("cabinet", -0.08 * side, 0.0)))
    start, end = between
    drawing.put(wide, start.on, start.x, start.y, off_m=0.006)
    carry_wide = Job(drawing.move("left", wide, end.on, end.x, end.y, off_m=0.006))
    is_open = "cabinet" in drawing.stage.opened
    cabinet = in_visits(rng, left, "cabinet", [carry_wide, shelve], is_open=is_open)
    drawer = in_visits(rng, left, "top_drawer", stowed)
    in_cabinet: tuple[GoalFact, ...] = (
        ("OnTop" if end.on == "table" else "Inside", wide, end.on),
        ("Inside", above, "cabinet"),
    )
    return (cabinet, in_cabinet), (drawer, tuple(stored)), shelve


ACTIVITY = Activity(
    "unloading_groceries", "Put groceries into a fridge, a cabinet and a drawer.", build
)
