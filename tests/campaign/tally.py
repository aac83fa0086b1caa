"""What a campaign did and found, in a file that later runs add to."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

FILE = "campaign.json"
AT_START, BETWEEN = "start of the process", "between two runs"
PAGE = "store of the annotation page"
NEVER_TRIED = {
    "power cut": "what a disk had not written would have to be lost; a kill loses nothing of it",
    "UI without its daemon": "it writes nothing; tests/pipeline/ui/test_ui_guard.py kills it",
    "package that cannot be written": "tests/operations/test_installed_wheel.py works in one",
}
"""What docs/operations.md names and a campaign does not do, and why."""


@dataclass
class Finding:
    """Something that is not as after an undisturbed run, and how to see it again."""

    kind: str
    unit: int
    what: str


@dataclass
class Tally:
    """Counts so far. A unit is a chain of kills, a fault or a run of a fuzz target: its number and
    the seed decide what is drawn, so that a run that goes on draws what comes next.
    """

    seed: int = 0
    units: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    kills: Counter[str] = field(default_factory=Counter)
    """By what was being made."""
    ways: Counter[str] = field(default_factory=Counter)
    """By who was killed: everything, the driver alone, a worker, the server of the page."""
    n_while_asked: int = 0
    """Kills while a model was being asked: the server had questions that it had not answered."""
    n_in_flight: int = 0
    """Questions that these kills interrupted."""
    n_sold: int = 0
    """Answers that chains bought, and what they would have bought undisturbed."""
    n_wanted: int = 0
    n_ended_before: int = 0
    n_leftovers: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    cases: dict[str, Counter[str]] = field(default_factory=dict)
    """Fuzz target -> outcome -> cases."""
    findings: list[Finding] = field(default_factory=list)

    @property
    def n_kills(self) -> int:
        return self.kills.total()

    @property
    def n_faults(self) -> int:
        return self.faults.total()

    @property
    def n_cases(self) -> int:
        return sum(found.total() for found in self.cases.values())

    def found(self, kind: str, unit: int, lines: list[str]) -> None:
        """Note findings of a unit; none is fine."""
        self.findings += [Finding(kind, unit, line) for line in lines]

    def write(self, folder: Path) -> None:
        """Into ``folder``, whole or not at all."""
        folder.mkdir(parents=True, exist_ok=True)
        temporary = folder / f".{FILE}.tmp"
        told = vars(self) | {"findings": [vars(finding) for finding in self.findings]}
        temporary.write_text(json.dumps(told, indent=1))
        temporary.replace(folder / FILE)


def read_tally(folder: Path, seed: int) -> Tally:
    """What ``folder`` has, or a new one. Errors: ``ValueError`` for one of another seed."""
    if not (folder / FILE).exists():
        return Tally(seed)
    told = json.loads((folder / FILE).read_text())
    if told["seed"] != seed:
        raise ValueError(f"{folder / FILE} was begun with --seed {told['seed']}, not {seed}")
    for name in ("units", "seconds", "kills", "ways", "faults", "skipped"):
        told[name] = Counter(told[name])
    told["cases"] = {target: Counter(found) for target, found in told["cases"].items()}
    told["findings"] = [Finding(**finding) for finding in told["findings"]]
    return Tally(**told)  # counts that an older file lacks are 0


def as_text(tally: Tally, steps: list[str]) -> str:
    """The tables of BENCHMARKS.md: ``steps`` in the order of the graph, also those never hit."""
    lines = [f"seed {tally.seed}", "", "| killed while at work on | kills |", "|---|---|"]
    by_step: Counter[str] = Counter()
    for what, n in tally.kills.items():
        for step in what.split(", "):
            by_step[step] += n
    names = [AT_START, BETWEEN, *steps, PAGE]
    lines += [f"| {name} | {by_step[name]} |" for name in names]
    lines += ["", "| killed | kills |", "|---|---|"]
    lines += [f"| {way} | {n} |" for way, n in sorted(tally.ways.items())]
    lines += ["", "| fault | times |", "|---|---|"]
    lines += [f"| {kind} | {n} |" for kind, n in sorted(tally.faults.items())]
    lines += [f"| {kind} | NOT TRIED: {n} |" for kind, n in sorted(tally.skipped.items())]
    lines += [f"| {kind} | NOT TRIED here: {why} |" for kind, why in NEVER_TRIED.items()]
    lines += ["", "| fuzz target | cases | outcomes |", "|---|---|---|"]
    for target, found in sorted(tally.cases.items()):
        outcomes = ", ".join(f"{n} {outcome}" for outcome, n in sorted(found.items()))
        lines.append(f"| {target} | {found.total()} | {outcomes} |")
    times = ", ".join(f"{kind} {s:,.0f} s" for kind, s in sorted(tally.seconds.items()))
    never = [step for step in steps if not by_step[step]]
    kills = (
        f"{tally.n_kills:,} in {tally.units['kills']} chains ({tally.n_ended_before} runs ended "
        f"before their kill; {tally.n_leftovers} temporary files left, all collected)"
    )
    asked = (
        f"{tally.n_while_asked:,}, with {tally.n_in_flight:,} questions in flight; chains bought "
        f"{tally.n_sold:,} answers, {tally.n_wanted:,} if undisturbed"
    )
    lines += [
        "",
        f"kills while a model is asked: {asked}",
        f"kills: {kills}; steps never hit: {', '.join(never) or 'none'}",
        f"faults: {tally.n_faults:,} tried, {tally.skipped.total():,} not tried",
        f"fuzz cases: {tally.n_cases:,}",
        f"time: {times or 'none'}",
        f"findings: {len(tally.findings)}",
    ]
    lines += [f"- {f.kind} {f.unit}: {f.what}" for f in tally.findings]
    return "\n".join(lines)
