"""Make a steak: fry it, and serve it with sauce and a side dish on a platter.

A seed draws where the steak lies, whether the platter is brought for it or carried off full, when
the side dish is covered, what goes into the fridge or comes out of it, and the order.
"""

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
    Press,
    move,
    move_wide,
)
from enact_assets.simulator.planning.job_orders import Job, in_valid_order, in_visits
from enact_assets.simulator.planning.matter_steps import AwaitCooked, Pour
from enact_assets.simulator.rooms import appliances, kitchen
from enact_assets.simulator.shapes.surfaces import Color, Surface
from enact_assets.simulator.simulation.recording import GoalFact
from enact_assets.simulator.stage.stage_builder import StageBuilder

RAW: Color = (0.62, 0.04, 0.05)
ROAST = Surface((0.24, 0.09, 0.03), "stripes", "satin", (0.04, 0.02, 0.01), 0.03)
CRUST = Surface((0.4, 0.2, 0.07), finish="satin")
COOKED = {
    f"{part}_{k}": look for part, look in (("flesh", ROAST), ("fat", CRUST)) for k in range(3)
}

SAUCES: tuple[tuple[str, Color], ...] = (
    ("tomato_sauce", (0.9, 0.1, 0.02)),
    ("pesto", (0.25, 0.6, 0.05)),
    ("hollandaise", (0.98, 0.8, 0.15)),
)
GRAINS: dict[str, Surface] = {
    "beans": Surface((0.3, 0.03, 0.03), "speckles", "gloss", (0.6, 0.15, 0.1), 0.03),
    "peas": Surface((0.2, 0.6, 0.05), "speckles", "gloss", (0.5, 0.85, 0.2), 0.03),
    "corn": Surface((0.95, 0.7, 0.05), "speckles", "gloss", (0.98, 0.85, 0.4), 0.03),
}
"""What is served beside the steak; each has the hue of the sauce in its place above."""
DECOYS: tuple[tuple[str, Color], ...] = (
    ("potato", (0.6, 0.42, 0.2)),
    ("tomato", (0.75, 0.04, 0.03)),
    ("bell_pepper", (0.95, 0.6, 0.02)),
    ("lemon", (0.98, 0.8, 0.05)),
)
SPICES: tuple[tuple[str, Color], ...] = (
    ("pepper_mill", (0.3, 0.14, 0.05)),
    ("salt_shaker", (0.9, 0.9, 0.88)),
)
DISH_COLORS = PALETTE[:-1]
LID_AT, SAUCEPAN_AT = (0.27, -0.19), (0.27, 0.09)
"""Beside the burner, near and far."""
BOAT_AT = (-0.33, -0.13)
PLATTER_AT = ((0.0, 0.1), (0.06, -0.16))
"""Behind, and in front, where it is served on."""
SPOTS = (
    (Spot("table", -0.36, 0.12), Spot("fridge", -0.18, -0.08)),
    (Spot("table", 0.2, 0.27), Spot("fridge", 0.05, -0.15)),
)
"""Between these, things are tidied into the fridge or taken out of it: only the first where the
steak lies in the fridge.
"""
STEAK_AT = (-0.09, 0.0)
"""On the platter: the steak lies on its left half, what goes with it on its right half."""


