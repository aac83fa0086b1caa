"""Water indoor flowers: fill a watering can, water three pots, and tidy up round them.

A seed draws the room with a fireplace or a bookcase, which plants there are, in which order and out
of what they are watered, whether one of them is brought to the table or taken away from it, and
what else is tidied.
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
from enact_assets.simulator.planning.basic_steps import (
    Close,
    Grasp,
    Open,
    Place,
    Press,
    move_both,
)
from enact_assets.simulator.planning.job_orders import Job, in_valid_order
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
PLANT_AT = (0.01, -0.05)
"""On the mantelpiece or in the bookcase."""
BOOK_SPOTS = (("table", -0.33, 0.12), ("cupboard", 0.15, -0.02))
"""A book is put away or taken out."""
KEEPSAKE_AT = (0.06, -0.27)
"""A keepsake is carried between this place on the table and the display, either way."""
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
    moved, is_brought = plants[0] if mirror.is_mirrored else plants[2], is_drawn(rng)
    drawing = Drawing(rng, mirror, stage, differing(PALETTE, style.wood.color, WATER.color))
    drawing.put("watering_can", "cupboard", *mirror.at(*CAN_HOME), off_m=0.008)
    for name, place in zip(plants, PLANTS_AT, strict=True):
        if name == moved and is_brought:
            drawing.put(name, display, *PLANT_AT, off_m=0.008)
        else:
            drawing.put(name, "table", *mirror.at(*place))
    drawing.put("pitcher", "table", *PITCHER_AT)
    drawing.put(keepsakes[0], display, -0.19, -0.04, off_m=0.006)
    spots = (Spot(display, 0.2, -0.04), Spot("table", *KEEPSAKE_AT))
    kept = (keepsakes[1], drawing.color(keepsakes[1]))
    show, shown = errand(rng, mirror, stage, drawing.side("right"), kept, between=spots)
    stage.substance("water", WATER, holders=("pitcher", "watering_can", *plants))
    stage.fill("pitcher", "water", FILLED)

    switch = [Job((Press(drawing.side("right"), display),))] if has_fire else []
    table_at = mirror.at(*PLANTS_AT[plants.index(moved)])
    move_plant = (
        drawing.move("right", moved, "table", *table_at)
        if is_brought
        else drawing.move("right", moved, display, *PLANT_AT, off_m=0.008)
    )
    watering, watered = _water(drawing, plants)
    jobs, read = _tidy(drawing, watered["watering_can"], watering[-1], keepsakes[0])
    plant = Job(move_plant)
    first, second = (plant, watered[moved]) if is_brought else (watered[moved], plant)
    second.after.append(first)
    plan = in_valid_order(rng, *jobs, *watering, plant, show, *switch)
    goal: list[GoalFact] = [("Contains", name, "water") for name in plants]
    goal += [
        ("Inside", "watering_can", "cupboard"),
        ("OnTop", keepsakes[0], "table"),
        read,
        shown,
    ]
    if is_brought:
        goal.append(("OnTop", moved, "table"))
    else:
        goal.append(("OnTop", moved, "fireplace") if has_fire else ("Inside", moved, "bookcase"))
    if has_fire and "fireplace" not in stage.switched_on:
        goal.append(("ToggledOn", "fireplace", None))
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, tuple(goal), frozenset())


def _tidy(drawing: Drawing, fill: Job, back: Job, keepsake: str) -> tuple[list[Job], GoalFact]:
    """The can comes out of the cupboard, for job ``fill``, and goes back there in job ``back``.

    A book goes there too or comes out, and a keepsake goes to where the can stood, maybe both at
    once. Returns the jobs, and where the book is after them.
    """
    rng, left = drawing.rng, drawing.side("left")
    take = Job(drawing.move("left", "watering_can", "table", *CAN_AT, off_m=0.006))
    fill.after.append(take)
    (start, x, y), (end, to_x, to_y) = draw_some(rng, BOOK_SPOTS)
    at = drawing.mirror.at
    drawing.put("book", start, *at(x, y), off_m=0.008)
    book = drawing.move("left", "book", end, *at(to_x, to_y), off_m=0.008)
    read: GoalFact = ("Inside" if end == "cupboard" else "OnTop", "book", end)
    put = drawing.move("right", keepsake, "table", *CAN_AT)
    at_once = is_drawn(rng)
    tidy = [Job(move_both(book, put), [back])] if at_once else [Job(book), Job(put, [back])]
    close = Job((Close(left, "cupboard"),), [take, back, tidy[0]])
    if "cupboard" in drawing.stage.opened:
        return [take, *tidy, close], read
    opening = Job((Open(left, "cupboard"),))
    for job in (take, tidy[0]):
        job.after.append(opening)
    return [opening, take, *tidy, close], read


def _water(drawing: Drawing, plants: list[str]) -> tuple[list[Job], dict[str, Job]]:
    """Each plant gets its water, from the watering can or right from the pitcher, in drawn order.

    The can is put away after its last plant; between two of its plants it may be put down. Returns
    the jobs, the last of them putting it away, and which of them fills the can and each pot.
    """
    rng, left, right = drawing.rng, drawing.side("left"), drawing.side("right")
    order = draw_some(rng, plants)
    n_can = int(rng.integers(1, len(order) + 1))
    from_can, from_pitcher = order[:n_can], order[n_can:]
    poured = draw_some(rng, ("watering_can", *from_pitcher))
    full = [CAN_FILLED if name == "watering_can" else WATERED for name in poured]
    jobs: dict[str, Job] = {}
    last: Job | None = None
    for name, share in zip(poured, drawing.shares("pitcher", FILLED, poured, full), strict=True):
        back = Place(right, "table", drawing.near(*PITCHER_AT))
        last = Job(
            (Grasp(right, "pitcher"), Pour(right, name, share), back),
            [] if last is None else [last],
        )
        jobs[name] = last
    shares = drawing.shares("watering_can", CAN_FILLED, from_can, WATERED)
    pours = [Pour(left, name, share) for name, share in zip(from_can, shares, strict=True)]
    home = Place(left, "cupboard", drawing.near(*drawing.mirror.at(*CAN_HOME), 0.008))
    n_first = int(rng.integers(1, n_can + 1))
    rounds = [pours[:n_first], pours[n_first:]] if n_first < n_can else [pours]
    done = jobs["watering_can"]
    for number, some in enumerate(rounds, 1):
        aside = Place(left, "table", drawing.near(*CAN_AT, 0.006))
        down = home if number == len(rounds) else aside
        done = Job((Grasp(left, "watering_can"), *some, down), [done])
        jobs |= {pour.into: done for pour in some}
    return [*dict.fromkeys(jobs.values())], jobs


ACTIVITY = Activity(
    "watering_indoor_flowers",
    "Fill a watering can, water three potted plants and tidy up round them.",
    build,
)
