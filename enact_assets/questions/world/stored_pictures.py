"""The pictures that a variant shows, from the lake."""

from collections.abc import Collection

import polars as pl

from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.asked.types import PictureKey
from enact_assets.questions.world.pictures import picture_shas
from enact_assets.questions.world.tables import ClipImages, FilmImages
from enact_assets.settings.classes import world_source_of
from enact_assets.settings.world import EMBEDDED_WORLD

Stored = tuple[str, int, int]
"""SHA-256, width and height in px."""


def stored_pictures(
    lake: Lake, variant: str, demonstrations: Collection[str] | None = None
) -> dict[PictureKey, Stored]:
    """Each picture under ``variant``; those of key frames only of ``demonstrations``, if given.

    Errors: :class:`MissingPartitionError` for a variant of WorldPrediction whose films were not
    read yet.
    """
    among = {} if demonstrations is None else {"demonstration": demonstrations}
    states = lake.read_all("frame_images", variant=variant, among=among)
    clips: pl.DataFrame = ClipImages.empty()
    films: pl.DataFrame = FilmImages.empty()
    source = world_source_of(variant)
    if source == EMBEDDED_WORLD:
        clips = lake.read_all("clip_images")
    elif source is not None:
        films = lake.read("film_images", {"question_set": variant})
    sizes = pl.concat(
        [t.select("image_sha", "width_px", "height_px") for t in (states, clips, films)]
    )
    of = {sha: (sha, width, height) for sha, width, height in sizes.iter_rows()}
    return {key: of[sha] for key, sha in picture_shas(states, clips, films).items()}
