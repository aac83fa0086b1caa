"""Put groceries away: cold things into the fridge, dry ones into a cabinet, the rest into order."""

import numpy as np

from enact_assets.simulator.activities.base import HEAD_PITCH_RAD, Activity, Episode, jitter
from enact_assets.simulator.plan import (
    CloseDoor,
    OpenDoor,
    in_any_order,
    move,
    move_both,
)
from enact_assets.simulator.rooms import kitchen
from enact_assets.simulator.stage import StageBuilder
from enact_assets.simulator.world import Surface

STYLE = kitchen.Style(
    wall=Surface((0.85, 0.78, 0.62), finish="matte"),
    floor=Surface((0.42, 0.27, 0.17), "wood", "satin", (0.3, 0.18, 0.1), 0.25),
    top=Surface((0.75, 0.75, 0.77), "marble", "gloss", (0.5, 0.5, 0.54), 0.3),
    front=Surface((0.18, 0.3, 0.24)),
    table=Surface((0.66, 0.5, 0.33), "wood", "satin", (0.5, 0.36, 0.22), 0.12),
    cabinet=Surface((0.5, 0.17, 0.13), finish="satin"),
)


def build(rng: np.random.Generator) -> Episode:
    """Draw one round of putting away."""
    stage = StageBuilder()
    kitchen.add_room(stage.scene, STYLE)
    stage.furnish(
        kitchen.add_counter(stage.scene, STYLE, kitchen.LEFT_X, "countertop", "countertop"),
        kitchen.add_cabinet(stage.scene, STYLE, kitchen.LEFT_X),
        kitchen.add_table(stage.scene, STYLE),
        kitchen.add_fridge(stage.scene, kitchen.RIGHT_X),
    )
    stage.put("basket", "basket", (0.2, 0.33, 0.48), "table", jitter(rng, 0.0, 0.16, 0.01))
    stage.put("can_1", "can", (0.8, 0.05, 0.05), "basket", (-0.1, 0.0))
    stage.put("can_2", "can", (0.05, 0.45, 0.12), "basket", (0.1, 0.0))
    stage.put(
        "can_3",
        "can",
        (0.08, 0.15, 0.7),
        "countertop",
        jitter(rng, 0.2, 0.16, 0.01),
        access="front",
    )
    stage.put("milk_carton", "milk_carton", (0.05, 0.25, 0.8), "table", jitter(rng, -0.33, 0.16))
    stage.put("watermelon", "watermelon", (0.15, 0.5, 0.12), "table", jitter(rng, 0.32, 0.18, 0.01))
    stage.put("bottle", "bottle", (0.5, 0.04, 0.22), "table", jitter(rng, -0.35, -0.12, 0.01))
    stage.put("bowl", "bowl", (0.1, 0.55, 0.65), "table", jitter(rng, -0.13, -0.18, 0.01))
    stage.put(
        "cereal_box", "cereal_box", (0.95, 0.72, 0.02), "table", jitter(rng, 0.1, -0.13, 0.01)
    )
    stage.put(
        "bread_loaf", "bread_loaf", (0.6, 0.33, 0.12), "countertop", jitter(rng, -0.12, -0.15)
    )
    stage.put(
        "pineapple",
        "pineapple",
        (0.85, 0.55, 0.08),
        "countertop",
        jitter(rng, -0.17, 0.15),
        access="front",
    )
    stage.put("jug", "jug", (0.45, 0.12, 0.55), "fridge", jitter(rng, -0.1, -0.12, 0.01))
    stage.put("orange", "orange", (1.0, 0.4, 0.02), "fridge", jitter(rng, 0.04, -0.13, 0.01))
    stage.put("pumpkin", "pumpkin", (0.95, 0.38, 0.02), "fridge", jitter(rng, 0.19, -0.12, 0.01))

    out = in_any_order(
        rng,
        move("right", "orange", "bowl"),
        move("right", "jug", "table", jitter(rng, 0.32, -0.13, 0.01)),
    )
    cold = (
        OpenDoor("right", "fridge"),
        *out,
        *move("right", "watermelon", "fridge", jitter(rng, 0.03, -0.08, 0.01)),
        *move("right", "pumpkin", "table", jitter(rng, 0.32, 0.18, 0.01)),
        *in_any_order(
            rng,
            move("right", "milk_carton", "fridge", jitter(rng, -0.13, -0.13, 0.01)),
            move("right", "bottle", "fridge", jitter(rng, 0.2, -0.12, 0.01)),
        ),
        CloseDoor("right", "fridge"),
    )
    dry = (
        OpenDoor("left", "cabinet"),
        *in_any_order(
            rng,
            move("left", "cereal_box", "cabinet", jitter(rng, -0.17, 0.0, 0.01)),
            move("left", "can_1", "cabinet", jitter(rng, 0.03, -0.02, 0.01)),
            move("left", "can_3", "cabinet", jitter(rng, 0.2, -0.02, 0.01)),
        ),
        CloseDoor("left", "cabinet"),
    )
    rest = (
        *move_both(
            move("left", "bread_loaf", "basket", (0.0, 0.0)),
            move("right", "can_2", "countertop", jitter(rng, 0.16, -0.16, 0.01)),
        ),
        *move("left", "pineapple", "table", jitter(rng, -0.33, 0.16)),
        *move("left", "bowl", "countertop", jitter(rng, -0.1, -0.13)),
    )
    plan = (*in_any_order(rng, cold, dry), *rest)
    goal = (
        ("Inside", "milk_carton", "fridge"),
        ("Inside", "bottle", "fridge"),
        ("Inside", "watermelon", "fridge"),
        ("Inside", "cereal_box", "cabinet"),
        ("Inside", "can_1", "cabinet"),
        ("Inside", "can_3", "cabinet"),
        ("OnTop", "can_2", "countertop"),
        ("Inside", "bread_loaf", "basket"),
        ("OnTop", "bowl", "countertop"),
        ("Inside", "orange", "bowl"),
        ("OnTop", "jug", "table"),
        ("OnTop", "pumpkin", "table"),
        ("OnTop", "pineapple", "table"),
    )
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset({"cabinet"}))


ACTIVITY = Activity(
    "unloading_groceries", "Put groceries into a fridge and a cabinet and tidy the rest.", build
)
