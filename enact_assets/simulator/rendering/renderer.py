"""Path-traced pictures of a world: Mitsuba with few samples, then a denoiser with exact guides.

The ray cast that makes the masks also gives the denoiser colour and normal of every pixel, so
textures stay sharp at three samples per pixel. The same state gives the same bytes on one machine,
whatever the number of threads; across machines pictures agree to the eye only.

The denoiser is Intel's Open Image Denoise. ``pyoidn.denoise`` always takes all cores and pins its
threads to them, which makes two rendering processes fight for one core; so device and filter are
set up here.
"""

import dataclasses
import os
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.errors import RenderError
from enact_assets.settings.arrays import Floats32
from enact_assets.settings.classes import Variant
from enact_assets.simulator.rendering.lighting import EVERYDAY
from enact_assets.simulator.rendering.materials import check_surfaces, dressed
from enact_assets.simulator.rendering.meshes import rotated, texture_coordinates
from enact_assets.simulator.rendering.modes import render_mode
from enact_assets.simulator.rendering.scenes import DrawnGeom, TracedScene, drawn_geoms
from enact_assets.simulator.rendering.textures import texture_colors
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import World, WorldState
from enact_assets.simulator.view.cameras import camera_pose, picture_directions, projection
from enact_assets.simulator.view.faces import Face, fisheye_faces, stitched
from enact_assets.simulator.view.masks import RayHits, cast_picture
from enact_assets.simulator.view.poses import cues_on, pose_world, state_seed, surfaces_shown

if TYPE_CHECKING:
    import mujoco


@cache
def denoiser(threads: int) -> "Denoiser":
    """The one denoiser of this process: each holds 40 MB or more, which the library keeps."""
    return Denoiser(threads)


class Denoiser:
    """Denoises linear pictures with noise-free guides; ``threads`` do not change the result."""

    def __init__(self, threads: int) -> None:
        import pyoidn

        self._device = pyoidn.Device(pyoidn.OIDN_DEVICE_TYPE_CPU)
        self._device.set_int("numThreads", threads)
        self._device.set_bool("setAffinity", False)  # noqa: FBT003 (pyoidn takes no keyword)
        self._device.commit()
        self._check("start")
        self._filter = pyoidn.Filter(self._device, pyoidn.OIDN_FILTER_TYPE_RT)
        self._check("make a filter")

    def denoise(self, color: Floats32, albedo: Floats32, normal: Floats32) -> Floats32:
        """Radiance (h, w, 3) without noise; ``albedo`` in [0, 1] and ``normal`` guide it.

        Errors: :class:`RenderError` if the shapes differ or the library fails.
        """
        import pyoidn

        if not color.shape == albedo.shape == normal.shape:
            raise RenderError(
                f"denoiser: picture {color.shape}, albedo {albedo.shape} and normal "
                f"{normal.shape} differ in shape"
            )
        result = np.zeros_like(color)
        images: dict[str, Any] = {
            pyoidn.OIDN_IMAGE_COLOR: np.ascontiguousarray(color, dtype=np.float32),
            pyoidn.OIDN_IMAGE_ALBEDO: np.ascontiguousarray(albedo, dtype=np.float32),
            pyoidn.OIDN_IMAGE_NORMAL: np.ascontiguousarray(normal, dtype=np.float32),
            pyoidn.OIDN_IMAGE_OUTPUT: result,
        }
        for name, image in images.items():
            self._filter.set_image(name, image, pyoidn.OIDN_FORMAT_FLOAT3)
        self._filter.set_bool("hdr", True)  # noqa: FBT003 (pyoidn takes no keyword)
        self._filter.set_quality(pyoidn.OIDN_QUALITY_HIGH)
        self._filter.commit()
        self._filter.execute()
        self._check("denoise")
        return result

    def _check(self, what: str) -> None:
        message = self._device.get_error()
        if message:
            raise RenderError(f"denoiser: could not {what}: {message}")


RENDERER_VERSION = 2
"""Raised by hand when a change of the code behind pictures makes other pictures."""


