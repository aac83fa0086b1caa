"""The catalogue of things: what rows say is so, what they cannot say is one clear error."""

import math
import re
from itertools import count
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import numpy as np
import pytest
from simulator.geom_boxes import whole_box

from enact_assets.engine.errors import SettingsError, UnknownNameError
from enact_assets.settings.arrays import Floats
from enact_assets.settings.entries import parse_yaml
from enact_assets.simulator.rooms.furniture import FURNITURE, FurnitureRow
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.row_files import RowFiles, entries
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.things.kinds import add_thing, build_thing, natural_colors
from enact_assets.simulator.things.thing_parts import Parts, Vessel
from enact_assets.simulator.things.thing_rows import CATALOGUE, Row

RED = (0.8, 0.1, 0.05)
CUP = """cup:
  facts: {footprint: [-0.04, -0.04, 0.04, 0.04], height: 0.1, synsets: [cup.n.01]}
  hold: {grasp_out: 0.04, grasp_height: 0.08, grip: 0.02, radius: 0.04, height: 0.1}
  vessel: {profile: [[0.01, 0.03], [0.1, 0.035]]}
  meshes: {rim: {band: [0.04, 0.09, 0.1]}}
  looks: {dark: {color: own*0.5}}
  pieces:
    wall: {cylinder: [0.04, 0.05], look: own, at: [0, 0, 0.05], mass: 0.2}
    rim: {mesh: rim, look: dark}
  solids: [{upright: [0.04, 0, 0.01], mass: 0.1}]
"""


def test_footprint_and_height_are_those_of_the_geoms() -> None:
    """What a layout keeps free, and what it takes to stand before another thing, without building
    anything.
    """
    for theme in CATALOGUE.themes:
        for kind in CATALOGUE.kinds_of(theme):
            _check_facts(theme, kind)


def _check_facts(theme: str, kind: str) -> None:
    scene, facts = Scene(), CATALOGUE.read(Row, theme, kind).facts
    scene.body(kind, (0, 0, 0), build_thing(theme, kind, scene, kind, RED).geoms)
    low, high = whole_box(scene)
    assert (*low[:2], *high) == pytest.approx((*facts.footprint, facts.height), abs=0.00051), kind


@pytest.mark.parametrize("files", [CATALOGUE, FURNITURE], ids=["things", "furniture"])
def test_files_are_strict_yaml_and_name_each_kind_once(files: RowFiles) -> None:
    """The quick reader takes the last of two rows or fields of one name, and 0777 for 511."""
    kinds = []
    for theme, texts in files.themes.items():
        path = files.folder / f"{theme}.yaml"
        text = path.read_text(encoding="utf-8")
        assert list(parse_yaml(text, path)) == list(texts)
        assert all(len(line) <= 120 for line in text.splitlines()), theme
        kinds += files.kinds_of(theme)
    assert len(kinds) == len(set(kinds)) > 30


def test_synsets_are_written_as_wordnet_does() -> None:
    names = [
        s
        for t in CATALOGUE.themes
        for k in CATALOGUE.kinds_of(t)
        for s in CATALOGUE.read(Row, t, k).facts.synsets
    ]
    assert len(names) > 100
    assert all(re.fullmatch(r"[a-z][a-z_-]*\.n\.\d\d", name) for name in names)


def test_natural_colours_are_those_of_the_row() -> None:
    """A kind without any, or one that nobody knows, takes a colour of the palette."""
    assert natural_colors("tomato") == ((0.8, 0.05, 0.03),)
    assert natural_colors("mug") == natural_colors("no such kind") == ()


FITS = {
    "tupperware": ("apple_pie", "half_apple_pie", "pepperoni", "mushroom"),
    "hinged_jar": ("bratwurst",),
    "paper_bag": ("tomato", "milk_carton"),
    "packing_box": ("half_apple", "club_sandwich", "bottle_of_tea", "chocolate_chip_cookie"),
    "pencil_case": ("pen", "pencil"),
    "plate": ("pizza", "apple_pie", "half_apple_pie"),
    "chopping_block": ("log",),
    "tray": ("bacon",),
    "baking_sheet": ("pizza", "pizza_dough", "hotdog"),
    "appliances oven": ("baking_sheet", "pizza"),
    "appliances sink": ("chopping_board", "paring_knife"),
    "appliances fridge": ("tray", "tupperware", "pizza"),
    "bedroom bed": ("board_game", "teddy_bear", "laptop"),
    "living_room sofa": ("wreath", "candy_cane"),
    "garage car": ("paper_bag", "tennis_racket"),
}
"""What is made to go into, or onto, what."""


