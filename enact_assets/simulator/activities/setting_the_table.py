"""Set a table for two: dishes from a cabinet, mugs from a shelf, drinks from under both."""

import numpy as np

from enact_assets.simulator.activities.base import HEAD_PITCH_RAD, Activity, Episode, jitter
from enact_assets.simulator.plan import (
    CloseDoor,
    OpenDoor,
    Task,
    in_any_order,
    move,
    move_both,
)
from enact_assets.simulator.rooms import kitchen
from enact_assets.simulator.stage import StageBuilder
from enact_assets.simulator.world import Surface

STYLE = kitchen.Style(
    wall=Surface((0.72, 0.76, 0.74), finish="matte"),
    floor=Surface((0.55, 0.52, 0.48), "tile", "satin", (0.35, 0.33, 0.31), 0.4),
    top=Surface((0.72, 0.55, 0.36), "wood", "satin", (0.5, 0.34, 0.2), 0.12),
    front=Surface((0.86, 0.86, 0.84)),
    table=Surface((0.36, 0.2, 0.11), "wood", "satin", (0.22, 0.11, 0.06), 0.12),
    cabinet=Surface((0.16, 0.36, 0.42), finish="satin"),
)


def build(rng: np.random.Generator) -> Episode:
    """Draw one table setting."""
    stage = StageBuilder()
    kitchen.add_room(stage.scene, STYLE)
    stage.furnish(
        kitchen.add_counter(stage.scene, STYLE, kitchen.LEFT_X, "countertop", "countertop"),
        kitchen.add_cabinet(stage.scene, STYLE, kitchen.LEFT_X),
        kitchen.add_table(stage.scene, STYLE),
        kitchen.add_counter(stage.scene, STYLE, kitchen.RIGHT_X, "sideboard", "sideboard"),
        kitchen.add_shelf(stage.scene, STYLE, kitchen.RIGHT_X),
    )
    stage.put("bowl_1", "bowl", (0.75, 0.05, 0.04), "cabinet", jitter(rng, -0.13, -0.02))
    stage.put("bowl_2", "bowl", (0.95, 0.7, 0.05), "cabinet", jitter(rng, 0.14, -0.02))
    stage.put("plate_1", "plate", (0.9, 0.9, 0.92), "countertop", jitter(rng, -0.15, -0.13, 0.01))
    stage.put("plate_2", "plate", (0.1, 0.5, 0.25), "countertop", jitter(rng, 0.15, -0.13, 0.01))
    stage.put("jug", "jug", (0.1, 0.3, 0.75), "countertop", jitter(rng, 0.0, 0.17), access="front")
    stage.put("orange_1", "orange", (1.0, 0.4, 0.02), "countertop", (-0.2, 0.16), access="front")
    stage.put("orange_2", "orange", (1.0, 0.4, 0.02), "countertop", (0.2, 0.16), access="front")
    stage.put("vase", "vase", (0.45, 0.12, 0.5), "table", jitter(rng, -0.05, 0.22))
    stage.put("cereal_box", "cereal_box", (0.95, 0.75, 0.02), "table", jitter(rng, -0.28, 0.16))
    stage.put("basket", "basket", (0.82, 0.78, 0.62), "table", jitter(rng, 0.22, 0.19, 0.01))
    stage.put(
        "kettle", "kettle", (0.08, 0.5, 0.45), "sideboard", jitter(rng, -0.14, 0.17), access="front"
    )
    stage.put(
        "bottle", "bottle", (0.06, 0.3, 0.1), "sideboard", jitter(rng, 0.15, 0.17), access="front"
    )
    stage.put("bread_loaf", "bread_loaf", (0.65, 0.38, 0.14), "sideboard", jitter(rng, 0.1, -0.15))
    stage.put("mug_1", "mug", (0.9, 0.25, 0.5), "shelf", jitter(rng, -0.13, -0.02))
    stage.put("mug_2", "mug", (0.35, 0.65, 0.95), "shelf", jitter(rng, 0.13, -0.02))

    dishes: Task = (
        OpenDoor("left", "cabinet"),
        *in_any_order(
            rng,
            move("left", "plate_1", "table", (-0.23, -0.18)),
            move("left", "plate_2", "table", (0.22, -0.18)),
        ),
        *in_any_order(rng, move("left", "bowl_1", "plate_1"), move("left", "bowl_2", "plate_2")),
        *in_any_order(
            rng,
            move("left", "cereal_box", "cabinet", jitter(rng, -0.05, 0.0)),
            move("left", "orange_1", "bowl_1"),
            move("left", "orange_2", "bowl_2"),
        ),
        CloseDoor("left", "cabinet"),
    )
    bread = move("right", "bread_loaf", "basket")
    mugs = in_any_order(
        rng,
        move("right", "mug_1", "table", jitter(rng, 0.0, -0.2, 0.01)),
        move("right", "mug_2", "table", jitter(rng, -0.02, -0.02, 0.01)),
    )
    clearing = (*in_any_order(rng, bread, mugs), *move("right", "vase", "shelf"))
    drinks = (
        *move_both(
            move("left", "jug", "table", jitter(rng, -0.3, 0.15)),
            move("right", "kettle", "table", jitter(rng, -0.07, 0.22)),
        ),
        *move("right", "bottle", "countertop", jitter(rng, 0.1, -0.12)),
    )
    plan = (*in_any_order(rng, dishes, clearing), *drinks)
    goal = (
        ("OnTop", "plate_1", "table"),
        ("OnTop", "plate_2", "table"),
        ("OnTop", "bowl_1", "plate_1"),
        ("OnTop", "bowl_2", "plate_2"),
        ("OnTop", "mug_1", "table"),
        ("OnTop", "mug_2", "table"),
        ("OnTop", "jug", "table"),
        ("OnTop", "kettle", "table"),
        ("OnTop", "vase", "shelf"),
        ("Inside", "bread_loaf", "basket"),
        ("Inside", "orange_1", "bowl_1"),
        ("Inside", "orange_2", "bowl_2"),
        ("Inside", "cereal_box", "cabinet"),
    )
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset({"cabinet", "shelf"}))


ACTIVITY = Activity(
    "setting_the_table", "Set a table for two with dishes, bread and drinks.", build
)
