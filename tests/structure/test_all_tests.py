"""What fails `make test-all`: the rules on outcomes, and a real run of planted tests."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import all_tests
import pytest
from all_tests import ALLOWED, Allowed, as_text, judge, merged, read_allowed
from outcomes import FAILED, PASSED, SKIPPED, read_outcomes

PLANTED = """
import pytest
def test_good(): pass
def test_bad(): assert 1 == 2
@pytest.mark.skip(reason="needs a screen")
def test_left_out(): pass
@pytest.mark.xfail
def test_known(): assert False
@pytest.fixture
def broken(): yield; raise OSError("the disk is full")
def test_ends_badly(broken): pass
"""
ROOT_NEEDED = Allowed("tests/a.py::test_mount", "mounts a disk", "one with root")


@pytest.mark.slow
def test_each_outcome_of_a_real_run_is_written_and_failures_are_printed(tmp_path: Path) -> None:
    (tmp_path / "test_planted.py").write_text(PLANTED)
    (tmp_path / "test_absent.py").write_text(
        "import pytest\npytest.importorskip('no_such_thing')\n"
    )
    file = tmp_path / "outcomes.json"
    plugins = ["-p", "outcomes", "-p", "no:cacheprovider"]
    run = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", "pytest", "-c", os.devnull, *plugins, "--outcomes", file, tmp_path],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 1, run.stdout + run.stderr
    found = read_outcomes(file)
    assert {test.rpartition("::")[2]: outcome for test, (outcome, _) in found.items()} == {
        "test_absent.py": SKIPPED,
        "test_good": PASSED,
        "test_bad": FAILED,
        "test_left_out": SKIPPED,
        "test_known": PASSED,
        "test_ends_badly": FAILED,
    }
    reasons = {test.rpartition("::")[2]: why for test, (_, why) in found.items()}
    assert reasons["test_left_out"] == "needs a screen"
    assert "no_such_thing" in reasons["test_absent.py"]
    assert "FAILED test_planted.py::test_bad" in run.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "bad"),
    [
        # A new process gets one test and then another file; two of them get some tests each.
        ("import os; os._exit(3)", {"test_a.py": "test_4", "test_b.py": ""}),
        ("import time; time.sleep(60)", {"test_a.py": "test_2", "test_b.py": "test_4"}),
    ],
    ids=["crashes", "hangs"],
)
def test_a_test_that_crashes_or_hangs_fails_once_and_the_others_run(
    tmp_path: Path, how: str, bad: dict[str, str]
) -> None:
    """The scheduler is this project's own: a process that ends is replaced, its test is not."""
    tests = Path(__file__).parents[1]
    shutil.copy(tests / "conftest.py", tmp_path)
    shutil.copy(tests / "outcomes.py", tmp_path)
    names = [f"test_{k}" for k in range(6)]
    n_bad = sum(map(bool, bad.values()))
    for file, name in bad.items():
        defined = [f"def {n}(): {how if n == name else 'pass'}" for n in names]
        (tmp_path / file).write_text("\n".join(defined) + "\n")
    hangs = ["-o", "faulthandler_timeout=3", "-o", "faulthandler_exit_on_timeout=true"]
    file = tmp_path / "outcomes.json"
    run = subprocess.run(  # noqa: S603 - our own interpreter
        [
            *(sys.executable, "-m", "pytest", "-c", os.devnull, "--rootdir", tmp_path, *hangs),
            *("-n", str(n_bad), "-p", "no:cacheprovider", "--outcomes", file, tmp_path),
        ],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert run.returncode == 1, run.stdout + run.stderr
    found = {test: outcome for test, (outcome, _) in read_outcomes(file).items()}
    expected = {
        f"{file}::{name}": FAILED if name == bad[file] else PASSED for file in bad for name in names
    }
    assert found == expected
    assert run.stdout.count("node down") == n_bad, "tried again in a new process"


@pytest.mark.slow
def test_what_passed_before_runs_again_only_if_it_is_a_property(tmp_path: Path) -> None:
    for name in ("conftest.py", "outcomes.py"):
        shutil.copy(ALLOWED.with_name(name), tmp_path)
    (tmp_path / "test_planted.py").write_text(
        "from hypothesis import given, strategies as st\n"
        "def test_same(): pass\n"
        "def test_failed(): pass\n"
        "@given(st.integers())\n"
        "def test_property(n): pass\n"
    )
    before = {"test_same": PASSED, "test_failed": FAILED, "test_property": PASSED}
    (tmp_path / "before.json").write_text(
        json.dumps({f"test_planted.py::{name}": (o, "") for name, o in before.items()})
    )
    command = [sys.executable, "-m", "pytest", "-n", "2", "--outcomes", "found.json"]
    command += ["-c", os.devnull, "--rootdir", ".", "--passed-before", "before.json"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)  # noqa: S603 - our own
    ran = {test.partition("::")[2] for test in read_outcomes(tmp_path / "found.json")}
    assert ran == {"test_failed", "test_property"}


SHAKY = """
from pathlib import Path
import pytest
def test_good(): pass
def test_shaky():
    if not Path("tried").exists():
        Path("tried").touch()
        raise OSError("only once")
@pytest.mark.skip(reason="needs a screen")
def test_left_out(): pass
@pytest.mark.slow
def test_long(): assert False
"""


@pytest.mark.slow
@pytest.mark.parametrize("bad", ["", "def test_bad(): assert False\n"], ids=["good", "bad"])
def test_a_quick_test_that_passes_alone_does_not_fail_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], bad: str
) -> None:
    (tmp_path / "tests").mkdir()
    for name in ("conftest.py", "outcomes.py"):
        shutil.copy(ALLOWED.with_name(name), tmp_path / "tests")
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = slow\naddopts = -m 'not slow'\n")
    (tmp_path / "tests" / "test_planted.py").write_text(SHAKY + bad)
    monkeypatch.setattr(all_tests, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "argv", ["all_tests.py", "--quick"])
    assert all_tests.main() == bool(bad)
    told = capfd.readouterr().out
    assert told.count("Once more, alone: tests/test_planted.py::test_shaky\n") == 1
    assert "Flickering: failed, and passed alone (mend these): 1" in told
    assert told.endswith(f"2 passed, {int(bool(bad))} failed, 0 skipped\n")


