"""Cook breakfast: something hot, a watermelon cut up and served, a drink, and salt or a spread.

A seed draws what is cooked and on what, where it lies and whether the hob is lit at the start,
whether a half of the watermelon is served or taken off a plate, whether the drink comes from a jug
or a cup of the wrong kind, what else changes places, and the order.
"""

from collections.abc import Sequence
from dataclasses import dataclass

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
from enact_assets.simulator.planning.basic_steps import (
    Grasp,
    Place,
    Press,
    Slice,
)
from enact_assets.simulator.planning.job_orders import Job, in_valid_order
from enact_assets.simulator.planning.matter_steps import AwaitCooked, Dip, Pour, Spread
from enact_assets.simulator.rooms import appliances, kitchen
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.simulation.recording import GoalFact
from enact_assets.simulator.stage.stage_builder import StageBuilder

BROWN = Surface((0.42, 0.2, 0.06), "mottled", "satin", (0.25, 0.1, 0.03), 0.06)
CRISP = Surface((0.22, 0.06, 0.03), finish="gloss")
GOLDEN = Surface((0.72, 0.42, 0.14), finish="gloss")
COOKED: dict[str, dict[str, Surface]] = {
    "bacon": {
        f"{part}_{rasher}_{k}": look
        for part, look in (("lean", CRISP), ("fat", GOLDEN))
        for rasher in range(3)
        for k in range(5)
    },
    "pancake": {"top": BROWN, "edge": GOLDEN},
    "bread_slice": {"crumb": BROWN, "crumb_left": BROWN, "crumb_right": BROWN},
}
"""How each kind of food looks when it is cooked."""
SPREADS: dict[str, tuple[str, Surface]] = {
    "jam_jar": ("jam", Surface((0.62, 0.01, 0.08), finish="gloss")),
    "honey_jar": ("honey", Surface((0.95, 0.5, 0.02), finish="gloss")),
}
DRINKS: tuple[tuple[str, Surface], ...] = (
    ("orange_juice", Surface((0.98, 0.45, 0.03), finish="gloss")),
    ("milk", Surface((0.93, 0.92, 0.87), finish="gloss")),
    ("coffee", Surface((0.16, 0.07, 0.03), finish="gloss")),
)
CUPS = ("mug", "glass", "goblet")
DECOYS = ("kettle", "cereal_box", "flour_bag", "pepper_mill", "teapot")
LOW_DECOYS = ("egg_carton", "butter_dish", "onion", "can")
"""The arm passes over these."""
HALVES = ("half_watermelon_1", "half_watermelon_2")
Part = tuple[list[Job], tuple[GoalFact, ...]]
"""Jobs, and the facts that hold at the end because of them."""
FILLED = 0.95
"""Share of the jug: its content is seen below its mouth."""

BOARD = (0.0, -0.18)
PLATES = ((-0.16, 0.13), (0.16, 0.13))
KNIFE = (0.31, -0.1)
CUP, SALT = (-0.365, 0.2), (0.36, 0.2)
FREE, WRONG_CUP = (-0.33, -0.14), (-0.37, 0.035)
"""On the table: the board in front, two plates behind it, knife, cup and salt beside them."""
HALF_X = 0.102
"""The halves of a watermelon, side by side on the board."""
ON_SHELF = (-0.15, 0.15)
WORKTOP, JUG, CUP_KEPT = (0.15, -0.14), (-0.14, -0.13), (0.17, 0.13)
"""On the worktop: the watermelon stands before a cup and beside the jug."""


@dataclass(frozen=True)
class Hob:
    """What is cooked on at the right work place: ``fixture`` has the button, food goes ``on`` it.

    ``food``, ``jar`` and ``tool`` are places for it, a spread and its knife, on ``beside``.
    """

    fixture: str
    on: str
    beside: str
    food: tuple[float, float]
    jar: tuple[float, float]
    tool: tuple[float, float]


