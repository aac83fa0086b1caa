"""Runs that are killed at random moments, again and again, and what that does: nothing.

``python -m benchmarks crash --runs 100 --seed 0``. A chain of kills works on one data root, so that
later steps are reached and resuming is killed too; an undisturbed run ends it, and everything must
be as if nothing had happened.
"""

import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.crashes import (
    Moment,
    Outcome,
    Setting,
    collect_all,
    differences,
    find_damage,
    fingerprint,
    leftovers,
    materialize,
    runs_of,
)
from benchmarks.tiny_root import write_small_registry, write_tiny_recording
from enact_assets.contracts.errors import MaterializationError
from enact_assets.data_root.paths import DataRoot
from enact_assets.lineage.pipeline import STEPS

EMBEDDED = "outfit_a_basic_toolbox-0"
RECORDED = "moving_cups"
N_RECORDED, N_RECORDED_FOR_WORKERS = 1, 4
"""So many steps of a kind are not worth worker processes, or are (driver/choice.py)."""
REACH = 5
"""A kill is aimed at one of so many steps from where the root has got to."""
SHARE_AT_START = 0.1
SHARE_OF_NEW_ROOTS = 0.08
SHARE_ENDING = 0.5
"""Of chains that have reached the last step."""
SHARE_ALONE = 0.3
"""Of kills that hit the driver only and leave its workers to themselves."""
AT_START, BETWEEN = "start of the process", "between two runs"
ORDER = [step.name for step in STEPS]


@dataclass(frozen=True)
class Reference:
    """An undisturbed materialization: its content, its length, and how long each step took."""

    content: dict[str, str]
    seconds: float
    start_s: float
    step_s: dict[str, float]


@dataclass
class Tally:
    """What a campaign has done and found so far."""

    kills: Counter[str] = field(default_factory=Counter)
    n_alone: int = 0
    n_chains: int = 0
    n_ended_before: int = 0
    n_orphans: int = 0
    n_leftovers: int = 0
    damage: list[str] = field(default_factory=list)
    mismatches: list[str] = field(default_factory=list)

    @property
    def n_kills(self) -> int:
        """Processes that were killed while they worked."""
        return self.kills.total()

    @property
    def is_harmless(self) -> bool:
        """Whether nothing was damaged, nothing came out otherwise, and nobody survived."""
        return not (self.damage or self.mismatches or self.n_orphans)


