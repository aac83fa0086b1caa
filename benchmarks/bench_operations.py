"""What operating the pipeline costs, row by row: work, target, measured. Wall time throughout.

``python -m benchmarks operations``; ``--part`` chooses parts. Everything is measured in fresh
processes, on data roots that are made for it and thrown away.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import fmean

from benchmarks.large_lake import build_large_lake, change_demonstration
from benchmarks.many_partitions import build
from benchmarks.measuring import HEADER, Row, in_fresh_process, megabytes
from benchmarks.tiny_root import (
    CHAIN,
    write_default_registry,
    write_small_registry,
    write_tiny_recording,
)
from enact_assets.pipeline.lineage.graph import STEP_NAMED
from enact_assets.pipeline.runs.instance import INSTANCE_FOLDER
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry

N_DEMONSTRATIONS = 30
N_BACKFILLED, N_ALONE = 50, 3
BACKFILLED = ("replays", "segmentation")
"""A step, and the one after it that is backfilled."""
STEP_GOAL_S, WALK_GOAL_S = 0.15, 20.0
N_PLANNED, PLAN_GOAL_S, NOTHING_GOAL_S = (100, 1_000, 10_000), 5.0, 2.0
LOAD_GOAL_S = 3.0
N_RECORDED, ANSWER_GOAL_S = 3, 2.0
N_QUESTIONS, PUBLISH_GOAL_S = 1_000_000, 20.0
PUBLISH_AGAIN_GOAL_S = 5.0


def overhead() -> Iterator[Row]:
    """A walk over many demonstrations of trivial work, and the one after it."""
    with tempfile.TemporaryDirectory() as folder:
        registry = write_small_registry(
            Path(folder, "registry.yaml"), variants=["baseline"], models=["oracle"]
        )
        asked = (folder, str(N_DEMONSTRATIONS))
        found = in_fresh_process("walk", *asked, ENACT_REGISTRY=str(registry))
    n_steps = found["n_steps"]
    yield Row(
        f"{N_DEMONSTRATIONS} demonstrations x {len(CHAIN)} steps of trivial work",
        f"{WALK_GOAL_S:.0f} s",
        f"{found['walk_s']:.1f} s",
        found["walk_s"] <= WALK_GOAL_S,
        f"{n_steps} partition steps ({', '.join(CHAIN)}), {found['n_tables']} tables, from "
        f"recordings of 30 kB; one process, kernels loaded before; {found['walk_cpu_s']:.1f} CPU s",
    )
    overhead_s = (found["walk_s"] - found["work_s"]) / n_steps
    yield Row(
        "overhead per partition step",
        f"{STEP_GOAL_S} s",
        f"{overhead_s:.3f} s",
        overhead_s <= STEP_GOAL_S,
        "the walk less the same computations without Dagster, lake and lineage "
        f"({found['work_s'] / n_steps:.3f} s a step)",
    )
    yield Row(
        f"the next walk: nothing to do in {n_steps} steps",
        "none set",
        f"{found['nothing_s']:.2f} s",
        is_reached=True,
    )


def backfills() -> Iterator[Row]:
    """A step over fifty partitions as runs of the UI make it: processes, each with a run.

    ``dagster asset materialize`` does what a run of a backfill does: import of the definitions, the
    run, the end of the process. Of a run for each partition a few are measured, for their mean.
    """
    with tempfile.TemporaryDirectory() as folder:
        registry = write_small_registry(
            Path(folder, "registry.yaml"), variants=["baseline"], models=["oracle"]
        )
        root, keys = Path(folder, "data").resolve(), []
        for k in range(N_BACKFILLED):
            write_tiny_recording(DataRoot(root).recordings, f"cups-{k:02}", has_pictures=False)
            keys.append(f"cups-{k:02}|state")
        environment = os.environ | {
            "ENACT_REGISTRY": str(registry),
            "ENACT_HOME": str(root),
            "DAGSTER_HOME": str(root / INSTANCE_FOLDER),
        }

        def cpu_s(*words: str) -> float:
            before = getrusage(RUSAGE_CHILDREN)
            command = [sys.executable, "-m", *words]
            subprocess.run(command, env=environment, check=True, capture_output=True)  # noqa: S603 - our own interpreter, our own code
            after = getrusage(RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        walk = ["enact_assets.cli", "materialize", "--data", str(root), "--workers", "1"]
        cpu_s(*walk, "--asset", BACKFILLED[0])
        button = ["dagster", "asset", "materialize", "-m", "enact_assets.definitions"]
        button += ["--select", ",".join(STEP_NAMED[BACKFILLED[1]].assets)]
        one_s = fmean(cpu_s(*button, "--partition", key) for key in keys[:N_ALONE])
        all_s = cpu_s(*button, "--partition-range", f"{keys[0]}...{keys[-1]}")
    each_s = N_BACKFILLED * one_s
    yield Row(
        f"backfill of {N_BACKFILLED} partitions of `{BACKFILLED[1]}` in one run",
        f"a tenth of {each_s:.0f} CPU s",
        f"{all_s:.1f} CPU s",
        all_s <= each_s / 10,
        f"a run for each partition, as before: {one_s:.2f} CPU s, mean of {N_ALONE}, times "
        f"{N_BACKFILLED}; {each_s / all_s:.0f} times as much",
    )


def definitions() -> Iterator[Row]:
    """Loading the code location: what the UI, the daemon and every worker do first."""
    runs = [in_fresh_process("definitions") for _ in range(3)]
    found = min(runs, key=lambda run: run["import_s"])
    yield Row(
        "definitions load",
        f"{LOAD_GOAL_S:.0f} s",
        f"{found['import_s']:.2f} s",
        found["import_s"] <= LOAD_GOAL_S and not found["is_heavy"],
        f"import of enact_assets.definitions; {found['n_assets']} assets, their graph resolved in "
        f"{found['resolve_s']:.2f} s more; best of 3 fresh processes",
    )


def answers() -> Iterator[Row]:
    """Commands that a person waits for, on a data root with nothing to do."""
    with tempfile.TemporaryDirectory() as folder:
        registry = write_small_registry(Path(folder, "registry.yaml"))
        root = DataRoot(Path(folder, "data"))
        for k in range(N_RECORDED):
            write_tiny_recording(root.recordings, f"moving_cups-{k}", has_contacts=True)
        environment = os.environ | {"ENACT_REGISTRY": str(registry)}

        def seconds(*words: str) -> tuple[float, float]:
            command = [sys.executable, "-m", "enact_assets.cli", *words, "--data", str(root.root)]
            began, before = time.monotonic(), getrusage(RUSAGE_CHILDREN)
            subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own interpreter, our own code
            wall, after = time.monotonic() - began, getrusage(RUSAGE_CHILDREN)
            return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        seconds("materialize")
        for command in ("plan", "materialize"):
            wall_s, cpu_s = min(seconds(command) for _ in range(5))
            yield Row(
                f"`{command}` with nothing to do, the whole command",
                f"{ANSWER_GOAL_S:.0f} s",
                f"{wall_s:.2f} s",
                wall_s <= ANSWER_GOAL_S,
                f"{N_RECORDED} recordings, 3 variants, 2 models; {cpu_s:.2f} CPU s; best of 5",
            )


def plans() -> Iterator[Row]:
    """Looking at the lakes of many demonstrations: the first time, again, and after a change."""
    for n in N_PLANNED:
        with tempfile.TemporaryDirectory(dir=_memory()) as folder:
            yield from _plans_of(n, Path(folder))


def _plans_of(n: int, folder: Path) -> Iterator[Row]:
    path = write_default_registry(folder / "registry.yaml", demonstrations=[])
    registry, root = load_registry(path), folder / "data"
    began = time.monotonic()
    n_files = build(root, n, registry)
    built_s = time.monotonic() - began
    changed = write_default_registry(folder / "changed.yaml", demonstrations=[], camera_of="high")
    made = f"{n_files:,} files made in {built_s:.0f} s, in the memory of the system"
    for what, goal_s, settings in (
        ("no catalogue: every footer is read", None, path),
        ("with a catalogue", PLAN_GOAL_S, path),
        ("again", NOTHING_GOAL_S, path),
        ("a camera changed", PLAN_GOAL_S, changed),
    ):
        began = time.monotonic()
        found = in_fresh_process("plan", str(root), ENACT_REGISTRY=str(settings))
        wall_s = time.monotonic() - began - found["listing_s"]
        yield Row(
            f"plan of {n:,} demonstrations, {len(registry.variants)} variants, "
            f"{len(registry.gatings)} gatings: {what}",
            "none set" if goal_s is None else f"{goal_s:.0f} s",
            f"{wall_s:.1f} s, {megabytes(found['peak_bytes'])}",
            goal_s is None or wall_s <= goal_s,
            f"{made}; {found['n_stale']:,} stale, {found['n_following']:,} may follow, "
            f"{found['n_fresh']:,} fresh. Process start to end; {found['cpu_s']:.1f} CPU s for the "
            f"plan, {found['start_cpu_s']:.1f} for imports; listing alone "
            f"{found['listing_cpu_s']:.1f} CPU s",
        )


def _memory() -> str | None:
    """Where files cost no disk: a million of them would be another benchmark."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - a folder of our own


