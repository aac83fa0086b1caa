"""Make a salad: cut a second vegetable, add lettuce, toss it in a bowl, pour dressing over it."""

from dataclasses import dataclass

import numpy as np

from enact_assets.simulator.activities.base import (
    HEAD_PITCH_RAD,
    PALETTE,
    Activity,
    Episode,
    Mirror,
    draw_colors,
    draw_one,
    draw_some,
    is_drawn,
)
from enact_assets.simulator.activities.errands import Spot, errand
from enact_assets.simulator.planning.basic_steps import (
    Grasp,
    Place,
    Slice,
    Task,
    move,
)
from enact_assets.simulator.planning.job_orders import Job, in_valid_order, in_visits
from enact_assets.simulator.planning.matter_steps import Dice, Pour, Stir
from enact_assets.simulator.rooms import appliances, kitchen, storage
from enact_assets.simulator.shapes.surfaces import Color, Surface
from enact_assets.simulator.simulation.recording import GoalFact
from enact_assets.simulator.stage.stage_builder import StageBuilder
from enact_assets.simulator.stage.transitions import Cut, Diced, Stirred

VEGETABLES: dict[str, tuple[Color, ...]] = {
    "tomato": ((0.75, 0.04, 0.03), (0.85, 0.1, 0.02)),
    "onion": ((0.45, 0.05, 0.22), (0.38, 0.03, 0.28)),
    "bell_pepper": ((0.95, 0.6, 0.02), (0.75, 0.05, 0.03), (0.95, 0.3, 0.02)),
    "cucumber": ((0.06, 0.3, 0.05), (0.12, 0.4, 0.06)),
}
LOW_DECOYS: tuple[tuple[str, Color], ...] = (
    ("potato", (0.6, 0.42, 0.2)),
    ("lemon", (0.98, 0.8, 0.05)),
    ("salt_shaker", (0.9, 0.9, 0.88)),
)
"""These fit into a drawer."""
PEPPER = ("pepper_mill", (0.3, 0.14, 0.05))
CARROT = ("carrot", (0.95, 0.35, 0.03))
LETTUCE: Color = (0.25, 0.55, 0.08)
DISH_COLORS = tuple(PALETTE[k] for k in (0, 1, 2, 5, 6, 7, 8, 9))
"""Neither those of lettuce nor that of the plate's pale middle."""
WOOD: Color = (0.72, 0.5, 0.26)
DRESSINGS: tuple[Color, ...] = ((0.97, 0.92, 0.75), (0.98, 0.42, 0.28), (0.17, 0.05, 0.03))
IN_BOWL = ((-0.065, -0.045), (0.065, -0.045), (0.0, 0.07))
"""Where the two piles and the lettuce come to lie in the bowl."""
BOWL_AT, PLATE_AT, KNIFE_AT, SPOON_AT = (0.19, 0.14), (-0.185, 0.13), (0.355, -0.19), (-0.365, -0.1)
"""On the table."""
CHEST, DRAWERS = "chest_of_drawers", ("top_drawer", "bottom_drawer")
"""Only the upper drawer is used: the lower one is out of sight once it is closed."""
DRAWER_SPOTS = (
    (Spot(DRAWERS[0], 0.12, 0.0), Spot(CHEST, 0.0, 0.18, "front")),
    (Spot(DRAWERS[0], -0.1, 0.0), Spot("table", -0.36, 0.26)),
)
FRIDGE_SPOTS = (Spot("fridge", -0.06, -0.13), Spot("table", 0.0, 0.29))
SIDE_SPOTS = (Spot("sideboard", 0.14, -0.1), Spot("table", 0.0, 0.29))
"""Between these, things are put away or taken out meanwhile."""
ON_PLATE = ((-0.062, -0.01), (0.062, 0.01))
"""Where the halves that are not diced come to lie."""


@dataclass(frozen=True)
class Draw:
    """What sets one salad apart: its vegetables, and where they and the lettuce come from.

    The first one is cut up, in the bowl and on the plate, at the start.
    """

    mirror: Mirror
    first: str
    second: str
    store: str
    lettuce_in: str
    is_drawer_open: bool
    is_store_open: bool
    boat_at: tuple[float, float]

    def diced_half(self, kind: str) -> str:
        """The half that lies on the side of the hand with the knife."""
        return f"half_{kind}_{1 if self.mirror.is_mirrored else 2}"

    def whole_half(self, kind: str) -> str:
        """The half that is not diced."""
        return f"half_{kind}_{2 if self.mirror.is_mirrored else 1}"