def build(rng: np.random.Generator) -> Episode:
    """Draw one steak dinner."""
    mirror, style = Mirror.draw(rng), draw_one(rng, kitchen.STYLES)
    left, right = mirror.left, mirror.right
    stage = StageBuilder()
    kitchen.add_room(stage.scene, style)
    stage.furnish(
        appliances.add_fridge(stage.scene, style, mirror.x(kitchen.LEFT_X)),
        kitchen.add_table(stage.scene, style),
        appliances.add_stove(stage.scene, style, mirror.x(kitchen.RIGHT_X)),
    )
    if is_drawn(rng):
        stage.leave_on("stove")
    pan, lid, platter, boat, saucepan = draw_colors(rng, 5, DISH_COLORS)
    grains = draw_one(rng, tuple(GRAINS))
    sauces = [pair for pair, alike in zip(SAUCES, GRAINS, strict=True) if alike != grains]
    sauce, sauce_color = draw_one(rng, sauces)
    boat_at = mirror.at(*BOAT_AT)
    is_on_stove = is_drawn(rng)
    if is_on_stove:
        stage.put("frying_pan", "frying_pan", pan, "stove")
        stage.put("steak", "steak", RAW, "frying_pan")
    else:
        stage.put("frying_pan", "frying_pan", pan, "table", mirror.near(rng, 0.0, -0.185, 0.01))
        stage.put("steak", "steak", RAW, "fridge", mirror.near(rng, 0.08, -0.1, 0.02))
    begin, end = PLATTER_AT[::-1] if is_on_stove else PLATTER_AT
    stage.put("platter", "platter", platter, "table", mirror.near(rng, *begin, 0.01))
    stage.put("gravy_boat", "gravy_boat", boat, "table", boat_at)
    stage.put("saucepan", "saucepan", saucepan, "stove", mirror.at(*SAUCEPAN_AT))
    stage.put("lid", "lid", lid, "stove", mirror.at(*LID_AT))
    tidied = [
        errand(rng, mirror, stage, left, thing, between=spots)
        for thing, spots in zip(
            draw_some(rng, DECOYS, 2 if is_on_stove else 1), SPOTS, strict=False
        )
    ]
    spice, spice_color = draw_one(rng, SPICES)
    stage.put(spice, spice, spice_color, "table", mirror.near(rng, 0.36, 0.16))
    _declare(stage, sauce, sauce_color, grains)

    light = [] if "stove" in stage.switched_on else [Job((Press(right, "stove"),))]
    in_fridge = [job for job, _ in tidied]
    on_stove = []
    if not is_on_stove:
        fetch = Job(move(left, "steak", "frying_pan"))
        in_fridge.append(fetch)
        on_stove.append(Job(move(right, "frying_pan", "stove"), [fetch]))
    fry = Job((AwaitCooked("steak"),), [*on_stove, *light])
    carry = Job(move_wide("platter", "table", mirror.near(rng, *end, 0.01)))
    serve = Job(move(right, "steak", "platter", STEAK_AT), [fry])
    pour_sauce = (Grasp(left, "gravy_boat"), Pour(left, "steak", 0.5))
    sauce_on = Job((*pour_sauce, Place(left, "table", boat_at)), [serve])
    is_left_covered = is_drawn(rng)
    pour, *lid_jobs = _side_dish(mirror, is_left_covered=is_left_covered)
    if is_on_stove:
        carry.after += [sauce_on, pour]
    else:
        # It comes to stand where the pan stood.
        carry.after += on_stove
        for job in (serve, pour):
            job.after.append(carry)
    plan = in_valid_order(
        rng,
        *in_visits(rng, left, "fridge", in_fridge),
        *(*on_stove, *light, fry, carry, serve, sauce_on, pour, *lid_jobs),
        Job((Press(right, "stove"),), [fry]),
    )
    goal: tuple[GoalFact, ...] = (
        ("Cooked", "steak", None),
        ("OnTop", "steak", "platter"),
        ("Covered", "steak", sauce),
        ("Covered", "platter", grains),
        ("OnTop", "platter", "table"),
        ("OnTop", "frying_pan", "stove"),
        ("OnTop", "gravy_boat", "table"),
        ("OnTop", "saucepan", "stove"),
        ("OnTop", "lid", "saucepan" if is_left_covered else "stove"),
        *(fact for _, fact in tidied),
    )
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset())


def _declare(stage: StageBuilder, sauce: str, color: Color, grains: str) -> None:
    """Declare what is cooked and what is poured."""
    stage.cookable("steak", COOKED)
    stage.substance(
        sauce, Surface(color, finish="gloss"), holders=("gravy_boat",), coats=("steak",)
    )
    stage.substance(
        grains, GRAINS[grains], kind="grains", holders=("saucepan",), coats=("platter",)
    )
    stage.fill("gravy_boat", sauce, 0.9)
    stage.fill("saucepan", grains, 0.8)


def _side_dish(mirror: Mirror, *, is_left_covered: bool) -> list[Job]:
    """Served from the saucepan, the first job: the lid keeps warm what will be served, or what is
    left of it.
    """
    right = mirror.right
    at = mirror.at(*SAUCEPAN_AT)
    pour = Job((Grasp(right, "saucepan"), Pour(right, "platter", 0.5), Place(right, "stove", at)))
    cover = Job(move(right, "lid", "saucepan"))
    if is_left_covered:
        cover.after.append(pour)
        return [pour, cover]
    uncover = Job(move(right, "lid", "stove", mirror.at(*LID_AT)), [cover])
    pour.after.append(uncover)
    return [pour, cover, uncover]


ACTIVITY = Activity(
    "make_a_steak", "Fry a steak and serve it on a platter with sauce and a side dish.", build
)