def publishing() -> Iterator[Row]:
    """The warehouse of a million questions, from a lake that lies there: from nothing, and from the
    former file when nothing changed, and when one demonstration did.
    """
    with tempfile.TemporaryDirectory() as folder:
        lake, file = Path(folder, "lake"), Path(folder, "enact.duckdb")
        began = time.monotonic()
        build_large_lake(lake)
        built_s = time.monotonic() - began
        yield _published(
            lake, file, "from nothing", PUBLISH_GOAL_S, f"; lake made in {built_s:.0f} s"
        )
        yield _published(lake, file, "nothing changed", PUBLISH_AGAIN_GOAL_S)
        change_demonstration(lake, number=300)
        yield _published(lake, file, "one demonstration changed", PUBLISH_AGAIN_GOAL_S)


def _published(lake: Path, file: Path, what: str, goal_s: float, more: str = "") -> Row:
    found = in_fresh_process("publish", str(lake), str(file))
    return Row(
        f"publish the warehouse of {found['n_questions']:,} questions, {what}",
        f"{goal_s:.0f} s",
        f"{found['publish_s']:.1f} s, {megabytes(found['peak_bytes'])}",
        found["publish_s"] <= goal_s and found["n_questions"] >= N_QUESTIONS,
        f"{found['n_ran']:.0f} relations, parts and checks; a file of "
        f"{megabytes(found['n_bytes'])}; {found['cpu_s']:.0f} CPU s; the lake is in the memory of "
        f"the system{more}",
    )


PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "overhead": overhead,
    "backfills": backfills,
    "definitions": definitions,
    "answers": answers,
    "plans": plans,
    "publishing": publishing,
}


def main(parts: list[str] | None = None) -> bool:
    """Print the table; whether every row is reached."""
    print(HEADER, flush=True)
    is_reached = True
    for name in parts or PARTS:
        for row in PARTS[name]():
            print(row.as_text(), flush=True)
            is_reached = is_reached and row.is_reached
    return is_reached
