"""Visibility at key frames, and their pictures."""

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from enact_assets.engine.tables import Table, integer, number, text
from enact_assets.settings import columns as common


class Visibility(Table):
    """One row per key frame and object in the baseline camera's picture.

    Measured with the baseline camera, also for variants with another one.
    """

    by = ("demonstration", "gating")

    demonstration = common.demonstration(key=True)
    gating = common.gating(key=True)
    key_frame = common.key_frame(key=True)
    frame = common.frame()
    object_name = common.object_name(key=True)
    pixels = integer("size of its mask", "px")
    fraction = number("share of the picture's pixels")
    x_min_px = integer("left edge of its box, from 0", "px")
    y_min_px = integer("top edge of its box, from 0", "px")
    x_max_px = integer("right edge of its box, inclusive", "px")
    y_max_px = integer("bottom edge of its box, inclusive", "px")


class WantedFrames(Table):
    """One row per key frame and variant that is to have a picture of it.

    All key frames for the baseline, else those that the variant's questions show; a wanted
    frame may have no picture yet (frame_images says).
    """

    by = ("demonstration", "variant")

    demonstration = common.demonstration(key=True)
    variant = common.variant(key=True)
    gating = common.gating()
    key_frame = common.key_frame(key=True)
    frame = common.frame()
    frame_id = integer("id of that frame in the recording")


class FrameImages(Table):
    """One row per key frame and variant.

    `image_sha` names a file that several rows may share; the pictures stay outside. wanted_frames
    lists the key frames that need a picture.
    """

    by = ("demonstration", "variant")
    image_column = "image_sha"

    demonstration = common.demonstration(key=True)
    variant = common.variant(key=True)
    gating = common.gating()
    key_frame = common.key_frame(key=True)
    frame = common.frame()
    image_sha = text("SHA-256 of the PNG file, its name in images/")
    render_sha = text("hash of everything that determines the picture")
    width_px = integer("width", "px")
    height_px = integer("height", "px")


class Shown(NamedTuple):
    """A stored picture: the last columns of :class:`FrameImages`."""

    image_sha: str
    render_sha: str
    width_px: int
    height_px: int


def frame_images(
    key_frames: pl.DataFrame, variant: str, shown: Mapping[int, Shown]
) -> pl.DataFrame:
    """Table ``frame_images`` of those of ``key_frames`` whose frame is ``shown``."""
    rows = key_frames.select("demonstration", "gating", "key_frame", "frame").rows(named=True)
    return FrameImages.build(
        [
            {**row, "variant": variant, **shown[row["frame"]]._asdict()}
            for row in rows
            if row["frame"] in shown
        ]
    )
