"""What a campaign works on: data roots that are made in seconds and reach every step of the graph.

``SMALL`` has a recording with pictures of its own, a step file, a question file, and a model that
is asked at a server of this machine. ``SIMULATED`` has an embedded demonstration that is rendered,
and a model that is trained on others: a minute, so few kills go there.
"""

import hashlib
import json
import pickle
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import yaml

from benchmarks import tiny_root
from benchmarks.crashes import fingerprint, runs_of
from campaign.forks import Walk, call
from enact_assets.contracts.registry import DEFAULT_REGISTRY
from enact_assets.data_root.paths import DataRoot
from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.official import image_paths, official_id, question_type

from reference.small_step_files import three_kitchens

SERVER = Path(__file__).parents[1] / "reference" / "misbehaving_server.py"
RECORDED, FILE, KITCHENS = "cups-0", "few", "kitchens"
N_MOVES, N_MOVES_BEFORE = 3, 4
FRAMES_PER_MOVE = 8
SMALL, BEFORE, SIMULATED = "small", "before", "simulated"
KEPT = "undisturbed.pickle"
EMBEDDED = "outfit_a_basic_toolbox-0"
ASKED = "seer"
IN_FLIGHT = 4
LATENCY_MS = 30
VARIES = ("latency_s", "attempts")
"""Columns of answers that differ from run to run."""
TIMED = ("predictions", "costs")


@dataclass(frozen=True)
class Undisturbed:
    """A data root that nobody disturbed: its inputs, itself, and what is in it."""

    folder: Path
    content: Mapping[str, str]
    step_s: Mapping[str, float]
    start_s: float
    seconds: float
    n_sold: int = 0
    """Answers that it bought."""
    services: tuple[tuple[str, str], ...] = ()
    """Variables with which walks find the servers that they work with."""
    words: tuple[str, ...] = ("--workers", "1")
    """Where walks run if nothing else is said."""

    @property
    def inputs(self) -> Path:
        return self.folder / "inputs"

    @property
    def root(self) -> Path:
        return self.folder / "data"

    @property
    def registry(self) -> Path:
        return self.folder / "registry.yaml"

    @property
    def environment(self) -> dict[str, str]:
        return {"ENACT_REGISTRY": str(self.registry), **dict(self.services)}

    def walk(self, root: Path, *words: str, **options: Any) -> Walk:
        """Start ``enact-assets materialize`` on ``root``."""
        return self.start(root, "materialize", *(words or self.words), **options)

    def start(self, root: Path, *words: str, **options: Any) -> Walk:
        """Start a command on ``root``; its output is kept elsewhere: its disk may be full."""
        log = self.folder / f"{root.name}.log"
        return Walk([*words, "--data", str(root)], self.environment, log, **options)


