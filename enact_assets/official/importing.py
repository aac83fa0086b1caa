"""``enact-assets import``: recordings, annotated videos and question files into a data root."""

import os
from collections.abc import Iterable
from pathlib import Path

from enact_assets.contracts.errors import EnactError, RecordingError
from enact_assets.data_root.forgotten import Forgotten
from enact_assets.data_root.paths import DataRoot
from enact_assets.data_root.question_pictures import ZIP_SUFFIX
from enact_assets.data_root.recordings import (
    ANNOTATION_FILES,
    Recordings,
    recorded_file,
    recording_name,
)
from enact_assets.engine.lake.lake import check_partition_value
from enact_assets.official.layout import find_recordings, output_file
from enact_assets.official.outcomes import Outcome, Summary
from enact_assets.official.question_importing import (
    import_question_file,
    import_question_zip,
    is_question_file,
    question_members,
)
from enact_assets.replay.annotated import read_annotated
from enact_assets.replay.embedded import parse_demonstration
from enact_assets.replay.omnigibson_import import RAW_SUFFIXES, import_demonstrations


def import_paths(
    paths: Iterable[Path],
    root: DataRoot,
    *,
    is_copy: bool = False,
    pictures: Path | None = None,
) -> Summary:
    """Take recordings and question files into ``root``; they become partitions when materialized.

    A path is a folder with a recording, a folder of such folders, a ``.jsonl`` question file, a zip
    that holds such files, or a ``.hdf5`` file of raw demonstrations, which stays where it is.
    Recordings are linked unless ``is_copy``; question files are read, checked and copied, and their
    pictures, at ``pictures`` or beside them, linked;
    annotated videos are read and checked, so that none comes in that cannot be used. What
    fails is listed in the summary and changes nothing. Nothing is written outside of ``root``, also
    where a link in it leads out.
    """
    summary = Summary()
    for path in paths:
        if not os.access(path, os.F_OK):
            summary.outcomes.append(Outcome(str(path), error=f"{path}: no such file or folder"))
            continue
        if is_question_file(path):
            import_question_file(path, root, summary, pictures)
            continue
        if path.suffix.lower() == ZIP_SUFFIX and _has_questions(path, summary):
            import_question_zip(path, root, summary, pictures)
            continue
        if path.suffix in RAW_SUFFIXES:
            with summary.attempt(path.name) as outcome:
                output_file(root.root, root.recordings.name)
                imported = import_demonstrations(path, Recordings(root.recordings))
                outcome.numbers["demonstrations"] = len(imported.names)
                summary.notes.extend(f"Left out: {reason}" for reason in imported.left_out)
            continue
        place = path.absolute().parent if path.name in ANNOTATION_FILES else path
        for folder in _recordings(place, summary):
            with summary.attempt(folder.name) as outcome:
                _import_recording(folder, root, is_copy=is_copy)
                outcome.numbers["recordings"] = 1
    if len(summary.failures) < len(summary.outcomes):
        said = "`enact-assets materialize` makes their tables and questions."
        summary.notes.append(said)
    return summary


def _has_questions(path: Path, summary: Summary) -> bool:
    """Whether a zip holds question files; one that cannot be read is a failure."""
    try:
        return bool(question_members(path))
    except EnactError as error:
        summary.outcomes.append(Outcome(str(path), error=str(error)))
    return False


def _recordings(path: Path, summary: Summary) -> list[Path]:
    """``path`` if it is a recording, otherwise those below it; none is a failure."""
    try:
        if recorded_file(path):
            return [path]
        return find_recordings(path, summary)
    except EnactError as error:
        summary.outcomes.append(Outcome(str(path), error=str(error)))
    except OSError as error:
        why = f"{path}: cannot be read ({error.strerror})"
        summary.outcomes.append(Outcome(str(path), error=why))
    return []


def name_of_recording(folder: Path) -> str:
    """What the recording in ``folder`` will be called.

    Errors: :class:`LakeError` if that cannot name a partition; :class:`RecordingError` if an
    embedded demonstration has that name.
    """
    name = check_partition_value(recording_name(folder), f"recording {folder}")
    try:
        parse_demonstration(name)
    except EnactError:
        return name
    raise RecordingError(
        f"{folder}: {name!r} is the name of an embedded demonstration. Rename the folder"
    )


def _import_recording(folder: Path, root: DataRoot, *, is_copy: bool) -> None:
    name = name_of_recording(folder)
    found = recorded_file(folder)
    if found is not None and found.name in ANNOTATION_FILES:
        read_annotated(found, name)
    # The folder of recordings; what is in it may be links that lead out.
    output_file(root.root, root.recordings.name)
    Recordings(root.recordings).add(folder, copy=is_copy)
    Forgotten(root.root).remove("demonstration", [name])
