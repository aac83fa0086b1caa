"""The video source: an annotated video -> replay tables, its frames numbered as they are shown.

Missing information is filled in only as follows:

- An object exists from the first frame to the last unless rows about ``Exists`` say otherwise.
- An object is in view whenever it exists, unless it is shown and hidden. If the first row about it
  shows it, it was out of view before. In view without a box, its box is the whole picture: that it
  can be seen is known, how large it is is not.
- A fact without a removal ends with the video.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from enact_assets.demonstrations.recordings.folders import ANNOTATION_FILES, CAMERA, video_file
from enact_assets.demonstrations.recordings.videos import VideoTimes, read_times
from enact_assets.demonstrations.replay.annotation import Annotation, Problem
from enact_assets.demonstrations.replay.annotation_csv import read_annotation
from enact_assets.demonstrations.replay.annotation_doubts import check_grasps, check_meaning
from enact_assets.demonstrations.replay.annotation_json import read_json
from enact_assets.demonstrations.replay.annotation_time import Box, Timed, Timeline
from enact_assets.demonstrations.replay.event_graphs import read_events
from enact_assets.demonstrations.replay.recorded import activity_of
from enact_assets.demonstrations.replay.result import ReplayTables, described, rows_of
from enact_assets.demonstrations.replay.tables import Facts, Objects, Observability
from enact_assets.engine.errors import (
    AnnotationError,
    GivenTextError,
    RecordingError,
    RenderError,
)
from enact_assets.engine.given_files import read_given
from enact_assets.engine.given_text import text_of
from enact_assets.engine.ids import sha256_bytes
from enact_assets.settings.classes import VIDEO

READERS = dict(zip(ANNOTATION_FILES, (read_annotation, read_json, read_events), strict=True))
_READER_OF_SUFFIX = {Path(name).suffix: reader for name, reader in READERS.items()}


@dataclass(frozen=True)
class Checked:
    """An annotation with all its problems; if there are any, the other fields are None or empty."""

    annotation: Annotation
    video: VideoTimes | None
    timed: Timed | None
    sha: str

    @property
    def problems(self) -> list[Problem]:
        """In the order of lines, with those about the whole file first."""
        return sorted(self.annotation.problems, key=lambda problem: problem.line)

    @property
    def warnings(self) -> list[Problem]:
        """Warnings about possible but improbable facts, in the order of lines. They stop
        nothing.
        """
        return sorted(self.annotation.doubts, key=lambda doubt: doubt.line)


def check_annotation(file: Path) -> Checked:
    """Read ``file`` and the video beside it, and find every problem; raises nothing for them.

    Errors: :class:`RecordingError` if the name does not tell the format.
    """
    reader = _READER_OF_SUFFIX.get(file.suffix.lower())
    if reader is None:
        raise RecordingError(
            f"{file}: not the name of an annotation (known: {', '.join(ANNOTATION_FILES)})"
        )
    annotation, sha = Annotation(), ""
    try:
        content = read_given(file)
        sha = sha256_bytes(content)
        annotation = reader(text_of(content))
    except OSError as error:
        annotation.tell("unreadable", 0, "", reason=error.strerror)
    except GivenTextError as error:
        annotation.tell("not_text", error.line, "", reason=error.found)
    video = _video_times(annotation, file.parent)
    is_told = any(p.line or p.kind in ("empty", "unreadable") for p in annotation.problems)
    if not annotation.objects and not is_told:
        annotation.tell("no_objects", 0, "")
    if not annotation.changes and not is_told:
        annotation.tell("no_changes", 0, "")
    timed = None if video is None else Timeline(annotation, video).resolve()
    # Warnings are left out if rows were refused, as correct rows would then look odd.
    if timed is not None and video is not None and not annotation.problems:
        check_meaning(annotation, timed, video.n_frames)
    check_grasps(annotation)
    return Checked(annotation, video, timed, sha)


def read_annotated(file: Path, demonstration: str) -> ReplayTables:
    """The annotated video of ``file`` as replay tables under the name ``demonstration``.

    Errors: :class:`AnnotationError` with all problems, whose message is the first.
    """
    return tables_of_annotation(file, check_annotation(file), demonstration)


def tables_of_annotation(file: Path, checked: Checked, demonstration: str) -> ReplayTables:
    """Replay tables of what :func:`check_annotation` found in ``file``.

    Errors: as :func:`read_annotated`.
    """
    if checked.problems or checked.video is None or checked.timed is None:
        raise AnnotationError.of(file, checked.problems)
    video, timed = checked.video, checked.timed
    facts = [(*fact, *frames) for fact, intervals in timed.facts.items() for frames in intervals]
    things = checked.annotation.objects
    objects = [(thing.name, thing.category, list(thing.parents), False) for thing in things]
    return ReplayTables(
        described(
            demonstration,
            source=VIDEO,
            activity=checked.annotation.activity or activity_of(demonstration),
            n_frames=video.n_frames,
            frame_rate_hz=video.frame_rate_hz,
            world_sha=checked.sha,
        ),
        rows_of(Facts, demonstration, facts),
        rows_of(Objects, demonstration, objects),
        rows_of(Observability, demonstration, _seen(timed, video)),
    )


def _video_times(annotation: Annotation, folder: Path) -> VideoTimes | None:
    video = video_file(folder)
    if video is None:
        annotation.tell("no_video", 0, "", name=CAMERA)
        return None
    try:
        return read_times(video)
    except RenderError as error:
        annotation.tell("bad_video", 0, "", reason=str(error).rstrip("."))
        return None


def _seen(timed: Timed, video: VideoTimes) -> Iterator[tuple[Any, ...]]:
    """Rows of ``observability``."""
    width, height = video.width_px, video.height_px
    for name, views in timed.views.items():
        for frame_from, frame_to, given in views:
            box: Box = given or (0, 0, width - 1, height - 1)
            x_min, y_min, x_max, y_max = box
            pixels = (x_max - x_min + 1) * (y_max - y_min + 1)
            yield (CAMERA, name, frame_from, frame_to, pixels, *box, height, width)
