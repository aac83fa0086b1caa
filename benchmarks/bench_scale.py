"""All stages over many generated demonstrations: time at 100, 1,000, 10,000, and peak memory."""

import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.chains import settings_of
from benchmarks.measuring import megabytes
from benchmarks.synthetic import SyntheticSource
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.pipeline.bulk.run import BulkSummary, run_bulk

MILESTONES = (100, 1_000, 10_000)
LINE_EVERY_S = 20.0
LOAD = "load"
"""The stage of a bulk run in which demonstrations are generated."""


@dataclass(frozen=True)
class Scale:
    """What a run took. ``load_s`` are the CPU seconds of generating, ``stages_s`` all others."""

    summary: BulkSummary
    load_s: float
    stages_s: float


def run_scale(
    n_demonstrations: int,
    output: Path,
    profile: str,
    *,
    n_frames: int,
    workers: int,
    on_progress: OnProgress = unheard,
) -> Scale:
    """Make the questions of ``n_demonstrations``; what is finished below ``output`` is kept."""
    sources = [SyntheticSource(seed, n_frames) for seed in range(n_demonstrations)]
    # Small runs still give every worker two batches.
    batch_size = max(1, min(50, -(-n_demonstrations // (2 * workers))))
    summary = run_bulk(
        sources,
        output,
        settings_of(profile),
        workers=workers,
        batch_size=batch_size,
        on_progress=on_progress,
    )
    load = summary.cpu_s.get(LOAD, 0.0)
    return Scale(summary, load, sum(summary.cpu_s.values()) - load)


class Teller:
    """Prints how far a run is, and a line of its own at each milestone."""

    def __init__(self) -> None:
        self._began, self._line_at = time.monotonic(), 0.0
        self._left = list(MILESTONES)

    def __call__(self, progress: Progress) -> None:
        """Hear of a finished batch."""
        now = time.monotonic()
        seconds, made = now - self._began, progress.done - progress.free
        while self._left and progress.done >= self._left[0]:
            skipped = f" ({progress.free:.0f} were there)" if progress.free else ""
            print(
                f"**{self._left.pop(0):,} demonstrations{skipped}: {seconds:.0f} s wall, "
                f"{progress.note}**",
                flush=True,
            )
        if now - self._line_at >= LINE_EVERY_S and made:
            self._line_at = now
            left = seconds / made * (progress.total - progress.done)
            print(
                f"{progress.done:,.0f} of {progress.total:,.0f}, {progress.text}, {seconds:.0f} s,"
                f" about {left:.0f} s left",
                flush=True,
            )


def main(n_demonstrations: int, output: Path, profile: str, *, n_frames: int, workers: int) -> bool:
    """Run and print; whether every demonstration has its questions."""
    done = run_scale(
        n_demonstrations, output, profile, n_frames=n_frames, workers=workers, on_progress=Teller()
    )
    summary = done.summary
    n = max(summary.n_made, 1)
    print(
        f"\n{summary.n_made:,} demonstrations of {n_frames:,} frames made, {summary.n_skipped:,} "
        f"were there, {len(summary.failures)} failed; profile {profile}, {workers} workers\n"
        f"wall {summary.wall_s:.0f} s; peak memory {megabytes(summary.peak_bytes)}; "
        f"{summary.n_rows['qa']:,} questions\n"
        f"CPU {done.stages_s:.0f} s from tables to questions on disk "
        f"({1e3 * done.stages_s / n:.0f} ms each), {done.load_s:.0f} s generating the tables\n\n"
        "| stage | CPU ms per demonstration |\n|---|---|"
    )
    for stage, seconds in summary.cpu_s.items():
        print(f"| {'generate' if stage == LOAD else stage} | {1e3 * seconds / n:.1f} |")
    for failure in summary.failures[:5]:
        print(f"FAILED {failure.demonstration} at {failure.stage}: {failure.message}")
    return summary.is_success
