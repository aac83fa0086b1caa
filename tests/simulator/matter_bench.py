"""Small stages with substances, heat and recipes: a table, a few things, nothing else."""

import math
from collections.abc import Callable

import numpy as np
from simulator import room_pieces

from enact_assets.simulator.activities.base import HEAD_PITCH_RAD
from enact_assets.simulator.rooms import kitchen
from enact_assets.simulator.rooms.fixtures import Fixture
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.simulation.facts import Fact
from enact_assets.simulator.simulation.physics import Physics
from enact_assets.simulator.simulation.recording import facts_of
from enact_assets.simulator.skills.executor import Executor, Step
from enact_assets.simulator.stage.stage import Stage
from enact_assets.simulator.stage.stage_builder import StageBuilder
from enact_assets.simulator.stage.transitions import Cut, Diced, Stirred
from enact_assets.simulator.things.thing_parts import Coat

STYLE = kitchen.STYLES[0]
WATER = Surface((0.05, 0.25, 0.8), finish="gloss")
JAM = Surface((0.6, 0.02, 0.1), finish="gloss")
DUST = Surface((0.35, 0.33, 0.3), finish="matte")
BROWN = Surface((0.25, 0.12, 0.05))
RED, YELLOW, WOOD = (0.8, 0.1, 0.1), (0.9, 0.8, 0.2), (0.6, 0.4, 0.2)
BREAD = (0.8, 0.6, 0.3)
TABLE_M = 0.78
TABLE_COAT = Coat(
    tuple((x, y, TABLE_M + 0.002) for x in (-0.3, -0.1, 0.1, 0.3) for y in (0.6, 0.8, 1.0))
)

Put = Callable[[StageBuilder], None]


def table_stage(*declare: Put, coat: Coat | None = None, beside: tuple[str, ...] = ()) -> Stage:
    """A kitchen with a table, appliances ``beside`` it, and what ``declare`` puts there."""
    stage = builder(coat=coat, beside=beside)
    for put in declare:
        put(stage)
    return stage.finish(HEAD_PITCH_RAD)


def builder(*, coat: Coat | None = None, beside: tuple[str, ...] = ()) -> StageBuilder:
    """The same, not finished."""
    stage = StageBuilder()
    kitchen.add_room(stage.scene, STYLE)
    table = room_pieces.add_table(stage.scene, STYLE)
    stage.furnish(Fixture(table.name, table.origin, coat=coat))
    for name, x in zip(beside, (kitchen.RIGHT_X, kitchen.LEFT_X), strict=False):
        stage.furnish(getattr(room_pieces, f"add_{name}")(stage.scene, STYLE, x))
    return stage


def vessels(stage: StageBuilder, share: float = 0.9) -> None:
    """A jug of water, a bowl and a glass."""
    stage.put("jug", "jug", RED, "table", (-0.25, -0.1))
    stage.put("bowl", "bowl", YELLOW, "table", (0.0, -0.05))
    stage.put("glass", "glass", YELLOW, "table", (0.22, -0.05))
    on = tuple(name for name, fixture in stage.fixtures.items() if fixture.coat is not None)
    stage.substance("water", WATER, holders=("jug", "bowl", "glass"), coats=on)
    stage.fill("jug", "water", share)


def jam(stage: StageBuilder) -> None:
    """A jar of jam, a blunt knife, and a slice of bread that neither touches."""
    stage.put("jar", "jam_jar", RED, "table", (-0.1, 0.1))
    stage.put("butter_knife", "butter_knife", YELLOW, "table", (0.2, -0.2))
    stage.put("bread", "bread_slice", WOOD, "table", (0.1, 0.1))
    stage.substance(
        "jam", JAM, kind="film", holders=("jar",), coats=("butter_knife", "bread"), patch_m=0.02
    )
    stage.fill("jar", "jam", 0.85)


def dusty(stage: StageBuilder) -> None:
    """A dusty board and a sponge that keeps nothing."""
    stage.put("board", "board", WOOD, "table", (-0.2, -0.1))
    stage.put("sponge", "sponge", YELLOW, "table", (0.33, 0.2))
    stage.substance("dust", DUST, kind="film", coats=("board",))
    stage.cover("board", "dust")


def kitchen_work(stage: StageBuilder) -> None:
    """A tomato to be cut and diced, a bowl and a spoon for a salad."""
    stage.put("cutting_board", "cutting_board", WOOD, "table", (0.1, -0.15))
    stage.put("knife", "knife", RED, "table", (0.36, 0.1))
    stage.put("tomato", "tomato", RED, "cutting_board")
    stage.put("salad_bowl", "salad_bowl", WOOD, "table", (-0.2, 0.15))
    stage.put("spoon", "wooden_spoon", WOOD, "table", (-0.35, -0.15))
    for half, pile in (("half_1", "pile_1"), ("half_2", "pile_2")):
        stage.put_later(half, "half_tomato", RED)
        stage.put_later(pile, "diced_tomato", RED)
        stage.recipe((pile,), (half,), when=Diced(half))
    stage.put_later("salad", "salad", RED)
    stage.recipe(("half_1", "half_2"), ("tomato",), when=Cut("tomato"))
    stage.recipe(("salad",), ("pile_1", "pile_2"), when=Stirred("salad_bowl"))


def robot_on(stage: Stage) -> Executor:
    """A robot before a stage."""
    return Executor(stage, "bench seed 0")


def carry_out(robot: Executor, *steps: Step) -> list[Fact]:
    """Run steps; the facts of all frames so far."""
    for step in steps:
        robot.run(step)
    return list(facts_of(robot.physics, frozenset()))


def named(facts: list[Fact], *predicates: str) -> set[tuple[str, str, str | None]]:
    """Facts of these predicates that ever hold, without frames."""
    return {(f.predicate, f.subject, f.object) for f in facts if f.predicate in predicates}


def at_end(facts: list[Fact], n_frames: int) -> set[tuple[str, str, str | None]]:
    """Facts that hold in the last frame."""
    return {(f.predicate, f.subject, f.object) for f in facts if f.frame_to == n_frames}


def starts(facts: list[Fact], *key: str | None) -> list[int]:
    """First frames of the facts with this predicate, subject and object."""
    return [f.frame_from for f in facts if (f.predicate, f.subject, f.object) == key]


def place(physics: Physics, name: str, at: tuple[float, float, float], tilt_rad: float) -> None:
    """Put a thing somewhere, tilted to the right (about the axis away from the robot)."""
    import mujoco

    quat = np.array([math.cos(tilt_rad / 2), 0.0, math.sin(tilt_rad / 2), 0.0])
    physics.teleport(name, np.array(at), quat)
    mujoco.mj_kinematics(physics.model, physics.data)
