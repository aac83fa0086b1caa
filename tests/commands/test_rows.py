"""``enact-assets sql --csv`` and ``--json``: other programs get all of it, and nothing else."""

import contextlib
import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from enact_assets.cli import main

LONG = "Which picture comes first? 💡 " * 500
N_ROWS = 300
ROWS = f"""
create table asked as
select k as n, '{LONG}' as prompt, [3, 1, 2] as answer, null as nothing, '' as empty,
    {{'x': 0.5, 'y': ['a"b', 'c,d']}} as box, 'nan'::double as share, 1.25::decimal(4, 2) as price,
    date '2026-01-02' as day, '\\x00\\xff'::blob as bytes, 9223372036854775808::hugeint as h
from range({N_ROWS}) as t(k)
"""  # noqa: S608 - our own text


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("data")
    with duckdb.connect(str(root / "enact.duckdb")) as connection:
        connection.execute(ROWS)
    return root


def printed(capsys: pytest.CaptureFixture[str], data: Path, query: str, form: str) -> str:
    assert main(["sql", query, form, "--data", str(data)]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    return said.out


def test_json_lines_hold_all_rows_and_whole_values(data: Path, capsys) -> None:
    lines = printed(capsys, data, "select * from asked order by n", "--json").splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["n"] for row in rows] == list(range(N_ROWS))
    assert rows[0] == {
        "n": 0, "prompt": LONG, "answer": [3, 1, 2], "nothing": None, "empty": "",
        "box": {"x": 0.5, "y": ['a"b', "c,d"]}, "share": None, "price": 1.25, "day": "2026-01-02",
        "bytes": "00ff", "h": 2**63,
    }  # fmt: skip


def test_csv_holds_all_rows_and_lists_as_json(data: Path, capsys) -> None:
    text = printed(capsys, data, "select * from asked order by n", "--csv")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(rows) == N_ROWS
    assert rows[7]["n"] == "7"
    assert rows[7]["prompt"] == LONG
    assert json.loads(rows[7]["answer"]) == [3, 1, 2]
    assert json.loads(rows[7]["box"]) == {"x": 0.5, "y": ['a"b', "c,d"]}
    assert ",[" not in text, "a list has commas: it must be quoted"
    assert rows[7]["bytes"] == "00ff"
    both = printed(capsys, data, "select null as a, '' as b", "--csv")
    assert both == 'a,b\n,""\n', "null and an empty text are told apart"


@pytest.mark.parametrize(("form", "text"), [("--csv", "n\n"), ("--json", "")])
def test_no_rows_are_no_error(data: Path, capsys, form: str, text: str) -> None:
    assert printed(capsys, data, "select n from asked where n < 0", form) == text


@pytest.mark.slow
def test_the_output_is_utf_8_and_may_be_cut_off(data: Path) -> None:
    """``| head`` ended in a traceback; in a plain locale a bulb became ``\\U0001f4a1``."""
    command = [sys.executable, "-m", "enact_assets.cli", "sql", "select * from asked", "--json"]
    with subprocess.Popen(  # noqa: S603 - ours
        [*command, "--data", str(data)],
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0
    assert json.loads(first.decode("utf-8"))["prompt"] == LONG


@pytest.mark.parametrize("form", ["--csv", "--json", "--record", "--all"])
@pytest.mark.parametrize("is_terminal", [False, True])
def test_a_terminal_obeys_no_answer_of_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys, form: str, *, is_terminal: bool
) -> None:
    """Faults N18: an answer may hold a terminal's commands; other programs get it as it is."""
    with duckdb.connect(str(tmp_path / "enact.duckdb")) as connection:
        connection.execute("create table said as select 'a\x1b[2Jb\x9b2J\u202ec' as text")
    command = ["sql", "from said", form, "--data", str(tmp_path)]
    if is_terminal:
        master, slave = os.openpty()
        with open(slave, "w", encoding="utf-8") as out:  # noqa: PTH123 - a descriptor
            monkeypatch.setattr(sys, "stdout", out)
            assert main(command) == 0
        shown = b""
        with contextlib.suppress(OSError):  # all is read, and nobody writes any more
            while part := os.read(master, 10_000):
                shown += part
        os.close(master)
        text = shown.decode()
    else:
        assert main(command) == 0
        text = capsys.readouterr().out
    obeyed = {c for c in text if not c.isprintable()} - {"\r", "\n"}
    kept = {"--csv": {"\x1b", "\x9b", "\u202e"}, "--json": {"\x9b", "\u202e"}}
    assert obeyed == (set() if is_terminal else kept.get(form, set()))
    assert "a" in text
    assert "c" in text
