"""Prepare breakfast: cut a watermelon onto plates, heat a pot, and bring the kettle."""

import numpy as np

from enact_assets.simulator.activities.base import HEAD_PITCH_RAD, Activity, Episode, jitter
from enact_assets.simulator.plan import (
    Grasp,
    Place,
    Press,
    Slice,
    in_any_order,
    move,
    move_both,
)
from enact_assets.simulator.rooms import kitchen
from enact_assets.simulator.stage import StageBuilder
from enact_assets.simulator.world import Surface

STYLE = kitchen.Style(
    wall=Surface((0.62, 0.7, 0.82), finish="matte"),
    floor=Surface((0.62, 0.6, 0.56), "checks", "satin", (0.4, 0.39, 0.37), 0.5),
    top=Surface((0.22, 0.22, 0.24), "speckles", "gloss", (0.4, 0.4, 0.42), 0.03),
    front=Surface((0.72, 0.62, 0.45), "wood", "satin", (0.55, 0.45, 0.3), 0.15),
    table=Surface((0.8, 0.79, 0.76), "marble", "satin", (0.62, 0.61, 0.6), 0.35),
    cabinet=Surface((0.5, 0.33, 0.18), "wood", "satin", (0.36, 0.22, 0.11), 0.12),
)
RIND = (0.15, 0.5, 0.12)
HALVES = ("half_watermelon_1", "half_watermelon_2")


def build(rng: np.random.Generator) -> Episode:
    """Draw one breakfast."""
    stage = StageBuilder()
    kitchen.add_room(stage.scene, STYLE)
    stage.furnish(
        kitchen.add_counter(stage.scene, STYLE, kitchen.LEFT_X, "countertop", "countertop"),
        kitchen.add_shelf(stage.scene, STYLE, kitchen.LEFT_X),
        kitchen.add_table(stage.scene, STYLE),
        kitchen.add_stove(stage.scene, STYLE, kitchen.RIGHT_X),
    )
    stage.put("plate_1", "plate", (0.1, 0.3, 0.75), "shelf", jitter(rng, -0.15, 0.0, 0.008))
    stage.put("plate_2", "plate", (0.95, 0.75, 0.1), "shelf", jitter(rng, 0.15, 0.0, 0.008))
    stage.put(
        "kettle",
        "kettle",
        (0.05, 0.45, 0.42),
        "countertop",
        jitter(rng, 0.14, 0.16),
        access="front",
    )
    stage.put(
        "bottle",
        "bottle",
        (0.35, 0.05, 0.1),
        "countertop",
        jitter(rng, -0.16, 0.17),
        access="front",
    )
    stage.put(
        "watermelon", "watermelon", RIND, "countertop", jitter(rng, -0.05, -0.15), halves=HALVES
    )
    stage.put(
        "cutting_board", "cutting_board", (0.6, 0.38, 0.2), "table", jitter(rng, 0.0, -0.13, 0.01)
    )
    stage.put("knife", "knife", (0.8, 0.05, 0.05), "table", jitter(rng, 0.33, -0.1, 0.01))
    stage.put("pot", "pot", (0.7, 0.08, 0.3), "table", jitter(rng, -0.24, 0.2, 0.01))
    stage.put("pumpkin", "pumpkin", (0.95, 0.4, 0.03), "table", jitter(rng, 0.05, 0.2, 0.01))
    stage.put(
        "bread_loaf", "bread_loaf", (0.62, 0.35, 0.13), "table", jitter(rng, 0.28, 0.22, 0.01)
    )
    stage.put("jug", "jug", (0.6, 0.75, 0.05), "stove", jitter(rng, 0.24, 0.1, 0.01))
    for name in HALVES:
        stage.put_later(name, "half_watermelon", RIND, ("watermelon",))

    soup = (
        *move("right", "pot", "stove"),
        *move("right", "pumpkin", "pot"),
        Press("right", "stove"),
    )
    melon = (
        *move("left", "watermelon", "cutting_board"),
        Grasp("right", "knife"),
        Slice("right", "watermelon"),
        Place("right", "table", (0.33, -0.1)),
    )
    plates = in_any_order(
        rng,
        move("left", "plate_1", "countertop", jitter(rng, -0.15, -0.14, 0.008)),
        move("left", "plate_2", "countertop", jitter(rng, 0.15, -0.14, 0.008)),
    )
    serving = in_any_order(
        rng, move("left", HALVES[0], "plate_1"), move("left", HALVES[1], "plate_2")
    )
    drinks = (
        *move_both(
            move("left", "kettle", "table", jitter(rng, -0.24, 0.2)),
            move("right", "jug", "table", jitter(rng, 0.05, 0.22, 0.01)),
        ),
        *move("right", "kettle", "stove", jitter(rng, 0.25, 0.05, 0.01)),
        *move("left", "bottle", "table", jitter(rng, -0.35, -0.12)),
    )
    plan = (
        *in_any_order(rng, soup, melon),
        *drinks,
        *plates,
        *serving,
        *in_any_order(
            rng,
            (
                Press("right", "stove"),
                *move("right", "pot", "table", jitter(rng, -0.15, 0.2, 0.01)),
            ),
            move("right", "bread_loaf", "cutting_board"),
        ),
    )
    goal = (
        ("OnTop", HALVES[0], "plate_1"),
        ("OnTop", HALVES[1], "plate_2"),
        ("OnTop", "plate_1", "countertop"),
        ("OnTop", "plate_2", "countertop"),
        ("Inside", "pumpkin", "pot"),
        ("OnTop", "pot", "table"),
        ("OnTop", "kettle", "stove"),
        ("OnTop", "bread_loaf", "cutting_board"),
        ("OnTop", "knife", "table"),
    )
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset({"shelf"}))


ACTIVITY = Activity(
    "cooking_breakfast", "Slice a watermelon onto plates, heat a pot and bring drinks.", build
)
