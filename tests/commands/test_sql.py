"""``enact-assets sql``: programs get all rows and nothing else, people are told what is left out.

It ends at once when it is asked to."""

import contextlib
import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from enact_assets.cli import main
from enact_assets.commands.querying import table_text

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
        connection.execute(
            "create table said as select 'a\x1b[2Jb\x9b2J\u202ec\x07' as \"name\x1b[2J\""
        )
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
    kept = {"--csv": {"\x1b", "\x9b", "\u202e", "\x07"}, "--json": {"\x9b", "\u202e"}}
    assert obeyed == (set() if is_terminal else kept.get(form, set()))
    assert "a" in text
    assert "c" in text


texts = st.text("ab \n\t\x1b日💡", max_size=60)
columns = st.lists(st.one_of(st.none(), texts), min_size=3, max_size=3)


@given(st.lists(columns, min_size=1, max_size=12), st.integers(80, 160))
def test_the_table_fits_and_columns_without_room_are_counted(found, width: int) -> None:
    """31 columns became strips of three characters each."""
    rows = pl.DataFrame({f"c{k}": pl.Series(v, dtype=pl.String) for k, v in enumerate(found)})
    lines = table_text(rows, width, None).splitlines()
    assert all(cell_len(line) <= width for line in lines)
    shown = set(re.findall(r"c\d+", "\n".join(lines[:3])))
    assert shown <= set(rows.columns)
    assert shown == set(rows.columns) or lines[-2].startswith("--record shows all columns")
    assert lines[-1] == "3 rows"


@pytest.mark.parametrize("form", [[], ["--record"]], ids=["table", "record"])
def test_rows_that_are_not_shown_are_counted(tmp_path: Path, capsys, form: list[str]) -> None:
    """`show tables` showed 50 of 58 without a hint."""
    with duckdb.connect(str(tmp_path / "enact.duckdb")) as connection:
        connection.execute("create table t as select k as number from range(58) as r(k)")
    command = ["sql", "from t", "--data", str(tmp_path), *form]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert said.endswith("50 of 58 rows are shown; --all shows all.\n")
    assert main([*command, "--all"]) == 0
    said = capsys.readouterr().out
    assert said.endswith("58 rows\n")
    assert re.search(r"\b57\b", said)


def test_types_that_polars_lacks_are_text(data: Path, capsys) -> None:
    """One was -1, others ended in a traceback."""
    query = (
        "select 340282366920938463463374607431768211455::uhugeint as h, interval 3 days as d, "
        "{'a': [interval 3 days]} as s"
    )
    [row] = map(json.loads, printed(capsys, data, query, "--json").splitlines())
    assert row == {
        "h": "340282366920938463463374607431768211455",
        "d": "3 days",
        "s": "{'a': [3 days]}",
    }


def test_all_rows_are_drawn_however_many() -> None:
    """DuckDB stops counting at 10,000, and showed the first ones alone."""
    text = table_text(pl.DataFrame({"n": range(20_003)}), None, None)
    assert text.endswith("20,003 rows\n")
    assert [int(n) for n in re.findall(r"^│ +(\d+) │$", text, re.MULTILINE)] == [*range(20_003)]


FOREVER = "select count(*) from range(10000000) a, range(10000000) b where a.range + b.range = -1"
LIMIT_S = 5.0
"""A second on an idle machine; without the interrupt the query runs for years."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    with duckdb.connect(str(tmp_path / "enact.duckdb")) as connection:
        connection.execute("create table leaderboard as select 1 as rank")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_a_long_query_ends_within_a_second_and_says_so(root: Path, number: signal.Signals) -> None:
    """A user who typed a cross join had to kill the process."""
    command = [sys.executable, "-m", "enact_assets.cli", "sql", FOREVER, "--data", str(root)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603 - ours
        try:
            _wait_until_open(process.pid, root / "enact.duckdb")
            time.sleep(0.3)  # to be amid the query; ending earlier must work, too
            began = time.monotonic()
            process.send_signal(number)
            _, printed = process.communicate(timeout=10 * LIMIT_S)
            seconds = time.monotonic() - began
        finally:
            process.kill()
    assert process.returncode == 130
    assert "Stopped: the query was interrupted." in printed
    assert seconds < LIMIT_S


def _wait_until_open(pid: int, file: Path) -> None:
    for _ in range(600):
        opened = Path(f"/proc/{pid}/fd").iterdir()
        if any(link.exists() and link.resolve() == file.resolve() for link in opened):
            return
        time.sleep(0.05)
    pytest.fail("the query did not begin within 30 s")
