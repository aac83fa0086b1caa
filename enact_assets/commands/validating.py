"""The command ``validate``: lists every problem of recordings before they are imported."""

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from enact_assets.commands.release.importing import questions_beside
from enact_assets.commands.release.layout import find_recordings
from enact_assets.commands.release.outcomes import Outcome, Summary
from enact_assets.commands.release.question_importing import QuestionMember, question_members
from enact_assets.commands.terminal import plain, shown_progress
from enact_assets.commands.validated_files import Look
from enact_assets.demonstrations.recordings.folders import recorded_file
from enact_assets.demonstrations.recordings.zips import SUFFIX as ZIP_SUFFIX
from enact_assets.demonstrations.recordings.zips import ZippedRecording, read_zip
from enact_assets.engine.errors import EnactError, RecordingError


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
