"""Exact bounds of primitives against points sampled on their surfaces."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import PhysicsError
from enact_assets.simulator.mechanics.bounds import (
    BOX,
    CAPSULE,
    CYLINDER,
    ELLIPSOID,
    SPHERE,
    GeomShapes,
    geom_bounds,
)
from enact_assets.simulator.shapes.rotations import frame_along, matrix_to_quat, quat_to_matrix

unit = st.floats(-1, 1)
quats = st.tuples(unit, unit, unit, unit).filter(lambda q: np.linalg.norm(q) > 0.1)
SIZE = np.array([0.3, 0.2, 0.1])


def _surface(kind: int) -> np.ndarray:
    """Points on the surface of each primitive in its own frame, dense enough for 1 %."""
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 120), np.linspace(0, np.pi, 120))
    ball = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], -1).reshape(-1, 3)
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    r, h = SIZE[0], SIZE[1]
    circle = np.stack([np.cos(u[0]), np.sin(u[0]), 0 * u[0]], -1) * r
    ends = [np.array([0, 0, h]), np.array([0, 0, -h])]
    return {
        SPHERE: ball * r,
        ELLIPSOID: ball * SIZE,
        BOX: corners * SIZE,
        CAPSULE: np.concatenate([ball * r + end for end in ends]),
        CYLINDER: np.concatenate([circle + end for end in ends]),
    }[kind]


@pytest.mark.parametrize("kind", [SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX])
@given(quat=quats)
def test_bounds_hold_every_surface_point_and_no_more(
    kind: int, quat: tuple[float, float, float, float]
) -> None:
    """A box that is too large invents support; one that is too small loses it."""
    turn = quat_to_matrix(np.array(quat) / np.linalg.norm(quat))
    points = _surface(kind) @ turn.T + np.array([1.0, 2.0, 3.0])
    shapes = GeomShapes(np.array([0]), np.array([kind]), SIZE[None])
    low, high = geom_bounds(shapes, np.array([[[1.0, 2.0, 3.0]]]), turn[None, None])
    assert low[0, 0] == pytest.approx(points.min(axis=0), abs=3e-3)
    assert high[0, 0] == pytest.approx(points.max(axis=0), abs=3e-3)


def test_a_mesh_that_collides_is_refused() -> None:
    """Its box would be silently wrong."""
    shapes = GeomShapes(np.array([4]), np.array([7]), SIZE[None])
    with pytest.raises(PhysicsError, match="geom 4 collides but is not a primitive"):
        geom_bounds(shapes, np.zeros((1, 1, 3)), np.eye(3)[None, None])


@given(quat=quats)
def test_rotations_survive_the_way_to_matrices_and_back(
    quat: tuple[float, float, float, float],
) -> None:
    """A quaternion and its negative are the same turn; half turns are the hard case."""
    wanted = np.array(quat) / np.linalg.norm(quat)
    found = matrix_to_quat(quat_to_matrix(wanted))
    assert abs(float(found @ wanted)) == pytest.approx(1.0, abs=1e-9)


def test_a_frame_along_a_direction_is_right_handed() -> None:
    """A mirrored hand would put the fingers on the wrong side."""
    turn = quat_to_matrix(frame_along(np.array([0.0, 2.0, 0.0]), np.array([1.0, 0.3, 0.0])))
    assert turn == pytest.approx(np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]), abs=1e-12)