class Campaign:
    """Kills on data roots below ``folder``, at moments drawn from ``seed``."""

    def __init__(
        self,
        folder: Path,
        seed: int,
        *,
        workers: int = 1,
        told: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._folder = folder
        self._random = np.random.default_rng(seed)
        registry = write_small_registry(folder / "registry.yaml", demonstrations=[EMBEDDED])
        self._setting = Setting(registry, workers)
        self._told = told
        for k in range(N_RECORDED if workers == 1 else N_RECORDED_FOR_WORKERS):
            write_tiny_recording(folder / "recorded", f"{RECORDED}-{k}")
        self.tally = Tally()
        self.reference = self._undisturbed()

    def run(self, n_kills: int) -> Tally:
        """Chains of kills until there were ``n_kills``; returns what was found."""
        while self.tally.n_kills < n_kills:
            self._chain(n_kills)
        return self.tally

    def _new_root(self, name: str) -> Path:
        root = self._folder / name
        shutil.copytree(self._folder / "recorded", DataRoot(root).recordings)
        return root

    def _undisturbed(self) -> Reference:
        root = self._new_root("undisturbed")
        began, began_at = time.monotonic(), time.time()
        outcome = materialize(root, self._setting)
        seconds = time.monotonic() - began
        if outcome.exit_code != 0:
            raise MaterializationError(f"the undisturbed run failed:\n{outcome.printed}")
        runs = list(runs_of(root).values())
        starts = {s: min(r.began or 0 for r in runs if r.step == s) for s in {r.step for r in runs}}
        step_s = {
            step: max(r.ended or 0 for r in runs if r.step == step) - start
            for step, start in starts.items()
        }
        return Reference(fingerprint(root), seconds, min(starts.values()) - began_at, step_s)

    def _chain(self, n_kills: int) -> None:
        """Kill runs on one root, then let one finish and compare."""
        tally = self.tally
        tally.n_chains += 1
        root = self._new_root(f"chain_{tally.n_chains}")
        reached = 0
        while tally.n_kills < n_kills:
            moment = self._draw(reached)
            outcome = materialize(root, self._setting, moment)
            tally.n_orphans += outcome.orphans
            tally.damage += [f"{root.name}: {line}" for line in find_damage(root)]
            if outcome.exit_code is not None:
                tally.n_ended_before += 1
                break
            reached = self._count(moment, outcome, reached)
            is_at_end = reached == len(ORDER) - 1 and self._random.random() < SHARE_ENDING
            if is_at_end or self._random.random() < SHARE_OF_NEW_ROOTS:
                break
        self._finish(root)
        shutil.rmtree(root)

    def _draw(self, reached: int) -> Moment:
        """The next moment of a root whose last kill hit step number ``reached``."""
        random = self._random
        is_whole_group = bool(random.random() >= SHARE_ALONE)
        if random.random() < SHARE_AT_START:
            return Moment(None, random.uniform(0.0, self.reference.start_s), is_whole_group)
        # Steps that were hit less often before them come first: all are to have their turn.
        near = [step for step in ORDER[reached : reached + REACH] if step in self.reference.step_s]
        weights = np.array([1.0 / (1 + self.tally.kills[step]) ** 2 for step in near or ORDER[-1:]])
        step = str(random.choice(near or ORDER[-1:], p=weights / weights.sum()))
        return Moment(step, random.uniform(0.0, self.reference.step_s[step]), is_whole_group)

    def _count(self, moment: Moment, outcome: Outcome, reached: int) -> int:
        """Note what was hit; returns how far the root has got."""
        tally = self.tally
        tally.n_alone += not moment.is_whole_group
        steps = sorted({run.step for run in outcome.hit}, key=ORDER.index)
        what = ", ".join(steps) or (BETWEEN if outcome.done else AT_START)
        tally.kills[what] += 1
        self._told(f"kill {tally.n_kills} in chain {tally.n_chains}: {what}")
        known = [ORDER.index(run.step) for run in (*outcome.hit, *outcome.done)]
        return max([reached, *known])

    def _finish(self, root: Path) -> None:
        tally = self.tally
        outcome = materialize(root, self._setting)
        if outcome.exit_code != 0:
            tally.mismatches.append(f"{root.name}: the last run failed:\n{outcome.printed}")
        tally.damage += [f"{root.name}, finished: {line}" for line in find_damage(root)]
        left = leftovers(root)
        tally.n_leftovers += len(left)
        swept = collect_all(root, self._setting.registry)
        if leftovers(root) or swept.n_items != len(left):
            tally.mismatches.append(f"{root.name}: gc took {swept.items}, there were {left}")
        found = differences(self.reference.content, fingerprint(root))
        tally.mismatches += [f"{root.name}: {line}" for line in found]


def main(n_kills: int, seed: int, *, workers: int) -> bool:
    """Print the table; whether nothing was damaged and everything came out the same."""
    began = time.monotonic()
    # Whoever ends this ends what it started, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(
            Path(folder), seed, workers=workers, told=lambda line: print(line, flush=True)
        )
        tally = campaign.run(n_kills)
        reference = campaign.reference
    print("\n| killed while at work on | kills |\n|---|---|")
    order = {name: k for k, name in enumerate((AT_START, BETWEEN, *ORDER))}
    for what, n in sorted(tally.kills.items(), key=lambda kv: order[kv[0].split(", ")[0]]):
        print(f"| {what} | {n} |")
    print(
        f"\n{tally.n_kills} kills (seed {seed}, workers {workers}; {tally.n_alone} of the driver "
        f"alone) in {tally.n_chains} chains, {time.monotonic() - began:.0f} s; an undisturbed run "
        f"takes {reference.seconds:.0f} s and makes {len(reference.content)} partitions, pictures "
        f"and relations\ndamaged files: {len(tally.damage)}\nother content at the end: "
        f"{len(tally.mismatches)}\nprocesses that survived: {tally.n_orphans}\nfiles that killed "
        f"writers left: {tally.n_leftovers}\nruns that ended before their kill: "
        f"{tally.n_ended_before}"
    )
    for line in (*tally.damage, *tally.mismatches):
        print(line)
    return tally.is_harmless
