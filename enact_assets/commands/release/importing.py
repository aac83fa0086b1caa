"""``enact-assets import``: recordings, annotated videos and question files into a data root.

At its end it says the command that makes what was imported.
"""

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from enact_assets.commands.release.layout import NOTE_ON_DIFFERENCES, find_recordings, output_file
from enact_assets.commands.release.outcomes import Outcome, Summary
from enact_assets.commands.release.prospects import asking, remarks
from enact_assets.commands.release.question_importing import (
    import_question_file,
    import_question_zip,
    is_question_file,
    question_files,
    question_members,
)
from enact_assets.demonstrations.pictures.demonstration_sources import all_sources
from enact_assets.demonstrations.pictures.recorded_pictures import check_picture_counts
from enact_assets.demonstrations.recordings.folders import (
    ANNOTATION_FILES,
    CAMERA,
    GRAPH_FILES,
    SCENE_GRAPH_FILES,
    SEGMENTED_FILES,
    Recordings,
    has_pictures,
    recorded_file,
    recording_name,
)
from enact_assets.demonstrations.recordings.zips import SUFFIX as ZIP_SUFFIX
from enact_assets.demonstrations.recordings.zips import RecordingZip, ZippedRecording, read_zip
from enact_assets.demonstrations.replay.annotated import check_annotation, tables_of_annotation
from enact_assets.demonstrations.replay.embedded import parse_demonstration
from enact_assets.demonstrations.replay.omnigibson_import import RAW_SUFFIXES, import_demonstrations
from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.engine.errors import EnactError, RecordingError
from enact_assets.engine.lake.lake import check_partition_value
from enact_assets.engine.plurals import named
from enact_assets.engine.progress import OnProgress, about, unheard
from enact_assets.engine.system.atomic import make_folder
from enact_assets.pipeline.root.forgotten import Forgotten
from enact_assets.pipeline.root.new_root import make_root
from enact_assets.pipeline.root.scope import (
    Scope,
    is_unused,
    read_scope,
    scoped_registry,
    write_scope,
)
from enact_assets.questions.files.imported import registry_in
from enact_assets.settings.classes import OMNIGIBSON, QUESTIONS
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import BASELINE


def next_command(imported: list[Outcome], root: DataRoot) -> str:
    """``enact-assets materialize`` with the variants that ask about what was ``imported``.

    Without variants if the baseline asks about it, since all its probes do then, or if none does.
    Errors: :class:`SettingsError` if the registry is wrong.
    """
    asking = _asking(imported, root)
    filters = [] if BASELINE in asking else [f"--variant {name}" for name in asking]
    return " ".join(["enact-assets materialize", *filters]) + root.option


def put_in_scope(imported: list[Outcome], root: DataRoot) -> None:
    """Make the variants that ask about what was ``imported`` part of what is made in ``root``.

    In an unused data root they are all there is, and no demonstration of the registry is; what was
    imported needs no entry. Errors: :class:`SettingsError`, :class:`OutputError`.
    """
    scope = read_scope(root.root)
    if scope is None:
        if not is_unused(root):
            return  # everything is in scope
        scope = Scope({"demonstration": frozenset(), "variant": frozenset()})
    wider = scope.widened({"variant": _asking(imported, root)})
    if wider != read_scope(root.root):
        write_scope(root.root, wider)


def _asking(imported: list[Outcome], root: DataRoot) -> list[str]:
    """Variants that ask about demonstrations of the sources of what was ``imported``."""
    sources = {_source(outcome, root) for outcome in imported}
    variants = registry_in(root).variants
    return [name for name, v in variants.items() if not sources.isdisjoint(v.sources)]


def _source(outcome: Outcome, root: DataRoot) -> str:
    """Where the demonstrations that came in with ``outcome`` are from."""
    if "questions" in outcome.numbers:
        return QUESTIONS
    if "recordings" not in outcome.numbers:
        return OMNIGIBSON
    name = recording_name(Path(outcome.name))
    return all_sources(Recordings(root.recordings)).find(name).name


class _Note(NamedTuple):
    """A remark about the recording at ``where``, which came in."""

    where: str
    remark: str


