"""One neutral description of an embedded world, shared by the simulation, masks and pictures.

A :class:`World` is rebuilt from (activity, seed) and is always the same for the same code; a
:class:`WorldState` is one logged frame of it. Lengths in metres, quaternions wxyz, +z is up,
colours linear RGB from 0 to 1.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from enact_assets.engine.ids import sha256_bytes
from enact_assets.settings.arrays import Floats
from enact_assets.simulator.shapes.surfaces import Surface

if TYPE_CHECKING:
    import mujoco


@dataclass(frozen=True)
class Cue:
    """A visible sign of a state: when entry k of ``WorldState.appearance`` is 1, the surfaces of
    these geoms are replaced (a lit burner, a green lamp).
    """

    object_name: str
    surfaces_on: dict[str, Surface]


@dataclass(frozen=True)
class WorldObject:
    """One object of the scene graph. ``bodies`` are MuJoCo bodies, subtrees included.

    An object that ``is_particles`` stands for all particles of a substance.
    """

    name: str
    category: str
    bodies: tuple[str, ...]
    is_fixed: bool = False
    parents: tuple[str, ...] = ()
    is_particles: bool = False


@dataclass(frozen=True)
class World:
    """A compiled scene. Every visible geom is named, is in geom group 0 or 1, and has a surface."""

    xml: str
    objects: tuple[WorldObject, ...]
    surfaces: dict[str, Surface]
    cues: tuple[Cue, ...] = ()
    robot_geoms: frozenset[str] = frozenset()
    """Names of the robot's geoms: appearance variants recolour these."""
    head_body: str = "head"
    """Body whose frame carries the camera (x right, y forward, z up; origin at the eye)."""
    head_pitch_rad: float = field(default=0.66)
    """How far the baseline camera looks down."""

    @cached_property
    def model(self) -> "mujoco.MjModel":
        """The compiled MuJoCo model."""
        import mujoco

        return mujoco.MjModel.from_xml_string(self.xml)

    @property
    def sha(self) -> str:
        """Hash of the scene: a log can only be shown in the world it was recorded in."""
        parts = [self.xml, repr(self.objects), repr(sorted(self.surfaces.items())), repr(self.cues)]
        return sha256_bytes("\0".join(parts).encode())


@dataclass(frozen=True)
class WorldState:
    """One logged frame. Shapes: (nq,), (nmocap, 3), (nmocap, 4), (n_cues,)."""

    qpos: Floats
    mocap_pos: Floats
    mocap_quat: Floats
    appearance: Floats
