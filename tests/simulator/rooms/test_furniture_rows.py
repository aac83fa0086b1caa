"""Furniture as rows: what they say of room and reach is so, what they cannot say is one error."""

import re
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from simulator.geom_boxes import geom_boxes, whole_box

from enact_assets.engine.errors import SettingsError
from enact_assets.simulator.rooms.fixtures import Fixture
from enact_assets.simulator.rooms.furniture import FURNITURE, FurnitureRow, add_furniture
from enact_assets.simulator.rooms.kitchen import LEFT_X, RIGHT_X
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.row_files import entries
from enact_assets.simulator.shapes.surfaces import Surface

KINDS = [(theme, kind) for theme in FURNITURE.themes for kind in FURNITURE.kinds_of(theme)]
GREY = Surface((0.5, 0.5, 0.5))
ANY_STYLE = SimpleNamespace(
    **dict.fromkeys(("top", "front", "table", "cabinet", "appliance", "metal", "frame"), GREY),
    **dict.fromkeys(("gate", "wood", "fabric", "body", "handle", "lining", "tin"), GREY),
)
BOX = """box:  # With a door that turns away from the middle.
  facts: {slot: base, footprint: [-0.1, 0.8, 0.3, 1.2], height: 0.4}
  origin: [0.1, 1, 0.2]
  cavity: [[0, 0.9, 0.2], [0.2, 1.1, 0.4]]
  panel: {handle: [0.2, 0.8, 0.3], axis: [0, 0, -1], hinge: [-0.1, 0.8, 0.2], span: 2, opened: 1.75}
  looks: {dark: {color: [0.1, 0.1, 0.1]}, glow: {color: [1, 0, 0], finish: glow}}
  lit: {lamp: glow}
  middle: 0.1
  pieces:
    case: {box: [0.1, 0.1, 0.2], look: wood, at: [0, 1, 0.2], solid: true}
    left: {box: [0.01, 0.1, 0.2], look: dark, at: [-0.1, 1, 0.2]}
    panel:
      leaf: {box: [0.1, 0.01, 0.2], look: dark, at: [0.1, 0, 0], mass: 1, turns: true}
    lamp: {sphere: [0.01], look: dark, at: [0.05, 1, 0.2], turns: true}
    hidden: {box: [0.1, 0.1, 0.1], at: [0, 1, 0.1]}
"""


def _stands(theme: str, kind: str) -> tuple[Scene, Fixture, float]:
    """A piece of furniture at the left or in the middle, and the x of its place."""
    x = LEFT_X if FURNITURE.read(FurnitureRow, theme, kind).facts.slot not in MIDDLE else 0.0
    scene = Scene()
    return scene, add_furniture(scene, theme, kind, (x, 0.0, 0.0), ANY_STYLE), x


MIDDLE = {"centre", "bench"}
"""Slots of what stands in the middle of the room."""


@pytest.mark.parametrize(("theme", "kind"), KINDS)
def test_footprint_and_height_are_those_of_the_geoms(theme: str, kind: str) -> None:
    """What a layout keeps free, and what hides what is behind, without building anything."""
    facts = FURNITURE.read(FurnitureRow, theme, kind).facts
    scene, _, x = _stands(theme, kind)
    low, high = whole_box(scene)
    found = (low[0] - x, low[1], high[0] - x, high[1], high[2])
    assert found == pytest.approx((*facts.footprint, facts.height), abs=0.00051)


@pytest.mark.parametrize(("theme", "kind"), KINDS)
def test_things_can_stand_in_a_region(theme: str, kind: str) -> None:
    """On a board as wide as the region, with nothing in the way up to its height."""
    scene, fixture, _ = _stands(theme, kind)
    solid = [(low, high) for low, high, is_solid in geom_boxes(scene) if is_solid]
    for region in FURNITURE.read(FurnitureRow, theme, kind).regions:
        low = np.add(fixture.origin, (region.x[0], region.y[0], 0.004))
        high = np.add(fixture.origin, (region.x[1], region.y[1], region.height or 0.3))
        assert not [1 for b, t in solid if (b < high - 1e-6).all() and (t > low + 1e-6).all()]
        below = [(b, t) for b, t in solid if abs(t[2] - fixture.origin[2]) < 0.013]
        assert [
            1
            for b, t in below
            if (b[:2] <= low[:2] + 1e-6).all() and (t[:2] >= high[:2] - 1e-6).all()
        ]


