"""The command ``validate``: lists every problem of recordings before they are imported."""

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from enact_assets.commands.reading import AddCommand
from enact_assets.contracts.errors import EnactError, RecordingError
from enact_assets.data_root.recording_zips import ZippedRecording
from enact_assets.official.outcomes import Told
from enact_assets.official.question_importing import QuestionMember
from enact_assets.plurals import counted
from enact_assets.questions.official import ImportedQuestion
from enact_assets.replay.replay_result import ReplayTables

MAX_SHOWN = 200
NOT_TAKEN = (
    "`import` does not take this. It takes a folder with a recording, a .jsonl question file, a "
    "folder or .zip of either, an annotation (.csv, .json, .jsonl) beside its video, or a .hdf5 "
    "file of raw demonstrations"
)


def add_validate_command(command: AddCommand) -> None:
    """Add ``validate``; ``command(name, run, about)`` makes a parser of one."""
    sub = command("validate", _validate, "Check annotations and recordings and list every problem.")
    sub.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="PATH",
        help="what `import` takes: a recording's folder, a folder of such folders, or one file",
    )


def _validate(arguments: argparse.Namespace, console: Console) -> int:
    return max([explain(path, console) for path in arguments.paths])


def explain(path: Path, console: Console) -> int:
    """Print what is wrong in what is at ``path``, or what is in it; 0 if nothing is wrong.

    ``path`` is whatever ``import`` takes. All pictures are looked at; how far that is goes to
    standard error.
    """
    from enact_assets.data_root.recording_zips import SUFFIX as ZIP_SUFFIX
    from enact_assets.data_root.recordings import recorded_file
    from enact_assets.official.commands import plain
    from enact_assets.official.importing import questions_beside
    from enact_assets.official.layout import find_recordings
    from enact_assets.official.outcomes import Outcome, Summary

    if not os.access(path, os.F_OK):
        console.print(plain(f"{path}: no such file or folder", "red"))
        return 1
    if path.suffix.lower() == ZIP_SUFFIX:
        return _explain_zip(path, console)
    if not path.is_dir():
        return _look_at(path, _Look.at_file, console)
    if recorded_file(path) is not None:
        return _look_at(path, _Look.at_folder, console)
    summary = Summary()
    asked = questions_beside(path)
    codes = [_look_at(file, _Look.at_file, console) for file in asked]
    try:
        folders = find_recordings(path, summary)
    except EnactError as error:
        folders = []
        if not asked:
            summary.outcomes.append(Outcome(str(path), error=str(error)))
    codes += [_look_at(folder, _Look.at_folder, console) for folder in folders]
    for outcome in summary.failures:
        console.print(plain(outcome.error or "", "red"))
    return max([*codes, 0 if summary.is_success else 1])


def _explain_zip(path: Path, console: Console) -> int:
    """Question files and recordings of a zip; each is unpacked to a temporary folder, looked at,
    and removed.
    """
    from enact_assets.data_root.recording_zips import read_zip
    from enact_assets.official.commands import plain
    from enact_assets.official.question_importing import question_members

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

        def questions(found: _Look, _: Path, of: QuestionMember = member) -> int:
            return found.at_member(of)

        codes.append(_look_at(path, questions, console))
    for recording in contents.recordings:
        where = contents.where(recording)
        with TemporaryDirectory(prefix="enact-validate-") as temporary:
            folder = Path(temporary).resolve() / recording.name

            def unpacked(found: _Look, place: Path, of: ZippedRecording = recording) -> int:
                try:
                    contents.unpack(of, place, lambda *_: None)
                except RecordingError as error:
                    return found.failed([str(error)])
                return found.at_folder(place)

            codes.append(_look_at(folder, unpacked, console, (str(folder), where)))
    return max(codes)


def _look_at(
    path: Path,
    look: Callable[["_Look", Path], int],
    console: Console,
    renamed: tuple[str, str] = ("", ""),
) -> int:
    """What ``look`` says about ``path``, in which one name is ``renamed`` to another."""
    from enact_assets.official.commands import plain, shown_progress

    # What is found is printed when the bar is gone: both write to the same lines.
    with shown_progress(console, "validate") as on_progress:
        found = _Look(on_progress)
        code = found.tried(path, lambda place: look(found, place))
    for text, style in found.lines:
        console.print(plain(text.replace(*renamed) if renamed[0] else text, style))
    return code


