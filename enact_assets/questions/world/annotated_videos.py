"""Annotated videos as a step file: the actions that ``actions.csv`` beside a video names.

A video's annotation says which things there are and what changes; nothing in it says where an
action begins. ``actions.csv`` does, with the things of the annotation, whose categories make the
category of the action. The videos are linked, not copied.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import polars as pl

from enact_assets.demonstrations.recordings.folders import ANNOTATION_FILES, Recordings, video_file
from enact_assets.demonstrations.recordings.videos import VideoTimes
from enact_assets.demonstrations.replay.annotated import check_annotation
from enact_assets.engine.errors import RecordingError, StepFileError
from enact_assets.engine.plurals import counted
from enact_assets.engine.system.atomic import flush_to_disk, make_folder, replacing
from enact_assets.questions.world.action_labels import category_of
from enact_assets.questions.world.step_files import FILMS, LABELS, RECORDINGS, STEPS

ANNOTATED_VIDEOS = "annotated_videos"
"""The step file of all annotated videos of a data root."""
ACTIONS = "actions.csv"
COLUMNS = ("start", "end", "verb", "object", "place")
"""Of ``actions.csv``: seconds, what is done, with which thing, from or to which; ``place`` may be
empty. Columns ``environment`` and ``person`` may follow; without them each video has its own.
"""
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
        rows = pl.read_csv(where.read_bytes(), infer_schema=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise StepFileError(f"{where}: cannot be read as CSV ({error})") from error
    lacking = [column for column in COLUMNS if column not in rows.columns]
    if lacking:
        raise StepFileError(f"{where}: lacks columns {lacking}; it has {rows.columns}")
    kinds = {thing.name: thing.category for thing in checked.annotation.objects}
    steps: Rows = []
    unknown: list[str] = []
    for line, row in enumerate(rows.iter_rows(named=True), start=2):
        of = {column: (text or "").strip() for column, text in row.items()}
        things = [thing for thing in (of["object"], of["place"]) if thing]
        absent = [thing for thing in things if thing not in kinds]
        if absent or not of["verb"] or not of["object"]:
            unknown.append(f"line {line}, {absent[0] if absent else 'no verb or object'}")
            continue
        label = " ".join([of["verb"], *(kinds[thing] for thing in things)])
        category = category_of(of["verb"], things, kinds)
        steps.append((name, category, of["start"], of["end"], label, False))
    problems = []
    if unknown:
        rows_left = counted(len(unknown), "row")
        problems.append(f"{where}: {rows_left} left out: no such object (first: {unknown[0]}).")
    return steps, _recording_row(name, rows, checked.video), problems


def _recording_row(name: str, rows: pl.DataFrame, video: VideoTimes) -> tuple[object, ...]:
    said: Mapping[str, object] = rows.row(0, named=True) if rows.height else {}
    own = (str(said.get(column) or name) for column in ("environment", "person"))
    return (name, *own, round(video.n_frames / video.frame_rate_hz, 3))


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
