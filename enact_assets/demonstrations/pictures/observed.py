"""Visibility of a recorded camera at each key frame: masks from the recording, none rendered."""

import numpy as np
import polars as pl

from enact_assets.demonstrations.pictures.tables import Visibility
from enact_assets.demonstrations.recordings.folders import CAMERA
from enact_assets.engine.errors import ReplayError

_BOX = ("pixels", "x_min_px", "y_min_px", "x_max_px", "y_max_px")


def visibility_from_observability(
    observability: pl.DataFrame, segmented_frames: pl.DataFrame, camera: str = CAMERA
) -> pl.DataFrame:
    """Table ``visibility`` of one demonstration and gating, from the masks its recording lists.

    One row per key frame and object of which ``camera`` sees at least one pixel then. A recording
    in which nothing is ever seen gives an empty table.

    Errors: :class:`ReplayError` if the tables are of different demonstrations, if the recording has
    masks but none of ``camera``, or if a picture has no pixels; :class:`TableContractError` if an
    object is listed twice at one frame.
    """
    contract = Visibility
    if segmented_frames.is_empty() or observability.is_empty():
        return contract.empty()
    demonstration, gating = _partition(observability, segmented_frames)
    key_frames = segmented_frames.select("key_frame", "frame").sort("frame")
    frames = key_frames["frame"].to_numpy()
    # Key frames [first, last) lie in the interval; most intervals hold none, so ask that first.
    bounds = observability.select(pl.col("frame_from", "frame_to").clip(lower_bound=0))
    starts, ends = (bounds[name].to_numpy() for name in ("frame_from", "frame_to"))
    n_before = np.searchsorted(frames, np.arange(max(starts.max(), ends.max()) + 1))
    first, last = n_before[starts], n_before[ends]
    held = np.flatnonzero(last > first)
    lengths = (last - first)[held]
    offsets = np.cumsum(lengths) - lengths
    at = np.arange(lengths.sum()) + np.repeat(first[held] - offsets, lengths)
    rows = observability[np.repeat(held, lengths)].with_columns(
        key_frames["key_frame"].gather(at), key_frames["frame"].gather(at)
    )
    rows = rows.filter((pl.col("camera") == camera) & (pl.col("pixels") > 0))
    if rows.is_empty() and camera not in (known := sorted(observability["camera"].unique())):
        raise ReplayError(
            f"demonstration {demonstration!r}: no masks of camera {camera!r} (known: "
            f"{', '.join(known)}). Name one of these, or record with that camera."
        )
    empty = rows.filter(pl.col("height_px") * pl.col("width_px") < 1)
    if empty.height:
        raise ReplayError(
            f"demonstration {demonstration!r}: {empty.height} of {rows.height} masks at key "
            f"frames belong to a picture without pixels, first {empty['object_name'][0]!r} from "
            f"frame {empty['frame_from'][0]}. Record the sizes of the pictures."
        )
    visibility = rows.select(
        pl.lit(demonstration).alias("demonstration"),
        pl.lit(gating).alias("gating"),
        "key_frame",
        "frame",
        "object_name",
        (pl.col("pixels") / (pl.col("height_px") * pl.col("width_px"))).alias("fraction"),
        *_BOX,
    )
    return contract.arranged(visibility, f"{demonstration}, {gating}")


def _partition(observability: pl.DataFrame, segmented_frames: pl.DataFrame) -> tuple[str, str]:
    """Demonstration and gating, the same for all rows."""
    partitions = segmented_frames.select("demonstration", "gating").unique().sort(pl.all()).rows()
    demonstration, gating = partitions[0]
    if len(partitions) > 1 or (observability["demonstration"] != demonstration).any():
        observed = sorted(observability["demonstration"].unique())
        raise ReplayError(
            f"masks of demonstrations {observed[:3]} and key frames of partitions "
            f"{partitions[:3]} were given together. Read one partition of each."
        )
    return str(demonstration), str(gating)
