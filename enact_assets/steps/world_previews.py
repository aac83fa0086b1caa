"""Clips and questions of WorldPrediction in the summaries of steps."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from enact_assets.handles import PictureMaker
from enact_assets.steps.previews import Markdown, inline
from enact_assets.worldprediction.question_sheets import clip_strips

SHOWN_CLIPS = 4


def clip_sheet(clip_images: pl.DataFrame, make_pictures: PictureMaker) -> Mapping[str, Any]:
    """The first clips as strips of their frames."""
    clips = clip_images.sort("view", "action", "place").partition_by(
        ["view", "action"], as_dict=True, maintain_order=True
    )
    if not clips:
        return {"clips": Markdown("no clips: no question shows one")}
    shown = list(clips.items())[:SHOWN_CLIPS]
    pictures = [[make_pictures.stored(sha) for sha in rows["image_sha"]] for _, rows in shown]
    names = [f"{view} {action}" for (view, action), _ in shown]
    sheet = clip_strips(pictures, names)
    return {"clips": inline(sheet, "clips", f"{len(clips)} clips; shown: {', '.join(names)}")}
