"""Plants small faults in a copy of the project, one at a time, and asks the tests to notice.

``make mutants`` runs all of them, ``MUTANTS=verifier make mutants`` those of one area: a file
``<area>.toml`` beside this one. A test that lets a fault pass is one that cannot fail.
"""

import argparse
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
AREAS = tuple(sorted(path.stem for path in HERE.glob("*.toml")))
COPIES = 2
TIMEOUT_S, ALL_TESTS_S = 600.0, 3600.0
LAST_LINES = 20
TESTS_FAILED, NO_TESTS = 1, 5
"""Exit codes of pytest. Another one than these and 0 says that the tests could not run."""
QUICK, ALL = "not slow", "slow or not slow"


class MutantError(Exception):
    """The list of mutants does not fit the code, or the tests fail without any mutant."""


@dataclass(frozen=True)
class Mutant:
    """One fault: ``old``, which is in ``file`` exactly once, becomes ``new``."""

    area: str
    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    """Variables for the tests. NUMBA_DISABLE_JIT spares compiling the kernels for each fault."""


def read_mutants(area: str) -> list[Mutant]:
    """The mutants of ``area``. An entry without ``tests`` is for those at the top of its file."""
    given = tomllib.loads((HERE / f"{area}.toml").read_text(encoding="utf-8"))
    environment = tuple(sorted(given.get("environment", {}).items()))
    return [
        Mutant(
            area, entry["name"], entry["file"], entry["old"], entry["new"],
            tuple(entry.get("tests", given.get("tests", ()))), environment,
        )
        for entry in given["mutant"]
    ]  # fmt: skip


def problems(mutant: Mutant, root: Path = ROOT) -> list[str]:
    """What keeps ``mutant`` from being planted and killed; empty if nothing does."""
    where = f"{mutant.area}.toml, {mutant.name!r}"
    path = root / mutant.file
    if not path.is_file():
        return [f"{where}: there is no file {mutant.file}. Correct `file`."]
    found = []
    n = path.read_text(encoding="utf-8").count(mutant.old)
    if n != 1:
        found.append(f"{where}: its text is in {mutant.file} {n} times. Correct `old` or `file`.")
    if mutant.old == mutant.new:
        found.append(f"{where}: `old` and `new` are equal.")
    if not mutant.tests:
        found.append(f"{where}: no test is named that should notice.")
    found += [
        f"{where}: there is no test file {test}. Correct `tests`."
        for test in mutant.tests
        if not (root / test.partition("::")[0]).exists()
    ]
    return found


def copy_of_project(folder: Path) -> Path:
    """The files that git knows or would add, in a folder of their own."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607 - git is what made the checkout
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def run_tests(
    folder: Path,
    tests: Sequence[str],
    environment: Sequence[tuple[str, str]],
    *,
    which: str = QUICK,
    limit_s: float = TIMEOUT_S,
) -> tuple[int, str]:
    """pytest's exit code in a copy and its last words; a run that takes too long has failed."""
    options = ["-n", "0", "-x", "-q", "-p", "no:cacheprovider", "-m", which]
    command = [sys.executable, "-m", "pytest", *options]
    variables = {
        **os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", **dict(environment)
    }  # fmt: skip
    try:
        done = subprocess.run(  # noqa: S603 - our own tests
            [*command, *tests], cwd=folder, env=variables, timeout=limit_s,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return TESTS_FAILED, f"they took more than {limit_s:.0f} s"
    return done.returncode, "\n".join(done.stdout.splitlines()[-LAST_LINES:])


def check_unspoiled(folder: Path, mutants: Sequence[Mutant]) -> None:
    """Errors: :class:`MutantError` if the tests fail though no fault was planted."""
    for environment in sorted({mutant.environment for mutant in mutants}):
        tests = {t for m in mutants if m.environment == environment for t in m.tests}
        code, said = run_tests(folder, sorted(tests), environment, limit_s=ALL_TESTS_S)
        if code not in (0, NO_TESTS):
            raise MutantError(
                f"The tests fail without any mutant (exit code {code}): "
                f"{' '.join(f'{name}={value}' for name, value in environment)} "
                f"pytest {' '.join(sorted(tests))}\n{said}"
            )


def is_killed(folder: Path, mutant: Mutant) -> bool:
    """Whether the tests of ``mutant`` fail while it is planted in a copy: the quick ones, or all.

    Errors: :class:`MutantError` if they cannot run, as such a fault would show without any test, or
    if slow ones fail without it.
    """
    path = folder / mutant.file
    text = path.read_text(encoding="utf-8")
    for which in (QUICK, ALL):
        path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        try:
            code, said = run_tests(folder, mutant.tests, mutant.environment, which=which)
        finally:
            path.write_text(text, encoding="utf-8")
        if code not in (0, TESTS_FAILED, NO_TESTS):
            raise MutantError(
                f"{mutant.area}.toml, {mutant.name!r}: the tests cannot run with it "
                f"(exit code {code}). Plant a fault that can be imported.\n{said}"
            )
        if code == TESTS_FAILED:
            break
    else:
        return False
    if which == ALL:
        code, said = run_tests(folder, mutant.tests, mutant.environment, which=ALL)
        if code:
            raise MutantError(
                f"{mutant.area}.toml, {mutant.name!r}: its slow tests fail without it\n{said}"
            )
    return True


def run(mutants: Sequence[Mutant]) -> list[Mutant]:
    """Plant every mutant, say what became of it, and return the survivors, in order."""
    wrong = [problem for mutant in mutants for problem in problems(mutant)]
    if wrong:
        raise MutantError("\n".join(wrong))
    with tempfile.TemporaryDirectory(prefix="enact-mutants-") as temporary:
        first = copy_of_project(Path(temporary) / "0")
        check_unspoiled(first, mutants)
        free: queue.SimpleQueue[Path] = queue.SimpleQueue()
        free.put(first)
        for number in range(1, COPIES):
            # With the kernels that were compiled.
            free.put(Path(shutil.copytree(first, Path(temporary) / str(number))))

        def try_one(mutant: Mutant) -> bool:
            folder = free.get()
            try:
                return is_killed(folder, mutant)
            finally:
                free.put(folder)

        survivors = []
        with ThreadPoolExecutor(COPIES) as pool:
            for mutant, was_killed in zip(mutants, pool.map(try_one, mutants), strict=True):
                print(f"{'killed  ' if was_killed else 'SURVIVED'} {mutant.area}: {mutant.name}")
                sys.stdout.flush()
                if not was_killed:
                    survivors.append(mutant)
    return survivors


def main(arguments: Sequence[str]) -> int:
    """0 if every mutant was killed, 1 if one survived, 2 if the list cannot be run."""
    parser = argparse.ArgumentParser(description="Plant mutants and run the tests against them.")
    parser.add_argument("areas", nargs="*", metavar="AREA", help=f"of {', '.join(AREAS)}")
    areas = parser.parse_args(arguments).areas or AREAS
    unknown = sorted(set(areas) - set(AREAS))
    if unknown:
        parser.error(f"unknown area {unknown[0]!r}; there are {', '.join(AREAS)}")
    mutants = [mutant for area in areas for mutant in read_mutants(area)]
    try:
        survivors = run(mutants)
    except MutantError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{len(mutants) - len(survivors)} of {len(mutants)} mutants were killed.")
    for mutant in survivors:
        tests = " ".join(mutant.tests)
        print(f"Survived: {mutant.area}: {mutant.name} ({mutant.file}). Tests: {tests}")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
