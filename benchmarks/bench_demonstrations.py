"""The registry's demonstrations from nothing to leaderboard, then one more variant."""

import time
from pathlib import Path

from rich.console import Console

from benchmarks.measuring import HEADER, Row
from enact_assets.engine.errors import MaterializationError
from enact_assets.engine.lake.image_store import RENDERS_FOLDER
from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.driver.terminal import TerminalObserver, print_report
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import BASELINE, load_registry

GOAL, GOAL_S = 12, 15 * 60


def main(n: int | None, output: Path, variant: str, *, workers: int) -> bool:
    """Materialize the first ``n`` demonstrations (None: all) below ``output``, which is empty.

    Prints the wall time with the baseline's pictures of all key frames, and how many pictures
    ``variant`` renders when it is added. Errors: :class:`MaterializationError` if a partition
    fails, or if something stands in ``output``.
    """
    if output.exists() and any(output.iterdir()):
        raise MaterializationError(f"{output}: not empty; give another folder")
    registry = load_registry()
    chosen = registry.demonstrations[:n]
    seconds = _materialize(output, chosen, BASELINE, workers)
    root = DataRoot(output)
    n_before = _n_renders(root)
    added_s = _materialize(output, chosen, variant, workers)
    lake = Lake(root.lake)
    n_rendered = _n_renders(root) - n_before
    asked = lake.read("asked_questions", {"variant": variant})
    shown = lake.read_all("qa").join(asked, on=["question_id", "gating"], how="semi")
    n_shown = shown.explode("key_frames").select("demonstration", "key_frames").n_unique()
    n_key_frames = lake.read_all("frame_images", variant=BASELINE).height
    print(f"\n{HEADER}")
    rows = (
        Row(
            f"{len(chosen)} demonstrations with baseline pictures of all key frames",
            f"{GOAL_S / 60:.0f} min wall for {GOAL}",
            f"{seconds / 60:.1f} min",
            seconds <= GOAL_S * len(chosen) / GOAL,
            f"{n_key_frames} key frames, {workers} processes; questions, answers, warehouse "
            "included",
        ),
        Row(
            f"one variant more ({variant})",
            "the pictures of its probe questions",
            f"{n_rendered} rendered, {n_shown} shown",
            n_rendered <= n_shown,
            f"{asked.height} questions, {added_s / 60:.1f} min wall",
        ),
    )
    for row in rows:
        print(row.as_text(), flush=True)
    return all(row.is_reached for row in rows)


def _materialize(root: Path, demonstrations: tuple[str, ...], variant: str, workers: int) -> float:
    """Wall seconds of one walk."""
    console = Console(highlight=False, soft_wrap=True, width=110)
    began = time.perf_counter()
    driver = Driver(root, workers=workers, observer=TerminalObserver(console))
    report = driver.run(only={"demonstration": demonstrations, "variant": [variant]})
    seconds = time.perf_counter() - began
    print_report(console, report)
    if not report.is_success:
        raise MaterializationError(f"{len(report.failures)} partitions failed; see above")
    return seconds


def _n_renders(root: DataRoot) -> int:
    return sum(path.is_file() for path in (Path(root.images) / RENDERS_FOLDER).rglob("*"))