@pytest.mark.parametrize("place", FITS)
def test_what_belongs_together_fits(place: str) -> None:
    """By what rows say alone, as a layout knows it: footprints, cavities and regions."""
    theme, _, kind = place.rpartition(" ")
    if theme:
        region = FURNITURE.read(FurnitureRow, theme, kind).regions[0]
        room = (region.x[1] - region.x[0], region.y[1] - region.y[0])
    else:
        row = _row(kind)
        low, high = row.cavity or (row.facts.footprint[:2], row.facts.footprint[2:])
        room = (high[0] - low[0], high[1] - low[1])
    for name in FITS[place]:
        x, y, right, far = _row(name).facts.footprint
        assert right - x <= room[0], name
        assert far - y <= room[1], name


def _row(kind: str) -> Row:
    (theme,) = (theme for theme in CATALOGUE.themes if kind in CATALOGUE.kinds_of(theme))
    return CATALOGUE.read(Row, theme, kind)


NUMBERS = count()


def _built(patch: pytest.MonkeyPatch, text: str, kind: str = "cup") -> tuple[Scene, Parts]:
    """A thing of a file that says ``text``, in a scene of its own."""
    theme, scene = f"own_{next(NUMBERS)}", Scene()
    patch.setitem(CATALOGUE.themes, theme, entries(text))
    return scene, build_thing(theme, kind, scene, "c", RED)


def _geoms(parts: Parts) -> dict[str, tuple[Floats, Floats]]:
    """Part -> place and turn, each (3,), of what is seen of a thing."""
    found = ET.fromstring(f"<body>{parts.geoms}</body>")  # noqa: S314 - our own
    return {
        geom.attrib["name"].removeprefix("c."): (
            np.array(geom.attrib["pos"].split(), float),
            np.array(geom.attrib.get("euler", "0 0 0").split(), float),
        )
        for geom in found
        if "name" in geom.attrib
    }


def test_a_row_becomes_geoms_surfaces_and_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    scene, parts = _built(monkeypatch, CUP)
    assert list(scene.meshes) == ["rim"]
    assert scene.surfaces == {
        "c.wall": Surface(RED, finish="gloss"),
        "c.rim": Surface((0.4, 0.05, 0.025)),
    }
    assert (parts.grasp_out, parts.radius, parts.rest_height) == (0.04, 0.04, 0.0)
    assert parts.vessel == Vessel(((0.01, 0.03), (0.1, 0.035)))
    assert parts.coat is None
    wall, rim, solid = ET.fromstring(f"<body>{parts.geoms}</body>")  # noqa: S314 - our own
    assert [g.attrib["group"] for g in (wall, rim, solid)] == ["0", "1", "3"]
    assert [g.attrib["mass"] for g in (wall, rim, solid)] == ["0.2", "0", "0.1"]


def test_colours_may_darken_or_fall_with_that_of_the_thing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has the colour of the thing must not vanish on it."""
    falling = "look: {color: [1-0.5*red, 0.2, 0.3], second: own, finish: matte}"
    scene, _ = _built(monkeypatch, CUP.replace("look: dark", falling))
    assert scene.surfaces["c.rim"] == Surface((0.6, 0.2, 0.3), finish="matte", second=RED)


def test_pieces_stand_around_the_axis(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ribs, petals and segments, of which one is written down."""
    row = "  pieces:\n    rib: {box: [0.01, 0.02, 0.03], look: [own, dark], around: 4, "
    row += "at: [0.1, 0, 0.2], TURN}\n  solids"
    text = re.sub(r"  pieces:.*\n  solids", row, CUP, flags=re.DOTALL)
    for given, start in (("turn: outward", 0.0), ("turn: [0, 0.3, 0], start: 0.5", 0.5)):
        scene, parts = _built(monkeypatch, text.replace("TURN", given))
        geoms = _geoms(parts)
        assert list(geoms) == ["rib_0", "rib_1", "rib_2", "rib_3"]
        for k, (place, turned) in enumerate(geoms.values()):
            angle = (k + start) * math.pi / 2
            wanted = (0.1 * math.cos(angle), 0.1 * math.sin(angle), 0.2)
            assert place == pytest.approx(wanted, abs=1e-6)
            lean = (-0.3 * math.sin(angle), 0.3 * math.cos(angle), 0)
            assert turned == pytest.approx(lean if start else (0, 0, angle), abs=1e-5)
        shares = [scene.surfaces[f"c.rib_{k}"].color[0] for k in range(4)]
        assert shares == [0.8, 0.4, 0.8, 0.4]


def test_each_place_may_have_a_turn_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    text = CUP.replace(
        "at: [0, 0, 0.05], mass: 0.2", "turn: along_x, each: [[1, 2, 3], [4, 5, 6, 0.1, 0.2, 0.3]]"
    )
    geoms = _geoms(_built(monkeypatch, text)[1])
    assert geoms["wall_0"][0].tolist() == [1, 2, 3]
    assert geoms["wall_0"][1] == pytest.approx((0, math.pi / 2, 0), abs=1e-5)
    assert [v.tolist() for v in geoms["wall_1"]] == [[4, 5, 6], [0.1, 0.2, 0.3]]


