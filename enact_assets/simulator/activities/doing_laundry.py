"""Do the laundry: carry the basket, and load and start the washer or take out what it washed.

One half of the seeds begins where the other one ends. So neither words nor pictures of the washer
tell what comes first.
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
from enact_assets.simulator.activities.drawn_stage import differing
from enact_assets.simulator.activities.errands import Spot, errand
from enact_assets.simulator.planning.basic_steps import (
    Close,
    Grasp,
    Open,
    Place,
    Press,
    move,
    move_wide,
)
from enact_assets.simulator.planning.job_orders import Job, in_valid_order
from enact_assets.simulator.planning.matter_steps import Pour
from enact_assets.simulator.rooms import garage, garage_storage, laundry_corner
from enact_assets.simulator.rooms.kitchen import LEFT_X, RIGHT_X
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.simulation.recording import GoalFact
from enact_assets.simulator.stage.stage_builder import StageBuilder

CLOTHES = (
    ("towel_1", "towel"),
    ("towel_2", "towel"),
    ("shirt_1", "shirt"),
    ("shirt_2", "shirt"),
    ("trousers", "trousers"),
    ("socks", "socks"),
)
"""Three of them are washed in each seed, a fourth is clean already."""
OTHERS = ("iron", "powder_box", "spray_bottle", "flashlight")
DETERGENTS = (
    Surface((0.05, 0.25, 0.85), finish="gloss"),
    Surface((0.05, 0.6, 0.3), finish="gloss"),
    Surface((0.75, 0.1, 0.45), finish="gloss"),
)
COLORS = tuple(color for color in PALETTE if min(color) < 0.5)
"""Not white: in the white drum nothing white is seen."""
PALE = (0.9, 0.9, 0.87)
IN_BASKET = (-0.175, 0.0, 0.175)
IN_DRUM = (-0.145, 0.018, 0.18)
TIDY_SPOTS = (Spot("dryer", -0.07, 0.18, "front"), Spot("shelf", -0.08, -0.02))


def build(rng: np.random.Generator) -> Episode:
    """Draw one wash."""
    mirror, style = Mirror.draw(rng), draw_one(rng, garage.STYLES)
    left, right = mirror.left, mirror.right
    stage = StageBuilder()
    garage.add_room(stage.scene, style, mirror.x(-1.0), tools=False)
    stage.furnish(
        laundry_corner.add_dryer(stage.scene, style, mirror.x(LEFT_X)),
        garage_storage.add_wall_shelf(stage.scene, style, mirror.x(LEFT_X)),
        laundry_corner.add_folding_table(stage.scene, style),
        laundry_corner.add_washer(stage.scene, style, mirror.x(RIGHT_X)),
        laundry_corner.add_dispenser(stage.scene, mirror.x(RIGHT_X)),
    )
    is_washed = is_drawn(rng)
    if is_washed:
        stage.leave_on("washer")
    elif is_drawn(rng):
        stage.leave_open("washer")
    detergent = draw_one(rng, DETERGENTS)
    *cloth_colors, weave, other_1, other_2 = draw_colors(rng, 7, COLORS)
    bottle = draw_one(rng, differing(COLORS, detergent.color))
    clothes, others = draw_some(rng, CLOTHES, 4), draw_some(rng, OTHERS, 2)
    (first, second, third), clean = [name for name, _ in clothes[:3]], clothes[3]
    stage.put("laundry_basket", "laundry_basket", weave, "dryer", (0.0, -0.09))
    slots = [(mirror.x(IN_DRUM[k]), -0.09) for k in draw_some(rng, (0, 1, 2))]
    folded = [mirror.at(x, 0.0) for x in IN_BASKET]
    starts, on = (slots, "washer") if is_washed else (folded, "laundry_basket")
    for (name, kind), color, at in zip(clothes[:3], cloth_colors, starts, strict=False):
        stage.put(name, kind, color, on, at)
    stage.put(clean[0], clean[1], cloth_colors[3], "shelf", mirror.near(rng, 0.17, -0.02, 0.008))
    bottle_at, cup_at = mirror.near(rng, -0.36, -0.2, 0.008), mirror.near(rng, 0.06, -0.22, 0.008)
    stage.put("detergent_bottle", "detergent_bottle", bottle, "table", bottle_at)
    stage.put("measuring_cup", "measuring_cup", PALE, "table", cup_at)
    stage.put(
        others[0], others[0], other_1, "dryer", mirror.near(rng, 0.17, 0.18, 0.008), access="front"
    )
    tidy, tidied = errand(rng, mirror, stage, left, (others[1], other_2), between=TIDY_SPOTS)
    stage.substance(
        "detergent",
        detergent,
        holders=("detergent_bottle", "measuring_cup", "dispenser"),
    )
    stage.fill("detergent_bottle", "detergent", 0.95)

    carry = Job(move_wide("laundry_basket", "table", (0.0, 0.17)))
    measure, dose = _dose(mirror, bottle_at, cup_at)
    # The basket stands before what is on the dryer.
    tidy.after.append(carry)
    press = (Press(right, "washer"),)
    if is_washed:
        stop = Job(press)
        reopen = Job((Open(right, "washer"),), [stop])
        corner = mirror.near(rng, 0.3, -0.22, 0.008)
        dryer_at = mirror.near(rng, draw_one(rng, (-0.14, 0.0, 0.14)), -0.12, 0.01)
        # One thing in the drum hides the other, what lies on the dryer what stands at its back.
        aside = Job(move(right, third, "table", corner), [reopen])
        out = [
            Job(move(right, name, "laundry_basket", at), [carry, aside])
            for name, at in zip((first, second), draw_some(rng, folded, 2), strict=True)
        ]
        wash = [stop, reopen, aside, *out, Job(move(left, third, "dryer", dryer_at), [aside, tidy])]
        ends: list[GoalFact] = [
            *(("Inside", name, "laundry_basket") for name in (first, second)),
            ("OnTop", third, "dryer"),
            ("Open", "washer", None),
        ]
    else:
        opening = [] if "washer" in stage.opened else [Job((Open(right, "washer"),))]
        loads = [
            Job(move(right, name, "washer", slot), [carry, *opening])
            for slot, name in zip(slots, (first, second, third), strict=True)
        ]
        shut = Job((Close(right, "washer"),), list(loads))
        wash = [*opening, *loads, shut, Job(press, [shut, dose])]
        ends = [
            *(("Inside", name, "washer") for name in (first, second, third)),
            ("ToggledOn", "washer", None),
        ]
    plan = in_valid_order(rng, carry, measure, dose, tidy, *wash)
    goal: tuple[GoalFact, ...] = (
        ("OnTop", "laundry_basket", "table"),
        ("Contains", "dispenser", "detergent"),
        ("Contains", "measuring_cup", "detergent"),
        ("Contains", "detergent_bottle", "detergent"),
        tidied,
        ("OnTop", clean[0], "shelf"),
        *ends,
    )
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset({"shelf"}))


def _dose(
    mirror: Mirror, bottle_at: tuple[float, float], cup_at: tuple[float, float]
) -> tuple[Job, Job]:
    """Detergent from its bottle into the cup, and from the cup into the dispenser."""
    left, right = mirror.left, mirror.right
    measure = Job(
        (
            Grasp(left, "detergent_bottle"),
            Pour(left, "measuring_cup", 0.45),
            Place(left, "table", bottle_at),
        )
    )
    dose = Job(
        (
            Grasp(right, "measuring_cup"),
            Pour(right, "dispenser", 0.6),
            Place(right, "table", cup_at),
        ),
        [measure],
    )
    return measure, dose


ACTIVITY = Activity(
    "doing_laundry", "Carry a basket, and load a washer or take out what it washed.", build
)