class Renderer:
    """Renders states of one world under one variant. The Mitsuba scene is loaded once and only
    what moved is updated; a changed surface loads it anew. Without ``threads``, all cores work.

    Errors: :class:`UnknownNameError` for a projection, mode, robot appearance, finish or texture
    that is not defined; :class:`RenderError` if a visible geom has no surface or cannot be drawn.
    """

    def __init__(self, world: World, variant: Variant, threads: int | None = None) -> None:
        self.world = world
        self.variant = variant
        self.threads = threads or os.cpu_count() or 1
        projection(variant.camera)
        check_surfaces(world)
        dressed(world, {}, variant.appearance)
        self._mode = render_mode(variant.renderer)
        self._geoms = drawn_geoms(world)
        self._data: mujoco.MjData | None = None
        self._scene: tuple[dict[str, Surface], TracedScene] | None = None

    def render(self, state: WorldState) -> NDArray[np.uint8]:
        """Picture of ``state`` in sRGB, (size_px, size_px, 3).

        Errors: :class:`RenderError` if the state does not fit the world or the renderer fails.
        """
        camera, settings = self.variant.camera, self.variant.renderer
        data = self._data = pose_world(self.world, state, self._data)
        seed, mode = state_seed(state), self._mode
        shown = surfaces_shown(self.world, cues_on(state))
        worn = dressed(self.world, shown, self.variant.appearance, seed)
        surfaces = {name: mode.surface(surface) for name, surface in worn.items()}
        pose = camera_pose(self.world, data, camera)
        scene = self._traced(surfaces, data)
        size = settings.size_px
        if projection(camera).is_pinhole:
            whole = Face(pose, camera, size, size)
            return mode.develop(self._radiance(whole, scene, surfaces, data), seed)
        faces = fisheye_faces(pose, size)
        pictures = [self._radiance(face, scene, surfaces, data) for face in faces]
        directions = picture_directions(camera, size)
        return mode.develop(stitched(pictures, directions), seed)

    def _radiance(
        self,
        face: Face,
        scene: TracedScene,
        surfaces: Mapping[str, Surface],
        data: "mujoco.MjData",
    ) -> Floats32:
        """Denoised linear radiance (rows, size_px, 3) of one pinhole picture."""
        size, rows = face.size_px, face.rows
        hits = cast_picture(self.world, data, face.pose, face.camera, size, rows=rows)
        background = self._mode.lighting.background
        colors, normals = guides(hits, self._geoms, data, surfaces, size, background=background)
        effort = self._mode.effort.of(self.variant.renderer)
        settings = dataclasses.replace(effort, size_px=size)
        noisy = scene.trace(face.pose, face.camera, settings, self.threads, rows)
        if noisy.shape != colors.shape:
            raise RenderError(f"picture is {noisy.shape}, the variant asks for {colors.shape}")
        return denoiser(self.threads).denoise(noisy, colors, normals)

    def _traced(self, surfaces: dict[str, Surface], data: "mujoco.MjData") -> TracedScene:
        if self._scene is None or self._scene[0] != surfaces:
            lighting, backend = self._mode.lighting, self.variant.renderer.backend
            scene = TracedScene(self.world, self._geoms, surfaces, data, lighting, backend=backend)
            self._scene = (surfaces, scene)
        scene = self._scene[1]
        scene.move(data)
        return scene


def guides(
    hits: RayHits,
    geoms: Mapping[int, DrawnGeom],
    data: "mujoco.MjData",
    surfaces: Mapping[str, Surface],
    size_px: int,
    *,
    background: tuple[float, float, float] = EVERYDAY.background,
) -> tuple[Floats32, Floats32]:
    """Albedo with textures and normal per pixel, each (rows, size_px, 3) float32."""
    colors = np.broadcast_to(np.array(background), (len(hits.geom), 3)).copy()
    order = np.argsort(hits.geom, kind="stable")
    present, starts = np.unique(hits.geom[order], return_index=True)
    for geom, pixels in zip(present, np.split(order, starts[1:]), strict=True):
        if geom < 0:
            continue
        surface = surfaces[geoms[geom].name]
        if surface.texture == "plain":
            colors[pixels] = surface.color
            continue
        to_local = data.geom_xmat[geom].reshape(3, 3).T
        points = rotated(hits.position[pixels] - data.geom_xpos[geom], to_local)
        normals = rotated(hits.normal[pixels], to_local)
        place = texture_coordinates(geoms[geom].texture_frame, points, normals)
        colors[pixels] = texture_colors(surface, place)
    shape = (-1, size_px, 3)
    return (
        np.ascontiguousarray(colors.reshape(shape), dtype=np.float32),
        np.ascontiguousarray(hits.normal.reshape(shape), dtype=np.float32),
    )
