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
)
from enact_assets.simulator.activities.drawn_stage import Drawing, differing
from enact_assets.simulator.planning.basic_steps import (
    Close,
    Grasp,
    Open,
    Place,
    Press,
    Task,
    in_any_order,
    move_both,
)
from enact_assets.simulator.planning.matter_steps import Pour
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
    tidy = move_both(
        drawing.move("left", "book", "cupboard", *mirror.at(0.15, -0.02), off_m=0.008),
        drawing.move("right", keepsakes[0], "table", *CAN_AT),
    )
    plan = (
        Open(left, "cupboard"),
        *drawing.move("left", "watering_can", "table", *CAN_AT, off_m=0.006),
        *_fill(drawing),
        *_water(drawing, plants),
        *in_any_order(
            rng,
            (*tidy, Close(left, "cupboard")),
            drawing.move("right", moved, display, 0.01, -0.05, off_m=0.008),
        ),
        *((Press(right, display),) if has_fire else ()),
    )
    goal: list[GoalFact] = [("Contains", name, "water") for name in plants]
    goal += [
        ("Inside", "watering_can", "cupboard"),
        ("Inside", "book", "cupboard"),
        ("OnTop", keepsakes[0], "table"),
    ]
    if has_fire:
        goal += [("OnTop", moved, "fireplace"), ("ToggledOn", "fireplace", None)]
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


def _water(drawing: Drawing, plants: list[str]) -> Task:
    """Each plant gets its water, in an order of its own; then the can goes back."""
    left, order = drawing.side("left"), draw_some(drawing.rng, plants)
    shares = drawing.shares("watering_can", CAN_FILLED, order, WATERED)
    return (
        Grasp(left, "watering_can"),
        *(Pour(left, name, share) for name, share in zip(order, shares, strict=True)),
        Place(left, "cupboard", drawing.near(*drawing.mirror.at(*CAN_HOME), 0.008)),
    )


ACTIVITY = Activity(
    "watering_indoor_flowers",
    "Fill a watering can, water three potted plants and tidy up round them.",
    build,
)
