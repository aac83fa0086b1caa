"""Path-traced pictures of a world: Mitsuba with few samples, then a denoiser with exact guides.

The denoiser is told colour and normal of every pixel by the same ray cast that makes the masks, so
textures stay sharp at three samples per pixel. The same state gives the same bytes on one machine,
whatever the number of threads; across machines pictures agree to the eye only.
"""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from enact_assets.contracts.errors import RenderError
from enact_assets.contracts.registry import Variant
from enact_assets.simulator.cameras import camera_pose, projection
from enact_assets.simulator.denoising import denoiser
from enact_assets.simulator.lighting import AMBIENT
from enact_assets.simulator.masks import RayHits, cast_picture
from enact_assets.simulator.materials import check_surfaces, dressed
from enact_assets.simulator.meshes import rotated, texture_coordinates
from enact_assets.simulator.poses import cues_on, pose_world, surfaces_shown
from enact_assets.simulator.scenes import DrawnGeom, TracedScene, drawn_geoms
from enact_assets.simulator.textures import texture_colors
from enact_assets.simulator.world import Surface, World, WorldState

if TYPE_CHECKING:
    import mujoco

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]

RENDERER_VERSION = 1
"""Raised by hand when a change of the code behind pictures makes other pictures."""
SHOULDER = 0.6
"""Display level up to which tone mapping is linear; above it highlights are compressed."""


class Renderer:
    """Renders states of one world under one variant. The Mitsuba scene is loaded once and only
    what moved is updated; a changed state cue loads it anew. Without ``threads``, all cores work.

    Errors: :class:`UnknownNameError` for a projection, robot appearance, finish or texture nobody
    defined; :class:`RenderError` if a visible geom has no surface or cannot be drawn.
    """

    def __init__(self, world: World, variant: Variant, threads: int | None = None) -> None:
        self.world = world
        self.variant = variant
        self.threads = threads or os.cpu_count() or 1
        projection(variant.camera)
        check_surfaces(world)
        dressed(world, {}, variant.appearance)
        self._geoms = drawn_geoms(world)
        self._data: mujoco.MjData | None = None
        self._scene: tuple[tuple[int, ...], TracedScene] | None = None

    def render(self, state: WorldState) -> NDArray[np.uint8]:
        """Picture of ``state`` in sRGB, (size_px, size_px, 3).

        Errors: :class:`RenderError` if the state does not fit the world or the renderer fails.
        """
        camera, settings = self.variant.camera, self.variant.renderer
        data = self._data = pose_world(self.world, state, self._data)
        on = cues_on(state)
        surfaces = dressed(self.world, surfaces_shown(self.world, on), self.variant.appearance)
        pose = camera_pose(self.world, data, camera)
        hits = cast_picture(self.world, data, pose, camera, settings.size_px)
        colors, normals = guides(hits, self._geoms, data, surfaces, settings.size_px)
        noisy = self._traced(on, surfaces, data).trace(pose, camera, settings, self.threads)
        if noisy.shape != colors.shape:
            raise RenderError(f"picture is {noisy.shape}, the variant asks for {colors.shape}")
        return tone_mapped(denoiser(self.threads).denoise(noisy, colors, normals))

    def _traced(
        self, on: tuple[int, ...], surfaces: Mapping[str, Surface], data: "mujoco.MjData"
    ) -> TracedScene:
        if self._scene is None or self._scene[0] != on:
            self._scene = (on, TracedScene(self.world, self._geoms, surfaces, data))
        scene = self._scene[1]
        scene.move(data)
        return scene


def guides(
    hits: RayHits,
    geoms: Mapping[int, DrawnGeom],
    data: "mujoco.MjData",
    surfaces: Mapping[str, Surface],
    size_px: int,
) -> tuple[Floats32, Floats32]:
    """Albedo with textures and normal per pixel, each (size_px, size_px, 3) float32."""
    colors = np.broadcast_to(np.array(AMBIENT), (size_px * size_px, 3)).copy()
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
    shape = (size_px, size_px, 3)
    return (
        np.ascontiguousarray(colors.reshape(shape), dtype=np.float32),
        np.ascontiguousarray(hits.normal.reshape(shape), dtype=np.float32),
    )


def tone_mapped(radiance: Floats32) -> NDArray[np.uint8]:
    """Bytes in sRGB of linear radiance: linear up to the shoulder, then rolled off towards white.

    Errors: :class:`RenderError` if a pixel is not finite.
    """
    bad = ~np.isfinite(radiance).all(axis=-1)
    if bad.any():
        raise RenderError(
            f"picture: {int(bad.sum())} of {bad.size} pixels are not finite, "
            f"the first at row and column {np.argwhere(bad)[0].tolist()}"
        )
    level = np.maximum(radiance.astype(np.float64), 0.0)
    room = 1.0 - SHOULDER
    over = np.maximum(level - SHOULDER, 0.0)
    level = np.where(level > SHOULDER, SHOULDER + room * (1.0 - np.exp(-over / room)), level)
    curve = 1.055 * np.maximum(level, 0.0031308) ** (1.0 / 2.4) - 0.055
    encoded = np.where(level <= 0.0031308, 12.92 * level, curve)
    return np.asarray(np.round(np.clip(encoded, 0.0, 1.0) * 255.0), dtype=np.uint8)
