"""Which object each pixel of a key frame's picture shows: what edited pictures are measured by.

The simulator of this package provides it. For recordings it is unknown.
"""

from collections.abc import Callable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.demonstrations.pictures.recorded_states import key_frame_states
from enact_assets.demonstrations.replay.embedded import embedded_world
from enact_assets.settings.classes import EMBEDDED
from enact_assets.settings.registry import Variant
from enact_assets.simulator.view.masks import object_masks

Labels = NDArray[np.int32]
ObjectsOf = Callable[[int, int], Labels | None]
"""(key frame, edge of its picture in px) -> object of each pixel (h, w); None if unknown."""


def objects_of(
    demonstrations: pl.DataFrame,
    wanted: pl.DataFrame,
    variant: Variant,
    read_states: Callable[[], pl.DataFrame],
) -> ObjectsOf:
    """What labels the pixels of one demonstration's key frames ``wanted`` under ``variant``.

    Errors of what is returned: :class:`~enact_assets.engine.errors.RenderError`.
    """
    if demonstrations.item(0, "source") != EMBEDDED:
        return lambda _key_frame, _size_px: None
    world = embedded_world(demonstrations)
    states = {k.key_frame: k.state for k in key_frame_states(world, read_states(), wanted)}

    def labels(key_frame: int, size_px: int) -> Labels:
        return object_masks(world, states[key_frame], variant.camera, size_px)

    return labels
