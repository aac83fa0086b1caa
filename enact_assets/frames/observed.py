"""What the recorded camera sees at each key frame: masks that a recording lists, none rendered."""

import numpy as np
import polars as pl

from enact_assets.contracts.errors import ReplayError
from enact_assets.contracts.tables import table

CAMERA = "external_sensor1"
"""The sensor that the public release reads."""

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
    contract = table("visibility")
    if segmented_frames.is_empty() or observability.is_empty():
        return contract.empty()
    demonstration, gating = _partition(observability, segmented_frames)
    seen = observability.filter(pl.col("camera") == camera)
    if seen.is_empty():
        known = ", ".join(sorted(observability["camera"].unique()))
        raise ReplayError(
            f"demonstration {demonstration!r}: no masks of camera {camera!r} (known: {known}). "
            "Name one of these, or record with that camera."
        )
    seen = seen.filter(pl.col("pixels") > 0)
    key_frames = segmented_frames.select("key_frame", "frame").sort("frame")
    frames = key_frames["frame"].to_numpy()
    # Key frames [first, last) lie in the interval; most intervals hold none.
    first = np.searchsorted(frames, seen["frame_from"].to_numpy())
    last = np.searchsorted(frames, seen["frame_to"].to_numpy())
    holds = np.flatnonzero(last > first)
    lengths = (last - first)[holds]
    offsets = np.cumsum(lengths) - lengths
    at = np.arange(lengths.sum()) + np.repeat(first[holds] - offsets, lengths)
    rows = seen[np.repeat(holds, lengths)]
    empty = rows.filter(pl.col("height_px") * pl.col("width_px") < 1)
    if empty.height:
        raise ReplayError(
            f"demonstration {demonstration!r}: {empty.height} of {rows.height} masks at key frames "
            f"are of a picture without pixels, first of {empty['object_name'][0]!r} from frame "
            f"{empty['frame_from'][0]}. Record the sizes of the pictures."
        )
    visibility = rows.select(
        pl.lit(demonstration).alias("demonstration"),
        pl.lit(gating).alias("gating"),
        key_frames["key_frame"][at].alias("key_frame"),
        key_frames["frame"][at].alias("frame"),
        "object_name",
        (pl.col("pixels") / (pl.col("height_px") * pl.col("width_px"))).alias("fraction"),
        *_BOX,
    )
    return contract.check(visibility, f"{demonstration}, {gating}")


def _partition(observability: pl.DataFrame, segmented_frames: pl.DataFrame) -> tuple[str, str]:
    """Demonstration and gating, the same for all rows."""
    partitions = segmented_frames.select("demonstration", "gating").unique().sort(pl.all()).rows()
    observed = sorted(observability["demonstration"].unique())
    if len(partitions) > 1 or observed != [partitions[0][0]]:
        raise ReplayError(
            f"masks of demonstrations {observed[:3]} and key frames of partitions "
            f"{partitions[:3]} were given together. Read one partition of each."
        )
    demonstration, gating = partitions[0]
    return str(demonstration), str(gating)
