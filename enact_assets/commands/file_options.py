"""Arguments of the commands that read and write files of the release and of other sources."""

import argparse
from pathlib import Path

from enact_assets.commands.option_types import add_count, positive
from enact_assets.commands.release.outcomes import MAX_SHOWN
from enact_assets.commands.release.published_data import DATA
from enact_assets.settings.profile import PROFILES, RELEASE

DEFAULT_SEGMENTED = Path("data/segmented_activities")
DEFAULT_REPLAYED = Path("data/replayed_activities")
DEFAULT_QUESTIONS = Path("data/QA/enact_ordering.jsonl")
DEFAULT_EVALUATION = Path("data/evaluation")
DEFAULT_FOLDER = Path("data/downloads")
TRIAL_FOLDER = Path("omnigibson_try")
TRY = "try"


def add_import(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``import``."""
    sub.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="PATH",
        help="a folder with scene_graph_0.json[.gz] or with an annotation and its video, a folder "
        "of such folders, a .zip of them, a .jsonl question file, a .zip of such files and their "
        "pictures, or a .hdf5 file of raw BEHAVIOR demonstrations",
    )
    sub.add_argument(
        "--pictures",
        type=Path,
        metavar="DIR|ZIP",
        help="where the pictures of question files are (default: beside each file, or in its zip)",
    )
    sub.add_argument("--copy", action="store_true", help="copy recordings, do not link to them")
    about = "import nothing; check the paths as `enact-assets validate` does"
    sub.add_argument("--check", action="store_true", help=about)
    _add_all(sub)


def add_validate(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``validate``."""
    sub.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="PATH",
        help="what `import` takes: a recording's folder, a folder of such folders, or one file",
    )


