"""Small rotation formulas on plain arrays: quaternions are wxyz, matrices act on column vectors."""

import math

import numpy as np

from enact_assets.settings.arrays import Floats


def rotate_z(vector: Floats | tuple[float, float, float], angle_rad: float) -> Floats:
    """``vector`` (3,) turned about the vertical; positive turns x towards y."""
    cos, sin = math.cos(angle_rad), math.sin(angle_rad)
    x, y, z = vector if isinstance(vector, tuple) else vector.tolist()
    return np.array([cos * x - sin * y, sin * x + cos * y, z])


def yaw_of(quat: Floats) -> float:
    """Turn about the vertical, in rad, of an upright body with the quaternion ``quat`` (4,)."""
    return wrap_angle(2.0 * math.atan2(float(quat[3]), float(quat[0])))


def turn_about(axis: Floats, angle_rad: float) -> Floats:
    """Rotation matrix (3, 3) of a right-handed turn about the unit vector ``axis`` (3,)."""
    half = angle_rad / 2
    return quat_to_matrix(np.array([math.cos(half), *(math.sin(half) * axis)]))


def quat_z(angle_rad: float) -> Floats:
    """Quaternion (4,) of a turn about the vertical."""
    return np.array([math.cos(angle_rad / 2), 0.0, 0.0, math.sin(angle_rad / 2)])


def matrix_to_quat(matrix: Floats) -> Floats:
    """Unit quaternion (4,) of a rotation matrix (3, 3).

    Source: the four-case form of Shepperd (1978), which never divides by a small number.
    """
    (a, b, c), (d, e, f), (g, h, i) = matrix.tolist()
    squares = (1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i)
    k = squares.index(max(squares))
    quat = np.array(
        (
            (squares[0], h - f, c - g, d - b),
            (h - f, squares[1], d + b, c + g),
            (c - g, d + b, squares[2], h + f),
            (d - b, c + g, h + f, squares[3]),
        )[k]
    )
    return quat / math.sqrt(float(quat @ quat))


def quat_to_matrix(quat: Floats) -> Floats:
    """Rotation matrix (3, 3) of a unit quaternion (4,)."""
    w, x, y, z = quat
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def quat_product(first: Floats, second: Floats) -> Floats:
    """Hamilton product: turn by ``second``, then by ``first``."""
    a, b, c, d = first
    e, f, g, h = second
    return np.array(
        [
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ]
    )


def quat_inverse(quat: Floats) -> Floats:
    """Inverse of a unit quaternion."""
    return np.asarray(quat * np.array([1.0, -1.0, -1.0, -1.0]), dtype=np.float64)


def frame_along(direction: Floats, across: Floats) -> Floats:
    """Quaternion whose z axis is ``direction`` and whose x axis is as near ``across`` as can be."""
    z = direction / math.sqrt(float(direction @ direction))
    x = across - z * float(across @ z)
    x = x / math.sqrt(float(x @ x))
    (x0, x1, x2), (z0, z1, z2) = x.tolist(), z.tolist()
    y = (z1 * x2 - z2 * x1, z2 * x0 - z0 * x2, z0 * x1 - z1 * x0)
    return matrix_to_quat(np.array((x, y, z)).T)


def smooth_step(u: float) -> float:
    """Minimum-jerk blend from 0 to 1 (Flash and Hogan, 1985): rest to rest, no jolt."""
    return u * u * u * (10.0 - 15.0 * u + 6.0 * u * u)


def wrap_angle(angle_rad: float) -> float:
    """The same angle between -pi and pi."""
    return (angle_rad + math.pi) % (2 * math.pi) - math.pi