def import_paths(
    paths: Iterable[Path],
    root: DataRoot,
    *,
    is_copy: bool = False,
    pictures: Path | None = None,
    on_progress: OnProgress = unheard,
) -> Summary:
    """Take recordings and question files into ``root``; they become partitions when materialized.

    A path is a folder with a recording, a folder of such folders, a ``.jsonl`` question file, a
    folder of such files and their pictures, a ``.zip`` of any of these, or a ``.hdf5`` file of
    raw demonstrations, which stays where it is. Recordings are linked unless ``is_copy``; those of
    a zip are unpacked, once; question files are read, checked and copied, and their pictures, at
    ``pictures`` or beside them, linked; annotated videos are read and checked, and pictures of
    other videos counted, so that none comes in that cannot be used. What fails is listed in the
    summary and changes nothing. Nothing is written outside of ``root``, also where a link in it
    leads out.

    Errors: :class:`SettingsError` if registry or scope of ``root`` is wrong; nothing was imported.
    """
    scoped_registry(root.root)  # to widen the scope at the end
    summary, notes = Summary(), list[_Note]()
    for path in paths:
        if not os.access(path, os.F_OK):
            summary.outcomes.append(Outcome(str(path), error=f"{path}: no such file or folder"))
            continue
        if is_question_file(path):
            import_question_file(path, root, summary, pictures, on_progress)
            continue
        if path.suffix.lower() == ZIP_SUFFIX:
            notes += _import_zip(path, root, summary, pictures, on_progress)
            continue
        if path.suffix.lower() in RAW_SUFFIXES:
            with summary.attempt(path.name) as outcome:
                output_file(root.root, root.recordings.name)
                names, left_out = import_demonstrations(path, Recordings(root.recordings))
                outcome.numbers["demonstrations"] = len(names)
                summary.notes.extend(f"Left out: {reason}" for reason in left_out)
            continue
        place = path.absolute().parent if path.name in ANNOTATION_FILES else path
        asked = questions_beside(place)
        n_called = Counter(file.stem for file in asked)
        for file in asked:
            if n_called[file.stem] == 1:
                import_question_file(file, root, summary, pictures, on_progress)
                continue
            error = f"{file}: another has this name, but for its suffix. Rename one of them"
            summary.outcomes.append(Outcome(file.name, error=error))
        for folder in _recordings(place, summary, is_needed=not asked):
            with summary.attempt(folder.name) as outcome:
                notes += _import_recording(folder, root, on_progress, is_copy=is_copy)
                outcome.numbers["recordings"] = 1
    summary.notes += _grouped(notes)
    if done := [outcome for outcome in summary.outcomes if outcome.error is None]:
        put_in_scope(done, root)
        said = f"`{next_command(done, root)}` makes their tables and questions."
        summary.notes.append(said)
    return summary


def _grouped(notes: Iterable[_Note]) -> list[str]:
    """One line per remark, which names the recordings that it is about, or the first."""
    about: dict[str, list[str]] = {}
    for note in notes:
        about.setdefault(note.remark, []).append(note.where)
    return [f"{named(places, 1)}: {remark}" for remark, places in about.items()]


def questions_beside(folder: Path) -> list[Path]:
    """Question files in ``folder``, which may hold recordings too; none if it is a recording."""
    try:
        return [] if not folder.is_dir() or recorded_file(folder) else question_files(folder)
    except OSError:
        return []  # looking for recordings says why


def _recordings(path: Path, summary: Summary, *, is_needed: bool) -> list[Path]:
    """``path`` if it is a recording, otherwise those below it; to find none fails if needed."""
    try:
        if recorded_file(path):
            return [path]
        return find_recordings(path, summary)
    except EnactError as error:
        if is_needed:
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
    return check_name(recording_name(folder), str(folder))


def check_name(name: str, where: str) -> str:
    """``name`` if the recording that is at ``where`` may have it. Errors: see above."""
    check_partition_value(name, f"recording {where}")
    try:
        parse_demonstration(name)
    except EnactError:
        return name
    raise RecordingError(
        f"{where}: {name!r} is the name of an embedded demonstration. Rename the folder"
    )


def _import_recording(
    folder: Path, root: DataRoot, on_progress: OnProgress, *, is_copy: bool
) -> list[_Note]:
    name = name_of_recording(folder)
    notes = _looked_at(folder, name, root, on_progress)
    # The folder of recordings; what is in it may be links that lead out.
    output_file(root.root, root.recordings.name)
    make_root(root.root)
    Recordings(root.recordings).add(folder, copy=is_copy)
    Forgotten(root.root).remove("demonstration", [name])
    return notes


