"""The command ``validate``: lists every problem of recordings and files before they are imported,
and notes on oddities.
"""

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console

from enact_assets.commands.release.importing import name_of_recording, questions_beside
from enact_assets.commands.release.layout import NOTE_ON_DIFFERENCES, find_recordings
from enact_assets.commands.release.outcomes import Outcome, Summary
from enact_assets.commands.release.prospects import asking, remarks, segmented
from enact_assets.commands.release.question_importing import (
    QuestionMember,
    is_question_file,
    look_for_pictures,
    looks_of,
    question_members,
)
from enact_assets.commands.terminal import plain, shown_progress
from enact_assets.demonstrations.pictures.checks import Wanted, check_pictures, noted_looks
from enact_assets.demonstrations.recordings.folders import (
    ANNOTATION_FILES,
    CAMERA,
    DEMONSTRATION_FILE,
    GRAPH_FILES,
    RECORDED_FILES,
    SEGMENTED_FILES,
    recorded_file,
)
from enact_assets.demonstrations.recordings.zips import SUFFIX as ZIP_SUFFIX
from enact_assets.demonstrations.recordings.zips import ZippedRecording, read_zip
from enact_assets.demonstrations.replay.annotated import check_annotation, tables_of_annotation
from enact_assets.demonstrations.replay.omnigibson import playback_request, read_demonstration
from enact_assets.demonstrations.replay.omnigibson_import import RAW_SUFFIXES, list_demonstrations
from enact_assets.demonstrations.replay.omnigibson_runs import PYTHON_VARIABLE, interpreter
from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.validation import check_replay
from enact_assets.engine.errors import EnactError, RecordingError
from enact_assets.engine.lake.lake import check_partition_value
from enact_assets.engine.plurals import counted
from enact_assets.engine.progress import OnProgress, about
from enact_assets.questions.asked.official import ImportedQuestion, read_questions
from enact_assets.questions.files.pictures import pictures_at
from enact_assets.settings.frame_ids import COUNTED_FROM_0, FrameIds
from enact_assets.settings.registry import BASELINE, load_registry

MAX_SHOWN = 200
NOT_TAKEN = (
    "`import` does not take this. It takes a folder with a recording, a .jsonl question file, a "
    "folder or .zip of either, an annotation (.csv, .json, .jsonl) beside its video, or a .hdf5 "
    "file of raw demonstrations"
)


