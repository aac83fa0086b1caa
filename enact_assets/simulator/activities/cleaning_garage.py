"""Clean a garage: wipe dirt off, throw rubbish away, draw water, paint a board.

A seed draws what is dirty, which way bucket, box and a tool are carried, what comes out of the bin
again, and the order.
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
from enact_assets.simulator.activities.errands import Spot, carry, errand
from enact_assets.simulator.planning.basic_steps import (
    Grasp,
    Place,
    Press,
)
from enact_assets.simulator.planning.job_orders import Job, in_valid_order, in_visits
from enact_assets.simulator.planning.matter_steps import Dip, Spread, Wait, Wipe
from enact_assets.simulator.rooms import garage
from enact_assets.simulator.rooms.kitchen import LEFT_X, RIGHT_X
from enact_assets.simulator.shapes.surfaces import Color, Surface
from enact_assets.simulator.simulation.recording import GoalFact
from enact_assets.simulator.stage.stage_builder import StageBuilder
from enact_assets.simulator.things.thing_parts import Coat

DIRT = {
    "oil": Surface((0.03, 0.025, 0.02), finish="gloss"),
    "mud": Surface((0.2, 0.1, 0.04), "mottled", "matte", (0.12, 0.06, 0.02), 0.05),
    "dust": Surface((0.3, 0.29, 0.28), "mottled", "matte", (0.2, 0.19, 0.19), 0.05),
}
WATER = Surface((0.08, 0.35, 0.85), finish="gloss")
RUBBISH = ("crumpled_paper", "newspaper", "broken_pot", "can")
DIRTY = ("workbench", "sink")
WIPERS = ("sponge", "rag")
OTHERS = ("oil_can", "spray_bottle", "tape_measure", "flashlight")
OTHER_SPOTS = (Spot("shelf", 0.15, -0.02), Spot("workbench", -0.04, -0.2))
BOX_SPOTS = (Spot("workbench", -0.29, 0.26), Spot("shelf", -0.16, -0.02))
BUCKET_SPOTS = (Spot("sink", 0.0, 0.0), Spot("workbench", -0.3, -0.19))
LOW_SPOTS = (Spot("workbench", -0.07, 0.2), Spot("trash_can", -0.085, 0.02))
HIGH_SPOTS = (Spot("shelf", -0.16, -0.02), Spot("trash_can", 0.085, -0.02))
"""Between these, things are carried either way: the box and what lies high change places."""
PINE: Color = (0.72, 0.52, 0.3)
CLOTH: tuple[Color, ...] = (
    (0.95, 0.78, 0.08),
    (0.35, 0.7, 0.95),
    (0.95, 0.45, 0.55),
    (0.55, 0.8, 0.2),
)
"""Light colours, on which dirt is seen."""


def build(rng: np.random.Generator) -> Episode:
    """Draw one round of cleaning."""
    mirror, style = Mirror.draw(rng), draw_one(rng, garage.STYLES)
    left, right = mirror.left, mirror.right
    stage = StageBuilder()
    garage.add_room(stage.scene, style, mirror.x(1.0))
    stage.furnish(
        garage.add_utility_sink(stage.scene, style, mirror.x(LEFT_X), _sink_coat(mirror)),
        garage.add_workbench(stage.scene, style, _bench_coat(mirror)),
        garage.add_trash_can(stage.scene, style, mirror.x(RIGHT_X)),
        garage.add_metal_shelf(stage.scene, style, mirror.x(RIGHT_X)),
    )
    if is_drawn(rng):
        stage.leave_open("trash_can")
    paint = draw_one(rng, differing(PALETTE, PINE))
    pail, cup = draw_colors(rng, 2, differing(PALETTE, WATER.color, paint))
    brush, label, *colors = draw_colors(rng, 5)
    wiper, dirt = draw_one(rng, WIPERS), draw_one(rng, tuple(DIRT))
    rubbish, other = draw_some(rng, RUBBISH, 2), draw_one(rng, OTHERS)
    wiper_at, brush_at = mirror.near(rng, -0.3, 0.08, 0.008), mirror.at(0.13, 0.13)
    stage.put("board", "board", PINE, "workbench", mirror.at(0.225, -0.2))
    stage.put("paint_can", "paint_can", paint, "workbench", mirror.near(rng, 0.33, 0.08, 0.01))
    stage.put("paint_brush", "paint_brush", brush, "workbench", brush_at)
    stage.put(wiper, wiper, draw_one(rng, CLOTH), "workbench", wiper_at)
    stage.put("measuring_cup", "measuring_cup", cup, "workbench", mirror.near(rng, 0.34, 0.27))
    things = [*zip((*rubbish, "cardboard_box"), (*colors[:2], label), strict=True)]
    (low, high, box), carried, is_low_out = _rubbish(rng, mirror, stage, things)
    is_bucket_back = is_drawn(rng)
    start, end = reversed(BUCKET_SPOTS) if is_bucket_back else BUCKET_SPOTS
    bucket, bucket_ends = carry(rng, mirror, stage, left, ("bucket", pail), start=start, end=end)
    stow, stowed = errand(rng, mirror, stage, right, (other, colors[2]), between=OTHER_SPOTS)
    stage.substance("paint", Surface(paint, finish="gloss"), kind="film",
                    holders=("paint_can",), coats=("paint_brush", "board"))  # fmt: skip
    stage.substance("water", WATER, holders=("bucket", "measuring_cup"))
    stage.substance(dirt, DIRT[dirt], kind="film", coats=("workbench", "sink", wiper))
    stage.fill("paint_can", "paint", 0.9)
    stage.fill("measuring_cup", "water", 0.85)
    stage.tap("sink", "water")
    wiped = draw_one(rng, (None, *DIRTY))
    dirty = [place for place in DIRTY if place != wiped]
    for place in (*dirty, *([wiper] if wiped else [])):
        stage.cover(place, dirt)

    wipe = [Wipe(left, place) for place in draw_some(rng, dirty)]
    wiper_back = Place(left, "workbench", wiper_at)
    wipes = _wiping(rng, mirror, wiper, wipe, wiper_back, rubbish=None if is_low_out else low)
    run_tap = Job((Press(left, "sink"), Wait(float(rng.uniform(3.0, 5.0))), Press(left, "sink")))
    first, second = (bucket, run_tap) if is_bucket_back else (run_tap, bucket)
    second.after.append(first)
    # On the bench the bucket stands where the dirt is.
    if "workbench" in wipes:
        first, second = (bucket, wipes["workbench"])[:: 1 if is_bucket_back else -1]
        second.after.append(first)
    paint_board = Job(
        (
            Grasp(right, "paint_brush"),
            Dip(right, "paint_can"),
            Spread(right, "board"),
            Place(right, "workbench", brush_at),
        )
    )
    is_open = "trash_can" in stage.opened
    thrown = in_visits(rng, right, "trash_can", [low, high], is_open=is_open)
    jobs = (*thrown, *wipes.values(), run_tap, bucket, paint_board, box, stow)
    plan = in_valid_order(rng, *dict.fromkeys(jobs))
    goal: tuple[GoalFact, ...] = (
        *carried,
        bucket_ends,
        ("Contains", "bucket", "water"),
        ("Covered", "board", "paint"),
        ("Covered", wiper, dirt),
        ("OnTop", wiper, "workbench"),
        ("OnTop", "paint_brush", "workbench"),
        stowed,
    )
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset({"shelf"}))


def _rubbish(
    rng: np.random.Generator, mirror: Mirror, stage: StageBuilder, things: list[tuple[str, Color]]
) -> tuple[list[Job], list[GoalFact], bool]:
    """Rubbish on the bench and rubbish on the shelf go into the bin, or one of them comes back out;
    the box takes the place on the shelf, or leaves it.

    Returns the jobs of ``things`` (low, high, the box), their facts, and whether the low one comes
    out.
    """
    is_low_out, is_high_out = draw_one(rng, ((False, False), (False, True), (True, False)))
    jobs, facts = [], []
    for thing, spots, is_out in zip(
        things,
        (LOW_SPOTS, HIGH_SPOTS, BOX_SPOTS),
        (is_low_out, is_high_out, is_high_out),
        strict=True,
    ):
        start, end = reversed(spots) if is_out else spots
        job, fact = carry(rng, mirror, stage, mirror.right, thing, start=start, end=end)
        jobs.append(job)
        facts.append(fact)
    _, high, box = jobs
    first, second = (box, high) if is_high_out else (high, box)
    second.after.append(first)
    return jobs, facts, is_low_out


def _wiping(
    rng: np.random.Generator,
    mirror: Mirror,
    wiper: str,
    steps: list[Wipe],
    back: Place,
    *,
    rubbish: Job | None,
) -> dict[str, Job]:
    """The job that wipes each place: one of its own, or ``rubbish``, that is thrown away meanwhile:
    both are taken at the same time, one with each hand.
    """
    take = Grasp(mirror.left, wiper)
    if rubbish is not None and is_drawn(rng):
        grasps = mirror.together((take,), rubbish.steps[:1])
        rubbish.steps = (grasps, *rubbish.steps[1:], *steps, back)
        return {wipe.on: rubbish for wipe in steps}
    return {wipe.on: Job((take, wipe, back)) for wipe in steps}


def _bench_coat(mirror: Mirror) -> Coat:
    """Where dirt lies on the workbench: a patch at the front, where the sink is."""
    z = garage.BENCH_M + 0.001
    places = [
        (-0.38 + 0.07 * k + 0.03 * (row % 2), 0.52 + 0.08 * row)
        for row in range(3)
        for k in range(3)
    ]
    return Coat(tuple((mirror.x(x), y, z) for x, y in places), patch_m=0.045)


def _sink_coat(mirror: Mirror) -> Coat:
    """Where dirt lies on the draining board of the sink."""
    x, y, z = garage.ledge_place(mirror.x(LEFT_X))
    places = [(x + dx, y + dy) for dy in (-0.22, -0.15, -0.08, -0.01) for dx in (-0.04, 0.04)]
    return Coat(tuple((px, py, z + 0.001) for px, py in places), patch_m=0.045)


ACTIVITY = Activity(
    "cleaning_garage", "Wipe dirt off, throw rubbish away, draw water and paint a board.", build
)
