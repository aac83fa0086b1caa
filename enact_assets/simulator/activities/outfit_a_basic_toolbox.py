"""Outfit a basic toolbox: tools from a drawer, the bench and a cabinet go into it, side by side."""

import numpy as np

from enact_assets.simulator.activities.base import (
    HEAD_PITCH_RAD,
    Activity,
    Episode,
    Mirror,
    draw_colors,
    draw_one,
    draw_some,
    is_drawn,
)
from enact_assets.simulator.planning.basic_steps import Task, in_any_order, move
from enact_assets.simulator.planning.job_orders import Job, in_valid_order, in_visits
from enact_assets.simulator.rooms import garage, garage_storage
from enact_assets.simulator.rooms.fixtures import Access
from enact_assets.simulator.rooms.kitchen import LEFT_X, RIGHT_X
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.simulation.recording import GoalFact
from enact_assets.simulator.stage.stage_builder import StageBuilder

LONG = ("hammer", "screwdriver", "wrench", "pliers", "saw", "flashlight")
"""Tools that lie in the toolbox; each seed leaves one of them out."""
OTHERS = ("drill", "tape_measure", "spirit_level", "oil_can", "spray_bottle", "cardboard_box")
"""What stands around, and is tidied in part."""
SLOTS = (-0.24, -0.12, 0.0, 0.12, 0.24)


def build(rng: np.random.Generator) -> Episode:
    """Draw one toolbox."""
    mirror, style = Mirror.draw(rng), draw_one(rng, garage.STYLES)
    left, right = mirror.left, mirror.right
    *colors, tin = draw_colors(rng, 9 + 1)
    stage = StageBuilder()
    garage.add_room(stage.scene, style, mirror.x(1.0))
    stage.furnish(
        garage.add_workbench(stage.scene, style),
        garage_storage.add_toolbox(stage.scene, Surface(tin, finish="gloss")),
        garage_storage.add_drawer_unit(stage.scene, style, mirror.x(LEFT_X)),
        garage_storage.add_cupboard(stage.scene, style, mirror.x(RIGHT_X)),
        garage_storage.add_wall_shelf(stage.scene, style, mirror.x(RIGHT_X)),
    )
    if is_drawn(rng):
        stage.leave_open(draw_one(rng, ("drawer", "toolbox")))
    tools, others = draw_some(rng, LONG), draw_some(rng, OTHERS, 3)
    spare, bench_other, shelf_other, cabinet_other = tools[5], *others
    places = {
        tools[0]: ("drawer", mirror.near(rng, -0.15, 0.0, 0.01)),
        tools[1]: ("drawer", mirror.near(rng, -0.02, 0.0, 0.01)),
        tools[2]: ("workbench", mirror.near(rng, 0.0, -0.25, 0.004)),
        tools[3]: ("cabinet", mirror.near(rng, -0.15, -0.14, 0.01)),
        tools[4]: ("cabinet", mirror.near(rng, 0.06, -0.14, 0.01)),
        spare: ("workbench", mirror.near(rng, -0.27, -0.25, 0.004)),
        bench_other: ("workbench", mirror.near(rng, 0.26, -0.25, 0.01)),
        shelf_other: ("shelf", mirror.near(rng, 0.1, -0.02, 0.01)),
        cabinet_other: ("cabinet", mirror.near(rng, 0.12, 0.16, 0.01)),
    }
    for (name, (on, at)), color in zip(places.items(), colors, strict=True):
        # What stands at the back of the cabinet is reached below the shelf.
        access: Access | None = "front" if name == cabinet_other else None
        stage.put(name, name, color, on, at, access=access)

    def pack(k: int) -> Task:
        """Move tool ``k`` into its place in the toolbox."""
        return move(left if k < 3 else right, tools[k], "toolbox", (mirror.x(SLOTS[k]), 0.0))

    at_once = draw_one(
        rng,
        (
            (mirror.together(pack(2)[1:], pack(4)[1:]),),
            in_any_order(rng, pack(2)[1:], pack(4)[1:]),
        ),
    )
    both = Job((mirror.together(pack(2)[:1], pack(4)[:1]), *at_once))
    first, second, third = (Job(pack(k)) for k in (0, 1, 3))
    put_away = Job(move(left, spare, "drawer", mirror.near(rng, 0.12, 0.0, 0.01)))
    shelve = Job(move(right, bench_other, "shelf", mirror.near(rng, -0.16, -0.02, 0.01)))
    swap = Job(
        move(right, cabinet_other, "workbench", mirror.near(rng, 0.26, -0.24, 0.01)), [shelve]
    )
    # It comes to stand where two tools lay.
    store = Job(
        move(right, shelf_other, "cabinet", mirror.near(rng, 0.1, -0.12, 0.01)),
        [both, third, swap],
    )
    is_open = {name: name in stage.opened for name in ("drawer", "toolbox")}
    # One of them in two visits: of two, each could wait for the other.
    n_drawer, n_box = draw_some(rng, (1, 2))
    drawer = in_visits(
        rng, left, "drawer", [first, second, put_away], least=n_drawer,
        most=n_drawer,
        is_open=is_open["drawer"],
    )  # fmt: skip
    box = in_visits(
        rng, draw_one(rng, (left, right)), "toolbox", [both, first, second, third],
        least=n_box,
        most=n_box, is_open=is_open["toolbox"],
    )  # fmt: skip
    plan = in_valid_order(rng, *dict.fromkeys((*drawer, *box, shelve, swap, store)))
    goal: tuple[GoalFact, ...] = (
        *(("Inside", tool, "toolbox") for tool in tools[:5]),
        ("Inside", spare, "drawer"),
        ("OnTop", bench_other, "shelf"),
        ("OnTop", shelf_other, "cabinet"),
        ("OnTop", cabinet_other, "workbench"),
    )
    return Episode(stage.finish(HEAD_PITCH_RAD), plan, goal, frozenset({"shelf"}))


ACTIVITY = Activity(
    "outfit_a_basic_toolbox", "Put tools from a drawer, a bench and a cabinet into a box.", build
)
