"""A small room for tests of motion: a chest of drawers, a table and a chest with a lid."""

from types import SimpleNamespace

from simulator import room_pieces

from enact_assets.simulator.activities.base import HEAD_PITCH_RAD
from enact_assets.simulator.rooms import kitchen
from enact_assets.simulator.rooms.shell import STEEL
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.simulation.recording import facts_of
from enact_assets.simulator.skills.executor import Executor, Step
from enact_assets.simulator.stage.stage import Stage
from enact_assets.simulator.stage.stage_builder import StageBuilder
from enact_assets.simulator.stage.transitions import Cut

WOOD = Surface((0.7, 0.5, 0.3), "wood")
LOOK = SimpleNamespace(
    body=WOOD, front=Surface((0.2, 0.4, 0.5)), top=WOOD, handle=STEEL, lining=WOOD
)


def small_stage() -> Stage:
    """Things on the table, in both drawers and in the chest; all panels are closed."""
    stage = StageBuilder()
    kitchen.add_room(stage.scene, kitchen.STYLES[0])
    stage.furnish(
        *room_pieces.add_drawer_unit(stage.scene, LOOK, kitchen.LEFT_X),
        room_pieces.add_table(stage.scene, kitchen.STYLES[0]),
        room_pieces.add_chest(stage.scene, LOOK, kitchen.RIGHT_X),
    )
    stage.put("mug", "mug", (0.8, 0.1, 0.1), "table", (-0.3, -0.15))
    stage.put("can", "can", (0.1, 0.1, 0.8), "table", (0.3, -0.15))
    stage.put("basket", "basket", (0.8, 0.7, 0.5), "table", (0.0, 0.15))
    stage.put("orange", "orange", (1.0, 0.4, 0.0), "basket", (0.1, 0.0))
    stage.put("can_2", "can", (0.1, 0.6, 0.1), "top_drawer", (0.1, 0.05))
    stage.put("orange_2", "orange", (1.0, 0.4, 0.0), "bottom_drawer", (-0.1, 0.0))
    stage.put("bowl", "bowl", (0.1, 0.5, 0.8), "chest", (0.1, 0.0))
    stage.put("watermelon", "watermelon", (0.1, 0.5, 0.1), "chest_of_drawers", (-0.18, 0.2))
    stage.recipe(("half_1", "half_2"), ("watermelon",), when=Cut("watermelon"))
    for half in ("half_1", "half_2"):
        stage.put_later(half, "half_watermelon", (0.1, 0.5, 0.1))
    return stage.finish(HEAD_PITCH_RAD)


def robot_after(*steps: Step, stage: Stage | None = None) -> Executor:
    """A robot that carried out ``steps`` and stood still for half a second."""
    robot = Executor(stage or small_stage(), "test seed 0")
    for step in steps:
        robot.run(step)
    robot.drive(robot.wait(0.5))
    return robot


def spans(robot: Executor, predicate: str, subject: str) -> list[tuple[str | None, int, int]]:
    """Object, first frame and frame after the last of all facts of a predicate and subject."""
    return [
        (f.object, f.frame_from, f.frame_to)
        for f in facts_of(robot.physics, frozenset())
        if (f.predicate, f.subject) == (predicate, subject)
    ]
