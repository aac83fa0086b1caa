"""Step files: which steps people carried out in films of everyday tasks, and when.

A step file is a folder with three CSV files, laid out as those of CaptainCook4D, and films in
``videos/<recording>.mp4`` where the user has them. Rows that cannot be used are left out and listed
in ``problems``; all other rows are used.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from enact_assets.engine import given_times, given_truths
from enact_assets.engine.errors import StepFileError, UnknownNameError
from enact_assets.engine.given_text import nfc
from enact_assets.engine.given_times import frame_of, rate_of, seconds_of
from enact_assets.engine.given_truths import truth_of
from enact_assets.engine.ids import content_sha, sha256_bytes
from enact_assets.engine.package_files import file_bytes
from enact_assets.engine.plurals import counted
from enact_assets.engine.system.atomic import make_folder
from enact_assets.questions.world import captaincook4d
from enact_assets.questions.world.given_rows import (
    check_columns,
    read_csv_file,
    shown,
    whole_rows,
)
from enact_assets.settings.classes import is_partition_name
from enact_assets.settings.world import EMBEDDED_WORLD

STEPS = "step_annotations.csv"
RECORDINGS = "video_information.csv"
LABELS = "step_idx_description.csv"
FILMS = "videos"
_COLUMNS = {
    STEPS: ("recording_id", "step_id", "start_time", "end_time", "description", "has_errors"),
    RECORDINGS: ("recording_id", "environment_id", "person_id", "duration(sec)"),
    LABELS: ("step_idx", "step_description"),
}
RATE = "frame_rate"
"""Column of the recordings, in Hz: steps may then have ``start_frame`` and ``end_frame``."""
_FURTHER = ("start_frame", "end_frame", RATE)
_SCHEMA: dict[str, Any] = {
    "line": pl.Int64,
    "recording": pl.String,
    "category": pl.String,
    "start_s": pl.Float64,
    "end_s": pl.Float64,
    "has_error": pl.Boolean,
    "environment": pl.String,
    "person": pl.String,
    "duration_s": pl.Float64,
    "label": pl.String,
    "is_known": pl.Boolean,
}


@dataclass(frozen=True)
class StepFile:
    """What a step file says.

    ``steps`` has one row per step that was carried out: ``line`` in its file, ``recording``,
    ``category`` (the id of the step), ``label``, ``start_s``, ``end_s``, ``has_error``,
    ``environment``, ``person`` and ``duration_s`` of the recording. ``is_known`` says whether the
    list of steps has the category. ``n_not_done`` steps were left out by the person.
    """

    name: str
    steps: pl.DataFrame
    n_not_done: int
    problems: tuple[str, ...]


def read_step_file(folder: Path, name: str) -> StepFile:
    """The step file in ``folder``.

    Errors: :class:`StepFileError` for a file that is missing, is no CSV or lacks columns, and
    where no step can be used.
    """
    where = folder / STEPS
    steps, said = _read(where)
    recordings, problems = _read(folder / RECORDINGS)
    labels, said_of_labels = _read(folder / LABELS)
    problems = [*said, *problems, *said_of_labels]
    recording_of = _once(folder / RECORDINGS, recordings)
    label_of = _labels(folder / LABELS, labels)
    rows: list[dict[str, object]] = []
    ignored: dict[str, list[str]] = {}
    differ: list[str] = []
    n_not_done = 0
    for line, of in zip(steps.lines, steps.rows, strict=True):
        category, recording = of["step_id"], of["recording_id"]
        place = f"line {line}, recording {recording}, step {category}"
        about = recording_of.get(recording, {})
        moments = _Moments(of, about, decimal_comma=steps.has_decimal_comma)
        if moments.is_not_done:
            n_not_done += 1
            continue
        has_error = truth_of(of["has_errors"])
        fault = moments.fault
        if fault is None and has_error is None:
            fault = f"has_errors {shown(of['has_errors'])} is not {given_truths.WANTED}"
        if fault is not None:
            unread = "start_time, end_time or has_errors cannot be read"
            ignored.setdefault(unread, []).append(f"{place}: {fault}")
        elif not (about.get("environment_id") and about.get("person_id")):
            lacking = f"{RECORDINGS} lacks the recording, its environment or its person"
            ignored.setdefault(lacking, []).append(place)
        elif not category:
            ignored.setdefault("step_id is empty", []).append(place)
        else:
            known = label_of.get(category)
            if category in label_of and known and of["description"] not in ("", known):
                differ.append(place)
            rows.append(
                {
                    "line": line,
                    "recording": recording,
                    "category": category,
                    "start_s": moments.start_s,
                    "end_s": moments.end_s,
                    "has_error": has_error,
                    "environment": about["environment_id"],
                    "person": about["person_id"],
                    "duration_s": about["duration_s"],
                    "label": known or of["description"] or category,
                    "is_known": bool(known),
                }
            )
    problems += [
        f"{where}: {counted(len(of), 'row')} {'is' if len(of) == 1 else 'are'} ignored: {what} "
        f"(first: {of[0]})."
        for what, of in ignored.items()
    ]
    if not rows:
        first = f" {problems[0]}" if problems else ""
        raise StepFileError(f"{where}: no step can be used.{first}")
    if differ:
        problems.append(
            f"{where}: {counted(len(differ), 'row')} with the description of another "
            f"step than that of the step_id (first: {differ[0]}). The step_id counts."
        )
    return StepFile(name, pl.DataFrame(rows, _SCHEMA), n_not_done, tuple(problems))


class _Moments:
    """When a step begins and ends, by the columns of times, or by those of frames.

    ``fault`` is what is wrong with them, in words; None if nothing is.
    """

    def __init__(
        self,
        of: Mapping[str, str],
        about: Mapping[str, Any],
        *,
        decimal_comma: bool,
    ) -> None:
        self.fault: str | None = None
        by_time = "start_time" in of and "end_time" in of
        names = ("start_time", "end_time") if by_time else ("start_frame", "end_frame")
        self.is_not_done = all(re.fullmatch(r"-1([.,]0*)?", of[name]) for name in names)
        self.start_s = self.end_s = 0.0
        if self.is_not_done:
            return
        found = []
        for name in names:
            if by_time:
                seconds = seconds_of(of[name], decimal_comma=decimal_comma)
                wanted = given_times.wanted(of[name])
            else:
                frame, rate = frame_of(of[name]), about.get("rate_hz")
                seconds = None if frame is None or rate is None else frame / rate
                wanted = given_times.WANTED_FRAME
                if frame is not None and about and rate is None:
                    wanted += f" of a recording whose {RATE} {RECORDINGS} has"
            if seconds is None and self.fault is None:
                self.fault = f"{name} {shown(of[name])} is not {wanted}"
            found.append(seconds or 0.0)
        self.start_s, self.end_s = found


def _once(where: Path, recordings: "_Rows") -> dict[str, dict[str, Any]]:
    """Recording -> its row, with ``duration_s`` and ``rate_hz`` as numbers, or None.

    Errors: :class:`StepFileError` if two rows have the same, or a rate or a duration is not a
    number.
    """
    names = Counter(of["recording_id"] for of in recordings.rows)
    twins = [of["recording_id"] for of in recordings.rows if names[of["recording_id"]] > 1]
    if twins:
        raise StepFileError(
            f"{where}: {counted(len(twins), 'row')} share their recording_id, first "
            f"{twins[0]!r}. Keep one row per recording."
        )
    found: dict[str, dict[str, Any]] = {}
    for line, of in zip(recordings.lines, recordings.rows, strict=True):
        rate = of.get(RATE, "")
        rate_hz = rate_of(rate, decimal_comma=recordings.has_decimal_comma)
        if rate and rate_hz is None:
            raise StepFileError(
                f"{where}, line {line}: {RATE} {shown(rate)} is not {given_times.WANTED_RATE}."
            )
        duration = of["duration(sec)"]
        duration_s = seconds_of(duration, decimal_comma=recordings.has_decimal_comma)
        if duration and duration_s is None:
            raise StepFileError(
                f"{where}, line {line}: duration(sec) {shown(duration)} is not "
                f"{given_times.wanted(duration)}. Leave it empty if it is unknown."
            )
        found[of["recording_id"]] = {**of, "duration_s": duration_s, "rate_hz": rate_hz}
    return found


def _labels(where: Path, labels: "_Rows") -> dict[str, str]:
    """Step -> its description. Errors: :class:`StepFileError` if a step has two."""
    found: dict[str, str] = {}
    for line, of in zip(labels.lines, labels.rows, strict=True):
        step, label = of["step_idx"], of["step_description"]
        if not step or not label:
            continue
        if found.setdefault(step, label) != label:
            raise StepFileError(
                f"{where}, line {line}: step_idx {shown(step)} is {shown(label)}, and "
                f"{shown(found[step])} further up. Keep one description."
            )
    return found


class _Rows(NamedTuple):
    lines: list[int]
    rows: list[dict[str, str]]
    has_decimal_comma: bool


def _read(path: Path) -> tuple[_Rows, list[str]]:
    """Rows of a file, each with its line, and which were left out."""
    needed = _COLUMNS[path.name]
    try:
        found = read_csv_file(path, (*needed, *_FURTHER))
    except FileNotFoundError as error:
        names = ", ".join(_COLUMNS)
        raise StepFileError(f"{path}: missing. A step file is a folder with {names}.") from error
    has_frames = {"start_frame", "end_frame"} <= set(found.columns)
    times = {"start_time", "end_time"} if has_frames else set[str]()
    check_columns(path, found, [name for name in needed if name not in times])
    lines, rows, problems = whole_rows(path, found)
    return _Rows(lines, rows, found.has_decimal_comma), problems


def step_file_folder(root: Path, name: str) -> Path:
    """Folder of the step file ``name`` in ``root`` (``DataRoot.step_files``), with its films.

    Errors: :class:`UnknownNameError` if there is none.
    """
    if not is_partition_name(name) or not (root / name).is_dir():
        raise UnknownNameError.of(
            "step file",
            name,
            step_file_names(root),
            f"Make the folder {root / name} with {', '.join(_COLUMNS)}; that of "
            f"{captaincook4d.NAME} may be empty.",
        )
    return root / name


def step_file_names(root: Path) -> list[str]:
    """Names of the step files in ``root``, sorted."""
    if not root.is_dir():
        return []
    folders = (path.name for path in root.iterdir() if path.is_dir())
    return sorted(name for name in folders if is_partition_name(name) and name != EMBEDDED_WORLD)


def world_sources(root: Path) -> list[str]:
    """All that WorldPrediction may ask about: ``embedded``, and the step files in ``root``."""
    return [EMBEDDED_WORLD, *step_file_names(root)]


def ensured_step_files(root: Path, names: Sequence[str]) -> list[str]:
    """``names``, whose folders are there; that of CaptainCook4D is made.

    Errors: as :func:`step_file_folder`.
    """
    if captaincook4d.NAME in names:
        make_folder(root / captaincook4d.NAME)
    return [step_file_folder(root, name).name for name in names]


def annotations_in(folder: Path) -> Path:
    """Where the CSV files of the step file in ``folder`` are: CaptainCook4D's ship with us."""
    is_ours = folder.name == captaincook4d.NAME and not any((folder / n).exists() for n in _COLUMNS)
    return captaincook4d.FOLDER if is_ours else folder


