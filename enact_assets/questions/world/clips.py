"""Clips of actions as frames: which are shown, and their pictures."""

import dataclasses
from collections.abc import Iterator

import numpy as np
import polars as pl

from enact_assets.questions.world.tables import ClipImages, WantedClips
from enact_assets.questions.world.wm_questions import BASELINE_VIEW, OTHER_VIEW
from enact_assets.settings.classes import Variant
from enact_assets.settings.world import ClipSettings

NO_GATING = ""


def wanted_clips_of(
    demonstration: str, candidates: pl.DataFrame, actions: pl.DataFrame, settings: ClipSettings
) -> pl.DataFrame:
    """Table ``wanted_clips``: frames of the clips of one demonstration that ``candidates`` show.

    The first and last frame of the action, and frames spread evenly between them.
    """
    shown = candidates.filter(pl.col("recording") == demonstration, pl.col("view").is_not_null())
    clips = shown.select("action", "view").unique().join(actions, on="action")
    rows = [
        {
            "demonstration": demonstration,
            "view": clip["view"],
            "action": clip["action"],
            "place": place,
            "frame": frame,
        }
        for clip in clips.iter_rows(named=True)
        for place, frame in enumerate(
            clip_frames(clip["frame_from"], clip["frame_to"], settings.frames), 1
        )
    ]
    return WantedClips.build(rows)


def clip_frames(frame_from: int, frame_to: int, n: int) -> list[int]:
    """``n`` frames from ``frame_from`` up to, not including, ``frame_to``; fewer of fewer."""
    last = max(frame_from, frame_to - 1)
    return sorted({round(float(f)) for f in np.linspace(frame_from, last, n)})


def clip_requests(
    wanted: pl.DataFrame, baseline: Variant, settings: ClipSettings
) -> Iterator[tuple[str, Variant, pl.DataFrame]]:
    """Each camera, as a variant of ``baseline``, and its rows of ``wanted`` as numbered key frames,
    as pictures are made of them.
    """
    renderer = dataclasses.replace(baseline.renderer, size_px=settings.size_px)
    for view, camera in ((BASELINE_VIEW, baseline.camera), (OTHER_VIEW, settings.view)):
        rows = wanted.filter(pl.col("view") == view).sort("action", "place")
        if rows.height:
            variant = dataclasses.replace(baseline, name=view, camera=camera, renderer=renderer)
            numbered = rows.with_row_index("key_frame").with_columns(
                pl.col("key_frame").cast(pl.Int64), gating=pl.lit(NO_GATING)
            )
            yield view, variant, numbered


def clip_images_of(numbered: pl.DataFrame, pictures: pl.DataFrame) -> pl.DataFrame:
    """Rows of ``clip_images``: ``pictures`` (as rows of ``frame_images``) of numbered frames."""
    shas = pictures.select("key_frame", "image_sha", "render_sha", "width_px", "height_px")
    rows = numbered.join(shas, on="key_frame", validate="1:1")
    return ClipImages.arranged(rows.select(list(ClipImages.schema())))
