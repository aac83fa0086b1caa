"""The Mitsuba scene of a world: loaded once, then only moved.

A scene belongs to one choice of surfaces and one backend. Noise depends on pixel and seed alone,
not on the number of threads.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from enact_assets.settings.arrays import Floats, Floats32
from enact_assets.settings.classes import SCALAR, CameraSettings, RendererSettings
from enact_assets.simulator.rendering.backends import choose_backend
from enact_assets.simulator.rendering.lighting import EVERYDAY, Lighting, find_room, lights
from enact_assets.simulator.rendering.materials import bsdf, emitter
from enact_assets.simulator.rendering.meshes import (
    GeomMesh,
    TextureFrame,
    face_normals,
    geom_mesh,
    rotated,
    texture_coordinates,
    texture_frame,
)
from enact_assets.simulator.rendering.textures import texture_uv
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import World
from enact_assets.simulator.view.cameras import CameraPose, field_of_view_rad
from enact_assets.simulator.view.masks import VISIBLE_GROUPS

if TYPE_CHECKING:
    import mujoco


SEED = 7
ROULETTE_DEPTH = 3
"""Bounces after which dim paths may end early: a tenth of the time, no bias."""
BLOCK_PX = 32
"""Mitsuba seeds its noise by block; by itself it would choose the block by the thread count."""


@dataclass(frozen=True)
class DrawnGeom:
    """A visible geom of a world, in its own frame."""

    name: str
    mesh: GeomMesh
    texture_frame: TextureFrame


def drawn_geoms(world: World) -> dict[int, DrawnGeom]:
    """The visible geoms of a world by MuJoCo id. Errors: :class:`RenderError` for odd shapes."""
    model = world.model
    meshes: dict[tuple[int, bytes, int], GeomMesh] = {}
    found = {}
    for g in range(model.ngeom):
        if int(model.geom_group[g]) not in VISIBLE_GROUPS:
            continue
        # Arms, plates and table legs come in pairs: equal shapes share one mesh.
        shape = (
            int(model.geom_type[g]),
            model.geom_size[g].tobytes(),
            int(model.geom_dataid[g]),
        )
        if shape not in meshes:
            meshes[shape] = geom_mesh(model, g)
        found[g] = DrawnGeom(str(model.geom(g).name), meshes[shape], texture_frame(model, g))
    return found


class TracedScene:
    """A world in Mitsuba, as it stands in the posed ``data``, with the given surfaces by geom."""

    def __init__(
        self,
        world: World,
        geoms: Mapping[int, DrawnGeom],
        surfaces: Mapping[str, Surface],
        data: "mujoco.MjData",
        lighting: Lighting = EVERYDAY,
        *,
        backend: str = SCALAR,
    ) -> None:
        import mitsuba as mi

        self._backend = backend
        choose_backend(backend)
        self._geoms = geoms
        self._placed: dict[int, tuple[Floats, Floats]] = {}
        description: dict[str, Any] = {"type": "scene", **lights(find_room(world, data), lighting)}
        materials: dict[Surface, Any] = {}
        for geom, drawn in geoms.items():
            surface = surfaces[drawn.name]
            if surface not in materials:
                materials[surface] = mi.load_dict(bsdf(surface))
            description[f"geom_{geom}"] = self._shape(geom, surface, materials[surface], data)
        self._scene = mi.load_dict(description)
        self._parameters = mi.traverse(self._scene)

    def _shape(self, geom: int, surface: Surface, material: Any, data: "mujoco.MjData") -> Any:
        import mitsuba as mi

        drawn = self._geoms[geom]
        positions = drawn.mesh.positions
        properties = mi.Properties()
        properties["bsdf"] = material
        light = emitter(surface)
        if light is not None:
            properties["emitter"] = mi.load_dict(light)
        is_textured = surface.texture != "plain"
        shape = mi.Mesh(
            f"geom_{geom}",
            len(positions),
            len(positions) // 3,
            props=properties,
            has_vertex_normals=True,
            has_vertex_texcoords=is_textured,
        )
        parameters = mi.traverse(shape)
        parameters["faces"] = np.arange(len(positions), dtype=np.uint32)
        if is_textured:
            flat = np.repeat(face_normals(positions), 3, axis=0)
            place = texture_coordinates(drawn.texture_frame, positions, flat)
            uv = texture_uv(surface, place).astype(np.float32)
            parameters["vertex_texcoords"] = uv.ravel()
        self._place(parameters, "", geom, data)
        parameters.update()
        return shape

    def _place(self, parameters: Any, prefix: str, geom: int, data: "mujoco.MjData") -> None:
        mesh = self._geoms[geom].mesh
        position, turn = data.geom_xpos[geom].copy(), data.geom_xmat[geom].reshape(3, 3).copy()
        self._placed[geom] = (position, turn)
        positions = (rotated(mesh.positions, turn) + position).astype(np.float32)
        parameters[prefix + "vertex_positions"] = positions.ravel()
        self._turn(parameters, prefix, geom)

    def _turn(self, parameters: Any, prefix: str, geom: int) -> None:
        """Set the normals of a mesh that stands where ``_placed`` says."""
        normals = rotated(self._geoms[geom].mesh.normals, self._placed[geom][1])
        parameters[prefix + "vertex_normals"] = normals.astype(np.float32).ravel()

    def move(self, data: "mujoco.MjData") -> int:
        """Put every mesh where ``data`` has it; returns how many had to be moved."""
        moved = [
            geom
            for geom, (position, turn) in self._placed.items()
            if not (
                np.array_equal(position, data.geom_xpos[geom])
                and np.array_equal(turn.ravel(), data.geom_xmat[geom])
            )
        ]
        for geom in moved:
            self._place(self._parameters, f"geom_{geom}.", geom, data)
        if moved:
            self._parameters.update()
            # Mitsuba has just replaced the normals of every mesh whose positions were set by those
            # of its faces: what had moved would look faceted, what had not, smooth.
            for geom in moved:
                self._turn(self._parameters, f"geom_{geom}.", geom)
            self._parameters.update()
        return len(moved)

    def trace(
        self,
        pose: CameraPose,
        camera: CameraSettings,
        settings: RendererSettings,
        threads: int,
        rows: int | None = None,
    ) -> Floats32:
        """Noisy linear radiance (size_px, size_px, 3) of a pinhole picture by path tracing; with
        ``rows``, only that many from the top.
        """
        import drjit
        import mitsuba as mi

        choose_backend(self._backend)
        drjit.set_thread_count(threads)
        integrator = mi.load_dict(
            {
                "type": "path",
                "max_depth": settings.path_depth,
                "rr_depth": ROULETTE_DEPTH,
                "block_size": BLOCK_PX,
            }
        )
        sensor = mi.load_dict(_sensor(pose, camera, settings, rows or settings.size_px))
        seed: Any = SEED
        picture = mi.render(self._scene, sensor=sensor, integrator=integrator, seed=seed)
        return np.ascontiguousarray(np.array(picture), dtype=np.float32)


def _sensor(
    pose: CameraPose, camera: CameraSettings, settings: RendererSettings, rows: int
) -> dict[str, Any]:
    import mitsuba as mi

    _, up, forward = pose.axes
    look = mi.ScalarTransform4f().look_at(
        origin=pose.position.tolist(), target=(pose.position + forward).tolist(), up=up.tolist()
    )
    return {
        "type": "perspective",
        "fov": float(np.degrees(field_of_view_rad(camera))),
        "near_clip": 0.01,
        "far_clip": 100.0,
        "to_world": look,
        "film": {
            "type": "hdrfilm",
            "width": settings.size_px,
            "height": settings.size_px,
            "crop_width": settings.size_px,
            "crop_height": rows,
            # A wider filter correlates the noise of neighbouring pixels, and the denoiser then
            # takes it for structure.
            "rfilter": {"type": "box"},
            "pixel_format": "rgb",
        },
        "sampler": {"type": "independent", "sample_count": settings.samples},
    }
