"""What is said of missing answers: at the end of a walk, below a leaderboard, after Ctrl-C."""

import shutil
from pathlib import Path

import pytest
from results.report.report_pages import published
from rich.console import Console
from sql.tiny_lake import Rows, answer, lean_sql, publish_on, tiny_rows, write_lake

from enact_assets.answers.baselines.learned_names import REFUSES
from enact_assets.answers.imported.answer_files import NONE_IMPORTED
from enact_assets.commands.coverage import Gap, coverage
from enact_assets.commands.missing_answers import (
    MISSING_ANSWERS,
    command_for,
    missing_answers,
    print_stopped,
)
from enact_assets.engine.grids import Partition
from enact_assets.pipeline.driver.walk import Report
from enact_assets.pipeline.runs.run import Run
from enact_assets.settings.paths import DataRoot

PUBLISHED = Report(fresh={"warehouse": [Partition()]})
GUESSER = Partition.of("guesser", "baseline")
REFUSAL = f"PredictionError: fact_reader {REFUSES}: it is trained on the embedded simulator"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> DataRoot:
    """Of five questions of the baseline the guesser never answered one."""
    found = DataRoot(tmp_path_factory.mktemp("root"), None)
    publish_on(write_lake(found.lake, tiny_rows()), found.warehouse, lean_sql())
    return found


def of_guesser(raw_answer: str | None, error: str | None) -> Rows:
    """Its predictions under the baseline, of which the missing one is this."""
    rows = [row for row in tiny_rows()["predictions"] if (row["model"], row["variant"]) == GUESSER]
    for row in rows:
        if row["raw_answer"] is None:
            row.update(raw_answer=raw_answer, error=error)
    return {"predictions": rows}


def test_missing_answers_are_named_with_their_reason_and_remedy(root: DataRoot) -> None:
    """A stopped model left 2,160 of 2,880 questions unanswered, and the demo ended with 0."""
    said, code = missing_answers(root, PUBLISHED, {})
    assert code == MISSING_ANSWERS == 3
    assert said == (
        "1 answer is missing: 1 of guesser under baseline. Reason of the first: the service was "
        "down. To get them: `enact-assets materialize --model guesser --variant baseline --asset "
        f"predictions --force --data {root.root}`, then `enact-assets materialize --data "
        f"{root.root}`."
    )
    for only in ({"model": ["oracle"]}, {"variant": ["aperture_80"]}):
        assert missing_answers(root, PUBLISHED, only) == ("", 0)
    assert missing_answers(root, Report(fresh={"replays": [Partition.of("a-0")]}), {}) == ("", 0)


def test_a_walk_that_does_not_publish_is_judged_by_the_lake(root: DataRoot, tmp_path: Path) -> None:
    """The command that gets missing answers ended with a message that they are missing."""
    copy = DataRoot(Path(shutil.copytree(root.root, tmp_path / "copy")), None)
    run = Run("predictions", (GUESSER,), ("forced",))
    walks = [
        Report(made=[run]),
        Report(fresh={"predictions": [GUESSER, Partition.of("oracle", "baseline")]}),
    ]
    for report in walks:
        assert missing_answers(copy, report, {})[1] == MISSING_ANSWERS
        assert missing_answers(copy, report, {"model": ["oracle"]}) == ("", 0)
    write_lake(copy.lake, of_guesser("[1, 2]", None))
    for report in walks:
        assert missing_answers(copy, report, {}) == ("", 0)
    assert missing_answers(copy, PUBLISHED, {})[1] == MISSING_ANSWERS
    write_lake(copy.lake, of_guesser(None, "17 pictures, and guesser takes 10 at most"))
    said, code = missing_answers(copy, walks[0], {})
    assert code == MISSING_ANSWERS
    assert said.endswith("takes 10 at most. The model cannot be asked these questions.")
    copy.warehouse.unlink()
    write_lake(copy.lake, of_guesser(None, NONE_IMPORTED))
    said, code = missing_answers(copy, walks[0], {})
    assert code == 0  # nobody meant to ask it here
    assert said.endswith(
        "To get them: `enact-assets import-answers FILE --model guesser --variant baseline --data "
        f"{copy.root}`."
    )