class Look:
    """Checks one recording or file; each method prints its findings and returns the exit code."""

    def __init__(self, on_progress: OnProgress) -> None:
        self._on_progress = on_progress
        self._has_failed = False
        self.lines: list[tuple[str, str]] = []
        """Text and style."""

    def tried(self, path: Path, look: Callable[[Path], int]) -> int:
        """Call ``look`` with ``path``; an :class:`EnactError` becomes a problem of the file."""
        try:
            return look(path)
        except EnactError as error:
            message = str(error)
            return self.failed([message if str(path) in message else f"{path}: {message}"])

    def failed(self, problems: list[str]) -> int:
        """Print ``problems``; returns 0 if there are none."""
        self._has_failed |= bool(problems)
        for problem in problems[:MAX_SHOWN]:
            self._tell(problem, "red")
        if len(problems) > MAX_SHOWN:
            self._tell(f"... {len(problems) - MAX_SHOWN} more", "red")
        return 1 if problems else 0

    def at_folder(self, folder: Path) -> int:
        """Check a recording: its name, its file of facts or annotations, and its pictures."""
        file = recorded_file(folder)
        for name in RECORDED_FILES:
            if file is not None and name != file.name and (folder / name).is_file():
                self._tell(
                    f"note: {folder / name} is ignored, because {file.name} takes precedence."
                )
        code = self._at_name(folder)
        return max(code, 0 if file is None else self.tried(file, self._at_content))

    def _at_name(self, folder: Path) -> int:
        try:
            name_of_recording(folder)
        except EnactError as error:
            return self.failed([str(error)])
        return 0

    def at_file(self, file: Path) -> int:
        """Check a file by its name, as `import` does; for a recording, with its pictures.

        A file that is the whole of a recording is imported under the name of its folder.
        """
        is_recording = file.name in RECORDED_FILES
        code = self._at_name(file.absolute().parent) if is_recording else 0
        return max(code, self._at_content(file))

    def _at_content(self, file: Path) -> int:
        if file.name in GRAPH_FILES:
            return self._at_scene_graphs(file)
        if file.name == DEMONSTRATION_FILE:
            return self._at_demonstration(file)
        if file.suffix.lower() in RAW_SUFFIXES:
            return self._at_raw_file(file)
        if is_question_file(file):
            return self._at_questions(file, read_questions(file), file.parent)
        if file.suffix.lower() not in {Path(name).suffix for name in ANNOTATION_FILES}:
            raise RecordingError(f"{file}: {NOT_TAKEN}")
        return self._at_annotation(file)

    def at_member(self, member: QuestionMember) -> int:
        """Check a question file in a zip, with its pictures in the zip."""
        if member.has_other_rows:
            self._tell(f"note: {member.where}: ignored, its rows are not questions.")
            return 0
        with member.unpacked() as file:
            return self._at_questions(member.where, read_questions(file), member.path)

    def _at_questions(
        self, file: Path | str, questions: list[ImportedQuestion], place: Path
    ) -> int:
        if not questions:
            return self.failed([f"{file}: contains no questions. Copy the file again."])
        pictures = pictures_at(place)
        found = look_for_pictures(questions, pictures, self._on_progress)
        if found.missing:
            self._tell(f"note: {file}: {found.note}.")
        if found.contradiction:
            return self.failed([f"{file}: {found.contradiction}."])
        looks = looks_of(questions, pictures, self._on_progress)
        for note in noted_looks({w: p for w, p in looks if not isinstance(p, str)}):
            self._tell(f"note: {file}: {note}")
        if broken := [look for _, look in looks if isinstance(look, str)]:
            said = f"{len(broken)} of {counted(len(looks), 'key frame')} show no picture, first"
            return self.failed([f"{file}: {said} {broken[0]}"])
        n_tasks = len({question.task_name for question in questions})
        said = f"{counted(len(questions), 'question')} about {counted(n_tasks, 'demonstration')}"
        return self._good(file, f"{said}, {counted(found.n_found, 'picture')}")

    def _at_scene_graphs(self, file: Path) -> int:
        on_progress = about(file.name, self._on_progress)
        tables = read_recorded(file, "recording", on_progress=on_progress)
        check_replay(tables.demonstrations, tables.facts, tables.objects, tables.later_parents)
        is_segmented = file.name in SEGMENTED_FILES
        kind = "key frames" if is_segmented else "frames"
        found = f"{tables.demonstrations.item(0, 'n_frames')} {kind}"
        if is_segmented and tables.has_differences:
            self._tell(f"note: {file}: {NOTE_ON_DIFFERENCES}")
        self._at_changes(file, tables)
        return self._at_pictures(file, tables) or self._good(file, found)

    def _at_annotation(self, file: Path) -> int:
        checked = check_annotation(file)
        problems = [str(problem) for problem in checked.problems]
        annotation, video = checked.annotation, checked.video
        if problems or video is None:
            self.failed(problems)
            self._tell(f"{file}: {counted(len(problems), 'problem')}")
            # Key frames are unknown, but not how many frames the other cameras should have.
            if video is not None:
                self._at_pictures(file, None, video.n_frames)
            return 1
        pace = (
            "" if video.is_even else ", not evenly spaced: times find frames by their time stamps"
        )
        for warning in checked.warnings:
            self._tell(f"warning: {file}: {warning}", "yellow")
        tables = tables_of_annotation(file, checked, "recording")
        self._at_changes(file, tables)
        return self._at_pictures(file, tables) or self._good(
            file,
            f"{len(annotation.objects)} objects, {len(annotation.changes)} changes; the video has "
            f"{video.n_frames} frames of {video.width_px} x {video.height_px} px, "
            f"{video.frame_rate_hz:.2f} per second{pace}",
        )

    def _at_changes(self, file: Path, tables: ReplayTables) -> None:
        source = tables.demonstrations.item(0, "source")
        for remark in remarks(tables, asking(load_registry(), source)):
            style = "yellow" if remark.is_warning else ""
            self._tell(f"{remark.kind}: {file}: {remark.text}", style)

    def _at_pictures(
        self, file: Path, tables: ReplayTables | None, n_frames: int | None = None
    ) -> int:
        wanted = wanted_pictures(tables, n_frames)
        found = check_pictures(file.parent, wanted, self._on_progress)
        problems = [str(finding) for finding in found if finding.is_problem]
        for finding in found:
            if not finding.is_problem:
                self._tell(str(finding))
        if self.failed(problems):
            self._tell(f"{file.parent}: {counted(len(problems), 'problem')} in the pictures")
        return 1 if problems else 0

    def _at_demonstration(self, file: Path) -> int:
        """Check a raw demonstration for OmniGibson; OmniGibson's Python reads the file, if it is
        set.
        """
        about = read_demonstration(file)
        raw = Path(playback_request(file.parent.name, file, file.parent).file)
        said = f"{about.n_frames} frames of episode {about.episode} of {raw}"
        try:
            interpreter()
        except EnactError:
            return self._good(
                file, f"{said}, not checked: {PYTHON_VARIABLE} does not name a Python"
            )
        listing = list_demonstrations(raw)
        frames = {each.episode: each.n_frames for each in listing.demonstrations}
        if about.episode not in frames:
            known = ", ".join(map(str, sorted(frames)))
            why = "".join(f" {reason}." for reason in listing.reasons)
            said = f"{file}: episode {about.episode} cannot be played from {raw} (can be: {known})."
            return self.failed([f"{said}{why} Correct it."])
        if frames[about.episode] != about.n_frames:
            said = (
                f"{file}: n_frames is {about.n_frames}, but episode {about.episode} of {raw} has "
                f"{frames[about.episode]} frames. Import the file again."
            )
            return self.failed([said])
        return self._good(file, said)

    def _at_raw_file(self, file: Path) -> int:
        listing = list_demonstrations(file)
        found = listing.demonstrations
        for each in found:
            check_partition_value(f"{file.stem}.demo_{each.episode}", f"demonstration of {file}")
        for reason in listing.reasons:
            self._tell(f"note: {file}: `import` ignores an episode: {reason}.")
        n_frames = sum(each.n_frames for each in found)
        return self._good(
            file, f"{counted(len(found), 'demonstration')} of {counted(n_frames, 'frame')} in all"
        )

    def _good(self, file: Path | str, found: str) -> int:
        others = "other " if self._has_failed else ""
        self._tell(f"{file}: no {others}problems. {found}.")
        return 0

    def _tell(self, text: str, style: str = "") -> None:
        self.lines.append((text, style))


