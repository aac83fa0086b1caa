"""``enact-assets import``: recordings and question files into a data root."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from enact_assets.contracts.errors import EnactError, OutputError, QuestionFileError, RecordingError
from enact_assets.contracts.settings import is_partition_name
from enact_assets.official.layout import find_tasks
from enact_assets.official.outcomes import Summary
from enact_assets.questions.official import read_questions
from enact_assets.replay.embedded import parse_demonstration
from enact_assets.storage.atomic import replacing
from enact_assets.storage.paths import DataRoot
from enact_assets.storage.question_files import SUFFIX, question_file
from enact_assets.storage.recordings import Recordings, scene_graph_file


def import_paths(paths: Iterable[Path], root: DataRoot, *, is_copy: bool = False) -> Summary:
    """Take recordings and question files into ``root``; they become partitions when materialized.

    A path is a folder with a recording, a folder of such folders, or a ``.jsonl`` question file.
    Recordings are linked unless ``is_copy``; question files are read, checked and copied. What
    fails is told in the summary and changes nothing.
    """
    summary = Summary()
    for path in paths:
        if path.suffix == SUFFIX:
            with summary.attempt(path.name) as outcome:
                outcome.numbers["questions"] = _import_questions(path, root)
            continue
        with summary.attempt(str(path)):
            folders = (
                [path]
                if path.is_dir() and scene_graph_file(path)
                else [task.folder for task in find_tasks(path)]
            )
            summary.outcomes.pop()
            for folder in folders:
                with summary.attempt(folder.name) as outcome:
                    _import_recording(folder, root, is_copy=is_copy)
                    outcome.numbers["recordings"] = 1
    summary.notes.append("`enact-assets materialize` makes tables and questions of what is new.")
    return summary


def _import_recording(folder: Path, root: DataRoot, *, is_copy: bool) -> None:
    name = folder.resolve().name
    try:
        parse_demonstration(name)
    except EnactError:
        Recordings(root.recordings).add(folder, copy=is_copy)
        return
    raise RecordingError(
        f"{folder}: {name!r} is the name of an embedded demonstration; rename the folder"
    )


def _import_questions(path: Path, root: DataRoot) -> int:
    if not is_partition_name(path.stem):
        raise QuestionFileError(
            f"{path}: its name cannot be a partition's (letters, digits and _.:+@- only); rename it"
        )
    questions = read_questions(path)
    place = question_file(root.question_files, path.stem)
    try:
        if not place.exists() or not place.samefile(path):
            with replacing(place) as temporary:
                shutil.copyfile(path, temporary)
    except OSError as error:
        raise OutputError(f"{place}: cannot be written ({error.strerror})") from error
    return len(questions)
