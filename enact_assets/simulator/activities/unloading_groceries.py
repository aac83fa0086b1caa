"""Put groceries away: cold things into the fridge, dry ones into a cabinet and a drawer.

A basket of them is brought to the table with both hands first. A seed draws the groceries, what of
them lies in the basket, where each dry one goes, what comes out of the fridge, and the order.
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
    drawing.put("basket", "countertop", 0.09, -0.17, off_m=0.006)
    bring = Job(move_wide("basket", "table", drawing.near(-0.07, 0.15, 0.006)))
    wide, narrow = draw_one(rng, COLD_WIDE), draw_some(rng, COLD_NARROW, 2)
    dry = draw_some(rng, DRY_NARROW, int(rng.integers(2, 4)))
    chapters = [_cold(drawing, bring, wide, narrow), *_dry(drawing, bring, dry)]
    drawing.put(draw_one(rng, DECOYS), "countertop", -0.19, 0.2, access="front")
    for jar, (content, look) in JARS.items():
        if jar in stage.things:
            stage.substance(content, look, kind="film", holders=(jar,))
            stage.fill(jar, content, 0.85)
    plan = in_valid_order(rng, bring, *(job for jobs, _ in chapters for job in jobs))
    goal = (("OnTop", "basket", "table"), *(fact for _, facts in chapters for fact in facts))
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset({"cabinet"}))


def _cold(drawing: Drawing, bring: Job, wide: str, narrow: list[str]) -> Chapter:
    """A fruit out of the fridge into a bowl, one wide and one narrow thing into it, and another
    narrow one into it or out of it.
    """
    rng, right = drawing.rng, drawing.side("right")
    fruit = draw_one(rng, FRUIT)
    drawing.put(fruit, "fridge", 0.0, -0.13)
    drawing.put("bowl", "table", 0.29, 0.19, off_m=0.004)
    in_basket, on_table = draw_some(rng, narrow)
    drawing.put(in_basket, "basket", 0.09, off_m=0.004)
    drawing.put(wide, "table", 0.1, -0.19)
    # What comes out stands away from the fruit, before the wide thing.
    comes_out = is_drawn(rng)
    first, second = (in_basket, on_table) if comes_out else draw_some(rng, narrow)
    places = {first: NARROW_PLACES[0], second: NARROW_PLACES[1]}
    ends = (("table", *ON_TABLE), ("fridge", *places[on_table]))
    (start, *start_at), (end, *end_at) = ends[::-1] if comes_out else ends
    drawing.put(on_table, start, *start_at, off_m=0.006)
    out = Job(drawing.move("right", fruit, "bowl", off_m=0.004))
    behind = Job(drawing.move("right", wide, "fridge", *WIDE_PLACE, off_m=0.006), [out])
    jobs = {
        in_basket: Job(
            drawing.move("right", in_basket, "fridge", *places[in_basket], off_m=0.006),
            [out, bring],
        ),
        on_table: Job(drawing.move("right", on_table, end, *end_at, off_m=0.006), [out]),
    }
    if comes_out:
        behind.after.append(jobs[second])
    else:
        jobs[second].after.append(behind)
    visits = in_visits(
        rng, right, "fridge", [out, behind, *jobs.values()], most=1,
        is_open="fridge" in drawing.stage.opened,
    )  # fmt: skip
    goal: list[GoalFact] = [("Inside", name, "fridge") for name in (wide, in_basket)]
    goal.append(("OnTop" if comes_out else "Inside", on_table, end))
    return visits, (("Inside", fruit, "bowl"), *goal)


def _dry(drawing: Drawing, bring: Job, narrow: list[str]) -> tuple[Chapter, Chapter]:
    """One wide and one narrow thing into the cabinet, the others into the top drawer or out of it,
    but what is in the basket.
    """
    rng, left = drawing.rng, drawing.side("left")
    wide = draw_one(rng, DRY_WIDE)
    starts = (("basket", -0.09, 0.0), ("table", -0.15, -0.21), ("countertop", 0.14, 0.2))
    above, *below = draw_some(rng, narrow)
    drawn = dict(zip(below, draw_some(rng, (-0.11, 0.11)), strict=False))
    stowed: list[Job] = []
    stored: list[GoalFact] = []
    for name, (on, x, y) in zip(narrow, starts, strict=False):
        access: Access | None = "front" if on == "countertop" else None
        if name in below and on != "basket" and is_drawn(rng):
            drawing.put(name, "top_drawer", drawn[name], -0.03, off_m=0.008)
            hand = drawing.side("left")
            back = Place(hand, on, drawing.near(x, y, 0.004), access)
            # The basket stands over the drawer.
            stowed.append(Job((Grasp(hand, name), back), [bring]))
            stored.append(("OnTop", name, on))
            continue
        drawing.put(name, on, x, y, off_m=0.004, access=access)
        if name in below:
            away = drawing.move("left", name, "top_drawer", drawn[name], -0.03, off_m=0.008)
            stowed.append(Job(away, [bring]))
            stored.append(("Inside", name, "top_drawer"))
    drawing.put(wide, "table", -0.31, -0.1)
    side = float(rng.choice((-1.0, 1.0)))
    shelved = [
        Job(drawing.move("left", wide, "cabinet", -0.08 * side, 0.0, off_m=0.006)),
        Job(drawing.move("left", above, "cabinet", 0.16 * side, -0.02, off_m=0.006), [bring]),
    ]
    cabinet = in_visits(rng, left, "cabinet", shelved, is_open="cabinet" in drawing.stage.opened)
    drawer = in_visits(rng, left, "top_drawer", stowed)
    return (
        (cabinet, tuple(("Inside", name, "cabinet") for name in (wide, above))),
        (drawer, tuple(stored)),
    )


ACTIVITY = Activity(
    "unloading_groceries", "Put groceries into a fridge, a cabinet and a drawer.", build
)
