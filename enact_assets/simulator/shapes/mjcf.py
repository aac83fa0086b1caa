"""Geometry fragments: lathe meshes, MJCF geoms with their surfaces, and the scene they add up to.

Collision rule: fixtures touch movable things only, doors too, and the robot touches nothing (it
holds things by constraints), so no contact is ever computed that no predicate could use.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from enact_assets.settings.arrays import Floats, Ints
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import Cue, WorldObject

Vec3 = tuple[float, float, float]
Vector = Sequence[float]
Profile = Sequence[tuple[float, float]]

STATIC, MOVABLE, DOOR = (1, 0), (2, 7), (4, 0)
"""(contype, conaffinity) of fixtures, movable things and doors."""

SEGMENTS = 36

STEPS_PER_SECOND = 180
"""Physics steps: six a frame are stable at the speeds the robot moves at."""


def lathe(profile: Profile | Floats, segments: int = SEGMENTS) -> tuple[Floats, Ints]:
    """Surface of revolution about z: vertices (n, 3) and triangles (k, 3), facing outwards.

    ``profile`` lists (radius, height) from the axis, out, up and back to the axis.
    """
    points = np.asarray(profile, dtype=np.float64)
    angles = np.linspace(0.0, 2 * math.pi, segments + 1)[:segments]
    vertices = np.stack(
        [
            np.outer(np.cos(angles), points[:, 0]),
            np.outer(np.sin(angles), points[:, 0]),
            np.tile(points[:, 1], (segments, 1)),
        ],
        axis=-1,
    ).reshape(-1, 3)
    n = len(points)
    faces = []
    for column in range(segments):
        here, there = column * n, ((column + 1) % segments) * n
        for k in range(n - 1):
            if points[k + 1, 0] > 1e-9:
                faces.append((here + k, there + k + 1, here + k + 1))
            if points[k, 0] > 1e-9:
                faces.append((here + k, there + k, there + k + 1))
    return vertices, np.asarray(faces, dtype=np.int64)


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{v:.6g}" for v in values)


@dataclass
class Scene:
    """What a kitchen is made of while it is being put together; :meth:`xml` ends it."""

    meshes: dict[str, str] = field(default_factory=dict)
    bodies: list[str] = field(default_factory=list)
    equalities: list[str] = field(default_factory=list)
    surfaces: dict[str, Surface] = field(default_factory=dict)
    objects: list[WorldObject] = field(default_factory=list)
    cues: list[Cue] = field(default_factory=list)
    look: str = ""
    """Kind of room and number of its style; empty without a room."""

    def mesh(self, name: str, profile: Profile) -> str:
        """Register the lathe of ``profile`` once under ``name``; returns the name."""
        return name if name in self.meshes else self.mesh_of(name, *lathe(profile))

    def mesh_of(self, name: str, vertices: Floats, faces: Ints) -> str:
        """Register a mesh once under ``name``: vertices (n, 3) and triangles (k, 3) that face
        outwards. Returns the name.
        """
        if name not in self.meshes:
            self.meshes[name] = (
                f'<mesh name="{name}" inertia="shell" vertex="{_numbers(vertices.ravel())}" '
                f'face="{" ".join(map(str, faces.ravel()))}"/>'
            )
        return name

    def visible(
        self,
        name: str,
        kind: str,
        size: Vector | str,
        surface: Surface,
        pos: Vector = (0.0, 0.0, 0.0),
        *,
        euler: Vector | None = None,
        collide: tuple[int, int] | None = None,
        mass: float = 0.0,
    ) -> str:
        """A geom that is seen: group 0 if it also collides, else 1. ``size`` may name a mesh."""
        self.surfaces[name] = surface
        shape = f'mesh="{size}"' if isinstance(size, str) else f'size="{_numbers(size)}"'
        turn = "" if euler is None else f' euler="{_numbers(euler)}"'
        contype, conaffinity = collide or (0, 0)
        return (
            f'<geom name="{name}" type="{kind}" {shape} pos="{_numbers(pos)}"{turn} '
            f'mass="{mass:.6g}" contype="{contype}" conaffinity="{conaffinity}" '
            f'group="{0 if collide else 1}" rgba="{_numbers(surface.color)} 1"/>'
        )

    @staticmethod
    def solid(
        kind: str,
        size: Vector,
        pos: Vector,
        mass: float,
        *,
        collide: tuple[int, int] = MOVABLE,
        euler: Vector | None = None,
    ) -> str:
        """A geom that only collides (group 3)."""
        turn = "" if euler is None else f' euler="{_numbers(euler)}"'
        return (
            f'<geom type="{kind}" size="{_numbers(size)}" pos="{_numbers(pos)}"{turn} '
            f'mass="{mass:.6g}" contype="{collide[0]}" conaffinity="{collide[1]}" group="3"/>'
        )

    @staticmethod
    def ring(radius: float, bottom: float, top: float, mass: float, n: int = 8) -> str:
        """Collision wall of a round vessel: ``n`` upright boards."""
        half_width = radius * math.tan(math.pi / n)
        return "".join(
            Scene.solid(
                "box",
                (0.005, half_width, (top - bottom) / 2),
                (
                    radius * math.cos(2 * math.pi * k / n),
                    radius * math.sin(2 * math.pi * k / n),
                    (top + bottom) / 2,
                ),
                mass / n,
                euler=(0.0, 0.0, 2 * math.pi * k / n),
            )
            for k in range(n)
        )

    def body(
        self, name: str, pos: Vector, content: str, yaw_rad: float = 0.0, kind: str = ""
    ) -> None:
        """Add a body below the world; ``kind`` is "", "free" or "mocap"."""
        mocap = ' mocap="true"' if kind == "mocap" else ""
        joint = f'<freejoint name="{name}"/>' if kind == "free" else ""
        self.bodies.append(
            f'<body name="{name}" pos="{_numbers(pos)}" euler="0 0 {yaw_rad:.6g}"{mocap}>'
            f"{joint}{content}</body>"
        )

    def xml(self) -> str:
        """The MJCF of the scene: elliptic friction approximated by pyramids; what rests sleeps."""
        return (
            '<mujoco><compiler angle="radian" autolimits="true"/>'
            f'<option timestep="{1 / STEPS_PER_SECOND!r}" integrator="implicitfast" '
            'cone="pyramidal" iterations="30"><flag sleep="enable"/></option><size memory="32M"/>'
            '<default><geom friction="1 0.02 0.002" solref="0.012 1" condim="3"/></default>'
            f"<asset>{''.join(self.meshes.values())}</asset>"
            f"<worldbody>{''.join(self.bodies)}</worldbody>"
            f"<equality>{''.join(self.equalities)}</equality></mujoco>"
        )
