"""Pictures of key frames that imported questions came with, in place of ours."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import polars as pl

from enact_assets.demonstrations.pictures.tables import FrameImages
from enact_assets.engine.errors import DamagedFileError, RenderError
from enact_assets.engine.given_pictures import given_picture
from enact_assets.engine.ids import content_sha
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.questions.files.pictures import Pictures

_log = logging.getLogger(__name__)
Others = Callable[[Mapping[int, int]], Iterator[tuple[int, bytes]]]
"""Frames (position -> id) -> frame and PNG of those that the recording has."""


class ShownPicture(NamedTuple):
    """The picture of one key frame as one question shows it."""

    key_frame: int
    question_id: str
    place: Pictures
    found: str
    """What it is called there."""

    @property
    def where(self) -> str:
        """How messages name it."""
        return self.place.where(self.found)


def given_key_frames(
    wanted: pl.DataFrame,
    shown: Iterable[ShownPicture],
    store: ImageStore,
    others: Others,
    on_progress: OnProgress = unheard,
) -> pl.DataFrame:
    """Table ``frame_images`` of one demonstration and variant: pictures that questions show.

    ``others`` gives pictures that are not at the places named by the questions. A key frame without
    a picture, or with a file that is not a picture, has no row: its questions are not asked, and
    have a reason. Errors: :class:`RenderError` if two questions show one key frame differently, or
    no file is a picture; :class:`QuestionFileError` for a place that cannot be read.
    """
    first = _one_of_each(shown)
    rows = wanted.sort("key_frame").rows(named=True)
    stored: dict[int, tuple[str, int, int]] = {}
    unreadable: list[str] = []

    def keep(key_frames: Iterable[int], content: bytes, where: str) -> None:
        try:
            picture = given_picture(content, where)
        except DamagedFileError as error:
            unreadable.append(str(error))
            return
        shown = store.put(picture.png), picture.width_px, picture.height_px
        stored.update(dict.fromkeys(key_frames, shown))
        on_progress(Progress(len(stored), len(rows), "pictures"))

    rest: dict[int, list[int]] = {}
    for row in rows:
        picture = first.get(row["key_frame"])
        if picture is None:
            rest.setdefault(row["frame"], []).append(row["key_frame"])
        else:
            keep([row["key_frame"]], picture.place.read(picture.found), picture.where)
    if rest:
        ids = {row["frame"]: row["frame_id"] for row in rows if row["frame"] in rest}
        for frame, png in others(ids):
            keep(rest[frame], png, f"{rows[0]['demonstration']}, frame id {ids[frame]}")
    if unreadable and not stored:
        raise RenderError(f"none of {len(rows)} key frames has a picture: {unreadable[0]}")
    if unreadable:
        _log.warning(
            "%d of %d key frames have a file that is no picture, first %s Questions that show them "
            "are not asked.",
            *(len(unreadable), len(rows), unreadable[0]),
        )
    return FrameImages.build(
        [
            {
                **{name: row[name] for name in ("demonstration", "variant", "gating")},
                **{name: row[name] for name in ("key_frame", "frame")},
                "image_sha": stored[row["key_frame"]][0],
                "render_sha": content_sha(["recorded", stored[row["key_frame"]][0]]),
                "width_px": stored[row["key_frame"]][1],
                "height_px": stored[row["key_frame"]][2],
            }
            for row in rows
            if row["key_frame"] in stored
        ]
    )


def _one_of_each(shown: Iterable[ShownPicture]) -> dict[int, ShownPicture]:
    """Key frame -> its picture; all that show it must be the same."""
    first: dict[int, ShownPicture] = {}
    for picture in shown:
        other = first.setdefault(picture.key_frame, picture)
        if (other.place, other.found) == (picture.place, picture.found):
            continue
        if other.place.fingerprint(other.found) != picture.place.fingerprint(picture.found):
            same_place = other.place == picture.place
            raise RenderError(
                f"one frame has two pictures under one label: {other.where} and "
                f"{picture.found if same_place else picture.where}. One of them is of another data "
                "set. `enact-assets validate` the questions, then import the right pictures."
            )
    return first