def test_a_test_counts_as_run_if_it_ran_in_one_environment() -> None:
    first = {"a": (SKIPPED, "no torch"), "b": (PASSED, ""), "c": (SKIPPED, "no torch")}
    second = {"a": (PASSED, ""), "b": (FAILED, "boom"), "c": (SKIPPED, "no torch")}
    assert merged([first, second]) == {
        "a": (PASSED, ""),
        "b": (FAILED, "boom"),
        "c": (SKIPPED, "no torch"),
    }


@pytest.mark.parametrize(
    ("outcomes", "again", "is_good"),
    [
        ({"t": (PASSED, "")}, {}, True),
        ({}, {}, False),
        ({"t": (PASSED, ""), "u": (FAILED, "boom")}, {"u": FAILED}, False),
        ({"t": (PASSED, ""), "u": (FAILED, "boom")}, {}, False),
        ({"t": (PASSED, ""), "u": (FAILED, "boom")}, {"u": PASSED}, True),
        ({"t": (PASSED, ""), "u": (SKIPPED, "no screen")}, {}, False),
        ({"t": (PASSED, ""), "tests/a.py::test_mount[1]": (SKIPPED, "no root")}, {}, True),
    ],
)
def test_what_is_good(
    outcomes: dict[str, tuple[str, str]], again: dict[str, str], is_good: bool
) -> None:
    is_listed = any(test.startswith(ROOT_NEEDED.test) for test in outcomes)
    assert judge(outcomes, again, [ROOT_NEEDED] if is_listed else []).is_good is is_good


def test_an_entry_of_the_list_that_fits_no_test_is_a_mistake() -> None:
    judged = judge({"t": (PASSED, "")}, {}, [ROOT_NEEDED])
    assert not judged.is_good
    assert judged.unknown == [ROOT_NEEDED.test]


def test_the_end_of_a_run_names_each_test_and_counts() -> None:
    outcomes = {
        "good": (PASSED, ""), "bad": (FAILED, "a\nE  boom"), "shaky": (FAILED, "E  late"),
        "lazy": (SKIPPED, "no screen"), "tests/a.py::test_mount": (SKIPPED, "no root"),
    }  # fmt: skip
    text = as_text(judge(outcomes, {"shaky": PASSED}, [ROOT_NEEDED]))
    assert text.splitlines()[-1] == "2 passed, 1 failed, 2 skipped"
    for line in ("bad: E  boom", "shaky: E  late", "lazy: no screen", "test_mount: mounts a disk"):
        assert line in text


def test_the_list_is_complete() -> None:
    """Each entry says why, and what machine can run the test."""
    for entry in read_allowed(ALLOWED.read_text(encoding="utf-8")):
        assert entry.test.startswith("tests/")
        assert entry.reason
        assert entry.machine