@contextmanager
def asked_server(port: int) -> Iterator[str]:
    """Address of a server that answers questions, in a process of its own."""
    command = [sys.executable, str(SERVER), str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None
        if not (told := process.stdout.readline().strip()):
            raise OSError(f"port {port} is taken: does another campaign work with this --scratch?")
        try:
            yield f"http://127.0.0.1:{told}"
        finally:
            process.terminate()


def sold(server: str) -> int:
    """Answers that the server has sold so far."""
    with urllib.request.urlopen(f"{server}/stat") as reply:  # noqa: S310 - our own server
        return int(json.load(reply)["sold"])


class Roots:
    """Undisturbed roots below ``folder``, each made when it is first wanted, or found there."""

    def __init__(self, folder: Path, server: str, told: Callable[[str], None]) -> None:
        self._folder, self._server, self._told = folder, server, told
        self._made: dict[str, Undisturbed] = {}

    def of(self, kind: str) -> Undisturbed:
        """``SMALL``; ``BEFORE``: the same with another recording of the name, which is what was
        there before the inputs changed; or ``SIMULATED``.
        """
        if kind not in self._made:
            self._made[kind] = self._found(self._folder / kind) or self._make(kind)
        return self._made[kind]

    def _found(self, folder: Path) -> Undisturbed | None:
        kept = folder / KEPT
        return pickle.loads(kept.read_bytes()) if kept.exists() else None  # noqa: S301 - ours

    def _make(self, kind: str) -> Undisturbed:
        self._told(f"an undisturbed root ({kind}) ...")
        folder = self._folder / kind
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if kind == SIMULATED:
            call(_write_simulated, folder)
        else:
            call(_write_small, folder, self._server, N_MOVES if kind == SMALL else N_MOVES_BEFORE)
        before = sold(self._server)
        made = _undisturbed(folder)
        made = replace(made, n_sold=sold(self._server) - before)
        (folder / KEPT).write_bytes(pickle.dumps(made))
        return made


def content(root: Path) -> dict[str, str]:
    """Hashes of all that is in ``root`` but for how long a provider took to answer."""
    found = fingerprint(root)
    rows = Lake(DataRoot(root).lake)
    for partition in rows.partitions("predictions"):
        name = f"predictions {'|'.join(partition.values())}"
        kept = rows.read("predictions", partition).drop(VARIES)
        found[name] = hashlib.sha256(kept.write_csv().encode()).hexdigest()
    if DataRoot(root).warehouse.exists():
        with duckdb.connect(str(DataRoot(root).warehouse), read_only=True) as connection:
            for name in _with_times(connection):
                columns = f"* exclude ({', '.join(_varying(connection, name))})"
                query = f'select count(*), sum(hash(r)::hugeint) from (select {columns} from "{name}") r'  # noqa: S608, E501
                found[f"warehouse {name}"] = str(connection.execute(query).fetchone())
    return found


def _varying(connection: duckdb.DuckDBPyConnection, relation: str) -> list[str]:
    names = [row[0] for row in connection.execute(f'describe "{relation}"').fetchall()]
    return [name for name in names if name in VARIES or "latency" in name]


def _with_times(connection: duckdb.DuckDBPyConnection) -> list[str]:
    names = "select table_name from information_schema.tables where table_schema = 'main'"
    return [n for (n,) in connection.execute(names).fetchall() if _varying(connection, n)]


def _undisturbed(folder: Path) -> Undisturbed:
    found = Undisturbed(folder, {}, {}, 0.0, 0.0)
    shutil.copytree(found.inputs, found.root, symlinks=True)
    walk = found.walk(found.root)
    if walk.wait() != 0:
        raise RuntimeError(f"the undisturbed run failed:\n{walk.printed()}")
    runs = list(runs_of(found.root).values())
    starts = {s: min(r.began or 0 for r in runs if r.step == s) for s in {r.step for r in runs}}
    ends = {s: max(r.ended or 0 for r in runs if r.step == s) for s in starts}
    first, last = min(starts.values()), max(ends.values())
    step_s = {step: ends[step] - start for step, start in starts.items()}
    return Undisturbed(folder, call(content, found.root), step_s, 1.0, last - first)


def _write_small(folder: Path, server: str, n_moves: int) -> None:
    tiny_root.FRAMES_PER_MOVE = FRAMES_PER_MOVE
    entries = yaml.safe_load(DEFAULT_REGISTRY.read_text(encoding="utf-8"))
    world = entries["worldprediction"] | {"answered_by": ["first", "markov"]}
    tiny_root.write_small_registry(
        folder / "registry.yaml",
        variants=["baseline"],
        models=["oracle", ASKED],
        worldprediction=world,
    )
    inputs = folder / "inputs"
    tiny_root.write_tiny_recording(inputs / "recordings", RECORDED, n_moves, has_contacts=True)
    three_kitchens(inputs / "step_files" / KITCHENS)
    _write_questions(inputs / "question_files" / f"{FILE}.jsonl")
    model = {
        "id": "openrouter/seer-1",
        "base_url": f"{server}/x-lat{LATENCY_MS}/v1",
        "price": {"in": 1, "out": 2},
        "picture_tokens": {"rule": "fixed", "numbers": [256]},
        "parameters": {"max_tokens": 60},
        "in_flight": IN_FLIGHT,
    }
    models = {"models": {ASKED: model}, "spending": {"max_usd": 100}}
    (inputs / "models.yaml").write_text(yaml.safe_dump(models))


def _write_questions(path: Path) -> None:
    ids, task, type_ = ["60", "305", "516"], "setting_the_table_1", question_type("forward", 3)
    id_ = official_id(task, type_, ids)
    question = {
        "id": id_,
        "type": type_,
        "task_name": task,
        "key_frame_ids": ids,
        "images": image_paths(id_, type_, task, 3),
        "question": "Which?",
        "options": [],
        "gt_answer": [2, 1],
    }
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(question) + "\n")


def _write_simulated(folder: Path) -> None:
    tiny_root.write_small_registry(
        folder / "registry.yaml",
        demonstrations=[EMBEDDED],
        variants=["baseline"],
        models=["oracle", "fact_reader"],
    )
    (folder / "inputs").mkdir()
