"""Pictures from films of people: which are wanted, and how models look them up."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.demonstrations.pictures.tables import FrameImages
from enact_assets.questions.world.pictures import WorldPictures
from enact_assets.settings.world import FILM, ClipSettings

WANTED = {"recording": pl.String, "action": pl.Int64, "place": pl.Int64, "time_s": pl.Float64}


def wanted_film_frames(
    questions: pl.DataFrame,
    candidates: pl.DataFrame,
    actions: pl.DataFrame,
    settings: ClipSettings,
) -> pl.DataFrame:
    """Columns :data:`WANTED`: times of the pictures of all actions that questions show.

    The first and last picture of an action, and others spread evenly between them. States are the
    first picture of the first action and the last of the last one. Of recordings without a film
    there are none.
    """
    last = pl.col("first_action") + pl.col("length") - 1
    shown = pl.concat(
        [
            candidates.select("recording", "action"),
            questions.select("recording", action="first_action"),
            questions.select("recording", last.alias("action")),
        ]
    ).unique()
    with_film = actions.filter(pl.col("is_askable")).join(shown, on=["recording", "action"])
    rows = [
        (recording, action, place, float(time_s))
        for recording, action, start_s, end_s in with_film.sort("recording", "action")
        .select("recording", "action", "start_s", "end_s")
        .iter_rows()
        for place, time_s in enumerate(np.linspace(start_s, end_s, max(2, settings.frames)), 1)
    ]
    return pl.DataFrame(rows, schema=WANTED, orient="row")


class FilmPictures(WorldPictures):
    """Thumbnails of the pictures that rows of ``film_images`` name."""

    def __init__(self, film_images: pl.DataFrame, read: Callable[[str], NDArray[np.uint8]]) -> None:
        clips = film_images.rename({"recording": "demonstration"}).with_columns(view=pl.lit(FILM))
        super().__init__(FrameImages.empty(), clips, read)

    def clip_shas(self, candidate: Mapping[str, object]) -> list[str]:
        """Names of the pictures of the clip of a row of ``world_candidates``; empty without any."""
        return super().clip_shas({**candidate, "view": FILM})

    def state_shas(self, row: Mapping[str, Any]) -> list[str]:
        """Names of the pictures before and after of a row of ``world_questions``; fewer without
        both.
        """
        recording, first = row["recording"], row["first_action"]
        ends = [
            self.clip_shas({"recording": recording, "action": action})
            for action in (first, first + row["length"] - 1)
        ]
        return [ends[0][0], ends[1][-1]] if all(ends) else []
