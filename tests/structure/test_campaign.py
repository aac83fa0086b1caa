"""Campaigns of kills, faults and fuzz cases add up over runs."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from campaign.empty_tables import EMPTY, wrongly_empty
from campaign.faults import Faults
from campaign.kills import paid_for
from campaign.small_roots import AskedServer, Undisturbed, counts, pace
from campaign.tally import FILE, NEVER_TRIED, Tally, as_text, read_tally

REPOSITORY = Path(__file__).parents[2]
KILLS = "kills"
POWER_CUT, READ_ONLY = "power cut", "package that cannot be written"
EVENTS = {
    "a partition cannot be made": ["recording gone or broken"],
    "killed at any moment, power cut": [KILLS, POWER_CUT],
    "disk full, disk read-only": ["disk full", "file size limit", "disk read-only"],
    "package and home cannot be written (read-only containers, any user id)": [READ_ONLY],
    "two drivers on one data root, or one database": [
        "two drivers",
        "two drivers on one database",
    ],
    "PostgreSQL restarts while a driver works": ["PostgreSQL goes away"],
    "the UI runs a partition beside the driver": ["a run of Dagster beside the driver"],
    "a file was truncated, replaced or deleted": ["damaged files"],
    "`catalogue.db` is damaged, deleted, locked, or on a read-only disk": [
        "damaged files",
        "catalogue.db locked",
        "disk read-only",
    ],
    "a file was damaged, even by one bit": ["damaged files"],
    "the clock jumps": ["clock that steps", "files of other times"],
    "a program has `enact.duckdb` open, for reading or writing": ["enact.duckdb held open"],
    "the data root was moved or copied": ["data root moved or copied"],
    "the data root was copied by hard links (`cp -al`)": ["data root moved or copied"],
    "Dagster's database is lost or replaced": [
        "Dagster's database lost",
        "damaged databases of Dagster",
    ],
    "the object store or the Dask scheduler goes away": [
        "object store goes away",
        "Dask scheduler killed",
        "Dask worker killed",
    ],
    "a model's provider goes away, errs or is slow": [
        "model server goes away",
        "model server errs",
        "model server is slow",
    ],
    "a recording's disk is not mounted": ["recording gone or broken"],
    "a file of the lake cannot be read (rights, too many open files, a disk error)": [
        "lake files that may not be read",
        "too few open files",
    ],
}
"""Event of docs/operations.md -> what a campaign does about it."""


def made_by_nobody() -> Undisturbed:
    raise AssertionError


def faults(folder: Path, tally: Tally) -> Faults:
    return Faults(folder, tally, made_by_nobody, "", print)


def test_every_event_of_the_documentation_is_a_fault(tmp_path: Path) -> None:
    text = (REPOSITORY / "docs/operations.md").read_text()
    table = text.partition("## When something breaks")[2].partition("\n\n")[0]
    events = re.findall(r"^\| (.+?) \|", table, flags=re.MULTILINE)[1:]
    assert set(events) == set(EVENTS)
    kinds = set(faults(tmp_path, Tally()).kinds)
    assert {kind for found in EVENTS.values() for kind in found} == {
        *(KILLS, POWER_CUT, READ_ONLY),
        *kinds,
    }
    assert {POWER_CUT, READ_ONLY} < NEVER_TRIED.keys()


def test_a_table_without_rows_is_told_unless_it_is_listed() -> None:
    assert wrongly_empty({"qa": 3, "later": 0}, {"later": "so it is"}) == []
    told = wrongly_empty({"qa": 0, "later": 2}, {"later": "so it is", "gone": "as well"})
    assert told == [
        "qa has no row: nothing of it would be compared",
        "later has 2 rows, and is listed as empty: so it is",
        "gone has None rows, and is listed as empty: as well",
    ]


def test_what_nobody_has_in_the_small_root_the_simulated_one_has() -> None:
    reasons = {name: EMPTY["small"][name] for name in set(EMPTY["small"]) & set(EMPTY["simulated"])}
    assert not [name for name, why in reasons.items() if "the simulated root" in why]


def test_lines_that_were_paid_for_are_whole_ones(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger/openrouter/seer-1/1.jsonl"
    ledger.parent.mkdir(parents=True)
    ledger.write_bytes(b'{"a": 1}\n{"b": 2}\n{"c"')
    assert paid_for(tmp_path) == {b'{"a": 1}\n', b'{"b": 2}\n'}


@pytest.mark.slow
def test_a_server_comes_back_on_its_port() -> None:
    server = AskedServer()
    url = server.url
    pace(url, 600)
    server.kill()
    server.start()
    try:
        assert server.url == url
        assert (counts(url).sold, counts(url).in_flight) == (0, 0)
    finally:
        server.kill()


def test_a_tally_is_read_as_it_was_written(tmp_path: Path) -> None:
    tally = Tally(seed=3)
    tally.units.update(kills=1, faults=2)
    tally.kills.update({"qa, replays": 2})
    tally.n_while_asked, tally.n_in_flight, tally.n_sold, tally.n_wanted = 2, 7, 33, 29
    tally.faults["disk full"] += 1
    tally.skipped["object store goes away: not installed: s3fs"] += 1
    tally.cases["registry"] = Counter(read=4, refused=3)
    tally.found("disk full", 1, ["qa: missing"])
    tally.write(tmp_path)
    again = read_tally(tmp_path, 3)
    assert again == tally
    with pytest.raises(ValueError, match=rf"{FILE} was begun with --seed 3, not 4"):
        read_tally(tmp_path, 4)
    text = as_text(again, ["qa", "replays", "report"])
    for line in (
        "| power cut | NOT TRIED here: what a disk",
        "asked: 2, with 7 questions in flight; chains bought 33 answers, 29 if undisturbed",
        "| object store goes away: not installed: s3fs | NOT TRIED: 1 |",
        "steps never hit: report",
        "faults: 1 tried, 1 not tried",
        "fuzz cases: 7",
        "findings: 1",
        "- disk full 1: qa: missing",
    ):
        assert line in text


@pytest.mark.slow
def test_the_campaign_goes_on_and_adds_up(tmp_path: Path) -> None:
    """``--keep``: the second run begins where the first stopped. The first has a chain of kills,
    after which all is as in an undisturbed root, and a fault; the second only kills a page. That
    root asks, and has rows in every table: else whoever makes it ends with an error. Once it had no
    question, and a thousand kills compared empty tables from there on.
    """
    kept = tmp_path / "kept"
    chains = [("one process", 0, 2), ("people", 2, 3)]
    for number, (kind, n_before, n) in enumerate(chains):
        done = subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, "tests/campaign", "--kinds", kind, "--kills", str(n), "--faults", "1",
             "--keep", kept, "--scratch", tmp_path / "scratch"],
            cwd=REPOSITORY, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"kill {n}, chain {number} ({kind})" in done.stdout
        kills = re.findall("^kill ", done.stdout, flags=re.MULTILINE)
        assert len(kills) == n - n_before, "none twice"
        tally = read_tally(kept, 0)
        assert (tally.n_kills, tally.units["kills"]) == (n, number + 1)
        assert (tally.units["faults"], tally.findings) == (1, [])
