"""Layouts: whatever order the waits allow, things stand apart, in reach, and are met by no hand."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pytest

from enact_assets.engine.errors import PlanError
from enact_assets.simulator.planning.layout import Event, Item, Layout, Spot, shape_of
from enact_assets.simulator.planning.sight import is_behind_arm, is_seen, is_seen_in, seen
from enact_assets.simulator.robot.kinematics import REACH_M, reach_needed
from enact_assets.simulator.robot.stances import common_stance, grip_pose, standing_place, wide_grip
from enact_assets.simulator.rooms import kitchen, living_room
from enact_assets.simulator.rooms.furnished import Furnishing, Piece, Site
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.skills.both_hands import wide_goals

CELL_M = 0.01
PIECES = {
    "left": (Piece("counter", "countertop"), Piece("shelf", "shelf")),
    "centre": (Piece("table", "table"),),
    "right": (Piece("fridge", "fridge"),),
}
ROUTES = {
    "basket": ("table",),
    "apple": ("basket", "table"),
    "bottle": ("fridge", "table"),
    "mug": ("countertop", "table", "shelf"),
    "glass": ("shelf", "countertop"),
    "can": ("table", "fridge"),
    "jam_jar": ("fridge", "basket"),
}


def _sites(*, is_mirrored: bool, pieces: Mapping[str, Sequence[Piece]] = PIECES) -> dict[str, Site]:
    styles = {"kitchen": kitchen.STYLES[0], "living room": living_room.STYLES[0]}
    furnishing = Furnishing("kitchen", styles, (1.0, 0.0, 0.0), pieces, is_mirrored=is_mirrored)
    return furnishing.build(Scene())


@pytest.fixture(scope="module")
def layouts() -> list[Layout]:
    """Some layouts of both sides."""
    found = []
    for seed in range(8):
        layout = Layout(np.random.default_rng(seed), _sites(is_mirrored=bool(seed % 2)))
        for name, route in ROUTES.items():
            layout.place(Item(name, name, route))
        found.append(layout)
    return found


def _some_order(layout: Layout, rng: np.random.Generator) -> Iterator[Event]:
    """Carries in an order that the waits allow, one of those that are ready at a time."""
    waits = set(layout.waits)
    left = {(item.name, k) for item in layout.items.values() for k in range(1, len(item.places))}
    while left:
        ready = sorted(
            event
            for event in left
            if (event[0], event[1] - 1) not in left
            and not any(then == event and first in left for first, then in waits)
        )
        assert ready, "some wait for each other"
        event = ready[int(rng.integers(len(ready)))]
        left.discard(event)
        yield event


def _cells(spot: Spot) -> set[tuple[int, ...]]:
    """Cells of space that what collides takes."""
    low, high = (np.round(np.array(corner) / CELL_M).astype(int) for corner in spot.solid)
    x, y, z = (range(a, max(b, a + 1)) for a, b in zip(low, high, strict=True))
    return {(i, j, k) for i in x for j in y for k in z}


def test_things_never_stand_in_each_other(layouts: list[Layout]) -> None:
    """In any order that the waits allow, cell by cell."""
    rng = np.random.default_rng(0)
    for layout in layouts[:4]:
        places = dict.fromkeys(layout.items, 0)
        cells = {
            (name, k): _cells(spot)
            for name, item in layout.items.items()
            for k, spot in enumerate(item.spots)
        }
        for name, number in _some_order(layout, rng):
            places[name] = number
            own = cells[name, number]
            for other, k in places.items():
                inside = "basket" in (name, other)
                assert other == name or inside or not own & cells[other, k], (name, other)


def test_spots_lie_within_their_furniture_and_in_reach(layouts: list[Layout]) -> None:
    """Both where a thing is taken and where it is put, by the one hand that carries it."""
    for layout in layouts:
        for item in layout.items.values():
            for spot in item.spots:
                _check_within(layout.sites, spot)
                side, parts, pos = item.hand or "left", item.shape.parts, spot.pos
                base = standing_place(side, pos, lambda b: grip_pose(b, side, parts, pos))  # noqa: B023
                assert reach_needed(base, side, grip_pose(base, side, parts, pos)) <= REACH_M


def _check_within(sites: Mapping[str, Site], spot: Spot) -> None:
    site = sites.get(spot.on)
    if site is not None:
        origin = np.array(site.fixture.origin)
        low, high = (np.array(corner) - origin for corner in spot.solid)
        assert any(
            low[0] > s.x[0] - 0.02 and high[0] < s.x[1] + 0.02
            and low[1] > s.y[0] - 0.02 and high[1] < s.y[1] + 0.02 and high[2] <= s.height
            for s in site.spaces
        )  # fmt: skip


def test_nothing_stands_before_what_is_taken_out_level(layouts: list[Layout]) -> None:
    """A hand with a thing comes straight out of the fridge."""
    rng = np.random.default_rng(1)
    n = 0
    for layout in layouts:
        places = dict.fromkeys(layout.items, 0)
        for name, number in _some_order(layout, rng):
            spots = layout.items[name].spots
            for spot in (spots[number - 1], spots[number]):
                for other, k in places.items():
                    its = layout.items[other].spots[k]
                    if spot.access == "front" and its.on == spot.on and other != name:
                        n += 1
                        across = min(spot.solid[1][0], its.solid[1][0]) - max(
                            spot.solid[0][0], its.solid[0][0]
                        )
                        assert across < 0 or its.pos[1] > spot.pos[1], (name, other)
            places[name] = number
    assert n > 3


def test_the_same_numbers_give_the_same_layout() -> None:
    """Else a world could not be built again for its pictures."""
    found = []
    for _ in range(2):
        layout = Layout(np.random.default_rng(5), _sites(is_mirrored=False))
        for name, route in ROUTES.items():
            layout.place(Item(name, name, route))
        found.append(repr([(i.hand, [s.at for s in i.spots]) for i in layout.items.values()]))
        found.append(repr(sorted(layout.waits)))
    assert found[:2] == found[2:]


def test_what_has_no_room_is_said() -> None:
    """The message is what the author of a declaration works with."""
    layout = Layout(np.random.default_rng(0), _sites(is_mirrored=False))
    with pytest.raises(
        PlanError, match=r"no place .* \(table -> shelf\): shelf has no room for it"
    ):
        layout.place(Item("board", "cutting_board", ("table", "shelf")))
    layout = Layout(np.random.default_rng(0), _sites(is_mirrored=False))
    plates = [Item(f"plate_{k}", "plate", ("table",)) for k in range(20)]
    with pytest.raises(PlanError, match=r"no place was found .* stands there"):
        list(map(layout.place, plates))


def test_a_thing_is_not_seen_behind_a_larger_one_nor_behind_a_wall() -> None:
    """A change behind something can be asked by nobody."""
    mug = ((-0.06, 1.0, 0.8), (0.06, 1.1, 0.92))
    box = ((-0.2, 0.7, 0.8), (0.2, 0.8, 1.15))
    flat = ((-0.2, 0.7, 0.8), (0.2, 0.8, 0.82))
    assert is_seen(seen(*mug))
    assert not is_seen(seen(*mug), seen(*box))
    assert is_seen(seen(*mug), seen(*flat))
    assert is_seen(seen(*box), seen(*mug))
    cavity = ((0.48, 0.6, 0.8), (1.05, 1.25, 1.5))
    outside = ((0.8, 0.7, 0.9), (0.92, 0.8, 1.02))
    behind_wall = ((0.5, 1.1, 0.9), (0.6, 1.2, 1.02))
    assert is_seen_in(cavity, *outside, is_open_above=False)
    assert not is_seen_in(cavity, *behind_wall, is_open_above=False)
    chest = ((0.47, 0.54, 0.5), (1.05, 0.94, 0.75))
    for (x, y), is_hidden in {(0.55, 0.75): True, (0.8, 0.62): True, (0.75, 0.8): False}.items():
        apple = ((x - 0.05, y - 0.05, 0.52), (x + 0.05, y + 0.05, 0.62))
        assert is_seen(seen(*apple))
        assert is_seen_in(chest, *apple, is_open_above=True) is not is_hidden, (x, y)


def test_shapes_are_those_of_the_geoms() -> None:
    """What collides lies in what is seen; a mug has a handle that does not collide."""
    mug = shape_of("mug")
    assert (mug.solid[0] >= mug.whole[0] - 1e-3).all()
    assert (mug.solid[1] <= mug.whole[1] + 1e-3).all()
    assert mug.whole[1][0] > mug.solid[1][0] + 0.03


def test_what_both_hands_carry_is_in_reach_only_if_it_moves() -> None:
    """A basket may stand anywhere; on its way it stands where both hands reach it."""
    pieces = {"left": (Piece("counter", "countertop"),), "centre": (Piece("table", "table"),)}
    stances = []
    for seed, route in enumerate([("countertop", "table"), *[("countertop",)] * 20]):
        layout = Layout(np.random.default_rng(seed), _sites(is_mirrored=False, pieces=pieces))
        layout.place(Item("basket", "basket", route))
        grips = [wide_grip(s.shape.parts, s.pos, 0.0) for s in layout.items["basket"].spots]
        stances.append([common_stance(wide_goals("basket", grip)) for grip in grips])
    assert None not in stances[0]
    assert [None] in stances


def test_of_what_is_used_up_at_once_none_hides_the_other() -> None:
    """No order helps: both are there until then."""
    stirred: Event = ("salad_bowl", 1)
    n_found = 0
    for seed in range(24):
        layout = Layout(np.random.default_rng(seed), _sites(is_mirrored=False))
        with contextlib.suppress(PlanError):  # There is not much room.
            layout.place(Item("salad_bowl", "salad_bowl", ("table",)))
            for name in ("diced_tomato", "lettuce"):
                layout.place(Item(name, name, ("countertop", "salad_bowl"), ends=stirred))
            diced, lettuce = (layout.items[n].spots[1].seen for n in ("diced_tomato", "lettuce"))
            assert is_seen(diced, lettuce)
            assert is_seen(lettuce, diced)
            n_found += 1
    assert n_found >= 4


def test_an_arm_hides_what_is_between_it_and_the_corner() -> None:
    """What is at its other side is seen."""
    tool, near, aside = (
        seen((x, y, 0.8), (x + 0.1, y + 0.1, 0.9)) for x, y in ((0, 1), (0.12, 0.8), (-0.2, 0.8))
    )
    assert is_behind_arm(near, tool, is_left=False)
    assert not is_behind_arm(aside, tool, is_left=False)
    assert is_behind_arm(aside, tool, is_left=True)
    assert is_behind_arm(tool, tool, is_left=True)