def build(rng: np.random.Generator) -> Episode:
    """Draw one salad."""
    mirror, style = Mirror.draw(rng), draw_one(rng, kitchen.STYLES)
    # A cucumber is too long for a drawer.
    first = draw_one(rng, list(VEGETABLES)[:3])
    store = draw_one(rng, ("fridge", "cabinet"))
    draw = Draw(
        mirror,
        first,
        second=draw_one(rng, [kind for kind in VEGETABLES if kind != first]),
        store=store,
        lettuce_in=draw_one(rng, (store, CHEST, "salad_bowl")),
        is_drawer_open=is_drawn(rng),
        is_store_open=is_drawn(rng),
        boat_at=mirror.near(rng, -0.14, -0.12),
    )
    stage = StageBuilder()
    kitchen.add_room(stage.scene, style)
    chest = storage.Style(style.front, style.front, style.top)
    left_x, right_x = mirror.x(kitchen.LEFT_X), mirror.x(kitchen.RIGHT_X)
    stage.furnish(
        *storage.add_drawer_unit(stage.scene, chest, left_x, CHEST, DRAWERS),
        kitchen.add_table(stage.scene, style),
    )
    if store == "fridge":
        stage.furnish(appliances.add_fridge(stage.scene, style, right_x))
    else:
        stage.furnish(
            kitchen.add_counter(stage.scene, style, right_x, "sideboard", "sideboard"),
            kitchen.add_cabinet(stage.scene, style, right_x),
        )
    for name, is_open in ((DRAWERS[0], draw.is_drawer_open), (store, draw.is_store_open)):
        if is_open:
            stage.leave_open(name)
    colors = {kind: draw_one(rng, VEGETABLES[kind]) for kind in (draw.first, draw.second)}
    _set_out(rng, stage, draw, colors)
    errands = _errands(rng, stage, draw)
    _declare(stage, draw, colors, draw_one(rng, DRESSINGS))
    plan = _plan(rng, draw, [job for job, _ in errands])
    goal: tuple[GoalFact, ...] = (
        ("Inside", "salad", "salad_bowl"),
        ("Covered", "salad", "salad_dressing"),
        ("OnTop", draw.whole_half(draw.first), "plate"),
        ("OnTop", draw.whole_half(draw.second), "plate"),
        ("OnTop", "knife", "table"),
        ("OnTop", "wooden_spoon", "table"),
        ("OnTop", "gravy_boat", CHEST),
        *(fact for _, fact in errands),
    )
    covers = frozenset() if store == "fridge" else frozenset({"cabinet"})
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, covers)


def _set_out(
    rng: np.random.Generator, stage: StageBuilder, draw: Draw, colors: dict[str, Color]
) -> None:
    """Put the things where they stand at the start."""
    mirror = draw.mirror
    bowl, plate, boat, knife = draw_colors(rng, 4, DISH_COLORS)
    stage.put("cutting_board", "cutting_board", (0.6, 0.38, 0.2), "table", (0.0, -0.17))
    stage.put("salad_bowl", "salad_bowl", bowl, "table", mirror.at(*BOWL_AT))
    stage.put("plate", "plate", plate, "table", mirror.at(*PLATE_AT))
    stage.put("knife", "knife", knife, "table", mirror.at(*KNIFE_AT))
    stage.put("wooden_spoon", "wooden_spoon", WOOD, "table", mirror.at(*SPOON_AT))
    stage.put("gravy_boat", "gravy_boat", boat, CHEST, draw.boat_at)
    depth = -0.12 if draw.store == "fridge" else -0.02
    lettuce_at = {
        draw.store: mirror.near(rng, -0.11, depth),
        CHEST: mirror.near(rng, 0.14, -0.12),
        "salad_bowl": IN_BOWL[2],
    }[draw.lettuce_in]
    stage.put("lettuce", "lettuce", LETTUCE, draw.lettuce_in, lettuce_at)
    color = colors[draw.first]
    whole, diced = draw.whole_half(draw.first), f"diced_{draw.first}"
    stage.put(whole, f"half_{draw.first}", color, "plate", ON_PLATE[0])
    stage.put(diced, diced, color, "salad_bowl", IN_BOWL[0])
    second_at = mirror.near(rng, 0.14, depth)
    stage.put(draw.second, draw.second, colors[draw.second], draw.store, second_at)
    if draw.store == "fridge":
        stage.put("carrot", *CARROT, "fridge", mirror.near(rng, -0.02, 0.13))


