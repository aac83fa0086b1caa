"""Cook breakfast: something hot, a watermelon cut up and served, a drink, and salt or a spread.

A seed draws what is cooked and on what, which spread is put on it, what is drunk, whether the hob
is hot or the cup on the table at the start, and the order.
"""

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
DECOYS = ("egg_carton", "kettle", "cereal_box", "flour_bag", "pepper_mill", "teapot")
HALVES = ("half_watermelon_1", "half_watermelon_2")
Part = tuple[list[Job], tuple[GoalFact, ...]]
"""Jobs, and the facts that hold at the end because of them."""
FILLED = 0.95
"""Share of the jug: its content is seen below its mouth."""

BOARD = (0.0, -0.18)
PLATES = ((-0.16, 0.13), (0.16, 0.13))
KNIFE = (0.31, -0.1)
CUP, SALT = (-0.36, 0.22), (0.36, 0.2)
"""On the table: the board in front, two plates behind it, knife, cup and salt beside them."""


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
    food = draw_one(rng, tuple(COOKED))
    done = draw_one(rng, ("nothing", "hob", "cup"))
    hot, melon = _hot(drawing, hob, food, is_lit=done == "hob"), _melon(drawing)
    ready, board = hot[0][0], melon[0][0]
    serve = _serve(drawing, food, ready, melon[0])
    drinking = _drink(drawing, board, drink, look, is_there=done == "cup")
    extra = _salt(drawing, hob) if food == "bacon" else _spread(drawing, hob, food, serve[0][-1])
    parts = (hot, melon, serve, drinking, extra)
    drawing.put(draw_one(rng, DECOYS), "countertop", -0.15, 0.18, access="front")
    plan = in_valid_order(rng, *(job for jobs, _ in parts for job in jobs))
    goal = tuple(fact for _, facts in parts for fact in facts)
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset({"shelf"}))


def _hot(drawing: Drawing, hob: Hob, food: str, *, is_lit: bool) -> Part:
    """The food is cooked, which is the first job returned."""
    right = drawing.side("right")
    if hob is STOVE:
        drawing.put("frying_pan", "stove", off_m=0.004)
    drawing.put(food, hob.beside, *hob.food, off_m=0.006)
    drawing.stage.cookable(food, COOKED[food])
    put_on = Job(drawing.move("right", food, hob.on, off_m=0.006))
    light = [] if is_lit else [Job((Press(right, hob.fixture),))]
    if is_lit:
        drawing.stage.leave_on(hob.fixture)
    cook = Job((AwaitCooked(food),), [put_on, *light])
    turn_off = Job((Press(right, hob.fixture),), [cook])
    return [cook, put_on, *light, turn_off], (("Cooked", food, None),)


def _melon(drawing: Drawing) -> Part:
    """A watermelon, first brought to the board, cut there, and two plates from the shelf."""
    right = drawing.side("right")
    for k, x in enumerate((-0.15, 0.15), 1):
        drawing.put(f"plate_{k}", "shelf", x, -0.01, off_m=0.003)
    drawing.put("cutting_board", "table", *BOARD, off_m=0.004)
    drawing.put("knife", "table", *KNIFE, off_m=0.006)
    rind = drawing.color("watermelon")
    drawing.put("watermelon", "countertop", 0.15, -0.14, color=rind, halves=HALVES)
    for half in HALVES:
        drawing.stage.put_later(half, "half_watermelon", rind, ("watermelon",))
    plates = [
        Job(drawing.move("left", f"plate_{k}", "table", *PLATES[k - 1], off_m=0.004))
        for k in (1, 2)
    ]
    board = Job(drawing.move("left", "watermelon", "cutting_board", off_m=0.004))
    cut = Job(
        (
            Grasp(right, "knife"),
            Slice(right, "watermelon"),
            Place(right, "table", drawing.near(*KNIFE, 0.006)),
        ),
        [board],
    )
    return [board, cut, *plates], (
        ("OnTop", "plate_1", "table"),
        ("OnTop", "plate_2", "table"),
        ("OnTop", "knife", "table"),
    )


def _serve(drawing: Drawing, food: str, ready: Job, melon: list[Job]) -> Part:
    """One hand serves half of the watermelon, the other one the hot food: in half of the seeds at
    the same time. The last job serves the food.
    """
    # The first half lies to the left as the world has it, whatever the side drawn.
    half = HALVES[1 if drawing.mirror.is_mirrored else 0]
    fruit = drawing.move("left", half, "plate_1", off_m=0.004)
    hot = drawing.move("right", food, "plate_2", off_m=0.004)
    goal: tuple[GoalFact, ...] = (("OnTop", half, "plate_1"), ("OnTop", food, "plate_2"))
    if is_drawn(drawing.rng):
        return [Job((drawing.mirror.together(fruit, hot),), [ready, *melon])], goal
    _, cut, plate_1, plate_2 = melon
    return [Job(fruit, [cut, plate_1]), Job(hot, [ready, plate_2])], goal


def _drink(drawing: Drawing, board: Job, drink: str, look: Surface, *, is_there: bool) -> Part:
    """The jug is poured out into a cup, which may have to be brought from the worktop first.

    The watermelon stands before the cup and beside the jug there, until ``board`` is done.
    """
    left = drawing.side("left")
    cup = draw_one(drawing.rng, CUPS)
    if is_there:
        drawing.put(cup, "table", *CUP, off_m=0.004)
    else:
        drawing.put(cup, "countertop", 0.17, 0.13, access="front")
    drawing.put("jug", "countertop", -0.14, -0.13)
    drawing.stage.substance(drink, look, holders=("jug", cup))
    drawing.stage.fill("jug", drink, FILLED)
    (share,) = drawing.shares("jug", FILLED, [cup], 0.8)
    bring = []
    if not is_there:
        bring = [Job(drawing.move("left", cup, "table", *CUP, off_m=0.004), [board])]
    pour = Job(
        (
            Grasp(left, "jug"),
            Pour(left, cup, share),
            Place(left, "countertop", drawing.near(-0.14, -0.13)),
        ),
        [board, *bring],
    )
    return [*bring, pour], (("OnTop", cup, "table"), ("Contains", cup, drink))


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
