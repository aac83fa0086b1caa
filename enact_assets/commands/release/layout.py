"""File layout of the public release, and names that may become paths.

::

    INPUT_ROOT/<task>/scene_graph_0.json              recorded replay (or .json.gz)
    INPUT_ROOT/<task>/external_sensor1/00059.png      its pictures, by frame id (or a video)
    SEGMENTED/<task>/segmented_scene_graph_0.json     key frames
    SEGMENTED/<task>/external_sensor1/00059.png       pictures of key frames
    QA/images/<type>/<task>/<id>_next_state_1.png     labelled pictures, below the question file
"""

import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from enact_assets.commands.release.outcomes import Outcome, Summary
from enact_assets.demonstrations.recordings.folders import (
    ANNOTATION_FILES,
    CAMERA,
    RECORDED_FILES,
    SCENE_GRAPH_FILES,
    SEGMENTED_FILES,
    has_pictures,
    recorded_file,
    recording_name,
    scene_graph_file,
)
from enact_assets.demonstrations.replay.omnigibson_import import RAW_SUFFIXES
from enact_assets.engine.errors import OutputError, RecordingError
from enact_assets.engine.given_files import read_given
from enact_assets.settings.classes import MAX_NAME_CHARACTERS, is_partition_name

SEGMENTED_FILE = SEGMENTED_FILES[0]
NOTE_ON_DIFFERENCES = (
    "key frames are written as differences to the one before. If the public release wrote them, "
    "they do not say what is seen, so questions and scores are not those of the replay: import its "
    "replayed activity instead. What `enact-assets segment` writes is complete."
)
"""About a segmented file: the release finds the differences by comparing states alone."""


@dataclass(frozen=True)
class Task:
    """One recorded replay below an input root; its folder's name is the task's name."""

    name: str
    folder: Path
    file: Path


def is_task_name(text: str) -> bool:
    """Whether ``text`` can name a task where its name is only that of folders and in files: what
    can be printed, without a backslash or a dot in front, at most 120 characters.
    """
    is_text = text.isprintable() and "\\" not in text and not text.startswith(".")
    return is_text and 1 <= len(text) <= MAX_NAME_CHARACTERS


_ALLOWED: dict[Callable[[str], bool], str] = {
    is_task_name: (
        f"what can be printed, no backslash, no dot in front, at most {MAX_NAME_CHARACTERS} "
        "characters"
    ),
    is_partition_name: (
        "letters a to z and A to Z, digits and _.:+@- only, starting with a letter, digit or _, no "
        f"'..', at most {MAX_NAME_CHARACTERS} characters"
    ),
}


def find_tasks(
    root: Path,
    summary: Summary | None = None,
    *,
    is_well_named: Callable[[str], bool] = is_task_name,
    may_be_task: bool = False,
) -> list[Task]:
    """Every recorded replay below ``root``, sorted by name; ``root`` itself if it ``may_be_task``
    and holds one.

    One whose folder is not ``is_well_named`` (or :func:`is_partition_name`) is left out, and listed
    in ``summary`` as failed if that is given. Errors: :class:`RecordingError` if there is no replay
    at all.
    """
    folders = _folders(root)
    own = scene_graph_file(root) if may_be_task else None
    if own is not None:
        found = {root.parent / recording_name(root): own}
        return [Task(p.name, root, own) for p in _well_named(found, summary, is_well_named)]
    found = {p: file for p in folders if (file := scene_graph_file(p)) is not None}
    if not found:
        raise RecordingError(f"{root}: no folder below it holds a {' or '.join(SCENE_GRAPH_FILES)}")
    return [Task(p.name, p, found[p]) for p in _well_named(found, summary, is_well_named)]


def find_recordings(root: Path, summary: Summary) -> list[Path]:
    """Folder of every recording below ``root``, of scene graphs or of an annotated video, sorted.

    Half a recording and an empty folder are failures in ``summary``; other folders are ignored.
    Names have to be those of partitions. Errors: as :func:`find_tasks`.
    """
    folders = _folders(root)
    found = [p for p in folders if recorded_file(p) is not None]
    whys = [(p, _half(p) or _empty(p)) for p in folders]
    halves = [Outcome(p.name, error=why) for p, why in whys if why is not None]
    summary.outcomes += halves
    if not found and not halves:
        nothing = f"{root}: no folder below it holds a {' or '.join(RECORDED_FILES)}"
        raise RecordingError(_half(root) or f"{nothing}{_raw_files(root)}")
    return _well_named(found, summary, is_partition_name)


def _half(folder: Path) -> str | None:
    """What ``folder`` lacks to be a recording; None if it is one, or looks like none."""
    if recorded_file(folder) is not None:
        return None
    if has_pictures(folder, CAMERA):
        return (
            f"{folder}: has pictures of {CAMERA}, but no {SCENE_GRAPH_FILES[0]} (or .gz, or "
            f"{ANNOTATION_FILES[0]}) that says what happens in them. Copy it there."
        )
    return None


def _empty(folder: Path) -> str | None:
    try:
        is_empty = next(folder.iterdir(), None) is None
    except OSError as error:
        return f"{folder}: cannot be read ({error.strerror})"
    return f"{folder}: is empty. Copy the recording again." if is_empty else None