def _errands(
    rng: np.random.Generator, stage: StageBuilder, draw: Draw
) -> list[tuple[Job, GoalFact]]:
    """Two things go into or out of the drawer; maybe a third, the fridge or on the sideboard."""
    mirror = draw.mirror
    *low, other = draw_some(rng, LOW_DECOYS)
    found = [
        errand(rng, mirror, stage, mirror.left, thing, between=spots)
        for thing, spots in zip(low, DRAWER_SPOTS, strict=True)
    ]
    # Lettuce needs its place in the fridge.
    if draw.store != "fridge" or draw.lettuce_in != "fridge":
        between = FRIDGE_SPOTS if draw.store == "fridge" else SIDE_SPOTS
        thing = draw_one(rng, (other, PEPPER))
        found.append(errand(rng, mirror, stage, mirror.right, thing, between=between))
    return found


def _declare(stage: StageBuilder, draw: Draw, colors: dict[str, Color], dressing: Color) -> None:
    """Declare what is cut, what is poured, and what the salad is made of."""
    kind = draw.second
    halves = (f"half_{kind}_1", f"half_{kind}_2")
    for name in halves:
        stage.put_later(name, f"half_{kind}", colors[kind])
    stage.put_later(f"diced_{kind}", f"diced_{kind}", colors[kind])
    stage.recipe(halves, (kind,), when=Cut(kind))
    half = draw.diced_half(kind)
    stage.recipe((f"diced_{kind}",), (half,), when=Diced(half))
    stage.put_later("salad", "salad", colors[draw.second])
    parents = (f"diced_{draw.first}", f"diced_{draw.second}", "lettuce")
    stage.recipe(("salad",), parents, when=Stirred("salad_bowl"))
    surface = Surface(dressing, finish="gloss")
    stage.substance("salad_dressing", surface, holders=("gravy_boat",), coats=("salad",))
    stage.fill("gravy_boat", "salad_dressing", 0.9)


def _plan(rng: np.random.Generator, draw: Draw, errands: list[Job]) -> Task:
    mirror, store = draw.mirror, draw.store
    left, right = mirror.left, mirror.right
    knife_at, spoon_at = mirror.at(*KNIFE_AT), mirror.at(*SPOON_AT)

    kind = draw.second
    fetch = Job(move(right, kind, "cutting_board"))
    chop = Job(
        (
            Grasp(right, "knife"),
            Slice(right, kind),
            Dice(right, draw.diced_half(kind)),
            Place(right, "table", knife_at),
        ),
        [fetch],
    )
    # A pile into the bowl and at the same time a half onto the plate.
    whole = move(left, draw.whole_half(kind), "plate", ON_PLATE[1])
    diced = move(right, f"diced_{kind}", "salad_bowl", IN_BOWL[1])
    clear = Job((mirror.together(whole, diced),), [chop])
    greens: list[Job] = []
    if draw.lettuce_in != "salad_bowl":
        hand = right if draw.lettuce_in == store else left
        greens = [Job(move(hand, "lettuce", "salad_bowl", IN_BOWL[2]))]
    stir = Job(
        (Grasp(left, "wooden_spoon"), Stir(left, "salad_bowl"), Place(left, "table", spoon_at)),
        [clear, *greens],
    )
    dress = Job(
        (Grasp(left, "gravy_boat"), Pour(left, "salad", 0.5), Place(left, CHEST, draw.boat_at)),
        [stir],
    )
    # In the drawer, and in or beside the store.
    stowed, others = errands[:2], errands[2:]
    in_store = [fetch, *(greens if draw.lettuce_in == store else [])]
    in_store += others if store == "fridge" else []
    drawer = in_visits(rng, left, DRAWERS[0], stowed, is_open=draw.is_drawer_open)
    cupboard = in_visits(rng, right, store, in_store, is_open=draw.is_store_open)
    jobs = dict.fromkeys((*drawer, *cupboard, *greens, chop, clear, *others, stir, dress))
    return in_valid_order(rng, *jobs)


ACTIVITY = Activity(
    "make_a_salad", "Cut a vegetable into a bowl, toss a salad and pour dressing over it.", build
)
