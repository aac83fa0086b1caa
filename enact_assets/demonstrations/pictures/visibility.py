"""Masks of objects at each key frame: their sizes in the baseline camera's pictures, which are its
visibility, and what edited pictures are measured by.
"""

from collections.abc import Callable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.demonstrations.pictures.recorded_states import key_frame_states
from enact_assets.demonstrations.pictures.tables import Visibility
from enact_assets.demonstrations.replay.embedded import embedded_world
from enact_assets.engine.errors import RenderError
from enact_assets.settings.classes import EMBEDDED
from enact_assets.settings.registry import CameraSettings, Variant
from enact_assets.simulator.shapes.world import World
from enact_assets.simulator.view.masks import MaskSize, mask_sizes, object_masks

PICTURE_PX = 512
"""Edge of the picture masks are measured in, whatever size pictures are rendered at."""
MAX_REMEMBERED = 1000
Labels = NDArray[np.int32]
ObjectsOf = Callable[[int, int], Labels | None]
"""(key frame, edge of its picture in px) -> object of each pixel (h, w); None if unknown."""


def measure_visibility(
    demonstrations: pl.DataFrame,
    states: pl.DataFrame,
    objects: pl.DataFrame,
    segmented_frames: pl.DataFrame,
    baseline: Variant,
) -> pl.DataFrame:
    """Table ``visibility``: one row per key frame and object with a mask of at least one pixel.

    Masks are exact (one ray per pixel centre of a 512 px picture) and belong to the baseline's
    camera, so every variant asks the same questions. Takes one demonstration.

    Errors: :class:`RenderError` if a key frame's state is missing or foreign, or if the world
    shows an object that ``objects`` does not know.
    """
    return visibility_in_world(
        embedded_world(demonstrations), states, objects, segmented_frames, baseline.camera
    )


def visibility_in_world(
    world: World,
    states: pl.DataFrame,
    objects: pl.DataFrame,
    segmented_frames: pl.DataFrame,
    camera: CameraSettings,
    *,
    size_px: int = PICTURE_PX,
) -> pl.DataFrame:
    """The same for a world at hand and pictures of ``size_px``."""
    known = set(objects.get_column("object_name"))
    view = (world.sha, world.head_body, world.head_pitch_rad, camera, size_px)
    rows = []
    for key_frame in key_frame_states(world, states, segmented_frames):
        key = (*view, key_frame.state_sha)
        if key not in _remembered:
            _remember(key, mask_sizes(object_masks(world, key_frame.state, camera, size_px)))
        for index, size in _remembered[key].items():
            name = world.objects[index].name
            if name not in known:
                raise RenderError(
                    f"{key_frame.where}: the world shows {name!r}, but table objects does not "
                    "list it. Materialize the replay tables again."
                )
            rows.append(
                {
                    "demonstration": key_frame.demonstration,
                    "gating": key_frame.gating,
                    "key_frame": key_frame.key_frame,
                    "frame": key_frame.frame,
                    "object_name": name,
                    "pixels": size.pixels,
                    "fraction": size.pixels / (size_px * size_px),
                    "x_min_px": size.x_min,
                    "y_min_px": size.y_min,
                    "x_max_px": size.x_max,
                    "y_max_px": size.y_max,
                }
            )
    return Visibility.build(rows)


_remembered: dict[tuple[object, ...], dict[int, MaskSize]] = {}
"""Sizes that this process measured last: most key frames of one gating are those of another."""


def _remember(key: tuple[object, ...], sizes: dict[int, MaskSize]) -> None:
    """Keep ``sizes``, and give up the oldest if there are many."""
    while len(_remembered) >= MAX_REMEMBERED:
        del _remembered[next(iter(_remembered))]
    _remembered[key] = sizes


def objects_of(
    demonstrations: pl.DataFrame,
    wanted: pl.DataFrame,
    variant: Variant,
    read_states: Callable[[], pl.DataFrame],
) -> ObjectsOf:
    """What labels the pixels of one demonstration's key frames ``wanted`` under ``variant``: the
    simulator of this package knows; for recordings it is unknown.

    Errors of what is returned: :class:`~enact_assets.engine.errors.RenderError`.
    """
    if demonstrations.item(0, "source") != EMBEDDED:
        return lambda _key_frame, _size_px: None
    world = embedded_world(demonstrations)
    states = {k.key_frame: k.state for k in key_frame_states(world, read_states(), wanted)}

    def labels(key_frame: int, size_px: int) -> Labels:
        return object_masks(world, states[key_frame], variant.camera, size_px)

    return labels
