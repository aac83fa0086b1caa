"""How long commands take before they work: whole processes, the libraries alone beside them."""

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks import tiny_root
from benchmarks.measuring import HEADER, Row
from benchmarks.synthetic import generate
from enact_assets.demonstrations.replay.recorded_export import write_recorded

N_FRAMES = 3_000
ROUNDS = 5
LIBRARIES = "import polars, numba"
DAGSTER = "import dagster, polars, numba"
WITH_LIBRARIES = {"segment": 1.5, "qa": 1.5, "eval": 1.5}
WITH_DAGSTER = {"import enact_assets.definitions": 1.6}
SECONDS = {"--version": 0.15, "--help": 0.15, "sql": 0.5, "leaderboard": 0.8, "list": 0.8}


def main(root: Path | None, rounds: int = ROUNDS) -> bool:
    """Print the least CPU seconds of ``rounds`` processes of each kind, taken in turn; returns
    whether all goals are reached. ``root`` is the data root that is read (default: a small one that
    is made first).
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        found = least(_commands(place, root or _made(place / "data")), rounds)
    rows = [
        *(_times(name, most, found, LIBRARIES) for name, most in WITH_LIBRARIES.items()),
        *(_times(name, most, found, DAGSTER) for name, most in WITH_DAGSTER.items()),
        *(
            Row(name, f"{most:.2f} s", f"{found[name]:.2f} s", found[name] <= most)
            for name, most in SECONDS.items()
        ),
    ]
    print(f"\nCPU seconds of a process, least of {rounds}: `{LIBRARIES}` {found[LIBRARIES]:.2f}, "
          f"`{DAGSTER}` {found[DAGSTER]:.2f}\n")  # fmt: skip
    print("\n".join([HEADER, *(row.as_text() for row in rows)]), flush=True)
    return all(row.is_reached for row in rows)


def least(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, float]:
    """Name -> least CPU seconds (user and system) of ``rounds`` processes. One more round before
    the first is not counted: it compiles bytecode and kernels.
    """
    spent: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds + 1):
        for name, command in commands.items():
            spent[name].append(_cpu_seconds(command))
    return {name: min(seconds[1:]) for name, seconds in spent.items()}


def _times(name: str, most: float, found: Mapping[str, float], libraries: str) -> Row:
    share = found[name] / found[libraries]
    measured = f"{found[name]:.2f} s, {share:.2f} times"
    return Row(name, f"{most} times `{libraries}`", measured, share <= most)


def _commands(place: Path, root: Path) -> dict[str, list[str]]:
    program = str(Path(sys.executable).with_name("enact-assets"))
    replays, segmented, asked = place / "replayed", place / "segmented", place / "asked.jsonl"
    (replays / "household").mkdir(parents=True)
    file = replays / "household" / "scene_graph_0.json.gz"
    write_recorded(generate(0, N_FRAMES), file, flavour="diff")
    qa = ["qa", segmented, replays, asked, "--no-pictures"]
    for words in (["segment", replays, segmented], qa):
        subprocess.run([program, *map(str, words)], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    answers = place / "enact_ordering_guesser.jsonl"
    answers.write_text("".join(map(_guess, asked.read_text().splitlines())))
    folders = ["--segmented-data", segmented, "--raw-data", replays]
    commands: dict[str, list[object]] = {
        "segment": ["segment", replays, place / "out"],
        "qa": qa,
        "eval": ["eval", answers, *folders, "--output-root", place / "scores"],
        "--version": ["--version"],
        "--help": ["--help"],
        "sql": ["sql", "select 1", "--data", root],
        "leaderboard": ["leaderboard", "--data", root],
        "list": ["list", "--data", root],
    }
    texts = (LIBRARIES, DAGSTER, *WITH_DAGSTER)
    return {text: [sys.executable, "-c", text] for text in texts} | {
        name: [program, *map(str, words)] for name, words in commands.items()
    }


def _guess(line: str) -> str:
    """An answer file's line for a line of a question file: 1, 2, 3, ..."""
    question = json.loads(line)
    guess = str(list(range(1, len(question["gt_answer"]) + 1)))
    return json.dumps(question | {"answer": guess}) + "\n"


def _made(root: Path) -> Path:
    """A root with one small recording, two models and all that is published of them."""
    registry = tiny_root.write_small_registry(root.parent / "registry.yaml", variants=["baseline"])
    tiny_root.write_tiny_recording(root / "recordings", "cups-0", 6)
    program = str(Path(sys.executable).with_name("enact-assets"))
    words = [program, "materialize", "--data", str(root), "--all"]
    subprocess.run(  # noqa: S603 - our own program
        words, check=True, stdout=subprocess.DEVNULL,
        env=dict(os.environ) | {"ENACT_REGISTRY": str(registry)},
    )  # fmt: skip
    return root


def _cpu_seconds(command: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own programs
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
