"""Chains of kills: a walk is killed at a random moment, gone on with and killed again, and at the
end all is as in an undisturbed root.
"""

import json
import os
import shutil
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.bench_people import Panel
from benchmarks.crashes import (
    RUNNING,
    differences,
    find_damage,
    leftovers,
    processes_with,
)
from campaign.forks import Walk, call
from campaign.small_inputs import IN_FLIGHT
from campaign.small_roots import (
    BEFORE,
    CHANGED,
    SIMULATED,
    SMALL,
    Roots,
    Undisturbed,
    change_inputs,
    content,
    counts,
    pace,
)
from campaign.tally import AT_START, BETWEEN, PAGE, Tally
from enact_assets.engine.system.process_identity import ProcessIdentity
from enact_assets.pipeline.lineage.graph import REPORT, STEP_NAMED, STEPS, WAREHOUSE
from enact_assets.pipeline.runs.lost_runs import PROCESS_TAG
from enact_assets.settings.paths import LAKE_FOLDER

ORDER = [step.name for step in STEPS]
ONE, WORKERS, PEOPLE = "one process", "workers", "people"
SHARES = {ONE: 0.8, WORKERS: 0.1, PEOPLE: 0.06, SIMULATED: 0.04}
"""Of all kills."""
REACH = 3
"""A kill is aimed at one of so many steps from where the root has got to."""
PUBLISHER_WEIGHT = 8.0
MOST_AT_STEP = 4
"""Kills at one step of a chain: a step that begins again each time takes no more than that."""
MOST_WHILE_ASKED = 8
"""The same of a step that asks a slow model: it goes on after its last answer."""
SHARE_AT_START = 0.05
SHARE_OF_NEW_ROOTS = 0.02
SHARE_ENDING = 0.3
"""Of chains that have reached the last step."""
SHARE_LOOKED_AT = 0.3
"""Of kills after which every file is looked at; at the end of a chain it always is."""
EVERY_REPORT = 4
"""One in so many chains makes the report too, whose figures take longer than all other steps."""
SHARE_DRIVER, SHARE_TREE = 0.15, 0.1
"""Of kills of a walk with workers; the others hit a worker at work."""
ASKING = ("predictions",)
N_ASKED_PARTITIONS = 4
"""Two variants, films, and these by captions."""
ANSWERS = ("predictions", "captions")
LEDGER_FOLDER = "ledger"
SHARE_SLOW = 0.5
"""Of chains whose model takes its time, so that kills hit while it is asked."""
SLOW_MS = (150.0, 900.0)
SHARE_AWAITED = 0.9
"""Of kills of workers at such a step that come when there are questions in flight."""
ASKER_WEIGHT = 8.0
"""Of steps that ask, in such a chain."""
N_PAGE_KILLS, N_PAGE_ANSWERS = 10, 30
EVERY_TRAINING = 4
"""One in so many chains of ``SIMULATED`` makes anew what takes a minute."""
TREE, DRIVER, WORKER, SERVER = "all processes", "the driver alone", "a worker", "the page's server"


@dataclass(frozen=True)
class Run:
    """A run that is at work, and its process."""

    step: str
    pid: int | None


def runs_since(root: Path, after: int) -> tuple[int, set[str], list[Run]]:
    """Of the runs in ``root`` after number ``after``: the last number, steps, and those at work.

    Read without Dagster, which would keep a connection.
    """
    place = root / "dagster" / "runs.db"
    if not place.exists():
        return after, set(), []
    query = "select id, run_id, run_body, status from runs where id > ? order by id"
    with closing(sqlite3.connect(f"file:{place}?mode=ro", uri=True, timeout=10)) as connection:
        try:
            rows = connection.execute(query, (after,)).fetchall()
        except sqlite3.OperationalError:  # the table is about to be made
            rows = []
    begun, at_work = set(), []
    for _, run_id, body, status in rows:
        told = json.loads(body)
        step = str((told.get("step_keys_to_execute") or [told["pipeline_name"]])[0])
        begun.add(step)
        if status in RUNNING:
            of, _, who = told["tags"].get(PROCESS_TAG, "").partition(" ")
            process = ProcessIdentity.decoded(who) if of == run_id else None
            at_work.append(Run(step, None if process is None else process.pid))
    return rows[-1][0] if rows else after, begun, at_work


