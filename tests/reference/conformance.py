"""Recorded behaviour of the public release: generated replays and what it made of them."""

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "data" / "conformance"
TASKS = ("synth_tidy_kitchen_2101", "synth_set_table_2212")


def replay_path(name: str) -> Path:
    return FOLDER / name / "scene_graph_0.json.gz"


def _load(path: Path) -> Any:
    with gzip.open(path) as file:
        return json.load(file)


@cache
def expected(name: str) -> dict[str, Any]:
    return _load(FOLDER / name / "expected.json.gz")


@cache
def task(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The recorded replay as plain dictionaries (50 MB for the first), and what is expected."""
    return _load(replay_path(name)), expected(name)


@cache
def micro() -> dict[str, Any]:
    return _load(FOLDER / "micro.json.gz")
