"""Run all measurements, or those named: ``python -m benchmarks [core] [simulator]``."""

import platform
import sys

from benchmarks import bench_core, bench_simulator

BENCHMARKS = {"core": bench_core.main, "simulator": bench_simulator.main}


def main() -> int:
    """Print the figures; returns 2 for an unknown name."""
    names = sys.argv[1:] or list(BENCHMARKS)
    unknown = [n for n in names if n not in BENCHMARKS]
    if unknown:
        print(f"unknown benchmark {unknown[0]!r} (known: {', '.join(BENCHMARKS)})")
        return 2
    print(f"Python {platform.python_version()}, {platform.machine()}")
    for name in names:
        print(f"\n## {name}")
        BENCHMARKS[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
