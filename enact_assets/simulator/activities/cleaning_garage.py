"""Clean a garage: wipe dirt off two places, throw rubbish away, draw water, paint a board."""

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
    Grasp,
    Place,
    Press,
    Task,
    move,
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
WIPERS = ("sponge", "rag")
OTHERS = ("oil_can", "spray_bottle", "drill", "flashlight")
OTHER_SPOTS = (Spot("shelf", 0.15, -0.02), Spot("workbench", -0.04, -0.2))
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
    stage.put("board", "board", PINE, "workbench", mirror.at(0.2, -0.2))
    stage.put("paint_can", "paint_can", paint, "workbench", mirror.near(rng, 0.33, 0.08, 0.01))
    stage.put("paint_brush", "paint_brush", brush, "workbench", brush_at)
    stage.put(wiper, wiper, draw_one(rng, CLOTH), "workbench", wiper_at)
    stage.put("bucket", "bucket", pail, "sink", (0.0, 0.0))
    stage.put("measuring_cup", "measuring_cup", cup, "workbench", mirror.near(rng, 0.34, 0.27))
    stage.put("cardboard_box", "cardboard_box", label, "workbench", mirror.near(rng, -0.29, 0.26))
    stage.put(rubbish[0], rubbish[0], colors[0], "workbench", mirror.near(rng, -0.07, 0.2))
    stage.put(rubbish[1], rubbish[1], colors[1], "shelf", mirror.near(rng, -0.16, -0.02, 0.01))
    stow, stowed = errand(rng, mirror, stage, right, (other, colors[2]), between=OTHER_SPOTS)
    stage.substance("paint", Surface(paint, finish="gloss"), kind="film",
                    holders=("paint_can",), coats=("paint_brush", "board"))  # fmt: skip
    stage.substance("water", WATER, holders=("bucket", "measuring_cup"))
    stage.substance(dirt, DIRT[dirt], kind="film", coats=("workbench", "sink", wiper))
    stage.fill("paint_can", "paint", 0.9)
    stage.fill("measuring_cup", "water", 0.85)
    stage.cover("workbench", dirt)
    stage.cover("sink", dirt)
    stage.tap("sink", "water")

    near_rubbish = move(right, rubbish[0], "trash_can", mirror.near(rng, -0.085, 0.02, 0.004))
    high_rubbish = move(right, rubbish[1], "trash_can", mirror.near(rng, 0.085, -0.02, 0.004))
    # Half of the seeds take wiper and rubbish at once, one with each hand.
    clean: Task = (
        *(Wipe(left, place, dirt) for place in draw_some(rng, ("workbench", "sink"))),
        Place(left, "workbench", wiper_at),
    )
    if is_at_once := is_drawn(rng):
        grasps = mirror.together((Grasp(left, wiper),), near_rubbish[:1])
        throw = Job((grasps, *near_rubbish[1:]))
        wipe = Job(clean, [throw])
    else:
        throw = Job(near_rubbish)
        wipe = Job((Grasp(left, wiper), *clean))
    throw_high = Job(high_rubbish)
    run_tap = Job(
        (Press(left, "sink"), Wait(float(rng.uniform(3.0, 5.0))), Press(left, "sink")),
        [wipe] if is_at_once else [],
    )
    # The bucket comes to stand where the dirt was.
    bucket_at = mirror.near(rng, -0.28, -0.19, 0.01)
    bucket = Job(move(left, "bucket", "workbench", bucket_at), [run_tap, wipe])
    paint_board = Job(
        (
            Grasp(right, "paint_brush"),
            Dip(right, "paint_can"),
            Spread(right, "board"),
            Place(right, "workbench", brush_at),
        )
    )
    store = Job(
        move(right, "cardboard_box", "shelf", mirror.near(rng, -0.16, -0.02, 0.01)), [throw_high]
    )
    plan = in_valid_order(
        rng,
        *in_visits(
            rng, right, "trash_can", [throw, throw_high], is_open="trash_can" in stage.opened
        ),
        *(wipe, run_tap, bucket, paint_board, store, stow),
    )
    goal: tuple[GoalFact, ...] = (
        ("Inside", rubbish[0], "trash_can"),
        ("Inside", rubbish[1], "trash_can"),
        ("Contains", "bucket", "water"),
        ("OnTop", "bucket", "workbench"),
        ("Covered", "board", "paint"),
        ("Covered", wiper, dirt),
        ("OnTop", wiper, "workbench"),
        ("OnTop", "paint_brush", "workbench"),
        ("OnTop", "cardboard_box", "shelf"),
        stowed,
    )
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset({"shelf"}))


def _bench_coat(mirror: Mirror) -> Coat:
    """Where dirt lies on the workbench: a patch at the front, where the sink is."""
    z = garage.BENCH_M + 0.001
    places = [
        (-0.36 + 0.08 * k + 0.03 * (row % 2), 0.52 + 0.08 * row)
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
