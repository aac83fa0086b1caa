"""Pictures of key frames that imported questions came with, in place of ours."""

import io
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import polars as pl
from PIL import Image

from enact_assets.contracts.errors import DamagedFileError, RenderError
from enact_assets.contracts.ids import content_sha
from enact_assets.data_root.question_pictures import Pictures
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.frames.frame_tables import FrameImages

Others = Callable[[pl.DataFrame], Iterator[tuple[int, bytes]]]
"""Rows of ``wanted_frames`` -> frame and PNG of those that the recording has."""


class ShownPicture(NamedTuple):
    """The picture of one frame as one question shows it."""

    frame_id: int
    question_id: str
    place: Pictures
    found: str
    """What it is called there."""


def given_key_frames(
    wanted: pl.DataFrame,
    shown: Iterable[ShownPicture],
    store: ImageStore,
    others: Others,
    progress: Callable[[int, int, int, float], None] | None = None,
) -> pl.DataFrame:
    """Table ``frame_images`` of one demonstration and variant: pictures that questions show.

    ``others`` gives those that no question's place has. A key frame that nobody has a picture of
    has no row: questions that show it are not asked, and say why.
    Errors: :class:`RenderError` if two questions show one frame differently, or a file is no
    picture; :class:`QuestionFileError` for a place that cannot be read.
    """
    first = _one_of_each(shown)
    rows = wanted.sort("key_frame").rows(named=True)
    own = [row for row in rows if row["frame_id"] in first]
    has_own = pl.col("frame_id").is_in([row["frame_id"] for row in own])
    stored: dict[int, tuple[str, int, int]] = {}

    def keep(frame: int, png: bytes, where: str) -> None:
        try:
            sha = store.put(png)
        except DamagedFileError as error:
            raise RenderError(f"{where}: {error}") from error
        stored[frame] = (sha, *Image.open(io.BytesIO(png)).size)
        if progress is not None:
            progress(len(stored), len(rows), 0, 0.0)

    for row in own:
        picture = first[row["frame_id"]]
        where = picture.place.where(picture.found)
        keep(row["frame"], picture.place.read(picture.found), where)
    rest = wanted.filter(~has_own)
    if rest.height:
        for frame, png in others(rest):
            keep(frame, png, f"{rows[0]['demonstration']}, frame {frame}")
    return FrameImages.build(
        [
            {
                **{name: row[name] for name in ("demonstration", "variant", "gating")},
                **{name: row[name] for name in ("key_frame", "frame")},
                "image_sha": stored[row["frame"]][0],
                "render_sha": content_sha(["recorded", stored[row["frame"]][0]]),
                "width_px": stored[row["frame"]][1],
                "height_px": stored[row["frame"]][2],
            }
            for row in rows
            if row["frame"] in stored
        ]
    )


def _one_of_each(shown: Iterable[ShownPicture]) -> dict[int, ShownPicture]:
    """Frame id -> its picture; all that show it must be the same."""
    first: dict[int, ShownPicture] = {}
    for picture in shown:
        other = first.setdefault(picture.frame_id, picture)
        if other is picture or (other.place, other.found) == (picture.place, picture.found):
            continue
        if other.place.fingerprint(other.found) != picture.place.fingerprint(picture.found):
            raise RenderError(
                f"frame {picture.frame_id} has two pictures: "
                f"{other.place.where(other.found)} in question {other.question_id!r}, "
                f"{picture.place.where(picture.found)} in question {picture.question_id!r}. "
                "One of the files is of another data set: import the right pictures."
            )
    return first
