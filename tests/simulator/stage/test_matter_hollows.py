"""Volumes and levels in tilted vessels against cubes that are counted and against formulas."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.simulator.stage.hollows import Hollow
from enact_assets.simulator.things.thing_parts import Vessel

from reference.hollow_volumes import (
    counted_volume,
    cylinder_capacity,
    frustum_volume,
    wedge_capacity,
)

JUG = ((0.01, 0.05), (0.05, 0.085), (0.12, 0.06), (0.18, 0.075))
CUP = ((0.01, 0.05), (0.11, 0.05))


def up_of(tilt: float, turn: float) -> np.ndarray:
    """The vertical in the frame of a vessel tilted by ``tilt`` towards the heading ``turn``."""
    return np.array(
        [-math.sin(tilt) * math.cos(turn), -math.sin(tilt) * math.sin(turn), math.cos(tilt)]
    )


@given(tilt=st.floats(0, math.pi), turn=st.floats(0, 6), offset=st.floats(-0.15, 0.25))
def test_the_volume_below_a_plane_is_that_of_the_cubes_below_it(
    tilt: float, turn: float, offset: float
) -> None:
    """A wrong sign of the chord fills the vessel from the wrong side, and only when tilted."""
    up = up_of(tilt, turn)
    found = Hollow.of(Vessel(JUG)).volume_below(float(up[2]), offset)
    assert found == pytest.approx(counted_volume(JUG, up, offset), abs=3e-5)


@given(degrees=st.floats(0, 44))
def test_a_tilted_cup_keeps_what_the_formula_says(degrees: float) -> None:
    """The tilt at which it begins to flow, and how much leaves, follow from this number."""
    tilt = math.radians(degrees)
    found = Hollow.of(Vessel(CUP)).capacity(up_of(tilt, 0.3))
    assert found == pytest.approx(cylinder_capacity(0.05, 0.1, tilt), rel=3e-3)


def test_a_cup_whose_bottom_half_shows_keeps_a_wedge() -> None:
    """Past the tilt at which the bottom shows, the simple formula no longer holds."""
    tilt = math.atan(0.1 / 0.05)
    found = Hollow.of(Vessel(CUP)).capacity(up_of(tilt, 1.0))
    assert found == pytest.approx(wedge_capacity(0.05, 0.1, tilt), rel=5e-3)


def test_the_whole_volume_is_that_of_its_frustums() -> None:
    """Shares of a vessel are shares of this."""
    wanted = sum(frustum_volume(a[1], b[1], b[0] - a[0]) for a, b in pairwise(JUG))
    assert Hollow.of(Vessel(JUG)).volume == pytest.approx(wanted, rel=1e-3)


@given(degrees=st.lists(st.floats(0, 180), min_size=2, max_size=2, unique=True))
def test_a_larger_tilt_never_keeps_more(degrees: list[float]) -> None:
    """Else what was poured would flow back, and a skill that seeks the tilt would miss it."""
    low, high = sorted(math.radians(d) for d in degrees)
    hollow = Hollow.of(Vessel(CUP))
    slack = 2e-3 * hollow.volume  # slices are steps; see SLICES
    assert hollow.capacity(up_of(high, 0)) <= hollow.capacity(up_of(low, 0)) + slack


@given(tilt=st.floats(0.05, 3.1), share=st.floats(0.01, 0.99))
def test_the_level_of_a_volume_has_that_volume_below_it(tilt: float, share: float) -> None:
    """The search for a level must end at it, or the surface shown is not where the volume is."""
    hollow, up = Hollow.of(Vessel(JUG)), up_of(tilt, 0.7)
    volume = share * hollow.volume
    offset = hollow.offset_of(up, volume)
    slack = 2e-4 * math.pi * 0.085**2 / max(abs(math.cos(tilt)), 0.4)
    assert hollow.volume_below(float(up[2]), offset) == pytest.approx(volume, abs=slack)


def test_a_spout_pours_before_the_rim_would() -> None:
    """A kettle that poured over its rim would pour beside the cup."""
    spouted = Hollow.of(Vessel(CUP, lip=(0.09, 0.0, 0.08)))
    up = up_of(math.radians(20), 0.0)
    assert spouted.lip(up).tolist() == [0.09, 0.0, 0.08]
    assert spouted.capacity(up) < Hollow.of(Vessel(CUP)).capacity(up)


def test_the_lip_is_the_lowest_point_of_the_rim() -> None:
    """The stream starts there; any other point of the rim is higher."""
    hollow, up = Hollow.of(Vessel(CUP)), up_of(0.8, 2.0)
    rim = [np.array([0.05 * math.cos(a), 0.05 * math.sin(a), 0.11]) for a in np.arange(0, 6.3, 0.1)]
    assert up @ hollow.lip(up) <= min(float(up @ point) for point in rim) + 1e-9


@given(profile=st.sampled_from([CUP, JUG]), tilt=st.floats(0.06, 1.3), share=st.floats(0.05, 0.95))
def test_the_shown_level_lies_in_the_surface_and_inside_the_vessel(
    profile: tuple[tuple[float, float], ...], tilt: float, share: float
) -> None:
    """A disc that is too large sticks out of the wall; one far off floats beside the vessel."""
    hollow, up = Hollow.of(Vessel(profile)), up_of(tilt, 0.4)
    volume = share * hollow.volume
    section = hollow.section(up, volume)
    assert up @ section.middle == pytest.approx(hollow.offset_of(up, volume), abs=2e-3)
    level = np.array([-math.sin(0.4), math.cos(0.4), 0.0])
    downhill = np.cross(level, up)
    for angle in np.arange(0, 2 * math.pi, 0.3):
        point = section.middle + section.radius * (
            math.cos(angle) * level + math.sin(angle) * downhill
        )
        assert profile[0][0] - 3e-3 < point[2] < profile[-1][0] + 3e-3
        height = float(np.clip(point[2], profile[0][0], profile[-1][0]))
        assert math.hypot(point[0], point[1]) < hollow.radius(height) + 3e-3
