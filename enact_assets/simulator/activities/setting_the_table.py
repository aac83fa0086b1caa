"""Set a table for two: wrong dishes and a wrong cup are replaced, and a drink is poured.

A seed draws whether plates or bowls are wanted, where dishes are kept, what is drunk and out of
what, where the jug stands, what is carried besides, and the order. So each kind of thing comes to
the table as often as it leaves it.
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
from enact_assets.simulator.activities.errands import Spot, errand
from enact_assets.simulator.planning.basic_steps import Grasp, Place, Task, Together
from enact_assets.simulator.planning.job_orders import Job, in_valid_order, in_visits
from enact_assets.simulator.planning.matter_steps import Pour
from enact_assets.simulator.robot.kinematics import Side
from enact_assets.simulator.rooms import kitchen
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.simulation.recording import GoalFact
from enact_assets.simulator.stage.stage_builder import StageBuilder

DRINKS: tuple[tuple[str, Surface], ...] = (
    ("water", Surface((0.12, 0.42, 0.85), finish="gloss")),
    ("orange_juice", Surface((0.98, 0.45, 0.03), finish="gloss")),
    ("tomato_juice", Surface((0.7, 0.05, 0.03), finish="gloss")),
    ("milk", Surface((0.93, 0.92, 0.87), finish="gloss")),
)
CUPS = ("mug", "glass", "goblet")
FRUIT = ("apple", "orange", "lemon", "tomato")
CLUTTER = ("vase", "teapot", "candle", "pumpkin", "flour_bag")
DECOYS = ("bottle", "can", "milk_carton", "salt_shaker", "pepper_mill", "onion")

Part = tuple[list[Job], tuple[GoalFact, ...]]
"""Jobs, and the facts that hold at the end because of them."""
PLACES = ((-0.25, -0.19), (0.25, -0.19))
DISHES_X = (-0.15, 0.15)
"""In the cabinet or on the worktop."""
CUP_PLACES = ((0.0, -0.27), (0.08, -0.045))
ON_SHELF = ((-0.19, -0.02), (0.0, -0.02))
FILLED = 0.95
"""Share of the jug: its content is seen below its mouth."""
BACK_X, BACK_Y, BASKET_Y = 0.3, 0.2, 0.175
"""On the table behind the places: the basket stands in the middle, other things to either side."""


def build(rng: np.random.Generator) -> Episode:
    """Draw one table setting."""
    mirror = Mirror.draw(rng)
    style = draw_one(rng, kitchen.STYLES)
    stage = StageBuilder()
    kitchen.add_room(stage.scene, style)
    left, right = mirror.x(kitchen.LEFT_X), mirror.x(kitchen.RIGHT_X)
    stage.furnish(
        kitchen.add_counter(stage.scene, style, left, "countertop", "countertop"),
        kitchen.add_cabinet(stage.scene, style, left),
        kitchen.add_table(stage.scene, style),
        kitchen.add_counter(stage.scene, style, right, "sideboard", "sideboard"),
        kitchen.add_shelf(stage.scene, style, right),
    )
    drink_name, look = draw_one(rng, DRINKS)
    colors = differing(PALETTE, style.table.color, style.top.color, look.color)
    drawing = Drawing(rng, mirror, stage, colors)
    if is_drawn(rng):
        stage.leave_open("cabinet")
    clutter, carried = _clutter(drawing)
    parts = (_dishes(drawing, clutter), _drink(drawing, drink_name, look), ([clutter], (carried,)))
    for name, on in zip(draw_some(rng, DECOYS, 2), ("countertop", "sideboard"), strict=True):
        drawing.put(name, on, -0.17 if on == "countertop" else 0.17, 0.17, access="front")
    plan = in_valid_order(rng, *(job for jobs, _ in parts for job in jobs))
    goal = tuple(fact for _, facts in parts for fact in facts)
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset({"cabinet", "shelf"}))


def _dishes(drawing: Drawing, clutter: Job) -> Part:
    """Bowls replace two plates, or plates two bowls. One kind belongs in the cabinet, the other on
    the worktop, where the second dish stands before ``clutter``.

    Fruit goes into bowls that come, and back into the basket before bowls leave.
    """
    rng, left = drawing.rng, drawing.side("left")
    comes, leaves = draw_some(rng, ("plate", "bowl"))
    in_cabinet = draw_one(rng, (comes, leaves))
    drawing.put("basket", "table", 0.0, BASKET_Y, off_m=0.006)
    for k, x in enumerate(DISHES_X, 1):
        drawing.put(f"{leaves}_{k}", "table", *PLACES[k - 1])
        if comes == in_cabinet:
            drawing.put(f"{comes}_{k}", "cabinet", x, -0.01, off_m=0.003)
        else:
            drawing.put(f"{comes}_{k}", "countertop", x, -0.15, off_m=0.003)
    kept, y = ("cabinet", -0.01) if leaves == in_cabinet else ("countertop", -0.15)
    away = [
        Job(drawing.move("left", f"{leaves}_{k}", kept, x, y, off_m=0.003))
        for k, x in enumerate(DISHES_X, 1)
    ]
    laid = [
        Job(drawing.move("left", f"{comes}_{k}", "table", *PLACES[k - 1]), [gone])
        for k, gone in enumerate(away, 1)
    ]
    if kept == "countertop":
        away[1].after.append(clutter)
    else:
        clutter.after.append(laid[1])
    fruit, facts = _fruit(drawing, has_bowls=comes == "bowl")
    if comes == "bowl":
        fruit.after += laid
    else:
        for job in away:
            job.after.append(fruit)
    inside, others = (laid, away) if comes == in_cabinet else (away, laid)
    is_open = "cabinet" in drawing.stage.opened
    cabinet = in_visits(rng, left, "cabinet", inside, is_open=is_open)
    goal: list[GoalFact] = [("OnTop", f"{comes}_{k}", "table") for k in (1, 2)]
    goal += [("Inside" if kept == "cabinet" else "OnTop", f"{leaves}_{k}", kept) for k in (1, 2)]
    return [*cabinet, *others, fruit], (*goal, *facts)


def _fruit(drawing: Drawing, *, has_bowls: bool) -> tuple[Job, tuple[GoalFact, ...]]:
    """Both hands at once carry a fruit from the basket into a bowl, or back if bowls leave."""
    hands: tuple[Side, Side] = ("left", "right")
    sides: dict[Side, Task] = {}
    goal: list[GoalFact] = []
    names = draw_some(drawing.rng, FRUIT, 2)
    for k, (name, hand, x) in enumerate(zip(names, hands, (-0.092, 0.092), strict=True), 1):
        bowl, basket = Spot(f"bowl_{k}", 0.0, 0.0), Spot("basket", x, 0.0)
        start, end = (basket, bowl) if has_bowls else (bowl, basket)
        drawing.put(name, start.on, start.x, start.y, off_m=0.003)
        side = drawing.side(hand)
        sides[side] = drawing.move(hand, name, end.on, end.x, end.y, off_m=0.003)
        goal.append(("Inside", name, end.on))
    return Job((Together(sides["left"], sides["right"]),)), tuple(goal)


def _drink(drawing: Drawing, drink: str, look: Surface) -> Part:
    """A cup from the shelf replaces one of the wrong kind, beside a cup that stays. Then the right
    hand pours from the jug into both, and puts it on the sideboard or the table, where it was not.
    """
    rng, right = drawing.rng, drawing.side("right")
    kind, wrong = draw_some(rng, CUPS, 2)
    stays, comes = draw_some(rng, [f"{kind}_1", f"{kind}_2"])
    there, free = draw_some(rng, CUP_PLACES)
    shelf, back = draw_some(rng, ON_SHELF)
    drawing.put(stays, "table", *there)
    drawing.put(wrong, "table", *free)
    drawing.put(comes, "shelf", *shelf, off_m=0.006)
    jug_at = (Spot("sideboard", -0.16, -0.14), Spot("table", BACK_X, BACK_Y))
    start, end = draw_some(rng, jug_at)
    drawing.put("jug", start.on, start.x, start.y, off_m=0.004)
    stage = drawing.stage
    stage.substance(drink, look, holders=("jug", stays, comes))
    stage.fill("jug", drink, FILLED)
    away = Job(drawing.move("right", wrong, "shelf", *back, off_m=0.006))
    lay = Job(drawing.move("right", comes, "table", *free), [away])
    # The arm over the nearer cup would hide the other one, which comes next.
    poured = [stays, comes] if there == CUP_PLACES[1] else [comes, stays]
    shares = drawing.shares("jug", FILLED, poured, 0.8)
    pours = [Pour(right, cup, share) for cup, share in zip(poured, shares, strict=True)]
    put_down = Place(right, end.on, drawing.near(end.x, end.y, 0.004))
    served: tuple[GoalFact, ...] = (
        *(("OnTop", cup, "table") for cup in poured),
        ("OnTop", wrong, "shelf"),
        ("OnTop", "jug", end.on),
        *(("Contains", cup, drink) for cup in poured),
    )
    return [away, lay, Job((Grasp(right, "jug"), *pours, put_down), [lay])], served


def _clutter(drawing: Drawing) -> tuple[Job, GoalFact]:
    """A thing goes from the table to the worktop, below the cabinet, or comes from there."""
    name = draw_one(drawing.rng, CLUTTER)
    return errand(
        drawing.rng,
        drawing.mirror,
        drawing.stage,
        drawing.side("left"),
        (name, drawing.color(name)),
        between=(Spot("table", -BACK_X, BACK_Y), Spot("countertop", 0.15, 0.17, "front")),
    )


ACTIVITY = Activity(
    "setting_the_table", "Set a table for two: replace dishes and a cup, and pour a drink.", build
)
