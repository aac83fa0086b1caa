"""Set a table for two: dishes and cups from where they are kept, a drink, and something to eat.

A seed draws which dishes stand in the cabinet, what is drunk and out of what, whether fruit or
napkins are laid, what has to be cleared away and where, and in which order this is done.
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
BASKET_FOOD = ("bread_loaf", "pineapple", "cheese", "cereal_box")
CLUTTER = ("vase", "teapot", "candle", "pumpkin", "flour_bag")
DECOYS = ("bottle", "can", "milk_carton", "salt_shaker", "pepper_mill", "onion")

Part = tuple[list[Job], tuple[GoalFact, ...]]
"""Jobs, and the facts that hold at the end because of them."""
PLACES = ((-0.25, -0.19), (0.25, -0.19))
CUP_PLACES = ((0.0, -0.27), (0.08, -0.045))
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
    dishes, laid = _dishes(drawing)
    drink = _drink(drawing, drink_name, look)
    parts = (dishes, drink, _clutter(drawing), _food(drawing, laid))
    for name, on in zip(draw_some(rng, DECOYS, 2), ("countertop", "sideboard"), strict=True):
        drawing.put(name, on, -0.17 if on == "countertop" else 0.17, 0.17, access="front")
    plan = in_valid_order(rng, *(job for jobs, _ in parts for job in jobs))
    goal = tuple(fact for _, facts in parts for fact in facts)
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset({"cabinet", "shelf"}))


def _dishes(drawing: Drawing) -> tuple[Part, Job]:
    """Two plates from the cabinet or the worktop, on each a bowl of fruit or a napkin.

    Fruit and napkins lie in the basket; both hands lay them at the same time. The last job is that.
    """
    rng, left = drawing.rng, drawing.side("left")
    with_bowls = bool(rng.integers(2))
    kept, handy = ("bowl", "plate") if with_bowls and rng.integers(2) else ("plate", "bowl")
    drawing.put("basket", "table", 0.0, BASKET_Y, off_m=0.006)
    for k, x in enumerate((-0.15, 0.15), 1):
        drawing.put(f"{kept}_{k}", "cabinet", x, -0.01, off_m=0.003)
        if with_bowls:
            drawing.put(f"{handy}_{k}", "countertop", x, -0.15, off_m=0.003)
    laid = draw_some(rng, FRUIT, 2) if with_bowls else ["napkin_1", "napkin_2"]
    for name, x in zip(laid, (-0.092, 0.092), strict=True):
        drawing.put(name, "basket", x, off_m=0.003)
    under = "bowl" if with_bowls else "plate"
    plates = [Job(drawing.move("left", f"plate_{k}", "table", *PLACES[k - 1])) for k in (1, 2)]
    bowls = [
        Job(drawing.move("left", f"bowl_{k}", f"plate_{k}", off_m=0.004), [plate])
        for k, plate in enumerate(plates, 1)
        if with_bowls
    ]
    hands: tuple[Side, Side] = ("left", "right")
    sides = {
        drawing.side(hand): drawing.move(hand, laid[k], f"{under}_{k + 1}", off_m=0.004)
        for k, hand in enumerate(hands)
    }
    inside, others = (plates, bowls) if kept == "plate" else (bowls, plates)
    is_open = "cabinet" in drawing.stage.opened
    cabinet = in_visits(rng, left, "cabinet", inside, is_open=is_open)
    lay = Job((Together(sides["left"], sides["right"]),), [*plates, *bowls])
    goal: list[GoalFact] = []
    for k in (1, 2):
        goal.append(("OnTop", f"plate_{k}", "table"))
        if with_bowls:
            goal += [("OnTop", f"bowl_{k}", f"plate_{k}"), ("Inside", laid[k - 1], f"bowl_{k}")]
        else:
            goal.append(("OnTop", laid[k - 1], f"plate_{k}"))
    return ([*cabinet, *others, lay], tuple(goal)), lay


def _drink(drawing: Drawing, drink: str, look: Surface) -> Part:
    """Two cups from the shelf; then a jug from the sideboard is poured out into both."""
    rng, right = drawing.rng, drawing.side("right")
    kind = draw_one(rng, CUPS)
    cups = draw_some(rng, [f"{kind}_1", f"{kind}_2"])
    for cup, x in zip(cups, (-0.19, 0.0), strict=True):
        drawing.put(cup, "shelf", x, -0.02, off_m=0.006)
    drawing.put("jug", "sideboard", -0.16, -0.14)
    stage = drawing.stage
    stage.substance(drink, look, holders=("jug", *cups))
    stage.fill("jug", drink, FILLED)
    moves = [
        Job(drawing.move("right", cup, "table", *at))
        for cup, at in zip(cups, CUP_PLACES, strict=True)
    ]
    # The arm over the nearer cup would hide the other one, which comes next.
    poured = cups[::-1]
    shares = drawing.shares("jug", FILLED, poured, 0.8)
    pours = [Pour(right, cup, share) for cup, share in zip(poured, shares, strict=True)]
    serve: Task = (
        Grasp(right, "jug"),
        *pours,
        Place(right, "table", drawing.near(BACK_X, BACK_Y, 0.004)),
    )
    served: tuple[GoalFact, ...] = (
        *(("OnTop", cup, "table") for cup in cups),
        ("OnTop", "jug", "table"),
        *(("Contains", cup, drink) for cup in cups),
    )
    return [*moves, Job(serve, list(moves))], served


def _clutter(drawing: Drawing) -> Part:
    """A thing goes from the table to the worktop, below the cabinet, or comes from there."""
    name = draw_one(drawing.rng, CLUTTER)
    job, fact = errand(
        drawing.rng,
        drawing.mirror,
        drawing.stage,
        drawing.side("left"),
        (name, drawing.color(name)),
        between=(Spot("table", -BACK_X, BACK_Y), Spot("countertop", 0.15, 0.17, "front")),
    )
    return [job], (fact,)


def _food(drawing: Drawing, laid: Job) -> Part:
    """Something to eat from the sideboard into the basket, once that is empty."""
    name = draw_one(drawing.rng, BASKET_FOOD)
    drawing.put(name, "sideboard", 0.15, -0.15)
    fill = Job(drawing.move("right", name, "basket", off_m=0.005), [laid])
    return [fill], (("Inside", name, "basket"),)


ACTIVITY = Activity(
    "setting_the_table", "Set a table for two with dishes, food and a drink.", build
)