def _built(patch: pytest.MonkeyPatch, text: str, x: float = LEFT_X) -> tuple[Scene, Fixture]:
    theme, scene = f"own_{next(NUMBERS)}", Scene()
    patch.setitem(FURNITURE.themes, theme, entries(text))
    return scene, add_furniture(scene, theme, "box", (x, 0.0, 0.0), SimpleNamespace(wood=GREY))


NUMBERS = count()


def test_a_row_becomes_a_fixture_that_mirrors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Left stays left; what opens, shines and is reached faces the middle of the room."""
    for x, way in ((LEFT_X, 1.0), (RIGHT_X, -1.0)):
        scene, fixture = _built(monkeypatch, BOX, x)
        assert fixture.origin == pytest.approx((x + way * 0.1, 1, 0.2))
        assert fixture.opening.handle == pytest.approx((x + way * 0.2, 0.8, 0.3))
        assert fixture.opening.axis == (0.0, 0.0, -way)
        low, high = fixture.cavity or ((), ())
        assert sorted((x, x + way * 0.2)) == pytest.approx([low[0], high[0]])
        assert (fixture.cue, scene.cues[0].surfaces_on) == (
            0,
            {"box.lamp": Surface((1.0, 0.0, 0.0), finish="glow")},
        )
        places = dict(re.findall(r'<geom name="box\.([\w.]+)".*? pos="(\S+)', scene.bodies[0]))
        middle = x + way * 0.1
        wanted = {
            "case": middle, "left": middle - 0.1, "panel.leaf": way * 0.1,
            "lamp": middle + way * 0.05,
        }  # fmt: skip
        assert {part: float(at) for part, at in places.items()} == pytest.approx(wanted)
        assert scene.surfaces["box.case"] == GREY
        order = re.findall(r'name="box\.(\w+)"|group="(3)"', scene.bodies[0])
        assert [name or "hidden" for name, _ in order] == [
            "case", "left", "panel", "joint", "lamp", "hidden",
        ]  # fmt: skip


WRONG = {
    ("slot: base", "slot: floor"): r"Invalid enum value 'floor' - at `\$\.facts\.slot`",
    ("origin:", "orgin:"): r"unknown field `orgin`",
    ("span: 2, ", ""): r"box\.panel: .*missing required field `span`",
    ("span: 2", "spam: 2"): r"box\.panel: unknown field 'spam'",
    ("look: wood", "look: metal"): r"unknown look 'metal' \(known: dark, glow, wood\).*case\.look",
    ("look: wood, ", "look: wood, turn: up, "): r"box\.pieces\.case: .*'up' - at `\$\.turn`",
    ("lamp: glow", "lamp: glwo"): r"unknown look 'glwo'.*box\.lit",
    ("lamp: glow", "lmap: glow"): r"unknown piece 'lmap' \(known: case, hidden, .*box\.lit",
    ("mass: 1, ", "mess: 1, "): r"box\.pieces\.panel\.leaf: .*unknown field `mess`",
    ("sphere: [0.01], ", ""): r"box\.pieces\.lamp: expected one of box, .*; found none",
    ("finish: glow", "finish: shiny"): r"box\.looks\.glow: Invalid enum value 'shiny'",
}


@pytest.mark.parametrize("change", sorted(WRONG))
def test_a_wrong_row_is_one_error_with_file_kind_and_field(
    change: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert change[0] in BOX
    with pytest.raises(SettingsError, match=WRONG[change]) as raised:
        _built(monkeypatch, BOX.replace(*change, 1))
    assert re.search(r"furniture/own_\d+\.yaml: box", str(raised.value))
