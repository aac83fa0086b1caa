"""Pictures from films of people: which are wanted, and how models look them up."""

import numpy as np
import polars as pl

from enact_assets.settings.world import ClipSettings

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
