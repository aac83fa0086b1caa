"""The command line as people call it: exit codes, and one message for a wrong call."""

import json
from pathlib import Path

import pytest

from enact_assets.cli import main
from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.driver import terminal
from enact_assets.pipeline.lineage.code import code_version
from enact_assets.pipeline.lineage.graph import ROOTS, STEPS
from enact_assets.settings.registry import DEFAULT_REGISTRY

BY_CODE = [asset for step in STEPS if step.name not in ROOTS for asset in step.assets]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(words)
    return code, capsys.readouterr().out


def failing(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a call that fails says, to people; whoever reads its output gets nothing."""
    assert main(words) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    return printed.err


def test_the_leaderboard_and_sql_read_what_was_published(materialized, capsys) -> None:
    data = ("--data", str(materialized.root))
    code, printed = run(capsys, "leaderboard", *data)
    assert code == 0
    assert "oracle" in printed
    assert "100.0 %" in printed
    assert "stale" not in printed
    code, printed = run(capsys, "sql", "select count(*) as n_rows from qa", *data)
    assert (code, "n_rows" in printed) == (0, True)
    code, printed = run(capsys, "list", *data)
    assert (code, "pixel_continuity" in printed) == (0, True)
    rows = Lake(materialized.root / "lake").read("question_set", {"question_set": "state"})
    n = rows.filter("in_question_set").height
    assert n > 0
    assert f"question set state, recorded demonstrations: {n:,} of 8,972 questions" in printed
    assert "found: the questions of the materialized question_set" in printed
    assert "too few" in printed


def test_list_counts_what_is_not_materialized_with_the_most_it_may_give(
    tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENACT_REGISTRY", str(DEFAULT_REGISTRY))
    code, printed = run(capsys, "list", "--data", str(tmp_path / "none"))
    assert code == 0
    assert "upper bound: path_counts of 29 of 29 demonstrations is not materialized" in printed
    assert "question set state, embedded demonstrations: 8,972 of 8,972 questions" in printed
    assert "all of them by baseline; the probe questions by aperture_30" in printed
    assert "30 per kind and length by contact" in printed
    assert "145 at length 3 to 9, 137 at length 10, per kind by symbolic_predicates" in printed
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("materialize", "--demonstration", "fly-0"), "unknown activity 'fly'"),
        (("materialize", "--variant", "mirror"), "unknown variant 'mirror'"),
        (("materialize", "--model", "gpt-9000"), "unknown model 'gpt-9000'"),
        (("materialize", "--asset", "qaa"), "unknown asset 'qaa'"),
        (("forget", "model", "gpt-9000"), "unknown model 'gpt-9000'"),
        (("sql", "select * from nothing"), "nothing"),
    ],
)
def test_a_wrong_name_ends_in_one_message(materialized, capsys, words, told: str) -> None:
    printed = failing(capsys, *words, "--data", str(materialized.root))
    assert printed.startswith("enact-assets: ")
    assert told in printed
    assert "Traceback" not in printed


def test_a_second_materialize_says_there_is_nothing_to_do(materialized, capsys) -> None:
    code, printed = run(capsys, "materialize", "--data", str(materialized.root))
    assert code == 0
    assert printed.startswith("Nothing to do: all ")


def test_a_plan_as_json_is_nothing_but_json_however_long_the_lake_takes(
    materialized, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "LINE_EVERY_S", 0.0)
    monkeypatch.setattr(terminal, "READING_SHOWN_S", 0.0)
    data = ("--data", str(materialized.root))
    assert main(["plan", *data]) == 0
    assert "reading the lake" in capsys.readouterr().out
    assert main(["plan", "--json", *data]) == 0
    assert json.loads(capsys.readouterr().out)["stale"] == []


def test_a_plan_begins_with_what_an_update_of_the_package_makes_stale(
    materialized, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else hours of pictures are begun unawares."""
    edited = {"frame_images", "evaluation"}
    new = {name: "new" if name in edited else code_version(name) for name in BY_CODE}
    monkeypatch.setattr("enact_assets.pipeline.runs.reported.code_version", new.__getitem__)
    lake, data = Lake(materialized.root / "lake"), ("--data", str(materialized.root))
    assert main(["plan", "--json", *data]) == 0
    found = json.loads(capsys.readouterr().out)["new_version"]
    n_partitions = [len(lake.partitions(asset)) for asset in ("frame_images", "evaluation")]
    n_pictures = sum(lake.read("frame_images", p).height for p in lake.partitions("frame_images"))
    assert (found["n_partitions"], found["n_pictures"]) == (sum(n_partitions), n_pictures)
    assert found["n_answers"] == 0
    assert 0 < found["hours"] < 1
    assert main(["plan", *data]) == 0
    said = capsys.readouterr().out
    assert f"Expected: {n_pictures} pictures again, about " in " ".join(said.split())
    first = said.splitlines()[0]
    assert first == (
        f"New version: {sum(n_partitions)} partitions to make again, {n_pictures} pictures to "
        "render, minutes."
    )


@pytest.mark.parametrize(
    "words",
    [
        *(("gc",), ("gc", "--delete"), ("verify",)),
        ("forget", "model", "oracle"),
    ],
)
def test_who_only_looks_makes_no_folder(tmp_path: Path, capsys, words: tuple[str, ...]) -> None:
    """A mistyped name would become a data root, and look like one that was emptied."""
    mistyped = tmp_path / "daat"
    assert "no such folder" in failing(capsys, *words, "--data", str(mistyped))
    assert not mistyped.exists()


def test_a_plan_of_a_new_root_says_so_and_makes_no_folder(tmp_path: Path, capsys) -> None:
    """Researcher F11: one wants to know before there is a folder."""
    new = tmp_path / "data"
    chosen = ("--demonstration", "setting_the_table-0", "--variant", "baseline", "--data", str(new))
    assert main(["plan", *chosen]) == 0
    said = capsys.readouterr().out
    assert "does not exist yet. In a new data root:" in said
    assert "1 partition of pictures for the first time" in " ".join(said.split())
    assert "no time is known of frame_images, predictions, " in " ".join(said.split())
    assert main(["plan", "--json", *chosen]) == 0
    planned = json.loads(capsys.readouterr().out)
    assert planned["work"]["n_new_pictures"] == 1
    assert planned["work"]["hours"] == 0
    assert not new.exists()
    new.write_text("")
    assert f"{new}: no such folder" in failing(capsys, "plan", *chosen)
