"""What a campaign works on: data roots that are made in seconds and reach every step of the graph.

``SMALL`` has a recording with pictures of its own, films with a step file, a question file, answers
of people, and a model that is asked at a server of this machine. ``SIMULATED`` has an embedded
demonstration that is rendered, and models that are trained on others: a minute, so few kills go
there. A root in which nothing is compared would hide every fault: each table of either must have
rows, but for those that :mod:`campaign.empty_tables` lists with a reason.
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
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.crashes import differences, fingerprint, runs_of
from campaign.empty_tables import EMPTY, rows_of, wrongly_empty
from campaign.forks import Walk, call
from campaign.small_inputs import write_people, write_simulated, write_small
from enact_assets.engine.lake.lake import Lake
from enact_assets.settings.paths import PEOPLE_FILE, DataRoot

SERVER = Path(__file__).parents[1] / "reference" / "misbehaving_server.py"
N_MOVES, N_MOVES_BEFORE = 6, 5
SMALL, BEFORE, CHANGED, SIMULATED = "small", "before", "changed", "simulated"
KEPT = "undisturbed.pickle"
VARIES = ("latency_s", "attempts")
"""Columns of answers that differ from run to run."""


@dataclass(frozen=True)
class Undisturbed:
    """A data root that nobody disturbed: its inputs, itself, and what is in it."""

    folder: Path
    content: Mapping[str, str]
    step_s: Mapping[str, float]
    start_s: float
    seconds: float
    n_sold: int = 0
    """Answers to questions that it bought."""
    rows: Mapping[str, int] = field(default_factory=dict)
    """By table and published relation."""
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


class AskedServer:
    """A server that answers questions, in a process of its own that may be killed."""

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """On the port of before, if there was one."""
        command = [sys.executable, str(SERVER), str(self._port)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603
        assert self._process.stdout is not None
        if not (told := self._process.stdout.readline().strip()):
            raise OSError(f"port {self._port} is taken: does another campaign use this --scratch?")
        self._port = int(told)

    def kill(self) -> None:
        """At once; what it counted is lost."""
        self._process.kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


@contextmanager
def asked_server(port: int = 0) -> Iterator[AskedServer]:
    """A server until the block ends."""
    server = AskedServer(port)
    try:
        yield server
    finally:
        server.kill()


@dataclass(frozen=True)
class Counts:
    """What a server has sold so far, and is being asked: questions alone, without the pictures of
    known numbers with which each process that asks begins.
    """

    sold: int
    in_flight: int


def counts(server: str) -> Counts:
    """Of the server at this address."""
    told = json.loads(_told(f"{server}/stat"))
    return Counts(told["sold"] - told["canaries"], told["asking"])


def pace(server: str, ms: float) -> None:
    """Let the server take so much longer for each answer from now on."""
    _told(f"{server}/pace/{ms:.0f}")


def _told(url: str) -> bytes:
    with urllib.request.urlopen(url) as reply:  # noqa: S310 - our own server
        return bytes(reply.read())


class Roots:
    """Undisturbed roots below ``folder``, each made when it is first wanted, or found there."""

    def __init__(self, folder: Path, server: str, told: Callable[[str], None]) -> None:
        self._folder, self._server, self._told = folder, server, told
        self._made: dict[str, Undisturbed] = {}

    def of(self, kind: str) -> Undisturbed:
        """``SMALL``; ``BEFORE``: the same with another recording of the name, which is what was
        there before the inputs changed; ``CHANGED``: how it became ``SMALL``; or ``SIMULATED``.
        """
        if kind not in self._made:
            self._made[kind] = self._found(self._folder / kind) or self._make(kind)
        return self._made[kind]

    def _found(self, folder: Path) -> Undisturbed | None:
        kept = folder / KEPT
        return pickle.loads(kept.read_bytes()) if kept.exists() else None  # noqa: S301 - ours

    def _make(self, kind: str) -> Undisturbed:
        others = {BEFORE: [SMALL], CHANGED: [SMALL, BEFORE]}.get(kind, [])
        given = {other: self.of(other) for other in others}
        self._told(f"an undisturbed root ({kind}) ...")
        folder = self._folder / kind
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if kind == SIMULATED:
            call(write_simulated, folder)
        elif kind == CHANGED:
            shutil.copytree(given[SMALL].inputs, folder / "inputs")
            shutil.copy2(given[SMALL].registry, folder)
            change_inputs(given[BEFORE].root, given[SMALL], folder / "data")
        else:
            call(write_small, folder, self._server, N_MOVES if kind == SMALL else N_MOVES_BEFORE)
        if kind == SMALL:
            self._answered_by_people(folder)
        elif kind == BEFORE:
            shutil.copy2(given[SMALL].inputs / PEOPLE_FILE, folder / "inputs")
        before = counts(self._server).sold
        made = _undisturbed(folder)
        made = replace(made, n_sold=counts(self._server).sold - before)
        self._check(kind, made)
        (folder / KEPT).write_bytes(pickle.dumps(made))
        return made

    def _answered_by_people(self, folder: Path) -> None:
        """Their database becomes an input; what they answer has to be made first."""
        _undisturbed(folder)
        call(write_people, folder / "data", folder / PEOPLE_FILE)
        shutil.move(folder / PEOPLE_FILE, folder / "inputs")
        shutil.rmtree(folder / "data")

    def _check(self, kind: str, made: Undisturbed) -> None:
        """Errors: ``RuntimeError`` for a root in which nothing would be compared."""
        wrong = wrongly_empty(made.rows, EMPTY[SIMULATED if kind == SIMULATED else SMALL])
        if kind == CHANGED:
            wrong += differences(self.of(SMALL).content, made.content)
        if kind != SIMULATED and not made.n_sold:
            wrong.append("no answer was bought")
        if kind == SMALL and (made.n_sold <= 50 or made.rows["evaluation"] <= 100):
            wrong.append("only few answers were bought or evaluated")
        if wrong:
            raise RuntimeError("\n".join([f"the undisturbed root {made.folder}:", *wrong]))


def change_inputs(before: Path, made: Undisturbed, root: Path) -> None:
    """``root`` is then ``before`` with the inputs of ``made``: someone imported them again."""
    shutil.copytree(before, root, symlinks=True)
    for place in made.inputs.iterdir():
        if place.is_dir():
            shutil.rmtree(root / place.name)
            shutil.copytree(place, root / place.name)


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
    if not found.root.exists():
        shutil.copytree(found.inputs, found.root, symlinks=True)
    before = set(runs_of(found.root))
    walk = found.walk(found.root)
    if walk.wait() != 0:
        raise RuntimeError(f"the undisturbed run failed:\n{walk.printed()}")
    runs = [run for run_id, run in runs_of(found.root).items() if run_id not in before]
    starts = {s: min(r.began or 0 for r in runs if r.step == s) for s in {r.step for r in runs}}
    ends = {s: max(r.ended or 0 for r in runs if r.step == s) for s in starts}
    first, last = min(starts.values()), max(ends.values())
    step_s = {step: ends[step] - start for step, start in starts.items()}
    rows = call(rows_of, found.root)
    return Undisturbed(folder, call(content, found.root), step_s, 1.0, last - first, rows=rows)
