"""Takes pictures from films of people, and makes them smaller."""

import io
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from PIL import Image

from enact_assets.demonstrations.recordings.videos import read_frames, read_times
from enact_assets.engine.tables import Of
from enact_assets.questions.world.tables import FilmImages
from enact_assets.settings.world import set_columns


def film_images(
    source: str,
    films: Mapping[str, Path],
    wanted: pl.DataFrame,
    size_px: int,
    put: Callable[[bytes], str],
) -> Of[FilmImages]:
    """Table ``film_images`` of the step file ``source``: one picture for each row of ``wanted``
    (recording, action, place, ``time_s``).

    ``films`` maps recordings to their films, ``put`` stores a PNG file and returns its hash. Edges
    have ``size_px`` at most. Each film is decoded once; nothing seeks, as many files land beside
    the time that was asked for. Errors: :class:`RenderError` for a film that was cut off or cannot
    be decoded.
    """
    rows = []
    for (recording,), part in wanted.group_by("recording", maintain_order=True):
        film = films[str(recording)]
        times = read_times(film)
        frames = [max(0, times.frame_at(time_s)) for time_s in part["time_s"]]
        stored = {
            frame: _stored(pixels, size_px, put)
            for frame, pixels in read_frames(film, set(frames), times.n_frames)
        }
        for row, frame in zip(part.iter_rows(named=True), frames, strict=True):
            sha, width, height = stored[frame]
            rows.append(
                {
                    **row,
                    **set_columns(source),
                    "image_sha": sha,
                    "width_px": width,
                    "height_px": height,
                }
            )
    return FilmImages.build(rows)


def _stored(
    pixels: NDArray[np.uint8], size_px: int, put: Callable[[bytes], str]
) -> tuple[str, int, int]:
    picture = Image.fromarray(pixels)
    picture.thumbnail((size_px, size_px))
    out = io.BytesIO()
    picture.save(out, "PNG")
    return put(out.getvalue()), *picture.size
