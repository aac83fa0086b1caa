"""Kitchens: furniture works on both sides, and things stand."""

import math

import numpy as np
import pytest
from simulator import room_pieces

from enact_assets.simulator.activities.base import HEAD_PITCH_RAD, PALETTE
from enact_assets.simulator.planning.basic_steps import Close, Open, Press
from enact_assets.simulator.robot.kinematics import Side
from enact_assets.simulator.rooms import kitchen
from enact_assets.simulator.rooms.fixtures import Fixture
from enact_assets.simulator.rooms.furnished import STYLES, Furnishing, Piece
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.skills.executor import Executor, Step, tilt_of
from enact_assets.simulator.stage.stage_builder import StageBuilder
from enact_assets.simulator.things.thing_rows import CATALOGUE


def _mirrored(x: float, fixture: Fixture) -> tuple[object, ...]:
    """Numbers of a fixture in which its mirror image agrees with it."""
    sign = math.copysign(1.0, x)

    def point(p: tuple[float, float, float] | None) -> tuple[float, ...] | None:
        return None if p is None else (round(sign * p[0], 9), round(p[1], 9), round(p[2], 9))

    panel, cavity, heater = fixture.panel, fixture.cavity, fixture.heater
    box = None if cavity is None else tuple(sorted(round(sign * c[0], 9) for c in cavity))
    turn = None if panel is None else round(sign * panel.axis[2], 9)
    return (
        point(fixture.origin), point(fixture.button), point(fixture.spout), box, turn,
        None if panel is None else (point(panel.handle), point(panel.hinge)),
        None if heater is None else point(heater.centre),
    )  # fmt: skip


ADDERS = {
    "fridge": room_pieces.add_fridge,
    "stove": room_pieces.add_stove,
    "griddle": room_pieces.add_griddle,
    "sink": room_pieces.add_sink,
    "blender": room_pieces.add_blender,
    "microwave": room_pieces.add_microwave,
    "cabinet": room_pieces.add_cabinet,
    "shelf": room_pieces.add_shelf,
    "trash_can": lambda scene, _, x: room_pieces.add_trash_can(scene, x),
}


