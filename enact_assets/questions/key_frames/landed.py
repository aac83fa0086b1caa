"""The tables segmentation lands, whichever profile found the key frames."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.engine.errors import ReplayError
from enact_assets.questions.key_frames.tables import SceneGraphs, SegmentedFrames
from enact_assets.settings.classes import Gating
from enact_assets.settings.frame_ids import FrameIds


@dataclass(frozen=True)
class SegmentedTables:
    """What segmentation lands, both by their contracts."""

    segmented_frames: pl.DataFrame
    scene_graphs: pl.DataFrame


@dataclass(frozen=True)
class KeyFrames:
    """Key frames of one demonstration, each (n_key_frames,); -1 stands for no value."""

    frames: NDArray[np.int64]
    change_frames: NDArray[np.int64]
    similarities: NDArray[np.float64]


def land(
    demonstrations: pl.DataFrame,
    gating: Gating,
    found: KeyFrames,
    changes: Sequence[Sequence[str]],
    scene_graphs: pl.DataFrame,
) -> SegmentedTables:
    """Both tables of one demonstration, checked.

    ``changes`` are component texts per key frame; ``scene_graphs`` has the columns ``key_frame``,
    ``predicate``, ``subject`` and ``object``.
    """
    import pyarrow as pa

    demonstration = demonstrations.item(0, "demonstration")
    of = [pl.lit(demonstration).alias("demonstration"), pl.lit(gating.name).alias("gating")]
    # By way of Arrow, as polars takes ten times as long to build lists from Python lists.
    texts = pa.array([sorted(row) for row in changes], pa.large_list(pa.large_string()))
    segmented_frames = pl.DataFrame(
        {
            "key_frame": np.arange(found.frames.size),
            "frame": found.frames,
            "frame_id": FrameIds(tuple(demonstrations["frame_id_runs"][0])).at(found.frames),
            "change_frame": found.change_frames,
            "similarity": found.similarities,
            "changes": pl.Series(texts, dtype=pl.List(pl.String)),
        }
    ).with_columns(
        *of,
        change_frame=pl.when(pl.col("change_frame") >= 0).then("change_frame"),
        similarity=pl.when(pl.col("similarity") >= 0).then("similarity"),
    )
    where = f"{demonstration}, {gating.name}"
    return SegmentedTables(
        SegmentedFrames.arranged(segmented_frames, where),
        SceneGraphs.arranged(scene_graphs.with_columns(*of), where),
    )


def only_demonstration(
    demonstrations: pl.DataFrame, **tables: pl.DataFrame | None
) -> tuple[str, int]:
    """Name and length of the one demonstration that all ``tables`` are about.

    Errors: :class:`ReplayError` if not exactly one is given or a table is of another one.
    """
    if demonstrations.height != 1:
        raise ReplayError(
            f"segmentation takes one demonstration at a time, was given {demonstrations.height}: "
            f"{demonstrations['demonstration'].to_list()[:3]}. Call it once per partition."
        )
    name, n_frames = demonstrations.select("demonstration", "n_frames").row(0)
    for what, rows in tables.items():
        if rows is None:
            continue
        is_foreign = rows["demonstration"] != name
        if is_foreign.any():
            foreign = rows.filter(is_foreign)
            raise ReplayError(
                f"demonstration {name!r}: {foreign.height} of {rows.height} rows of {what} belong "
                f"to another, first {foreign.row(0, named=True)}. Read one partition of each."
            )
    return str(name), int(n_frames)