STOVE = Hob("stove", "frying_pan", "stove", (0.28, 0.14), (0.3, -0.15), (0.2, -0.2))
GRIDDLE = Hob("griddle", "griddle", "sideboard", (0.17, 0.17), (0.22, -0.1), (0.1, -0.12))


def build(rng: np.random.Generator) -> Episode:
    """Draw one breakfast."""
    mirror = Mirror.draw(rng)
    style = draw_one(rng, kitchen.STYLES)
    stage = StageBuilder()
    kitchen.add_room(stage.scene, style)
    left, right = mirror.x(kitchen.LEFT_X), mirror.x(kitchen.RIGHT_X)
    stage.furnish(
        kitchen.add_counter(stage.scene, style, left, "countertop", "countertop"),
        kitchen.add_shelf(stage.scene, style, left),
        kitchen.add_table(stage.scene, style),
    )
    hob = draw_one(rng, (STOVE, GRIDDLE))
    if hob is STOVE:
        stage.furnish(appliances.add_stove(stage.scene, style, right))
    else:
        stage.furnish(
            kitchen.add_counter(stage.scene, style, right, "sideboard", "sideboard"),
            appliances.add_griddle(stage.scene, style, right),
        )
    drink, look = draw_one(rng, DRINKS)
    colors = differing(PALETTE, style.table.color, style.top.color, look.color)
    drawing = Drawing(rng, mirror, stage, colors)
    food, is_cut = draw_one(rng, tuple(COOKED)), is_drawn(rng)
    start = draw_one(rng, ("hob", "beside") if is_cut else ("hob", "beside", "plate"))
    is_cup_there, is_spread = is_drawn(rng), food != "bacon" and is_drawn(rng)
    # What lies on a plate at the start lies on the second one.
    plates = _plates(drawing, 2 if is_cut or start == "plate" else draw_one(rng, (1, 2)))
    hot, fruit = _hot(drawing, hob, food, start), _melon(drawing, is_cut=is_cut)
    serve = _serve(drawing, food, [hot[0][0], *fruit[0]], plates[0], is_cut=is_cut)
    drinking = _drink(drawing, fruit[0], drink, look, is_there=is_cup_there)
    extra = _spread(drawing, hob, food, serve[0][-1]) if is_spread else _salt(drawing, hob)
    parts = [hot, fruit, plates, serve, drinking, extra]
    if is_cup_there:
        parts.append(_tidy(drawing, JUG))
    elif is_cut:
        parts.append(_tidy(drawing, WORKTOP, drinking[0]))
    drawing.put(draw_one(rng, DECOYS), "countertop", -0.15, 0.18, access="front")
    plan = in_valid_order(rng, *(job for jobs, _ in parts for job in jobs))
    goal = tuple(fact for _, facts in parts for fact in facts)
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset({"shelf"}))


def _hot(drawing: Drawing, hob: Hob, food: str, start: str) -> Part:
    """The food is cooked, which is the first job returned. It lies on the hob, beside it or on the
    second plate at the start.
    """
    right = drawing.side("right")
    if hob is STOVE:
        drawing.put("frying_pan", "stove", off_m=0.004)
    if start == "beside":
        drawing.put(food, hob.beside, *hob.food, off_m=0.006)
    else:
        drawing.put(food, hob.on if start == "hob" else "plate_2", off_m=0.006)
    drawing.stage.cookable(food, COOKED[food])
    first = []
    if start != "hob":
        first.append(Job(drawing.move("right", food, hob.on, off_m=0.006)))
    if is_drawn(drawing.rng):
        drawing.stage.leave_on(hob.fixture)
    else:
        first.append(Job((Press(right, hob.fixture),)))
    cook = Job((AwaitCooked(food),), [*first])
    turn_off = Job((Press(right, hob.fixture),), [cook])
    return [cook, *first, turn_off], (("Cooked", food, None),)


