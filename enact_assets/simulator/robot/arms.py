"""What the robot's arms are made of: white shells round black cores, in the frames of its bodies.

Seams are gaps between shells through which the black core shows, so they stay visible when the
whole robot wears one colour. Left and right share their meshes; each arm is symmetric to the plane
it bends in.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from enact_assets.simulator.shapes.lofts import (
    Mesh,
    Section,
    along_x,
    along_y,
    drum,
    joined,
    loft,
    mirrored_x,
    mirrored_y,
    moved,
    rounded,
)
from enact_assets.simulator.shapes.mjcf import lathe
from enact_assets.simulator.shapes.surfaces import Surface

WHITE = Surface((0.88, 0.88, 0.87), finish="gloss")
BLACK = Surface((0.03, 0.03, 0.034), finish="satin")

SEAM_M = 0.005
BEVEL_M = 0.006


@dataclass(frozen=True)
class Piece:
    """A part of a body in one surface; its name is that of the mesh, too."""

    name: str
    look: Surface
    build: Callable[[], Mesh]

    @cached_property
    def mesh(self) -> Mesh:
        """Its vertices, to a hundredth of a millimetre, and triangles."""
        vertices, faces = self.build()
        return np.round(vertices, 5), faces


def shells(*sections: Section, seams: tuple[float, ...] = ()) -> Mesh:
    """A shell over ``sections``, cut open at the heights ``seams``."""
    cuts = [sections[0].z, *seams, sections[-1].z]
    pieces = []
    for k, (low, high) in enumerate(pairwise(cuts)):
        bottom = low + (SEAM_M / 2 if k else 0.0)
        top = high - (SEAM_M / 2 if k < len(seams) else 0.0)
        inner = [s for s in sections if bottom + BEVEL_M < s.z < top - BEVEL_M]
        ends = (_between(sections, bottom), _between(sections, top))
        pieces.append(rounded([ends[0], *inner, ends[1]], BEVEL_M))
    return joined(*pieces)


def _between(sections: tuple[Section, ...], z: float) -> Section:
    """The section at height ``z``, by linear interpolation."""
    for low, high in pairwise(sections):
        if z <= high.z:
            u = (z - low.z) / (high.z - low.z)
            return Section(
                z,
                low.half_x + u * (high.half_x - low.half_x),
                low.half_y + u * (high.half_y - low.half_y),
                low.x + u * (high.x - low.x),
                low.y + u * (high.y - low.y),
                low.square + u * (high.square - low.square),
            )
    return sections[-1]


def _both_sides(mesh: Mesh) -> Mesh:
    return joined(mesh, mirrored_y(mesh))


# ------------------------------------------------------------------------------ upper arm
# From the shoulder (z = 0) to the elbow (z = 0.5); x is the way the elbow points.


def _upper_shell() -> Mesh:
    sleeve = shells(
        Section(0.05, 0.047, 0.047),
        Section(0.10, 0.053, 0.052, square=2.3),
        Section(0.20, 0.049, 0.049, square=2.6),
        Section(0.36, 0.042, 0.046, square=2.8),
        Section(0.43, 0.037, 0.0465, square=3.2),
        seams=(0.155,),
    )
    return joined(sleeve, _cheeks())


def _cheeks() -> Mesh:
    """Two plates beside the elbow, rounded at its axis."""
    plate = along_y(
        rounded(
            [
                Section(0.036, 0.070, 0.037, square=2.6),
                Section(0.0465, 0.070, 0.037, square=2.6),
            ],
            0.003,
        )
    )
    return _both_sides(moved(plate, z=0.466))


def _upper_core() -> Mesh:
    core = loft(
        [
            Section(0.0, 0.038, 0.038),
            Section(0.10, 0.042, 0.042),
            Section(0.30, 0.036, 0.036),
            Section(0.45, 0.028, 0.030),
        ],
        16,
    )
    caps = [moved(along_y(drum(0.019, 0.044, 0.0495, 0.002, 14)), z=0.5)]
    caps += [moved(_screw(0.0045, 0.047), x=x, z=z) for x, z in ((0.02, 0.405), (-0.02, 0.405))]
    inlay = _inlay((0.19, 0.0495), (0.27, 0.046), (0.33, 0.0435))
    return joined(core, inlay, mirrored_x(inlay), _both_sides(joined(*caps)))


def _screw(radius: float, out: float) -> Mesh:
    """The head of a screw in a shell whose face is at y = ``out``."""
    head = [Section(out - 0.004, radius, radius), Section(out + 0.0005, radius, radius)]
    return along_y(loft(head, 10))


def _inlay(*places: tuple[float, float]) -> Mesh:
    """A dark strip along a shell whose face is at x = ``out``, from its (z, out)."""
    return loft([Section(z, 0.004, 0.009, out - 0.003, square=5.0) for z, out in places], 12)


# ------------------------------------------------------------------------------ forearm
# From the elbow (z = 0) to the wrist (z = 0.5).


def _fore_shell() -> Mesh:
    """With a ring where the forearm turns, and one before the wrist."""
    limb = shells(
        Section(0.055, 0.030, 0.031, square=2.4),
        Section(0.10, 0.039, 0.037, square=2.5),
        Section(0.20, 0.037, 0.035, square=2.5),
        Section(0.345, 0.030, 0.030, square=2.2),
        seams=(0.235,),
    )
    return joined(limb, *(drum(0.0285, z - 0.004, z + 0.004, 0.002, 16) for z in (0.356, 0.422)))


def _fore_core() -> Mesh:
    elbow = along_y(drum(0.040, -0.0345, 0.0345, 0.004))
    limb = loft(
        [
            Section(0.02, 0.028, 0.026),
            Section(0.08, 0.030, 0.028),
            Section(0.30, 0.0265, 0.0265),
            Section(0.40, 0.0255, 0.0255),
        ],
        16,
    )
    cuff = lathe(
        [
            (0.0, 0.40), (0.0255, 0.40), (0.0275, 0.41), (0.0275, 0.445), (0.0325, 0.455),
            (0.0335, 0.487), (0.031, 0.492), (0.0, 0.492),
        ],
        20,
    )  # fmt: skip
    inlay = _inlay((0.115, 0.039), (0.20, 0.037))
    screws = [moved(_screw(0.004, y), z=z) for z, y in ((0.27, 0.0325), (0.32, 0.031))]
    return joined(elbow, limb, cuff, inlay, mirrored_x(inlay), _both_sides(joined(*screws)))


# ------------------------------------------------------------------------------ hand
# From the wrist (z = 0.17) to the grasp point (z = 0); x runs across the fingers.


BALL = (
    (0.0, 0.141), (0.0145, 0.1449), (0.0251, 0.1555), (0.029, 0.170), (0.0251, 0.1845),
    (0.0145, 0.1951), (0.0, 0.199),
)  # fmt: skip
"""Profile of the ball of the wrist."""


def _palm() -> Mesh:
    ball = lathe(BALL, 18)
    body = rounded(
        [
            Section(0.088, 0.057, 0.021, square=5.0),
            Section(0.112, 0.053, 0.023, square=4.5),
            Section(0.132, 0.036, 0.024, square=3.5),
            Section(0.152, 0.023, 0.022, square=2.2),
        ],
        0.004,
    )
    return joined(ball, body, _rail())


def _hand_shell() -> Mesh:
    """White plates on the back of the hand and in its palm."""
    plate = along_y(
        rounded(
            [
                Section(0.016, 0.021, 0.040, square=4.0),
                Section(0.0285, 0.018, 0.034, square=4.0),
            ],
            0.004,
            16,
        )
    )
    return _both_sides(moved(plate, z=0.114))


def _rail() -> Mesh:
    """What the fingers slide in."""
    bar = [Section(-0.058, 0.0155, 0.0075, square=5.0), Section(0.058, 0.0155, 0.0075, square=5.0)]
    return moved(along_x(rounded(bar, 0.003, 16)), z=0.0865)


def _finger(half_y: float) -> Mesh:
    """One finger of two links; its inner face lies at x = 0.009."""
    inner = 0.009

    def link(*places: tuple[float, float, float]) -> list[Section]:
        """Sections from (z, outer face, half width)."""
        return [
            Section(z, (inner - outer) / 2, half, (inner + outer) / 2, square=3.5)
            for z, outer, half in places
        ]

    tip = rounded(
        link((-0.014, 0.001, 0.7 * half_y), (0.004, -0.004, half_y), (0.034, -0.008, half_y)),
        0.003,
        12,
    )
    base = rounded(
        [
            Section(0.036, 0.0085, half_y, -0.001, square=3.5),
            Section(0.062, 0.0095, half_y, -0.0035, square=3.5),
            Section(0.086, 0.0085, half_y, -0.004, square=3.5),
        ],
        0.003,
        12,
    )
    knuckle = moved(along_y(drum(0.0105, -half_y - 0.0015, half_y + 0.0015, 0.002, 12)), -0.001)
    return joined(tip, base, moved(knuckle, z=0.036))


def _rack(y: float) -> Mesh:
    """The foot of a finger that slides in the rail."""
    bar = [Section(-0.012, 0.0065, 0.004, square=6.0), Section(0.055, 0.0065, 0.004, square=6.0)]
    return moved(along_x(rounded(bar, 0.001, 8)), y=y, z=0.0865)


def _fingers() -> Mesh:
    one = _finger(0.0095)
    return joined(moved(one, y=-0.0115), moved(one, y=0.0115), _rack(0.008))


def _thumb() -> Mesh:
    return joined(_finger(0.0125), _rack(0.008))


UPPER = (Piece("upper_shell", WHITE, _upper_shell), Piece("upper_core", BLACK, _upper_core))
FORE = (Piece("fore_shell", WHITE, _fore_shell), Piece("fore_core", BLACK, _fore_core))
HAND = (
    Piece("palm", BLACK, _palm),
    Piece("hand_shell", WHITE, _hand_shell),
)
FINGERS = (Piece("fingers", BLACK, _fingers),)
THUMB = (Piece("thumb", BLACK, _thumb),)
"""Jaws of the gripper; their inner faces look along x."""

SHOULDER_BALL_M = 0.057
