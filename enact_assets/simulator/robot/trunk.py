"""What the robot's trunk is made of: carriage, lift, chest and head, in the frame of its base.

Origin on the floor under the eye, x to the right, y forward. All of it lies behind and below the
eye, in pieces whose bounding boxes do not hold the eye: no ray need be tried against them.
"""

from enact_assets.simulator.robot.arms import BLACK, WHITE, Piece, shells
from enact_assets.simulator.shapes.lofts import (
    Mesh,
    Section,
    along_x,
    drum,
    joined,
    loft,
    mirrored_x,
    moved,
    rounded,
)


def _carriage() -> Mesh:
    return rounded(
        [
            Section(0.07, 0.27, 0.23, y=-0.27, square=3.0),
            Section(0.16, 0.27, 0.23, y=-0.27, square=3.0),
            Section(0.25, 0.22, 0.18, y=-0.28, square=2.8),
        ],
        0.02,
        32,
    )


def _column() -> Mesh:
    """The lift on its wheels."""
    skirt = drum(0.215, 0.02, 0.08, 0.01, 32)
    column = rounded(
        [Section(0.22, 0.06, 0.05, square=4.0), Section(1.02, 0.06, 0.05, square=4.0)], 0.005, 16
    )
    return joined(moved(skirt, y=-0.27), moved(column, y=-0.25))


def _chest() -> Mesh:
    torso = shells(
        Section(0.98, 0.10, 0.085, square=2.6),
        Section(1.12, 0.125, 0.105, square=2.7),
        Section(1.28, 0.165, 0.115, square=2.8),
        Section(1.40, 0.155, 0.10, square=2.6),
        Section(1.46, 0.10, 0.08, square=2.2),
        seams=(1.10,),
    )
    cap = moved(along_x(drum(0.066, 0.155, 0.187, 0.008, 24)), y=-0.2, z=1.38)
    return joined(moved(torso, y=-0.25), cap, mirrored_x(cap))


def _torso_core() -> Mesh:
    """Axle of the shoulders, neck, and plates on chest and face."""
    torso = loft(
        [
            Section(1.0, 0.085, 0.07, square=2.5),
            Section(1.28, 0.14, 0.095, square=2.5),
            Section(1.45, 0.085, 0.065),
        ],
        16,
    )
    neck = joined(drum(0.07, 1.44, 1.475, 0.008), drum(0.042, 1.46, 1.60, 0.004, 16))
    axle = moved(along_x(drum(0.05, -0.22, 0.22, 0.004)), y=-0.2, z=1.38)
    plate = loft(
        [
            Section(1.19, 0.06, 0.03, y=-0.165, square=4.0),
            Section(1.33, 0.075, 0.03, y=-0.161, square=4.0),
        ],
        16,
    )
    return joined(moved(joined(torso, neck), y=-0.25), axle, plate)


def _skull() -> Mesh:
    return loft(
        [
            Section(1.585, 0.035, 0.045, y=-0.235),
            Section(1.60, 0.065, 0.075, y=-0.232, square=2.2),
            Section(1.66, 0.085, 0.095, y=-0.23, square=2.4),
            Section(1.74, 0.085, 0.095, y=-0.235, square=2.4),
            Section(1.80, 0.065, 0.075, y=-0.24, square=2.2),
            Section(1.82, 0.03, 0.04, y=-0.245),
        ],
        24,
    )


def _visor() -> Mesh:
    return loft(
        [
            Section(1.665, 0.066, 0.05, y=-0.183, square=3.0),
            Section(1.68, 0.074, 0.056, y=-0.183, square=3.0),
            Section(1.735, 0.074, 0.056, y=-0.186, square=3.0),
            Section(1.75, 0.066, 0.05, y=-0.19, square=3.0),
        ]
    )


BASE = (
    Piece("carriage", WHITE, _carriage),
    Piece("column", BLACK, _column),
    Piece("chest", WHITE, _chest),
    Piece("torso_core", BLACK, _torso_core),
    Piece("skull", WHITE, _skull),
    Piece("visor", BLACK, _visor),
)