def wanted_pictures(tables: ReplayTables | None, n_frames: int | None = None) -> Wanted:
    """The pictures a recording should bring: of all its key frames, under each variant.

    Without ``tables`` only ``n_frames`` is known, and no key frame. Errors: :class:`SettingsError`
    if the registry is wrong.
    """
    registry = load_registry()
    own = {name: v.gating for name, v in registry.variants.items() if not v.is_as_recorded}
    as_recorded = set(registry.variants) - set(own)
    of_baseline = registry.variant(BASELINE).gating
    if tables is None:
        none = np.zeros(0, np.int64)
        ids = FrameIds(COUNTED_FROM_0)
        return Wanted(n_frames or 0, ids, none, dict.fromkeys(own, none), as_recorded)
    frames = {}
    for gating in sorted({of_baseline, *own.values()}):
        found = segmented(tables, registry.gating(gating))
        frames[gating] = found.segmented_frames["frame"].to_numpy()
    row = tables.demonstrations.row(0, named=True)
    seen = tables.observability.filter(camera=CAMERA).select("width_px", "height_px").unique()
    return Wanted(
        row["n_frames"],
        FrameIds(tuple(row["frame_id_runs"])),
        frames[of_baseline],
        {variant: frames[gating] for variant, gating in own.items()},
        as_recorded,
        seen.row(0) if seen.height == 1 else None,
    )


