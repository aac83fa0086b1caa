"""Where the public release keeps its files, and names that may become paths.

::

    INPUT_ROOT/<task>/scene_graph_0.json              recorded replay (or .json.gz)
    INPUT_ROOT/<task>/external_sensor1/00059.png      its pictures, by frame id (or a video)
    SEGMENTED/<task>/segmented_scene_graph_0.json     key frames
    SEGMENTED/<task>/external_sensor1/00059.png       pictures of key frames
    QA/images/<type>/<task>/<id>_next_state_1.png     labelled pictures, below the question file
"""

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from enact_assets.contracts.errors import OutputError, RecordingError
from enact_assets.contracts.settings import is_partition_name
from enact_assets.storage.recordings import SCENE_GRAPH_FILES, scene_graph_file

SEGMENTED_FILE = "segmented_scene_graph_0.json"


@dataclass(frozen=True)
class Task:
    """One recorded replay below an input root; its folder's name is the task's name."""

    name: str
    folder: Path
    file: Path


def find_tasks(root: Path) -> list[Task]:
    """Every recorded replay below ``root``, sorted by name.

    Errors: :class:`RecordingError` if there is none, or a folder with one has a name that cannot
    become a path (letters, digits and ``_ . : + @ -`` can).
    """
    if not root.is_dir():
        raise RecordingError(f"{root}: no such folder")
    found = [(p, scene_graph_file(p)) for p in sorted(root.iterdir()) if p.is_dir()]
    tasks = [Task(_checked(p.name, p), p, file) for p, file in found if file is not None]
    if not tasks:
        raise RecordingError(f"{root}: no folder below it holds a {' or '.join(SCENE_GRAPH_FILES)}")
    return tasks


def find_segmented(root: Path) -> dict[str, Path]:
    """Task -> file of its key frames, for every task below ``root``, sorted.

    Errors: :class:`RecordingError` as :func:`find_tasks`.
    """
    if not root.is_dir():
        raise RecordingError(f"{root}: no such folder")
    folders = [p for p in sorted(root.iterdir()) if (p / SEGMENTED_FILE).is_file()]
    if not folders:
        raise RecordingError(
            f"{root}: no folder below it holds a {SEGMENTED_FILE}. Make them: enact-assets segment"
        )
    return {_checked(p.name, p): p / SEGMENTED_FILE for p in folders}


def read_key_frame_ids(file: Path) -> list[int]:
    """Ids of the key frames in a segmented file, ascending; its keys are all that is read.

    Errors: :class:`RecordingError` names the file and the first key that is no frame id.
    """
    try:
        content: Any = json.loads(file.read_bytes())
    except OSError as error:
        raise RecordingError(f"{file}: cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise RecordingError(f"{file}: not valid JSON ({error}). Segment the task again.") from None
    if not isinstance(content, dict):
        raise RecordingError(
            f"{file}: expected an object of key frames, is {type(content).__name__}"
        )
    wrong = [key for key in content if not (key.isascii() and key.isdigit() and len(key) < 16)]
    if wrong:
        raise RecordingError(f"{file}: {len(wrong)} keys are no frame ids, first {wrong[0]!r:.60}")
    ids = sorted(int(key) for key in content)
    if len(set(ids)) < len(ids):
        raise RecordingError(f"{file}: frame ids stand twice, written in different ways")
    return ids


def output_file(root: Path, *parts: str) -> Path:
    """``root/parts...``, refused if it leaves ``root``, also by a link that stands in the way.

    Errors: :class:`OutputError`.
    """
    path = root.joinpath(*parts)
    if not path.resolve().is_relative_to(root.resolve()):
        raise OutputError(f"{path}: lies outside the output folder {root}; nothing was written")
    return path


def refuse_overlap(output_root: Path, inputs: Collection[Path]) -> None:
    """Raise :class:`OutputError` if ``output_root`` is one of the ``inputs``, which stay as are."""
    for root in inputs:
        if output_root.resolve() == root.resolve():
            raise OutputError(f"{output_root} is an input folder; name another one for the output")


def _checked(name: str, folder: Path) -> str:
    if not is_partition_name(name):
        raise RecordingError(
            f"{folder}: the folder's name cannot be a task's (letters, digits and _.:+@- only, "
            "starting with a letter, digit or _, no '..', at most 120 characters). Rename it."
        )
    return name
