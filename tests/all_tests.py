"""Runs every test and says what is wrong: ``make test-all``. ``--quick``: those of ``make test``.
``--after-quick`` leaves out those that just passed there and would do the same again.

Wrong is a test that fails, also when it is tried once more alone, and one that is skipped without
standing in ``skipped.toml``, for which the run of all answers, not the quick one. Whoever wants to
see what a machine can check reads what this prints.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

from outcomes import FAILED, PASSED, SKIPPED, Outcome, read_outcomes

ALLOWED = HERE / "skipped.toml"
PASSED_QUICKLY = Path("build") / "passed_quickly.json"
"""What became of the tests of the last ``--quick``."""
PROGRAMS = ROOT / "build" / "programs"
"""Where ``make install-programs`` puts what is no package of this environment."""
MOST_TRIED_AGAIN = 25
"""With more failures than these something is broken for all, and trying again only takes time."""
SHOWN_DURATIONS = ("--durations", "100", "--durations-min", "3")
HANGS_SECONDS = 1800
"""A test that takes longer prints where it hangs and fails, and the rest goes on without it."""


@dataclass(frozen=True)
class Session:
    """Tests of one environment."""

    environment: str
    tests: tuple[str, ...]
    ignored: tuple[str, ...] = ()
    n_processes: int = 2
    only_quick: bool = False
    """As ``make test`` runs them."""

    @property
    def python(self) -> Path:
        return ROOT / self.environment / "bin" / "python"


LOCAL_TESTS = (
    "tests/answers/models/test_local_models.py",
    "tests/commands/training/test_trl.py",
)
# Local models first: it takes a minute, and a run that is cut short has tried them.
SESSIONS = (
    Session(".venv-local", LOCAL_TESTS, n_processes=0),
    # More than cores: many slow tests wait for servers, daemons and processes that they kill.
    Session(".venv-all", ("tests",), ignored=LOCAL_TESTS, n_processes=4),
)
QUICK_SESSIONS = (Session(".venv", ("tests",), only_quick=True),)


@dataclass(frozen=True)
class Allowed:
    """Tests that may be skipped: those whose names begin with ``test``."""

    test: str
    reason: str
    machine: str
    """What a machine needs to run them."""


def read_allowed(text: str) -> tuple[Allowed, ...]:
    """The entries of ``skipped.toml``. Errors: TypeError if a field lacks or is unknown."""
    return tuple(Allowed(**entry) for entry in tomllib.loads(text).get("skipped", ()))


@dataclass
class Judged:
    """All outcomes, by what follows from them: test -> why."""

    n_passed: int
    failed: dict[str, str]
    flickering: dict[str, str]
    skipped: dict[str, str]
    """Without being allowed to."""
    allowed: dict[str, str]
    unknown: list[str]
    """Entries of the list that fit no test."""

    @property
    def is_good(self) -> bool:
        return self.n_passed > 0 and not (self.failed or self.skipped or self.unknown)


def merged(sessions: Iterable[Mapping[str, Outcome]]) -> dict[str, Outcome]:
    """What became of each test in any environment: the worst, but for those that skipped it."""
    order = (SKIPPED, PASSED, FAILED)
    found: dict[str, Outcome] = {}
    for outcomes in sessions:
        for test, outcome in outcomes.items():
            known = found.get(test)
            if known is None or order.index(outcome[0]) > order.index(known[0]):
                found[test] = outcome
    return found


def judge(
    outcomes: Mapping[str, Outcome], again: Mapping[str, str], allowed: Sequence[Allowed]
) -> Judged:
    """``again``: how tests that failed ended when they were tried alone."""
    of = {
        kind: {test: why for test, (outcome, why) in outcomes.items() if outcome == kind}
        for kind in (PASSED, FAILED, SKIPPED)
    }
    flickering = {t: why for t, why in of[FAILED].items() if again.get(t) == PASSED}
    listed = {
        test: entry.reason
        for test in of[SKIPPED]
        for entry in allowed
        if test.startswith(entry.test)
    }
    return Judged(
        len(of[PASSED]),
        {test: why for test, why in of[FAILED].items() if test not in flickering},
        flickering,
        {test: why for test, why in of[SKIPPED].items() if test not in listed},
        listed,
        [e.test for e in allowed if not any(test.startswith(e.test) for test in outcomes)],
    )


def as_text(judged: Judged) -> str:
    """What people read at the end of a run."""
    lines = []
    for title, tests in (
        ("Failed, and failed again alone", judged.failed),
        ("Flickering: failed, and passed alone (mend these)", judged.flickering),
        ("Skipped, and not in tests/skipped.toml", judged.skipped),
        ("Skipped as tests/skipped.toml says", judged.allowed),
        ("In tests/skipped.toml, and no test is called so", dict.fromkeys(judged.unknown, "")),
    ):
        if tests:
            lines.append(f"{title}: {len(tests)}")
            lines += [
                f"  {test}: {_last_line(why)}".removesuffix(": ") for test, why in tests.items()
            ]
    lines.append(
        f"{judged.n_passed + len(judged.flickering)} passed, {len(judged.failed)} failed, "
        f"{len(judged.skipped) + len(judged.allowed)} skipped"
    )
    return "\n".join(lines)


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


def run_session(session: Session, outcomes: Path, options: Sequence[str]) -> dict[str, Outcome]:
    """Run tests of one environment; a session that pytest could not hold counts as failed."""
    name = f"pytest in {session.environment}"
    if not session.python.exists():
        why = f"{session.environment} is not there: it could not be installed"
        return dict.fromkeys(session.tests, (SKIPPED, why))
    command = [
        session.python, "-m", "pytest", "-n", session.n_processes, "--outcomes", outcomes,
        "-o", f"faulthandler_timeout={HANGS_SECONDS}", "-o", "faulthandler_exit_on_timeout=true",
        *session.tests,
    ]  # fmt: skip
    if not session.only_quick:
        command += ["-m", "slow or not slow", "--hypothesis-profile", "all", *options]
    for path in session.ignored:
        command += ["--ignore", path]
    code = _run(command, dict(os.environ) if session.only_quick else environment())
    found = read_outcomes(outcomes) if outcomes.exists() else {}
    # Exit code 1 says that tests failed, which the file tells; any other that pytest did.
    if (
        code not in {0, 1}
        or not found
        or (code == 1 and FAILED not in {o for o, _ in found.values()})
    ):
        found[name] = (FAILED, f"pytest ended with exit code {code}")
    return found


def try_again(
    failed: Iterable[str], sessions: Sequence[Session], folder: Path, options: Sequence[str]
) -> dict[str, str]:
    """How each test ends in a process of its own, while nothing else runs."""
    found = {}
    for n, test in enumerate(failed):
        session = next((s for s in sessions if test.startswith(s.tests)), None)
        if session is None:
            continue
        alone = replace(session, tests=(test,), ignored=(), n_processes=0)
        print(f"Once more, alone: {test}", flush=True)
        outcomes = run_session(alone, folder / f"again_{n}.json", options)
        ended = {outcome for outcome, _ in outcomes.values()}
        found[test] = PASSED if ended == {PASSED} else FAILED
    return found


def environment() -> dict[str, str]:
    """Variables by which tests find programs; those that are set already stay."""
    found = {
        "ENACT_AXE": PROGRAMS / "axe-core" / "axe.min.js",
        "OMNIGIBSON_SOURCE": PROGRAMS / "omnigibson",
        "BDDL_SOURCE": PROGRAMS / "bddl",
        "DRJIT_LIBLLVM_PATH": next(Path("/usr/lib").glob("*/libLLVM.so.19*"), None),
    }
    return {name: str(path) for name, path in found.items() if path and path.exists()} | os.environ


def _run(command: Sequence[object], variables: Mapping[str, str]) -> int:
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=ROOT, env=variables, check=False).returncode  # noqa: S603 - our own environments


def main() -> int:
    """Exit code 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    about = "seed of the examples that properties are tried with (default: %(default)s)"
    parser.add_argument("--seed", type=int, default=0, help=about)
    about = "only the tests of `make test`, as it runs them"
    parser.add_argument("--quick", action="store_true", help=about)
    about = "without tests that passed in the last --quick, but for properties: CI runs both"
    parser.add_argument("--after-quick", action="store_true", help=about)
    given = parser.parse_args()
    sessions = QUICK_SESSIONS if given.quick else SESSIONS
    # The same examples when a test is tried again: or a property that fails for one would flicker.
    options: tuple[str, ...] = ("--hypothesis-seed", str(given.seed))
    if given.after_quick:
        if not (ROOT / PASSED_QUICKLY).exists():
            parser.error(f"{ROOT / PASSED_QUICKLY} is not there: run this with --quick first")
        options += ("--passed-before", str(ROOT / PASSED_QUICKLY))
    with tempfile.TemporaryDirectory() as name:
        folder, found = Path(name), []
        for n, session in enumerate(sessions):
            began = time.monotonic()
            found.append(run_session(session, folder / f"{n}.json", (*options, *SHOWN_DURATIONS)))
            seconds = time.monotonic() - began
            print(
                f"{', '.join(session.tests)} in {session.environment}: {seconds:.0f} s", flush=True
            )
        outcomes = merged(found)
        if given.quick:
            (ROOT / PASSED_QUICKLY).parent.mkdir(exist_ok=True)
            (ROOT / PASSED_QUICKLY).write_text(json.dumps(outcomes), encoding="utf-8")
            outcomes = {test: o for test, o in outcomes.items() if o[0] != SKIPPED}
        failed = [test for test, (outcome, _) in outcomes.items() if outcome == FAILED]
        is_much = len(failed) > MOST_TRIED_AGAIN
        again = {} if is_much else try_again(failed, sessions, folder, options)
    allowed = () if given.quick else read_allowed(ALLOWED.read_text(encoding="utf-8"))
    judged = judge(outcomes, again, allowed)
    print(as_text(judged))
    return 0 if judged.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