def add_download(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``download``."""
    sub.add_argument("dataset", choices=sorted(DATA), help="what to download")
    sub.add_argument(
        "--task",
        metavar="NAME",
        help="only this task of behavior-rawdata: bringing_water, or task-0017",
    )
    sub.add_argument(
        "--to",
        type=Path,
        metavar="DIR",
        help=f"folder to write to (default: {DEFAULT_FOLDER}/DATASET)",
    )
    sub.add_argument(
        "--yes", action="store_true", help="download without asking; needed without a terminal"
    )


def add_omnigibson(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``omnigibson``."""
    sub.add_argument("action", choices=(TRY,))
    sub.add_argument("file", type=Path, metavar="FILE.hdf5", help="a file of raw demonstrations")
    about = "N of demo_N (default: the longest)"
    sub.add_argument("--episode", type=int, metavar="N", help=about)
    about = "frames to play, from the first on (default: all)"
    sub.add_argument("--frames", type=positive, metavar="N", help=about)
    add_count(sub, "--pictures", 10, "pictures to take, evenly spread over these frames")
    about = "enact or all (default: what `import` would write)"
    sub.add_argument("--rules", choices=("enact", "all"), help=about)
    about = f"folder of the bundle; a zip of it is written beside it (default: ./{TRIAL_FOLDER})"
    sub.add_argument("--out", type=Path, default=TRIAL_FOLDER, metavar="FOLDER", help=about)


def add_segment(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``segment``."""
    _add_place(
        sub,
        "input_root",
        DEFAULT_REPLAYED,
        "folder of <task>/scene_graph_0.json[.gz], or one such task",
    )
    _add_place(
        sub, "output_root", DEFAULT_SEGMENTED, "folder for <task>/segmented_scene_graph_0.json"
    )
    _add_shared(sub)


def add_qa(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``qa``."""
    _add_place(sub, "segmented", DEFAULT_SEGMENTED, "folder that `segment` wrote")
    _add_place(sub, "replayed", DEFAULT_REPLAYED, "folder of <task>/scene_graph_0.json[.gz]")
    _add_place(sub, "output", DEFAULT_QUESTIONS, "question file to write", metavar="OUT.jsonl")
    n_default = RELEASE.release_constants.trajectories_per_length
    add_count(sub, "--num-to-sample", n_default, "trajectories per task and length")
    sub.add_argument(
        "--seed",
        type=int,
        default=None,
        metavar="S",
        help="seed of profile paper; profile release always uses the release's own",
    )
    sub.add_argument(
        "--no-pictures", action="store_true", help="write no labelled pictures beside OUT.jsonl"
    )
    _add_shared(sub)


def add_eval(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``eval``."""
    sub.add_argument(
        "predictions", type=Path, help="a .jsonl of answers, or a folder of enact_ordering_*.jsonl"
    )
    for option, default, about in (
        ("--segmented-data", DEFAULT_SEGMENTED, "key frames of the tasks"),
        ("--raw-data", DEFAULT_REPLAYED, "replays of the tasks"),
        ("--output-root", DEFAULT_EVALUATION, "folder for reports"),
    ):
        help_ = f"{about} (default: {default})"
        sub.add_argument(option, type=Path, default=default, metavar="DIR", help=help_)
    sub.add_argument(
        "--analyze-wrong-cases",
        action="store_true",
        help="also write the errors of each wrong answer; under profile release this drops rows "
        "whose order cannot be described, as the release does",
    )
    _add_shared(sub)


def add_bulk(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``bulk``."""
    sub.add_argument("input_root", type=Path, help="folder of <task>/scene_graph_0.json[.gz]")
    sub.add_argument("output", type=Path, help="folder of batch-*/<table>.parquet; resumable")
    sub.add_argument(
        "--profile",
        choices=sorted(PROFILES),
        default=RELEASE.name,
        help=f"whose rules apply (default: {RELEASE.name})",
    )
    add_count(sub, "--num-to-sample", 30, "trajectories per task and length")
    add_count(sub, "--workers", 2, "processes to use")
    add_count(sub, "--batch-size", 50, "tasks per file")
    sub.add_argument(
        "--replace",
        action="store_true",
        help="replace batches in that folder that other settings made",
    )
    _add_all(sub)


def _add_place(
    sub: argparse.ArgumentParser, name: str, default: Path, about: str, metavar: str | None = None
) -> None:
    """Add an optional positional argument, as in the release."""
    about = f"{about} (default: {default})"
    sub.add_argument(name, type=Path, nargs="?", default=default, metavar=metavar, help=about)


def _add_all(sub: argparse.ArgumentParser) -> None:
    about = f"show all rows and failures, not only the first {MAX_SHOWN}"
    sub.add_argument("--all", action="store_true", help=about)


def _add_shared(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--profile",
        choices=sorted(PROFILES),
        default=RELEASE.name,
        help="rules to apply: the public release's (default) or the paper's",
    )
    sub.add_argument("--dry-run", action="store_true", help="write nothing; show the results")
    _add_all(sub)


def add_activities(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``activities``."""
    sub.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="one activity: what is in its room and what is left out of BEHAVIOR's definition; "
        "bddl/NAME: how a definition is carried out, or what is missing for it",
    )
    about = "list BEHAVIOR's definitions that can be carried out by name (a minute)"
    sub.add_argument("--bddl", action="store_true", help=about)
    sub.add_argument(
        "--check",
        type=Path,
        metavar="FILE|NAME",
        help="try a declaration: key frames, edges, predicates, what is too small, and why "
        "attempts fail (some seconds a seed); exit code 1 if a seed cannot be carried out",
    )
    add_count(sub, "--seeds", 20, "seeds that --check tries, from 0 on")
    sub.add_argument(
        "--sheet",
        type=Path,
        metavar="FILE.jpg",
        help="with --check, also draw the key frames of the first seed (half a minute)",
    )


def add_contamination(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``contamination``."""
    sub.add_argument(
        "path",
        type=Path,
        metavar="PATH",
        help="a training set: a folder, or a file (Parquet, JSON lines, JSON, CSV, tar, pictures)",
    )
    sub.add_argument(
        "--output", type=Path, metavar="FILE.csv", help="write all that was found, and where"
    )
    sub.add_argument("--json", action="store_true", help="as JSON")


def add_learn(sub: argparse.ArgumentParser) -> None:
    """Add the arguments of ``learn``."""
    sub.add_argument("folder", type=Path, metavar="FOLDER", help="what is made is kept here")
    sub.add_argument(
        "--train", type=Path, metavar="SET", help="a training set of your own, of small pictures"
    )
    sub.add_argument(
        "--validation", type=Path, metavar="SET", help="ask about this set of your own"
    )
    sub.add_argument("--workers", type=positive, metavar="N", help="processes (default: all cores)")
