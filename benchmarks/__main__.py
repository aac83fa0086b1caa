"""Run measurements: ``python -m benchmarks`` for all of them, ``--help`` for what can be chosen."""

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks import (
    bench_asking,
    bench_browse,
    bench_constants,
    bench_core,
    bench_demonstrations,
    bench_learned,
    bench_official,
    bench_operations,
    bench_partitions,
    bench_people,
    bench_pictures,
    bench_scale,
    bench_simulator,
    bench_sources,
    bench_starts,
    bench_targets,
    bench_training,
)
from benchmarks.bench_targets import N_DRAWS, N_MODELS, N_SCALE, PARTS, Options
from benchmarks.chains import PROFILES
from benchmarks.synthetic import N_FRAMES
from enact_assets.answers.learned.training import N_TRAINING
from enact_assets.settings.splits import RESERVED_SEEDS
from enact_assets.simulator.activities import ACTIVITIES

BENCHMARKS = ("targets", "core", "simulator")
OTHERS = (
    "operations",
    "demonstrations",
    "scale",
    "sources",
    "constants",
    "asking",
    "official",
    "browse",
    "learned",
    "people",
    "pictures",
    "partitions",
    "starts",
    "training",
)


def main() -> int:
    """Print the figures; returns 1 if a demonstration of ``scale`` failed, if ``demonstrations``,
    ``operations``, ``asking``, ``partitions`` or ``starts`` did not reach their goals, or if
    ``people`` lost an answer.
    """
    arguments = _parser().parse_args()
    load = os.getloadavg()[0]
    print(f"Python {platform.python_version()}, {platform.machine()}, load {load:.1f}", flush=True)
    if arguments.benchmark == "scale":
        return _scale(arguments)
    if arguments.benchmark == "demonstrations":
        return _demonstrations(arguments)
    if arguments.benchmark in {
        *("sources", "constants", "official", "browse", "learned", "pictures", "training"),
    }:
        plain: dict[str, Callable[[], None]] = {
            "sources": bench_sources.main,
            "constants": lambda: _constants(arguments),
            "official": lambda: bench_official.main(arguments.frames),
            "browse": bench_browse.main,
            "learned": lambda: _learned(arguments),
            "pictures": bench_pictures.main,
            "training": lambda: bench_training.main(arguments.keep, arguments.tests),
        }
        plain[arguments.benchmark]()
        return 0
    if arguments.benchmark in {"operations", "asking", "partitions", "people", "starts"}:
        judged: dict[str, Callable[[], bool]] = {
            "operations": lambda: bench_operations.main(arguments.part),
            "asking": lambda: bench_asking.main(arguments.questions),
            "partitions": lambda: bench_partitions.main(arguments.demonstrations),
            "people": bench_people.main,
            "starts": lambda: bench_starts.main(arguments.root),
        }
        return 0 if judged[arguments.benchmark]() else 1
    for name in [arguments.benchmark] if arguments.benchmark else BENCHMARKS:
        print(f"\n## {name}", flush=True)
        if name == "targets":
            _targets(arguments)
        else:
            runs: dict[str, Callable[[], object]] = {
                "core": bench_core.main,
                "simulator": bench_simulator.main,
            }
            runs[name]()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "benchmark",
        nargs="?",
        choices=(*BENCHMARKS, *OTHERS),
        help="targets: the table of what is to be reached; core, simulator: details; "
        "operations: overhead, plans, publishing; demonstrations: those of the registry from "
        "nothing to leaderboard, and one variant more; scale: many generated ones, as long as you "
        "say; sources: an hour of play, read from files; "
        "constants: what other values of a gating's constants change; asking: requests to models, "
        "beside other clients; official: the command qa with pictures; "
        "browse: pages about 10,000 questions; learned: accuracies of references that are trained "
        "on other seeds; people: ten annotators at once; pictures: which edits of pictures "
        "the limits of image models accept; partitions: what Dagster holds of thousands of "
        "demonstrations, by name and by shard; starts: how long commands take before they work "
        "(default: the first three)",
    )
    parser.add_argument("--only", nargs="+", choices=tuple(PARTS), help="parts of targets")
    parser.add_argument(
        "--part", nargs="+", choices=tuple(bench_operations.PARTS), help="parts of operations"
    )
    parser.add_argument("--compile", action="store_true", help="also compile all kernels anew")
    parser.add_argument(
        "--demonstrations",
        type=int,
        help=f"how many to generate ({N_SCALE} for a row of targets, 100 for scale); of the "
        "registry's, how many to make (all); of partitions (100, 1,000 and 10,000)",
    )
    parser.add_argument("--variant", default="high", help="which demonstrations adds")
    parser.add_argument("--frames", type=int, default=N_FRAMES, help="of each of them")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--models", type=int, default=N_MODELS, help="whose answers are verified")
    parser.add_argument("--draws", type=int, default=N_DRAWS, help="distinct trajectories to draw")
    parser.add_argument("--questions", type=int, help="of each row of asking, at most")
    parser.add_argument("--profile", choices=tuple(PROFILES), default="release", help="of scale")
    parser.add_argument(
        "--output",
        type=Path,
        help="where scale writes; run again to resume. Where demonstrations writes; must be empty "
        "(default: nowhere)",
    )
    parser.add_argument(
        "--activities",
        nargs="+",
        default=bench_learned.ACTIVITIES,
        choices=sorted(ACTIVITIES),
        help="of learned: to train and ask about",
    )
    parser.add_argument(
        "--seeds", nargs="+", type=int, default=bench_learned.SEEDS, help="of learned: asked about"
    )
    parser.add_argument(
        "--training-seeds",
        type=int,
        default=N_TRAINING,
        choices=range(1, len(RESERVED_SEEDS) + 1),
        metavar="N",
        help="of learned: how many reserved seeds of each activity to train on, 1 to "
        f"{len(RESERVED_SEEDS)} (%(default)s)",
    )
    about = "folder in which constants keeps replays, learned its training (default: nowhere)"
    parser.add_argument("--keep", type=Path, help=about)
    about = "data root that starts reads (default: a small one that it makes)"
    parser.add_argument("--root", type=Path, help=about)
    about = "data root whose questions training plants and looks for"
    parser.add_argument("--tests", type=Path, help=about)
    return parser


def _targets(arguments: argparse.Namespace) -> None:
    options = Options(
        arguments.demonstrations or N_SCALE,
        arguments.frames,
        arguments.models,
        arguments.draws,
        arguments.workers,
    )
    if arguments.compile:
        bench_targets.compile_anew()
    bench_targets.main(arguments.only, options)


def _demonstrations(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as folder:
        is_success = bench_demonstrations.main(
            arguments.demonstrations,
            arguments.output or Path(folder, "data"),
            arguments.variant,
            workers=arguments.workers,
        )
    return 0 if is_success else 1


def _learned(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        keep = arguments.keep or Path(folder, "training")
        bench_learned.main(
            arguments.activities,
            arguments.seeds,
            keep,
            n_training=arguments.training_seeds,
            workers=arguments.workers,
        )


def _constants(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        keep = arguments.keep or Path(folder, "data")
        bench_constants.main(keep, workers=arguments.workers)


def _scale(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as folder:
        is_success = bench_scale.main(
            arguments.demonstrations or 100,
            arguments.output or Path(folder, "bulk"),
            arguments.profile,
            n_frames=arguments.frames,
            workers=arguments.workers,
        )
    return 0 if is_success else 1


if __name__ == "__main__":
    sys.exit(main())
