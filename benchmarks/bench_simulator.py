"""The embedded simulator: physics, predicates, masks, pictures, on one demonstration each."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from unittest.mock import patch

from benchmarks.measuring import HEADER, Row
from enact_assets.demonstrations.pictures.render_pool import RenderTask, render_all
from enact_assets.demonstrations.replay.embedded import parse_demonstration
from enact_assets.settings.registry import BASELINE, Variant, load_registry
from enact_assets.simulator.activities import SHIPPED
from enact_assets.simulator.simulate import simulate
from enact_assets.simulator.simulation.facts import Fact
from enact_assets.simulator.simulation.physics import Physics
from enact_assets.simulator.simulation.recording import Recording, facts_of
from enact_assets.simulator.view.masks import object_masks

N_PICTURES = 8
"""Per activity, evenly spread; enough for every process to have several."""


@dataclass(frozen=True)
class Cost:
    """What one demonstration took; ``picture_s`` is wall time per picture, all processes busy."""

    activity: str
    robot_s: float
    simulate_s: float
    predicates_us: float
    mask_s: float
    picture_s: float

    @property
    def times_real(self) -> float:
        """Simulated seconds per CPU second, predicates included."""
        return self.robot_s / self.simulate_s

    def as_text(self) -> str:
        """As a row of a Markdown table."""
        return (
            f"| {self.activity} | {self.robot_s:.0f} | {self.simulate_s:.1f} "
            f"| {self.times_real:.0f} | {self.predicates_us:.0f} | {self.mask_s:.2f} "
            f"| {self.picture_s:.2f} |"
        )


def main(workers: int = 2) -> bool:
    """Print a row per activity, and the dearest of each column beside what is to be reached."""
    variant = load_registry().variant(BASELINE)
    size = variant.renderer.size_px
    print(
        "| activity | robot s | simulate, CPU s | x real time | predicates, us/frame | mask, CPU s "
        f"| {size} px picture, wall s |\n|---|---|---|---|---|---|---|"
    )
    costs = []
    for activity in SHIPPED:
        costs.append(measure(activity, variant, workers))
        print(costs[-1].as_text(), flush=True)
    print(f"\n{HEADER}")
    rows = list(_rows(costs, size, workers))
    for row in rows:
        print(row.as_text(), flush=True)
    return all(row.is_reached for row in rows)


def measure(activity: str, variant: Variant, workers: int) -> Cost:
    """Simulate one demonstration of ``activity`` and show some of its frames."""
    with _timing_predicates() as spent:
        cpu = time.process_time()
        recording = simulate(*parse_demonstration(f"{activity}-0"))
        cpu = time.process_time() - cpu
    n_frames = len(recording.qpos)
    states = [recording.state(k * (n_frames - 1) // N_PICTURES) for k in range(N_PICTURES + 1)]
    size = variant.renderer.size_px
    object_masks(recording.world, states[0], variant.camera, size)
    began = time.process_time()
    for state in states[1:]:
        object_masks(recording.world, state, variant.camera, size)
    mask = (time.process_time() - began) / N_PICTURES
    return Cost(
        activity,
        n_frames / recording.frame_rate_hz,
        cpu,
        1e6 * sum(spent) / n_frames,
        mask,
        _picture_seconds(recording, variant, workers),
    )


def _picture_seconds(recording: Recording, variant: Variant, workers: int) -> float:
    """Wall seconds per picture with all processes at work, their start and first ones apart."""
    n_frames = len(recording.qpos)

    def tasks(n: int) -> list[RenderTask]:
        frames = [k * (n_frames - 1) // n for k in range(n)]
        return [RenderTask(str(f), f"frame {f}", recording.state(f)) for f in frames]

    # Each process compiles the world for its first picture of it.
    list(render_all(recording.world, variant, tasks(2 * workers + 1), workers))
    began = time.perf_counter()
    list(render_all(recording.world, variant, tasks(N_PICTURES), workers))
    return (time.perf_counter() - began) / N_PICTURES


@contextmanager
def _timing_predicates() -> Iterator[list[float]]:
    """CPU seconds of every evaluation of predicates within the block."""
    spent: list[float] = []

    def timed(physics: Physics, covers: frozenset[str]) -> tuple[Fact, ...]:
        began = time.process_time()
        found = facts_of(physics, covers)
        spent.append(time.process_time() - began)
        return found

    with patch("enact_assets.simulator.simulate.facts_of", timed):
        yield spent


def _rows(costs: list[Cost], size: int, workers: int) -> Iterator[Row]:
    slow = min(costs, key=lambda c: c.times_real)
    reached = slow.times_real >= 40
    yield Row("simulation, x real time", "40", f"{slow.times_real:.0f}", reached, slow.activity)
    slow = max(costs, key=lambda c: c.predicates_us)
    us = slow.predicates_us
    yield Row("predicates per frame", "100 us CPU", f"{us:.0f} us", us <= 100, slow.activity)
    slow = max(costs, key=lambda c: c.mask_s)
    s = slow.mask_s
    yield Row(f"masks at {size} px", "0.15 s CPU", f"{s:.2f} s", s <= 0.15, slow.activity)
    slow = max(costs, key=lambda c: c.picture_s)
    s = slow.picture_s
    yield Row(
        f"baseline picture of {size} px, {workers} processes",
        "1.5 s wall",
        f"{s:.2f} s",
        s <= 1.5,
        slow.activity,
    )


if __name__ == "__main__":
    main()