def films_in(folder: Path) -> Mapping[str, Path]:
    """Recording -> its film, for all that the step file in ``folder`` has one of."""
    return {name: files[0] for name, files in _film_files(folder).items() if len(files) == 1}


def twin_films(folder: Path) -> list[str]:
    """What is said of recordings with several films, none of which counts."""
    return [
        f"{folder / FILMS}: {' and '.join(ascii(path.name) for path in files)} are both films of "
        f"{shown(name)}, which counts as a recording without pictures. Keep one."
        for name, files in _film_files(folder).items()
        if len(files) > 1
    ]


def _film_files(folder: Path) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for path in sorted((folder / FILMS).glob("*")):
        if path.suffix.lower() == ".mp4":
            found.setdefault(nfc(path.stem), []).append(path)
    return found


def step_file_version(root: Path, name: str) -> str:
    """Hash of the CSV files, and of name, size and time of each film: another means another file.

    Errors: as :func:`step_file_folder`, ``OSError`` for a file that cannot be read.
    """
    folder = step_file_folder(root, name)
    annotations = annotations_in(folder)
    files = [sha256_bytes(file_bytes(annotations / name)) for name in _COLUMNS]
    films = [(path.name, path.stat()) for path in films_in(folder).values()]
    return content_sha([files, [[film, s.st_size, s.st_mtime_ns] for film, s in films]])