class _Look:
    """One look at one recording or file; each method tells what it finds, and the exit code."""

    def __init__(self, on_progress: Told) -> None:
        self._on_progress = on_progress
        self.lines: list[tuple[str, str]] = []
        """Text and style."""

    def tried(self, path: Path, look: Callable[[Path], int]) -> int:
        """``look`` at ``path``; an :class:`EnactError` becomes a problem of it."""
        try:
            return look(path)
        except EnactError as error:
            message = str(error)
            return self.failed([message if str(path) in message else f"{path}: {message}"])

    def failed(self, problems: list[str]) -> int:
        """Tell ``problems``; 0 if there are none."""
        for problem in problems[:MAX_SHOWN]:
            self._tell(problem, "red")
        if len(problems) > MAX_SHOWN:
            self._tell(f"... {len(problems) - MAX_SHOWN} more", "red")
        return 1 if problems else 0

    def at_folder(self, folder: Path) -> int:
        """A recording: its name, what says what happened, and its pictures."""
        from enact_assets.data_root.recordings import RECORDED_FILES, recorded_file
        from enact_assets.official.importing import name_of_recording

        file = recorded_file(folder)
        for name in RECORDED_FILES:
            if file is not None and name != file.name and (folder / name).is_file():
                self._tell(
                    f"note: {folder / name} is ignored, because {file.name} takes precedence."
                )
        code = 0
        try:
            name_of_recording(folder)
        except EnactError as error:
            code = self.failed([str(error)])
        return max(code, 0 if file is None else self.tried(file, self.at_file))

    def at_file(self, file: Path) -> int:
        """A file by its name, as `import` tells them apart; of a recording, with its pictures."""
        from enact_assets.data_root.recordings import (
            ANNOTATION_FILES,
            DEMONSTRATION_FILE,
            GRAPH_FILES,
        )
        from enact_assets.official.question_importing import is_question_file
        from enact_assets.questions.official import read_questions
        from enact_assets.replay.omnigibson_import import RAW_SUFFIXES

        if file.name in GRAPH_FILES:
            return self._at_scene_graphs(file)
        if file.name == DEMONSTRATION_FILE:
            return self._at_demonstration(file)
        if file.suffix in RAW_SUFFIXES:
            return self._at_raw_file(file)
        if is_question_file(file):
            return self._at_questions(file, read_questions(file), file.parent)
        if file.suffix.lower() not in {Path(name).suffix for name in ANNOTATION_FILES}:
            raise RecordingError(f"{file}: {NOT_TAKEN}")
        return self._at_annotation(file)

    def at_member(self, member: QuestionMember) -> int:
        """A question file in a zip, with its pictures there."""
        from enact_assets.questions.official import read_questions

        if member.has_other_rows:
            self._tell(f"note: {member.where}: ignored, its rows are not questions.")
            return 0
        with member.unpacked() as file:
            return self._at_questions(member.where, read_questions(file), member.path)

    def _at_questions(
        self, file: Path | str, questions: list[ImportedQuestion], place: Path
    ) -> int:
        from enact_assets.data_root.question_pictures import pictures_at
        from enact_assets.official.question_importing import look_for_pictures

        found = look_for_pictures(questions, pictures_at(place), self._on_progress)
        if found.missing:
            self._tell(f"note: {file}: {found.note}.")
        if found.contradiction:
            return self.failed([f"{file}: {found.contradiction}."])
        n_tasks = len({question.task_name for question in questions})
        said = f"{counted(len(questions), 'question')} about {counted(n_tasks, 'demonstration')}"
        return self._good(file, f"{said}, {counted(found.n_found, 'picture')}")

    def _at_scene_graphs(self, file: Path) -> int:
        from enact_assets.data_root.recordings import SEGMENTED_FILES
        from enact_assets.official.layout import NOTE_ON_DIFFERENCES
        from enact_assets.replay.recorded import read_recorded
        from enact_assets.replay.validation import check_replay

        def progress(done: int, total: int) -> None:
            self._on_progress(file.name, done, total)

        tables = read_recorded(file, "recording", progress=progress)
        check_replay(tables.demonstrations, tables.facts, tables.objects, tables.later_parents)
        is_segmented = file.name in SEGMENTED_FILES
        kind = "key frames" if is_segmented else "frames"
        found = f"{tables.demonstrations.item(0, 'n_frames')} {kind}"
        if is_segmented and tables.has_differences:
            self._tell(f"note: {file}: {NOTE_ON_DIFFERENCES}")
        return self._at_pictures(file, tables) or self._good(file, found)

    def _at_annotation(self, file: Path) -> int:
        from enact_assets.replay.annotated import check_annotation, tables_of_annotation

        checked = check_annotation(file)
        problems = [str(problem) for problem in checked.problems]
        annotation, video = checked.annotation, checked.video
        if problems or video is None:
            self.failed(problems)
            self._tell(f"{file}: {_counted(problems)}")
            # Key frames are unknown, but not how many frames the other cameras should have.
            if video is not None:
                self._at_pictures(file, None, video.n_frames)
            return 1
        pace = (
            "" if video.is_even else ", not evenly spaced: times find frames by their time stamps"
        )
        tables = tables_of_annotation(file, checked, "recording")
        return self._at_pictures(file, tables) or self._good(
            file,
            f"{len(annotation.objects)} objects, {len(annotation.changes)} changes; the video has "
            f"{video.n_frames} frames of {video.width_px} x {video.height_px} px, "
            f"{video.frame_rate_hz:.2f} per second{pace}",
        )

    def _at_pictures(
        self, file: Path, tables: ReplayTables | None, n_frames: int | None = None
    ) -> int:
        from enact_assets.frames.picture_checks import check_pictures
        from enact_assets.official.wanted_pictures import wanted_pictures

        wanted = wanted_pictures(tables, n_frames)
        found = check_pictures(file.parent, wanted, self._on_progress)
        problems = [str(finding) for finding in found if finding.is_problem]
        for finding in found:
            if not finding.is_problem:
                self._tell(str(finding))
        if self.failed(problems):
            self._tell(f"{file.parent}: {_counted(problems)} in the pictures")
        return 1 if problems else 0

    def _at_demonstration(self, file: Path) -> int:
        """What OmniGibson is to play; its own Python looks into the file, if there is one."""
        from enact_assets.replay.omnigibson import playback_request, read_demonstration
        from enact_assets.replay.omnigibson_import import list_demonstrations
        from enact_assets.replay.omnigibson_runs import PYTHON_VARIABLE, interpreter

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
        from enact_assets.engine.lake.lake import check_partition_value
        from enact_assets.replay.omnigibson_import import list_demonstrations

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
        self._tell(f"{file}: no problems. {found}.")
        return 0

    def _tell(self, text: str, style: str = "") -> None:
        self.lines.append((text, style))


def _counted(problems: list[str]) -> str:
    return counted(len(problems), "problem")