def _melon(drawing: Drawing, *, is_cut: bool) -> Part:
    """A watermelon, first brought to the board and cut there last; if it is cut already, one half
    lies there and the other one on a plate.
    """
    right = drawing.side("right")
    drawing.put("cutting_board", "table", *BOARD, off_m=0.004)
    drawing.put("knife", "table", *KNIFE, off_m=0.006)
    rind = drawing.color("watermelon")
    goal = (("OnTop", "knife", "table"),)
    if is_cut:
        served, kept = _halves(drawing)
        drawing.put(kept, "cutting_board", -HALF_X, color=rind, off_m=0.002)
        drawing.put(served, "plate_2", color=rind, off_m=0.004)
        return [], goal
    drawing.put("watermelon", "countertop", *WORKTOP, color=rind, halves=HALVES)
    for half in HALVES:
        drawing.stage.put_later(half, "half_watermelon", rind, ("watermelon",))
    board = Job(drawing.move("left", "watermelon", "cutting_board", off_m=0.004))
    cut = Job(
        (
            Grasp(right, "knife"),
            Slice(right, "watermelon"),
            Place(right, "table", drawing.near(*KNIFE, 0.006)),
        ),
        [board],
    )
    return [board, cut], goal


def _halves(drawing: Drawing) -> tuple[str, str]:
    """The half on the designed right of the board, and that on the left: the first half lies to the
    left as the world has it.
    """
    return HALVES if drawing.mirror.is_mirrored else HALVES[::-1]


def _plates(drawing: Drawing, there: int) -> Part:
    """Of two plates one is ``there``; the other one comes from the shelf after a third one, in its
    place, has gone there.
    """
    other = 3 - there
    at, kept = PLATES[other - 1], ON_SHELF[there - 1]
    drawing.put(f"plate_{there}", "table", *PLATES[there - 1], off_m=0.004)
    drawing.put(f"plate_{other}", "shelf", ON_SHELF[other - 1], -0.01, off_m=0.003)
    drawing.put("plate_3", "table", *at, off_m=0.004)
    away = Job(drawing.move("left", "plate_3", "shelf", kept, -0.01, off_m=0.003))
    bring = Job(drawing.move("left", f"plate_{other}", "table", *at, off_m=0.004), [away])
    return [bring, away], (
        *(("OnTop", f"plate_{k}", "table") for k in (1, 2)),
        ("OnTop", "plate_3", "shelf"),
    )


def _serve(
    drawing: Drawing, food: str, ready: list[Job], plates: list[Job], *, is_cut: bool
) -> Part:
    """One hand serves half of the watermelon, the other one the hot food, in half of the seeds at
    the same time; or the half that lies where the food is wanted goes back to the board first,
    taken together with the plate that leaves.

    ``ready`` begins with the food being cooked, ``plates`` with the last one coming. The last job
    serves the food.
    """
    right_half, left_half = _halves(drawing)
    hot = drawing.move("right", food, "plate_2", off_m=0.004)
    served = ("OnTop", food, "plate_2")
    if is_cut:
        goal = (served, ("OnTop", right_half, "cutting_board"))
        back = Job(drawing.move("right", right_half, "cutting_board", HALF_X, off_m=0.002))
        _, away = plates
        grasps = drawing.mirror.together(away.steps[:1], back.steps[:1])
        away.steps = (grasps, *back.steps[1:], *away.steps[1:])
        return [Job(hot, [ready[0], away])], goal
    fruit = drawing.move("left", left_half, "plate_1", off_m=0.004)
    goal = (served, ("OnTop", left_half, "plate_1"))
    if is_drawn(drawing.rng):
        return [Job((drawing.mirror.together(fruit, hot),), [*ready, plates[0]])], goal
    return [Job(fruit, [*ready[1:], plates[0]]), Job(hot, [ready[0], plates[0]])], goal