def test_a_row_can_be_like_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tall cup is a cup but for what it says; looks of a file are known to all its rows."""
    shared = "looks:\n  pale: {color: [0.9, 0.9, 0.9]}\n"
    tall = "tall:\n  like: cup\n  hold: {height: 0.2}\n  looks: {dark: pale}\n"
    scene, parts = _built(monkeypatch, shared + CUP + tall, "tall")
    assert (parts.height, parts.radius) == (0.2, 0.04)
    assert scene.surfaces["c.rim"] == Surface((0.9, 0.9, 0.9))
    assert _built(monkeypatch, shared + CUP + tall)[1].height == 0.1


WRONG = {
    ("pieces:", "peices:"): r"cup: .*unknown field `peices`",
    (
        "height: 0.1, synsets",
        "hieght: 0.1, synsets",
    ): r"cup: .*unknown field `hieght` - at `\$\.facts`",
    ("grip: 0.02, ", ""): r"\.hold: .*missing required field `grip`",
    ("grip: 0.02", "gripp: 0.02"): r"\.hold: unknown field 'gripp' \(known: .*grip,",
    ("profile: [[0.01, 0.03]", "profil: [[0.01, 0.03]"): r"\.vessel: unknown field 'profil'",
    ("radius: 0.04", "radius: wide"): r"\.hold: Expected `float`, got `str` - at `\$\.radius`",
    ("cylinder: [0.04, 0.05]", "cylinder: [0.04]"): r"\.pieces\.wall: .* length 2.*cylinder",
    ("cylinder: [0.04, 0.05], ", ""): r"\.pieces\.wall: expected one of box, .*; found none",
    ("wall: {", "wall: {box: [1, 1, 1], "): r"\.pieces\.wall: .*; found box and cylinder",
    ("look: own, ", ""): r"\.pieces\.wall: .*missing required field `look`",
    ("look: own, ", "look: own, size: 3, "): r"\.pieces\.wall: .*unknown field `size`",
    ("look: dark", "look: drak"): r"unknown look 'drak' \(known: dark, own\).*\.pieces\.rim\.look",
    ("look: own,", "look: own*half,"): r"\.pieces\.wall\.look: .*own",
    ("mesh: rim", "mesh: brim"): r"unknown mesh 'brim' \(known: rim\).*\.pieces\.rim\.mesh",
    ("at: [0, 0, 0.05]", "each: [[0, 0, 0, 1]]"): r"\.pieces\.wall\.each: expected 3 numbers",
    ("upright: [0.04, 0, 0.01], ", ""): r"\.solids: expected one of box, upright, wall",
    ("band: [0.04", "belt: [0.04"): r"unknown field `belt`.*meshes",
    ("  facts:", "  like: mug\n  facts:"): r"unknown row 'mug' \(known: cup\)",
    ("look: own, ", "look: own, {"): r"of the row, line 8",
}


@pytest.mark.parametrize("change", sorted(WRONG))
def test_a_wrong_row_is_one_error_with_file_kind_and_field(
    change: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert change[0] in CUP
    with pytest.raises(SettingsError, match=WRONG[change]) as raised:
        _built(monkeypatch, CUP.replace(*change, 1))
    assert re.search(r"catalogue/own_\d+\.yaml: cup", str(raised.value))
    assert "\n" not in str(raised.value)


def test_a_wrong_row_concerns_its_own_kind_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are read when they are needed: a broken cup must not stop those who lay no table."""
    broken = CUP.replace("cup:", "broken:").replace("look: own", "look: [")
    assert _built(monkeypatch, broken + CUP)[1].height == 0.1


def test_the_row_of_the_docs_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    page = (CATALOGUE.folder.parents[3] / "docs/activities.md").read_text(encoding="utf-8")
    text = "cup:" + page.partition("\ncup:")[2].partition("```")[0]
    monkeypatch.setitem(CATALOGUE.themes, "docs", entries(text))
    _check_facts("docs", "cup")


def test_only_what_is_built_is_read_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows take longer than the worlds of three demonstrations."""
    read: list[str] = []
    decode = msgspec.yaml.decode

    def noted(text: str, **how: Any) -> Any:
        read.append(text)
        return decode(text, **how)

    monkeypatch.setattr(msgspec.yaml, "decode", noted)
    other = CUP.replace("cup:", "other:")
    monkeypatch.setitem(CATALOGUE.themes, "own_once", entries(CUP + other))
    for name in ("a", "b"):
        build_thing("own_once", "cup", Scene(), name, RED)
    assert read == [CUP]


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown kind of thing 'plaet' \(known: .*plate"):
        add_thing(Scene(), "a", "plaet", RED, (0.0, 0.0, 0.0))