def _raw_files(root: Path) -> str:
    places = [f"{folder}*{suffix}" for folder in ("", "*/") for suffix in RAW_SUFFIXES]
    raw = sorted(path for place in places for path in root.glob(place))
    if not raw:
        return ""
    return f". Its {len(raw)} raw demonstrations are imported as files, such as {raw[0]}"


def find_segmented(root: Path, summary: Summary) -> dict[str, Path]:
    """Task -> file of its key frames, for every task below ``root``, sorted.

    Names and errors: as :func:`find_tasks`.
    """
    found = [p for p in _folders(root) if (p / SEGMENTED_FILE).is_file()]
    if not found:
        raise RecordingError(
            f"{root}: no folder below it contains a {SEGMENTED_FILE}. Run `enact-assets segment` "
            "first"
        )
    return {p.name: p / SEGMENTED_FILE for p in _well_named(found, summary, is_task_name)}


def read_key_frame_ids(file: Path) -> list[int]:
    """Ids of the key frames in a segmented file, ascending; its keys are all that is read.

    Errors: :class:`RecordingError` names the file and the first key that is not a frame id.
    """
    try:
        # An object becomes the tuple of its keys, so that a duplicate key is seen.
        content: Any = json.loads(read_given(file), object_pairs_hook=_keys)
    except OSError as error:
        raise RecordingError(f"{file}: cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise RecordingError(f"{file}: not valid JSON ({error}). Segment the task again.") from None
    if not isinstance(content, tuple):
        raise RecordingError(
            f"{file}: expected a JSON object of key frames, found {type(content).__name__}"
        )
    wrong = [key for key in content if not (key.isascii() and key.isdigit() and len(key) < 16)]
    if wrong:
        raise RecordingError(f"{file}: {len(wrong)} keys are not frame ids, first {wrong[0]!r:.60}")
    ids = sorted(int(key) for key in content)
    if len(set(ids)) < len(ids):
        twice = next(a for a, b in pairwise(ids) if a == b)
        raise RecordingError(f"{file}: duplicate frame ids, first {twice}")
    return ids


def output_file(root: Path, *parts: str) -> Path:
    """``root/parts...``, refused if it leaves ``root``, also by a link on the path.

    Errors: :class:`OutputError`.
    """
    path = root.joinpath(*parts)
    if not _resolved(path).is_relative_to(_resolved(root)):
        raise OutputError(f"{path} lies outside the output folder {root}. Nothing was written")
    return path


def refuse_overlap(output_root: Path, inputs: Collection[Path]) -> None:
    """Raise :class:`OutputError` if ``output_root`` is one of the ``inputs``, which stay as are."""
    for root in inputs:
        if _resolved(output_root) == _resolved(root):
            raise OutputError(f"{output_root} is an input folder. Name a different output folder")


def refuse_question_output(output: Path, inputs: Collection[Path]) -> None:
    """Raise :class:`OutputError` unless ``output`` may become a question file: if it is a folder,
    has another suffix than .jsonl, or lies in one of the folders ``inputs``, which stay as they
    are.
    """
    try:
        is_folder = output.is_dir()
    except OSError as error:
        raise OutputError(f"{output}: cannot be written ({error.strerror})") from error
    if is_folder:
        raise OutputError(f"{output} is a folder. Name the question file to write")
    if output.suffix != ".jsonl":
        raise OutputError(f"{output}: a question file must end in .jsonl")
    inside = next((p for p in inputs if _resolved(output).is_relative_to(_resolved(p))), None)
    if inside is not None:
        raise OutputError(f"{output} lies in the input folder {inside}. Write it elsewhere")


def picture_root(output: Path) -> Path:
    """The folder that paths of pictures in the question file ``output`` start from.

    They read ``QA/images/...``: a file in a folder called QA belongs beside its images.
    """
    return output.parent.parent if output.parent.name == "QA" else output.parent


def _keys(pairs: list[tuple[str, Any]]) -> tuple[str, ...]:
    return tuple(key for key, _ in pairs)


def _resolved(path: Path) -> Path:
    """``path`` without links. Errors: :class:`OutputError` if they lead in a circle."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise OutputError(f"{path}: broken links in the path ({error})") from None


def _folders(root: Path) -> list[Path]:
    try:
        return [p for p in sorted(root.iterdir()) if p.is_dir()]
    except FileNotFoundError:
        raise RecordingError(f"{root}: no such folder") from None
    except NotADirectoryError:
        is_zip = root.suffix.lower() == ".zip"
        unpack = ". Unpack it: only `import` and `validate` read zips" if is_zip else ""
        raise RecordingError(f"{root}: a file, not a folder{unpack}") from None
    except OSError as error:
        raise RecordingError(f"{root}: cannot be read ({error.strerror})") from error


def _well_named(
    folders: Iterable[Path], summary: Summary | None, is_well_named: Callable[[str], bool]
) -> list[Path]:
    """Those of ``folders`` whose names are safe; the others fail."""
    named = []
    for folder in folders:
        if is_well_named(folder.name):
            named.append(folder)
        elif summary is not None:
            why = (
                f"{folder}: the folder name cannot be a task name ({_ALLOWED[is_well_named]}). "
                "Rename it."
            )
            summary.outcomes.append(Outcome(folder.name, error=why))
    return named
