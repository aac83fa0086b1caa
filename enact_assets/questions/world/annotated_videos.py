"""Annotated videos as a step file: the actions that ``actions.csv`` beside a video names.

A video's annotation says which things there are and what changes; nothing in it says where an
action begins. ``actions.csv`` does, with the things of the annotation, whose categories make the
category of the action. The videos are linked, not copied.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from enact_assets.demonstrations.recordings.folders import ANNOTATION_FILES, Recordings, video_file
from enact_assets.demonstrations.recordings.videos import VideoTimes
from enact_assets.demonstrations.replay.annotated import check_annotation
from enact_assets.engine import given_times
from enact_assets.engine.errors import RecordingError, StepFileError
from enact_assets.engine.given_times import frame_of, seconds_of
from enact_assets.engine.plurals import counted
from enact_assets.engine.system.atomic import flush_to_disk, make_folder, replacing
from enact_assets.questions.world.action_labels import category_of
from enact_assets.questions.world.given_rows import (
    check_columns,
    read_csv_file,
    shown,
    whole_rows,
)
from enact_assets.questions.world.step_files import FILMS, LABELS, RECORDINGS, STEPS

ANNOTATED_VIDEOS = "annotated_videos"
"""The step file of all annotated videos of a data root."""
ACTIONS = "actions.csv"
MOMENTS = ("start", "end")
FRAMES = ("start_frame", "end_frame")
"""In place of both: numbers of frames."""
COLUMNS = (*MOMENTS, "verb", "object", "place")
"""Of ``actions.csv``: times, what is done, with which thing, from or to which; ``place`` may be
empty.
"""
OWNERS = ("environment", "person")
"""Further columns; without them each video has its own."""
Rows = list[tuple[object, ...]]


def write_annotated_videos(recordings: Recordings, folder: Path) -> tuple[str, ...]:
    """Write the step file of ``recordings`` to ``folder``; returns what was left out, and why.

    Errors: :class:`StepFileError` if no annotated video has an action that can be used.
    """
    steps: Rows = []
    videos: Rows = []
    films: dict[str, Path] = {}
    problems: list[str] = []
    for name in recordings.names():
        if not (recordings.folder(name) / ACTIONS).is_file():
            continue
        try:
            found, about, more = _actions_of(name, recordings)
        except (StepFileError, RecordingError) as error:
            problems.append(str(error))
            continue
        problems += more
        steps += found
        videos.append(about)
        film = video_file(recordings.folder(name))
        if film is not None:
            films[name] = film
    if not steps:
        first = f" {problems[0]}" if problems else ""
        raise StepFileError(
            f"{recordings.root}: no annotated video has actions that can be used. Write {ACTIONS} "
            f"beside its annotation, with columns {', '.join(COLUMNS)}.{first}"
        )
    labels = sorted({(category, label) for _, category, _, _, label, _ in steps})
    header = ("recording_id", "step_id", "start_time", "end_time", "description", "has_errors")
    _write(folder / STEPS, header, steps)
    _write(folder / LABELS, ("step_idx", "step_description"), labels)
    _write(
        folder / RECORDINGS,
        ("recording_id", "environment_id", "person_id", "duration(sec)"),
        videos,
    )
    _link(folder / FILMS, films)
    return tuple(problems)


def _actions_of(name: str, recordings: Recordings) -> tuple[Rows, tuple[object, ...], list[str]]:
    """Rows of the three columns of steps, the row of the recording, and rows left out."""
    where = recordings.folder(name) / ACTIONS
    file = recordings.file(name)
    if file.name not in ANNOTATION_FILES:
        raise StepFileError(f"{where}: {file.name} is no annotation of a video")
    checked = check_annotation(file)
    if checked.video is None:
        raise StepFileError(f"{where}: the video beside it cannot be read")
    try:
        given = read_csv_file(where, (*COLUMNS, *FRAMES, *OWNERS))
    except OSError as error:
        raise StepFileError(f"{where}: cannot be read ({error.strerror})") from error
    by_time = bool(set(MOMENTS) & set(given.columns)) or not set(FRAMES) <= set(given.columns)
    moments = MOMENTS if by_time else FRAMES
    check_columns(where, given, (*moments, *COLUMNS[len(MOMENTS) :]))
    lines, rows, problems = whole_rows(where, given)
    kinds = {thing.name: thing.category for thing in checked.annotation.objects}
    steps: Rows = []
    unknown: list[str] = []
    untimed: list[str] = []
    for line, of in zip(lines, rows, strict=True):
        things = [thing for thing in (of["object"], of["place"]) if thing]
        absent = [thing for thing in things if thing not in kinds]
        if absent or not of["verb"] or not of["object"]:
            unknown.append(f"line {line}, {shown(absent[0]) if absent else 'no verb or object'}")
            continue
        times = [
            _moment(of[n], checked.video, by_time=by_time, decimal_comma=given.has_decimal_comma)
            for n in moments
        ]
        if None in times:
            column = moments[times.index(None)]
            wanted_frame = f"{given_times.WANTED_FRAME} to {checked.video.n_frames}"
            wanted = given_times.wanted(of[column]) if by_time else wanted_frame
            untimed.append(f"line {line}, {column} {shown(of[column])} is not {wanted}")
            continue
        label = " ".join([of["verb"], *(kinds[thing] for thing in things)])
        category = category_of(of["verb"], things, kinds)
        steps.append((name, category, *times, label, False))
    for what, rows_left in (
        ("no such object", unknown),
        (f"{' or '.join(moments)} cannot be read", untimed),
    ):
        if rows_left:
            n = counted(len(rows_left), "row")
            problems.append(f"{where}: {n} left out: {what} (first: {rows_left[0]}).")
    owners = _owners(where, name, lines, rows)
    return steps, (name, *owners, _length_s(checked.video)), problems


def _moment(
    text: str,
    video: VideoTimes,
    *,
    by_time: bool,
    decimal_comma: bool,
) -> float | str | None:
    """Seconds, as they are written if that is a plain number; None if they cannot be read."""
    if by_time:
        seconds = seconds_of(text, decimal_comma=decimal_comma)
        is_plain = text.replace(".", "", 1).isdecimal() and text.isascii()
        return text if is_plain and seconds is not None else seconds
    frame = frame_of(text)
    if frame is None or frame > video.n_frames:
        return None
    # An action may end with the video, after its last frame.
    is_end = frame == video.n_frames
    return _length_s(video) if is_end else round(float(video.times_s[frame]), 6)


def _length_s(video: VideoTimes) -> float:
    return round(video.n_frames / video.frame_rate_hz, 3)


def _owners(
    where: Path, name: str, lines: Sequence[int], rows: Sequence[Mapping[str, str]]
) -> list[str]:
    """Environment and person of a video: ``name`` where no row says more.

    Errors: :class:`StepFileError` if two rows say different ones.
    """
    owners = []
    for column in OWNERS:
        said = {
            of[column]: line
            for line, of in reversed([*zip(lines, rows, strict=True)])
            if of.get(column)
        }
        if len(said) > 1:
            first, second = sorted(said, key=said.__getitem__)[:2]
            raise StepFileError(
                f"{where}: {column} is {shown(first)} in line {said[first]} and {shown(second)} in "
                f"line {said[second]}, but a video has one. Correct it, or cut the video in two."
            )
        owners.append(next(iter(said), name))
    return owners


def _write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    make_folder(path.parent)
    with replacing(path) as temporary:
        temporary.write_text(out.getvalue(), encoding="utf-8")


def _link(folder: Path, films: Mapping[str, Path]) -> None:
    """Links to ``films`` by the names of their recordings, and no others."""
    make_folder(folder)
    for link in folder.iterdir():
        if link.is_symlink() and link.stem not in films:
            link.unlink()
    for name, film in films.items():
        link = folder / f"{name}.mp4"
        if link.is_symlink() and link.readlink() == film.resolve():
            continue
        link.unlink(missing_ok=True)
        link.symlink_to(film.resolve())
    flush_to_disk(folder)
