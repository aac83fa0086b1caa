"""Measurements: `python -m benchmarks` prints every figure that BENCHMARKS.md records."""