@pytest.mark.parametrize("name", sorted(ADDERS))
def test_furniture_on_the_other_side_is_the_mirror_image(name: str) -> None:
    """A burner or door that does not turn round is not where a mirrored plan looks for it."""
    images = {
        _mirrored(x, ADDERS[name](StageBuilder().scene, kitchen.STYLES[0], x))
        for x in (kitchen.LEFT_X, kitchen.RIGHT_X)
    }
    assert len(images) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["microwave", "griddle", "sink", "blender", "trash_can"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_doors_lids_and_buttons_can_be_reached_and_work(name: str, side: Side) -> None:
    """Furniture nobody can open or switch makes every plan with it fail."""
    stage = StageBuilder()
    x = kitchen.LEFT_X if side == "left" else kitchen.RIGHT_X
    style = kitchen.STYLES[1]
    if name not in ("sink", "trash_can"):
        stage.furnish(room_pieces.add_counter(stage.scene, style, x, "countertop", "countertop"))
    stage.furnish(ADDERS[name](stage.scene, style, x))
    robot = Executor(stage.finish(HEAD_PITCH_RAD), "test seed 0")
    fixture = robot.stage.fixture(name)
    if fixture.panel is not None:
        robot.run(Open(side, name))
        assert robot.physics.open_fraction(name) > 0.8
        robot.run(Close(side, name))
        assert robot.physics.open_fraction(name) < 0.05
    if fixture.button is not None:
        steps: tuple[Step, ...] = (Press(side, name), Press(side, name))
        for step, wanted in zip(steps, (1.0, 0.0), strict=True):
            robot.run(step)
            assert robot.physics.appearance[fixture.cue] == wanted


KINDS = [
    kind
    for theme in ("crockery", "tableware", "groceries", "fresh")
    for kind in CATALOGUE.kinds_of(theme)
]


@pytest.mark.parametrize("first", range(0, len(KINDS), 6))
def test_everything_stands_where_it_is_put(first: int) -> None:
    """What topples, sinks in or slides is not where the plan takes hold of it."""
    stage = StageBuilder()
    stage.furnish(
        room_pieces.add_table(stage.scene, kitchen.STYLES[0]),
        room_pieces.add_counter(
            stage.scene, kitchen.STYLES[0], kitchen.LEFT_X, "left", "countertop"
        ),
        room_pieces.add_counter(
            stage.scene, kitchen.STYLES[0], kitchen.RIGHT_X, "right", "countertop"
        ),
    )
    names = sorted(KINDS)[first : first + 6]
    places = [(on, x) for on in ("table", "left", "right") for x in (-0.17, 0.17)]
    for name, (on, x) in zip(names, places, strict=False):
        stage.put(name, name, PALETTE[0], on, (x, 0.0))
    robot = Executor(stage.finish(HEAD_PITCH_RAD), "test seed 0")
    starts = {name: robot.stage.starts[name] for name in names}
    robot.drive(robot.wait(1.0))
    for name in names:
        pos, quat = robot.physics.pose(name)
        assert tilt_of(quat) < 0.03, name
        assert pos == pytest.approx(np.array(starts[name]), abs=0.006), name


@pytest.mark.parametrize("name", sorted(KINDS))
def test_sizes_agree_with_what_is_drawn(name: str) -> None:
    """Radius and height decide what a thing is carried over; hollows lie within the vessel."""
    stage = StageBuilder()
    stage.furnish(room_pieces.add_table(stage.scene, kitchen.STYLES[0]))
    stage.put(name, name, PALETTE[0], "table")
    made = stage.finish(HEAD_PITCH_RAD)
    parts, model = made.thing(name).parts, made.world.model
    body = model.body(name).id
    geoms = [g for g in range(model.ngeom) if model.geom_bodyid[g] == body]
    seen = [g for g in geoms if model.geom_group[g] in (0, 1)]
    assert seen
    top = max(float(model.geom_pos[g][2]) for g in seen)
    assert 0 < top <= parts.height + 0.03
    assert all(float(np.hypot(*model.geom_pos[g][:2])) <= parts.radius + 0.01 for g in seen)
    if parts.vessel is not None:
        heights = [h for h, _ in parts.vessel.profile]
        assert heights == sorted(heights)
        assert parts.vessel.mouth_height <= parts.height
        assert max(r for _, r in parts.vessel.profile) < parts.radius


@pytest.mark.parametrize("number", range(len(kitchen.STYLES)))
def test_what_looks_alike_has_other_colours_at_the_other_side(number: int) -> None:
    """Or nobody could tell which of two worktops or cabinets a sentence is about."""
    styles = {room: those[number % len(those)] for room, those in STYLES.items()}
    pieces = {
        "left": (Piece("counter", "countertop"), Piece("cabinet", "cabinet")),
        "centre": (Piece("table", "table"),),
        "right": (Piece("chest_of_drawers", "sideboard"), Piece("cabinet", "locker")),
    }
    scene = Scene()
    Furnishing("kitchen", styles, (0.75, 0.04, 0.04), pieces, is_mirrored=False).build(scene)
    looks: dict[str, dict[str, Surface]] = {
        name: {} for name in ("countertop", "sideboard", "cabinet", "locker")
    }
    for geom, look in scene.surfaces.items():
        name, _, part = geom.partition(".")
        if name in looks:
            looks[name][part] = look
    assert looks["countertop"]["top"] == styles["kitchen"].top
    assert looks["sideboard"]["top"] != looks["countertop"]["top"]
    assert looks["cabinet"].keys() == looks["locker"].keys()
    assert looks["cabinet"] != looks["locker"]