class Kills:
    """Chains of kills below ``folder``; what is drawn follows from the seed and the chain."""

    def __init__(
        self,
        folder: Path,
        tally: Tally,
        roots: Roots,
        server: str,
        told: Callable[[str], None],
        *,
        kinds: Collection[str] = tuple(SHARES),
    ) -> None:
        self._kinds = kinds
        self._folder, self._tally, self._roots, self._server = folder, tally, roots, server
        self._told = told
        self._random = np.random.default_rng(0)
        self._lines: list[str] = []
        self._hits: Counter[str] = Counter()
        """Step -> kills at it in this chain."""
        self._pace_ms = 0.0

    def chain(self, n_kills: int) -> None:
        """One chain, of at most so many kills that there are ``n_kills`` then."""
        number = self._tally.units["kills"]
        self._random = np.random.default_rng([self._tally.seed, 0, number])
        self._lines, self._hits = [], Counter()
        left = n_kills - self._tally.n_kills
        kind = self._next_kind()
        if kind == PEOPLE:
            self._page(min(left, N_PAGE_KILLS))
        else:
            self._walks(kind, number, left)
        self._tally.units[f"chains, {kind}"] += 1
        self._tally.units["kills"] += 1
        self._tally.found(f"chain of kills ({kind})", number, self._lines)

    def _made(self, kind: str) -> Undisturbed:
        return self._roots.of(kind if kind == SIMULATED else SMALL)

    def _next_kind(self) -> str:
        """What has fewer kills than its share."""
        done = {kind: self._tally.units[f"kills, {kind}"] for kind in self._kinds}
        behind = {kind: (1 + done[kind]) / SHARES[kind] for kind in self._kinds}
        return min(behind, key=lambda kind: behind[kind])

    def _page(self, n: int) -> None:
        """The server of the annotation page is killed under ten people."""
        folder = self._folder / "page"
        found = call(_answered, folder, n)
        shutil.rmtree(folder)
        if found:
            self._lines.append(f"{found} answers lost, doubled or changed")
        for _ in range(n):
            self._count(PEOPLE, PAGE, SERVER)

    def _walks(self, kind: str, number: int, left: int) -> None:
        root, reached, n_wanted = self._new_root(kind, number)
        is_slow = kind != SIMULATED and (
            reached == ORDER.index(ASKING[0]) or bool(self._random.random() < SHARE_SLOW)
        )
        self._pace_ms = self._random.uniform(*SLOW_MS) if is_slow else 0.0
        pace(self._server, self._pace_ms)
        before, at_provider, paid = counts(self._server).sold, 0, set[bytes]()
        while left > 0:
            walk, known = self._start(kind, root), runs_since(root, 0)[0]
            if kind == WORKERS:
                hit = self._kill_workers(walk, root, known, left)
            else:
                hit = self._kill_at(walk, root, known, self._aim(kind, reached))
            survivors = walk.end_survivors()
            if survivors:
                self._lines.append(f"{survivors} processes survived a kill")
            if self._random.random() < SHARE_LOOKED_AT:
                self._lines += call(find_damage, root)
            kept = paid_for(root)
            if lost := len(paid - kept):
                self._lines.append(f"{lost} answers that were paid for are lost")
            paid = kept
            for steps, way in hit:
                self._count(kind, ", ".join(steps) or (BETWEEN if known else AT_START), way)
                self._hits.update(steps if way != WORKER else ())  # those count at once
                reached = max([reached, *(ORDER.index(s) for s in steps)])
                at_provider += bool(set(ASKING) & set(steps))
            left -= len(hit)
            if walk.exit_code is not None and walk.exit_code >= 0:
                self._tally.n_ended_before += not hit
                break
            is_at_end = reached >= ORDER.index(WAREHOUSE) and self._random.random() < SHARE_ENDING
            if is_at_end or self._random.random() < SHARE_OF_NEW_ROOTS:
                break
        pace(self._server, 0)
        self._finish(root, self._made(kind), kind)
        n_sold = counts(self._server).sold - before
        self._tally.n_sold += n_sold
        self._tally.n_wanted += n_wanted
        # Two partitions are asked at once where there are two workers.
        most = n_wanted + at_provider * IN_FLIGHT * (2 if kind == WORKERS else 1)
        if not n_wanted <= n_sold <= most:
            self._lines.append(f"{n_sold} answers were bought, {n_wanted} to {most} may have been")
        shutil.rmtree(root)

    def _new_root(self, kind: str, number: int) -> tuple[Path, int, int]:
        """A root with inputs alone, one whose inputs changed since it was made, or one of which
        nothing was asked yet; the place of the first step that is due; and how many answers it
        buys if nobody disturbs it.
        """
        made, root = self._made(kind), self._folder / f"chain_{number}"
        if kind == SIMULATED:
            shutil.copytree(made.root, root, symlinks=True)
            steps = ["fact_reader", "replays", "frame_images"]
            if number % EVERY_TRAINING == 0:
                steps.insert(0, "training_statistics")
            for step in steps:
                for table in STEP_NAMED[step].assets:
                    shutil.rmtree(root / LAKE_FOLDER / table, ignore_errors=True)
            return root, ORDER.index(steps[0]), 0
        if number % 3 == 2:
            shutil.copytree(made.root, root, symlinks=True)
            for place in (LEDGER_FOLDER, *(f"{LAKE_FOLDER}/{table}" for table in ANSWERS)):
                shutil.rmtree(root / place)
            return root, ORDER.index(ASKING[0]), made.n_sold
        if number % 3:
            change_inputs(self._roots.of(BEFORE).root, made, root)
            return root, ORDER.index("replays"), self._roots.of(CHANGED).n_sold
        shutil.copytree(made.inputs, root)
        return root, 0, made.n_sold

    def _start(self, kind: str, root: Path) -> Walk:
        words = ["--workers", "2" if kind in {WORKERS, SIMULATED} else "1", *self._assets(kind)]
        return self._made(kind).walk(root, *words, splits_early=kind == WORKERS)

    def _assets(self, kind: str) -> list[str]:
        if self._tally.units["kills"] % EVERY_REPORT == 0:
            return []
        steps = [step for step in self._made(kind).step_s if step != REPORT]
        return [word for step in steps for word in ("--asset", step)]

    def _aim(self, kind: str, reached: int) -> tuple[str | None, float, bool]:
        """Step, seconds after it begins, and whether all processes are killed."""
        random, made = self._random, self._made(kind)
        is_whole = kind == ONE or bool(random.random() >= SHARE_DRIVER)
        if random.random() < SHARE_AT_START:
            return None, random.uniform(0.0, made.start_s), is_whole
        last = REPORT if self._tally.units["kills"] % EVERY_REPORT == 0 else WAREHOUSE
        order = ORDER[reached : ORDER.index(last) + 1]
        near = [s for s in order if s in made.step_s and self._may_hit(s)][:REACH] or [last]
        hits = [sum(n for what, n in self._tally.kills.items() if s in what) for s in near]
        weights = np.array([1.0 / (1 + n) for n in hits])
        weights *= [PUBLISHER_WEIGHT if step == WAREHOUSE else 1.0 for step in near]
        if self._pace_ms:
            weights *= [ASKER_WEIGHT if step in ASKING else 1.0 for step in near]
        step = str(random.choice(near, p=weights / weights.sum()))
        takes_s = made.step_s[step]
        if step in ASKING and self._pace_ms:  # counted from its first question on
            takes_s = made.n_sold / N_ASKED_PARTITIONS / IN_FLIGHT * self._pace_ms / 1000
        return step, random.uniform(0.0, 0.8 * takes_s), is_whole

    def _may_hit(self, step: str) -> bool:
        is_asked = bool(self._pace_ms) and step in ASKING
        return self._hits[step] < (MOST_WHILE_ASKED if is_asked else MOST_AT_STEP)

    def _kill_at(
        self, walk: Walk, root: Path, known: int, aim: tuple[str | None, float, bool]
    ) -> list[tuple[list[str], str]]:
        """Wait for the moment and kill; what was hit, nothing if the walk ended before."""
        step, after_s, is_whole = aim
        while step is not None and walk.is_alive():
            begun = runs_since(root, known)[1]
            # What is fresh does not begin; then the next one is hit.
            if any(ORDER.index(other) >= ORDER.index(step) for other in begun):
                break
            time.sleep(0.01)
        while step in ASKING and self._pace_ms and walk.is_alive() and not self._n_asked():
            # Beginning takes as long as asking does; what does not ask at all is over soon.
            last = max((ORDER.index(other) for other in runs_since(root, known)[1]), default=0)
            if last > ORDER.index(step):
                break
            time.sleep(0.01)
        until = time.monotonic() + after_s
        while walk.is_alive() and time.monotonic() < until:
            time.sleep(0.005)
        if not walk.is_alive():
            return []
        has_others = not is_whole and bool(processes_with(walk.mark))
        walk.kill(is_whole_group=not has_others)
        self._count_asked()
        steps = sorted({run.step for run in runs_since(root, known)[2]}, key=ORDER.index)
        return [(steps, DRIVER if has_others else TREE)]

    def _kill_workers(
        self, walk: Walk, root: Path, known: int, left: int
    ) -> list[tuple[list[str], str]]:
        """Kill workers at work one after the other, until the walk ends or is killed itself."""
        hit: list[tuple[list[str], str]] = []
        while walk.is_alive() and len(hit) < left:
            time.sleep(self._random.uniform(0.0, 0.4))
            at_work = runs_since(root, known)[2]
            others = [run for run in at_work if run.pid not in {None, walk.pid}]
            busy = [run for run in others if self._may_hit(run.step)]
            if not busy or not walk.is_alive():
                continue
            is_asking = self._pace_ms and any(run.step in ASKING for run in busy)
            if is_asking and not self._n_asked() and self._random.random() < SHARE_AWAITED:
                continue
            drawn = self._random.random()
            if drawn < SHARE_DRIVER + SHARE_TREE:
                walk.kill(is_whole_group=drawn < SHARE_TREE)
                self._count_asked()
                steps = sorted({run.step for run in busy}, key=ORDER.index)
                return [*hit, (steps, TREE if drawn < SHARE_TREE else DRIVER)]
            run = busy[int(self._random.integers(len(busy)))]
            assert run.pid is not None
            with suppress(ProcessLookupError):
                os.kill(run.pid, signal.SIGKILL)
                if run.step in ASKING:
                    self._count_asked()
                hit.append(([run.step], WORKER))
                self._hits[run.step] += 1
        if walk.is_alive():
            walk.wait()
        return hit

    def _n_asked(self) -> int:
        """Questions that the server has not answered yet."""
        return counts(self._server).in_flight

    def _count_asked(self) -> None:
        """Right after a kill. Without a reader the server answers all the same, and charges."""
        if n := self._n_asked():
            self._tally.n_while_asked += 1
            self._tally.n_in_flight += n

    def _count(self, kind: str, what: str, way: str) -> None:
        tally = self._tally
        tally.kills[what] += 1
        tally.ways[way] += 1
        tally.units[f"kills, {kind}"] += 1
        self._told(f"kill {tally.n_kills}, chain {tally.units['kills']} ({kind}): {what}, {way}")

    def _finish(self, root: Path, made: Undisturbed, kind: str) -> None:
        """Let it end; what is not as in ``made``."""
        walk = made.walk(root, "--workers", "1", *self._assets(kind))
        if walk.wait() != 0:
            self._lines.append(f"the last run failed: {walk.printed()[-1500:]}")
        self._lines += [f"at the end: {line}" for line in call(find_damage, root)]
        self._tally.n_leftovers += len(leftovers(root))
        made.start(root, "gc", "--delete", "--grace", "0").wait()
        self._lines += [f"gc left {path}" for path in leftovers(root)]
        self._lines += differences(made.content, call(content, root))


def paid_for(root: Path) -> set[bytes]:
    """Whole lines of all ledgers: each is an answer, or what was paid without one."""
    found = (path.read_bytes() for path in (root / LEDGER_FOLDER).rglob("*.jsonl"))
    return {line for data in found for line in data.splitlines(keepends=True) if line[-1:] == b"\n"}


def _answered(folder: Path, n_kills: int) -> int:
    folder.mkdir()
    return Panel(folder).answer(N_PAGE_ANSWERS, n_kills).n_wrong