def run_validate(arguments: argparse.Namespace, console: Console) -> int:
    """``validate``; returns the exit code."""
    return max([explain(path, console) for path in arguments.paths])


def explain(path: Path, console: Console) -> int:
    """Print problems of the file or folder ``path`` and of its content; returns 0 if there are
    none.

    ``path`` is anything that ``import`` accepts. All pictures are checked; progress goes to
    standard error.
    """
    if not os.access(path, os.F_OK):
        console.print(plain(f"{path}: no such file or folder", "red"))
        return 1
    if path.suffix.lower() == ZIP_SUFFIX:
        return _explain_zip(path, console)
    if not path.is_dir():
        return _look_at(path, Look.at_file, console)
    if recorded_file(path) is not None:
        return _look_at(path, Look.at_folder, console)
    summary = Summary()
    asked = questions_beside(path)
    codes = [_look_at(file, Look.at_file, console) for file in asked]
    try:
        folders = find_recordings(path, summary)
    except EnactError as error:
        folders = []
        if not asked:
            summary.outcomes.append(Outcome(str(path), error=str(error)))
    codes += [_look_at(folder, Look.at_folder, console) for folder in folders]
    for outcome in summary.failures:
        console.print(plain(outcome.error or "", "red"))
    return max([*codes, 0 if summary.is_success else 1])


def _explain_zip(path: Path, console: Console) -> int:
    """Check question files and recordings of a zip; each is unpacked to a temporary folder,
    checked, and removed.
    """
    try:
        contents = read_zip(path)
        asked = question_members(path, is_alone=contents.nothing is not None)
    except EnactError as error:
        console.print(plain(str(error), "red"))
        return 1
    nothing = [contents.nothing] if contents.nothing is not None and not asked else []
    problems = [*contents.problems, *nothing]
    for problem in problems:
        console.print(plain(problem, "red"))
    codes = [1 if problems else 0]
    for member in asked:

        def questions(found: Look, _: Path, of: QuestionMember = member) -> int:
            return found.at_member(of)

        codes.append(_look_at(path, questions, console))
    for recording in contents.recordings:
        where = contents.where(recording)
        with TemporaryDirectory(prefix="enact-validate-") as temporary:
            folder = Path(temporary).resolve() / recording.name

            def unpacked(found: Look, place: Path, of: ZippedRecording = recording) -> int:
                try:
                    contents.unpack(of, place)
                except RecordingError as error:
                    return found.failed([str(error)])
                return found.at_folder(place)

            codes.append(_look_at(folder, unpacked, console, (str(folder), where)))
    return max(codes)


def _look_at(
    path: Path,
    look: Callable[[Look, Path], int],
    console: Console,
    renamed: tuple[str, str] = ("", ""),
) -> int:
    """Findings of ``look`` about ``path``, with one name ``renamed`` to another."""
    # Findings are printed after the bar is removed, as both use the same lines.
    with shown_progress(console, "validate") as on_progress:
        found = Look(on_progress)
        code = found.tried(path, lambda place: look(found, place))
    for text, style in found.lines:
        console.print(plain(text.replace(*renamed) if renamed[0] else text, style))
    return code