def _looked_at(folder: Path, name: str, root: DataRoot, on_progress: OnProgress) -> list[_Note]:
    """A quick look at ``folder``, to be recording ``name``; what to say about it."""
    found = recorded_file(folder)
    notes: list[_Note] = []
    if found is not None and found.name in ANNOTATION_FILES:
        checked = check_annotation(found)
        notes += _on_changes(folder, tables_of_annotation(found, checked, name), root)
        if n := len(checked.warnings):
            counted = "1 warning" if n == 1 else f"{n} warnings, the first"
            remark = f"{counted}: {checked.warnings[0]} `enact-assets validate` lists all."
            notes.append(_Note(str(folder), remark))
    if found is not None and found.name in SEGMENTED_FILES:
        _refuse_less(name, root)
    if found is not None and found.name in GRAPH_FILES:
        replay = read_recorded(found, name, on_progress=about(name, on_progress))
        notes += _on_changes(folder, replay, root)
        if found.name in SEGMENTED_FILES and replay.has_differences:
            notes.append(_Note(str(folder), NOTE_ON_DIFFERENCES))
        check_picture_counts(found, about(name, on_progress))
    if found is not None and found.name in GRAPH_FILES and not has_pictures(folder, CAMERA):
        remark = f"no pictures. Add {CAMERA}.mp4 or {CAMERA}/*.png before you materialize."
        notes.append(_Note(str(folder), remark))
    return notes


def _on_changes(folder: Path, replay: ReplayTables, root: DataRoot) -> list[_Note]:
    """What of ``replay`` can be asked about, under the registry in force."""
    source = replay.demonstrations.item(0, "source")
    said = remarks(replay, asking(registry_in(root), source))
    return [_Note(str(folder), f"{'warning: ' * r.is_warning}{r.text}") for r in said]


def _import_zip(
    path: Path, root: DataRoot, summary: Summary, pictures: Path | None, on_progress: OnProgress
) -> list[_Note]:
    """Take in question files and recordings of a zip."""
    try:
        contents = read_zip(path)
        asked = question_members(path, is_alone=contents.nothing is not None)
    except EnactError as error:
        summary.outcomes.append(Outcome(path.name, error=str(error)))
        return []
    import_question_zip(asked, root, summary, pictures, on_progress)
    if contents.nothing is None:
        return _unpack_recordings(contents, root, summary, on_progress, is_all=not asked)
    if not asked:
        summary.outcomes.append(Outcome(path.name, error=contents.nothing))
    return []


def _unpack_recordings(
    contents: RecordingZip,
    root: DataRoot,
    summary: Summary,
    on_progress: OnProgress,
    *,
    is_all: bool,
) -> list[_Note]:
    """Unpack every recording of a zip into the data root; what fails leaves nothing there.

    ``is_all`` if the zip should hold nothing else.
    """
    path = contents.path
    try:
        output_file(root.root, root.recordings.name)
        make_root(root.root)
        make_folder(root.recordings)
        new = [
            recording
            for recording in contents.recordings
            if not contents.is_unpacked(recording, root.recordings / recording.name)
        ]
        contents.check_room(new, root.recordings)
    except EnactError as error:
        summary.outcomes.append(Outcome(path.name, error=str(error)))
        return []
    except OSError as error:
        why = f"{root.recordings}: cannot be written ({error.strerror})"
        summary.outcomes.append(Outcome(path.name, error=why))
        return []
    notes: list[_Note] = []
    summary.outcomes += [Outcome(path.name, error=problem) for problem in contents.problems]
    for recording in contents.recordings:
        with summary.attempt(recording.name) as outcome:
            if recording in new:
                notes += _import_zipped(contents, recording, root, on_progress)
            Forgotten(root.root).remove("demonstration", [recording.name])
            outcome.numbers["recordings"] = 1
    if len(new) < len(contents.recordings):
        n_in_all = len(contents.recordings)
        n_there = n_in_all - len(new)
        summary.notes.append(f"{path}: {n_there} of {n_in_all} recordings already unpacked.")
    if contents.n_unused and is_all:
        said = f"{path}: files ignored because no recording needs them: {contents.n_unused}."
        summary.notes.append(said)
    return notes


def _import_zipped(
    contents: RecordingZip, recording: ZippedRecording, root: DataRoot, on_progress: OnProgress
) -> list[_Note]:
    where, name = contents.where(recording), recording.name
    check_name(name, where)
    with Recordings(root.recordings).taking_in(name, where) as folder:
        contents.unpack(recording, folder, about(name, on_progress))
        try:
            notes = _looked_at(folder, name, root, on_progress)
        except EnactError as error:
            raise RecordingError(str(error).replace(str(folder), where)) from error
    return [_Note(where, note.remark) for note in notes]


def _refuse_less(name: str, root: DataRoot) -> None:
    """Raise :class:`RecordingError` if key frames alone would replace the replay they are of."""
    there = Recordings(root.recordings).find(name)
    if there is not None and there.name in SCENE_GRAPH_FILES:
        raise RecordingError(
            f"{there.parent}: the replay of {name} was imported, of which these are the key "
            f"frames. Keep it, or remove {there.parent} first."
        )