def test_questions_that_a_baseline_of_worldprediction_cannot_answer_are_not_mentioned(
    root: DataRoot, tmp_path: Path
) -> None:
    """`world --step-file captaincook4d` ended with 3, and advised to ask a baseline again."""
    copy = DataRoot(Path(shutil.copytree(root.root, tmp_path / "copy")), None)
    of = ("clip_chain", "world:films"), ("guesser", "world:films")
    for model, variant in of:
        rows = of_guesser(None, "no pictures of this question")["predictions"]
        of_model = [row | {"model": model, "variant": variant} for row in rows]
        write_lake(copy.lake, {"predictions": of_model})
    runs = [Run("predictions", (Partition.of(*names),), ("new",)) for names in of]
    assert missing_answers(copy, Report(made=runs[:1]), {}) == ("", 0)
    said, code = missing_answers(copy, Report(made=runs), {})
    assert code == MISSING_ANSWERS
    assert "missing: 1 of guesser under world:films. " in said


def test_advice_for_a_model_that_costs_money_names_the_option_without_which_it_buys_nothing(
    tmp_path: Path,
) -> None:
    lean = DataRoot(tmp_path, None)
    asked = {"n_missing": 1, "n_asked": 2, "reason": "the service was down"}
    wanted = "--asset predictions --force{} --data " + str(tmp_path)
    for model, spending in (("openai:gpt-5-mini", " --max-usd USD"), ("identity", ""), ("x", "")):
        command = command_for(Gap(model, "baseline", **asked), lean)
        assert command.endswith(wanted.format(spending)), model


def test_a_damaged_file_does_not_hide_that_the_command_was_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C ended with exit code 2 and an error about the file."""
    damaged = DataRoot(tmp_path, None)
    damaged.warehouse.write_bytes(b"no database")
    print_stopped(damaged, Report(), Console(width=200))
    said = capsys.readouterr().out
    assert f"unknown: {damaged.warehouse}: " in said.replace("\n", "")


def test_a_leaderboard_says_what_it_covers(root: DataRoot, capsys) -> None:
    of_baseline = "5 questions about 2 demonstrations. Answers are missing: guesser lacks 1 of 5"
    assert coverage(root.warehouse, "baseline") == f"{of_baseline}."
    of_probe = "2 questions about 2 demonstrations; no answer is missing."
    assert coverage(root.warehouse, "aperture_80") == of_probe
    run = Run("replays", (Partition.of("a-0"),), ("new",))
    print_stopped(root, Report(made=[run]), Console(width=200))
    said = capsys.readouterr().out
    assert said.startswith("\nThe DuckDB file and the report were")
    assert said.endswith(f"\n  baseline: {of_baseline}.\n")
    print_stopped(root, PUBLISHED, Console(width=200))
    assert capsys.readouterr().out == ""


def lacking(**reasons: str) -> Rows:
    """Each of these models left a question unanswered, for its reason."""
    rows = tiny_rows()
    for model, reason in reasons.items():
        answer(rows, model, "baseline", "f1")
        rows["predictions"][-1]["error"] = reason
    return rows


@pytest.mark.slow
def test_what_a_trained_reference_refuses_is_not_to_be_got(tmp_path: Path) -> None:
    """Exit code 3 after each run would advise a command that never gets these answers."""
    only = {"model": ["fact_reader", "slow"]}
    root = published(tmp_path / "refused", lacking(fact_reader=REFUSAL))
    assert missing_answers(root, PUBLISHED, only) == ("", 0)
    assert "fact_reader lacks 1 of 1" in coverage(root.warehouse, "baseline")
    root = published(tmp_path / "both", lacking(fact_reader=REFUSAL, slow="the service was down"))
    said, code = missing_answers(root, PUBLISHED, only)
    assert code == MISSING_ANSWERS
    assert said.startswith("1 answer is missing: 1 of slow under baseline.")
