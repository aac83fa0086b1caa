"""The command ``validate``: everything that is wrong in recordings, before they are imported."""

import argparse
from pathlib import Path

from rich.console import Console

from enact_assets.commands.reading import AddCommand
from enact_assets.contracts.errors import EnactError

MAX_SHOWN = 200


def add_validate_command(command: AddCommand) -> None:
    """Add ``validate``; ``command(name, run, about)`` makes a parser of one."""
    sub = command("validate", _validate, "Explain what is wrong in annotations and recordings.")
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

    ``path`` is whatever ``import`` takes.
    """
    from enact_assets.official.commands import plain
    from enact_assets.official.layout import find_recordings
    from enact_assets.storage.recordings import recorded_file

    try:
        if not path.is_dir():
            return _explain_file(path, console)
        file = recorded_file(path)
        if file is not None:
            return _explain_file(file, console)
        return max([explain(folder, console) for folder in find_recordings(path)])
    except EnactError as error:
        console.print(plain(str(error), "red"))
        return 1


def _explain_file(file: Path, console: Console) -> int:
    from enact_assets.official.commands import plain
    from enact_assets.questions.official import read_questions
    from enact_assets.replay.recorded import read_recorded
    from enact_assets.replay.validation import check_replay
    from enact_assets.storage.question_files import SUFFIX
    from enact_assets.storage.recordings import ANNOTATION_FILES, SCENE_GRAPH_FILES

    if file.name in SCENE_GRAPH_FILES:
        tables = read_recorded(file, "recording")
        check_replay(tables.demonstrations, tables.facts, tables.objects)
        found = f"{tables.demonstrations.item(0, 'n_frames')} frames"
    elif file.suffix == SUFFIX and file.name not in ANNOTATION_FILES:
        found = f"{len(read_questions(file))} questions"
    else:
        return _explain_annotation(file, console)
    console.print(plain(f"{file}: nothing is wrong. {found}."))
    return 0


def _explain_annotation(file: Path, console: Console) -> int:
    from enact_assets.official.commands import plain
    from enact_assets.replay.annotated import check_annotation

    checked = check_annotation(file)
    problems = checked.problems
    for problem in problems[:MAX_SHOWN]:
        console.print(plain(str(problem), "red"))
    if len(problems) > MAX_SHOWN:
        console.print(f"... {len(problems) - MAX_SHOWN} more", style="red")
    if problems or checked.video is None:
        console.print(plain(f"{file}: {len(problems)} problems"))
        return 1
    annotation, video = checked.annotation, checked.video
    pace = "" if video.is_even else ", not evenly spaced: frames are found by their times"
    console.print(
        plain(
            f"{file}: nothing is wrong. {len(annotation.objects)} objects, "
            f"{len(annotation.changes)} changes; the video has {video.n_frames} frames of "
            f"{video.width_px} x {video.height_px} px, {video.frame_rate_hz:.2f} per second{pace}."
        )
    )
    return 0