def _drink(
    drawing: Drawing, melon: list[Job], drink: str, look: Surface, *, is_there: bool
) -> Part:
    """A cup comes from the worktop, and the jug is poured out into it; or it is there and gets what
    is in a cup of another kind, which then goes to the worktop.

    The watermelon stands before the cups there, until the first job of ``melon`` is done.
    """
    left, stage = drawing.side("left"), drawing.stage
    # Of these two, what fills one is seen in the other.
    cup, wrong = draw_some(drawing.rng, CUPS[:2] if is_there else CUPS)[:2]
    contains = ("Contains", cup, drink)
    if is_there:
        drawing.put(cup, "table", *CUP, off_m=0.004)
        drawing.put(wrong, "table", *WRONG_CUP, off_m=0.004)
        stage.substance(drink, look, holders=(wrong, cup))
        stage.fill(wrong, drink, 0.9 * min(1.0, *drawing.shares(wrong, 1.0, [cup], 1.0)))
        back = Place(left, "countertop", drawing.near(*WORKTOP, 0.004))
        pour = Job((Grasp(left, wrong), Pour(left, cup, 1.0), back), melon[:1])
        return [pour], (contains, ("OnTop", wrong, "countertop"))
    drawing.put(cup, "countertop", *CUP_KEPT, access="front")
    drawing.put("jug", "countertop", *JUG)
    stage.substance(drink, look, holders=("jug", cup))
    stage.fill("jug", drink, FILLED)
    bring = Job(drawing.move("left", cup, "table", *CUP, off_m=0.004), melon[:1])
    (share,) = drawing.shares("jug", FILLED, [cup], 0.8)
    pour = Job(
        (
            Grasp(left, "jug"),
            Pour(left, cup, share),
            Place(left, "countertop", drawing.near(*JUG)),
        ),
        [bring],
    )
    return [bring, pour], (contains, ("OnTop", cup, "table"))


def _tidy(drawing: Drawing, at: tuple[float, float], drinking: Sequence[Job] = ()) -> Part:
    """A thing goes from the table to a place on the worktop, after the jobs ``drinking`` if it
    would stand before their cup and jug there; or it comes from there before them.
    """
    name = draw_one(drawing.rng, LOW_DECOYS)
    job, fact = errand(
        drawing.rng,
        drawing.mirror,
        drawing.stage,
        drawing.side("left"),
        (name, drawing.color(name)),
        between=(Spot("countertop", *at), Spot("table", *FREE)),
    )
    for other in drinking:
        first, second = (job, other) if fact[2] == "table" else (other, job)
        second.after.append(first)
    return [job], (fact,)


def _salt(drawing: Drawing, hob: Hob) -> Part:
    """Salt goes to the table, or away from it."""
    (start, from_at), (end, to_at) = draw_some(
        drawing.rng, ((hob.beside, hob.jar), ("table", SALT))
    )
    drawing.put("salt_shaker", start, *from_at, off_m=0.006)
    carry = Job(drawing.move("right", "salt_shaker", end, *to_at, off_m=0.006))
    return [carry], (("OnTop", "salt_shaker", end),)


def _spread(drawing: Drawing, hob: Hob, food: str, serve: Job) -> Part:
    """Jam or honey from its jar onto the food that was served."""
    right = drawing.side("right")
    jar = draw_one(drawing.rng, tuple(SPREADS))
    spread, look = SPREADS[jar]
    drawing.put(jar, hob.beside, *hob.jar, off_m=0.006)
    drawing.put("butter_knife", hob.beside, *hob.tool, off_m=0.004)
    drawing.stage.substance(
        spread, look, kind="film", holders=(jar,), coats=("butter_knife", food), patch_m=0.024
    )
    drawing.stage.fill(jar, spread, 0.9)
    spread_it = Job(
        (
            Grasp(right, "butter_knife"),
            Dip(right, jar),
            Spread(right, food),
            Place(right, hob.beside, drawing.near(*hob.tool, 0.004)),
        ),
        [serve],
    )
    return [spread_it], (("Covered", food, spread),)


ACTIVITY = Activity(
    "cooking_breakfast", "Cook something hot, serve a watermelon, and pour or spread.", build
)
