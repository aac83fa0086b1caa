"""Water indoor flowers: fill a watering can, water three pots, and tidy up round them.

A seed draws the room with a fireplace or a bookcase, which plants there are, in which order they
are watered, which one moves, and what else is tidied.
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
from enact_assets.simulator.planning.basic_steps import (
    Close,
    Grasp,
    Open,
    Place,
    Press,
    Task,
    move_both,
)
from enact_assets.simulator.planning.matter_steps import Pour
from enact_assets.simulator.planning.schedules import Job, in_valid_order
from enact_assets.simulator.rooms import kitchen, living_comforts, living_room
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.simulation.recording import GoalFact
from enact_assets.simulator.stage.stage_builder import StageBuilder

PLANTS = ("potted_cactus", "potted_tulip", "potted_sunflower", "potted_fern")
KEEPSAKES = ("candle", "globe", "picture_frame", "teapot")
WATER = Surface((0.06, 0.32, 0.85), finish="gloss")
FILLED = 0.85
"""Share of the pitcher at the start."""
CAN_FILLED = 0.85
WATERED = 0.75
"""Share of the room above the soil of each pot that the water takes."""
PLANTS_AT = ((-0.1, 0.14), (0.1, -0.07), (0.32, 0.1))
BOOK_AT = (-0.33, 0.12)
CAN_HOME = (-0.1, -0.03)
"""Not mirrored: the spout of the can always points to the right, where it needs room."""
PITCHER_AT, CAN_AT = (0.31, -0.22), (-0.26, -0.23)


def build(rng: np.random.Generator) -> Episode:
    """Draw one round of watering."""
    mirror = Mirror.draw(rng)
    style = draw_one(rng, living_room.STYLES)
    stage = StageBuilder()
    living_room.add_room(stage.scene, style)
    right_x = mirror.x(kitchen.RIGHT_X)
    stage.furnish(
        living_room.add_cupboard(stage.scene, style, mirror.x(kitchen.LEFT_X)),
        living_room.add_table(stage.scene, style),
    )
    has_fire = bool(rng.integers(2))
    if has_fire:
        stage.furnish(living_comforts.add_fireplace(stage.scene, style, right_x))
    else:
        stage.furnish(*living_room.add_bookcase(stage.scene, style, right_x))
    if is_drawn(rng):
        stage.leave_open("cupboard")
    if has_fire and is_drawn(rng):
        stage.leave_on("fireplace")
    display = "fireplace" if has_fire else living_room.UPPER_BOARD

    plants = draw_some(rng, PLANTS, 3)
    keepsakes = draw_some(rng, KEEPSAKES, 2)
    drawing = Drawing(rng, mirror, stage, differing(PALETTE, style.wood.color, WATER.color))
    drawing.put("watering_can", "cupboard", *mirror.at(*CAN_HOME), off_m=0.008)
    for name, place in zip(plants, PLANTS_AT, strict=True):
        drawing.put(name, "table", *mirror.at(*place))
    drawing.put("pitcher", "table", *PITCHER_AT)
    drawing.put("book", "table", *mirror.at(*BOOK_AT))
    for name, x in zip(keepsakes, (-0.19, 0.2), strict=True):
        drawing.put(name, display, x, -0.04, off_m=0.006)
    stage.substance("water", WATER, holders=("pitcher", "watering_can", *plants))
    stage.fill("pitcher", "water", FILLED)

    left, right = drawing.side("left"), drawing.side("right")
    moved = plants[0] if mirror.is_mirrored else plants[2]
    take = Job(drawing.move("left", "watering_can", "table", *CAN_AT, off_m=0.006))
    fill = Job(_fill(drawing), [take])
    watering, watered = _water(drawing, plants, fill)
    book = drawing.move("left", "book", "cupboard", *mirror.at(0.15, -0.02), off_m=0.008)
    keepsake = drawing.move("right", keepsakes[0], "table", *CAN_AT)
    back = watering[-1]
    if is_drawn(rng):
        tidy = [Job(move_both(book, keepsake), [back])]
    else:
        tidy = [Job(book), Job(keepsake, [back])]
    cupboard = [Job((Close(left, "cupboard"),), [take, back, tidy[0]])]
    if "cupboard" not in stage.opened:
        opening = Job((Open(left, "cupboard"),))
        for job in (take, tidy[0]):
            job.after.append(opening)
        cupboard.append(opening)
    plan = in_valid_order(
        rng,
        *(take, fill, *watering, *tidy, *cupboard),
        Job(drawing.move("right", moved, display, 0.01, -0.05, off_m=0.008), [watered[moved]]),
        *([Job((Press(right, display),))] if has_fire else []),
    )
    goal: list[GoalFact] = [("Contains", name, "water") for name in plants]
    goal += [
        ("Inside", "watering_can", "cupboard"),
        ("Inside", "book", "cupboard"),
        ("OnTop", keepsakes[0], "table"),
    ]
    if has_fire:
        goal.append(("OnTop", moved, "fireplace"))
        if "fireplace" not in stage.switched_on:
            goal.append(("ToggledOn", "fireplace", None))
    else:
        goal.append(("Inside", moved, "bookcase"))
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, tuple(goal), frozenset())


def _fill(drawing: Drawing) -> Task:
    """About half of the pitcher goes into the watering can."""
    right = drawing.side("right")
    share = drawing.shares("pitcher", FILLED, ["watering_can"], CAN_FILLED)[0]
    return (
        Grasp(right, "pitcher"),
        Pour(right, "watering_can", share),
        Place(right, "table", drawing.near(*PITCHER_AT)),
    )


def _water(drawing: Drawing, plants: list[str], fill: Job) -> tuple[list[Job], dict[str, Job]]:
    """Each plant gets its water, in one or two rounds; after the last the can goes back.

    Returns the rounds, and in which of them each plant is watered.
    """
    rng, left, order = drawing.rng, drawing.side("left"), draw_some(drawing.rng, plants)
    shares = drawing.shares("watering_can", CAN_FILLED, order, WATERED)
    pours = [Pour(left, name, share) for name, share in zip(order, shares, strict=True)]
    home = Place(left, "cupboard", drawing.near(*drawing.mirror.at(*CAN_HOME), 0.008))
    n_first = int(rng.integers(1, len(order) + 1))
    if n_first == len(order):
        rounds = [Job((Grasp(left, "watering_can"), *pours, home), [fill])]
    else:
        aside = Place(left, "table", drawing.near(*CAN_AT, 0.006))
        first = Job((Grasp(left, "watering_can"), *pours[:n_first], aside), [fill])
        second = Job((Grasp(left, "watering_can"), *pours[n_first:], home), [first])
        rounds = [first, second]
    watered = {name: rounds[0 if k < n_first else -1] for k, name in enumerate(order)}
    return rounds, watered


ACTIVITY = Activity(
    "watering_indoor_flowers",
    "Fill a watering can, water three potted plants and tidy up round them.",
    build,
)
