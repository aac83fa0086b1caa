"""Run measurements: ``python -m benchmarks`` for all of them, ``--help`` for what can be chosen."""

import argparse
import platform
import sys
import tempfile
from pathlib import Path

from benchmarks import bench_core, bench_scale, bench_simulator, bench_targets
from benchmarks.bench_targets import N_DRAWS, N_MODELS, N_SCALE, PARTS, Options
from benchmarks.chains import PROFILES
from benchmarks.synthetic import N_FRAMES

BENCHMARKS = ("targets", "core", "simulator")


def main() -> int:
    """Print the figures; returns 1 if a demonstration of ``scale`` failed."""
    arguments = _parser().parse_args()
    print(f"Python {platform.python_version()}, {platform.machine()}", flush=True)
    if arguments.benchmark == "scale":
        return _scale(arguments)
    for name in [arguments.benchmark] if arguments.benchmark else BENCHMARKS:
        print(f"\n## {name}", flush=True)
        if name == "targets":
            _targets(arguments)
        else:
            {"core": bench_core.main, "simulator": bench_simulator.main}[name]()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "benchmark",
        nargs="?",
        choices=(*BENCHMARKS, "scale"),
        help="targets: the table of what is to be reached; core, simulator: details; scale: many "
        "generated demonstrations, as long as you say (default: all but scale)",
    )
    parser.add_argument("--only", nargs="+", choices=tuple(PARTS), help="parts of targets")
    parser.add_argument("--compile", action="store_true", help="also compile all kernels anew")
    parser.add_argument(
        "--demonstrations",
        type=int,
        help=f"how many to generate ({N_SCALE} for a row of targets, 100 for scale)",
    )
    parser.add_argument("--frames", type=int, default=N_FRAMES, help="of each of them")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--models", type=int, default=N_MODELS, help="whose answers are verified")
    parser.add_argument("--draws", type=int, default=N_DRAWS, help="distinct trajectories to draw")
    parser.add_argument("--profile", choices=tuple(PROFILES), default="release", help="of scale")
    parser.add_argument(
        "--output", type=Path, help="where scale writes; run again to resume (default: nowhere)"
    )
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
