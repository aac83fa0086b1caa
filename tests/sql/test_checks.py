"""Each check passes on a sound lake and fails on one broken in the way it is there to notice."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from sql.tiny_lake import (
    BOIL,
    SQL_FILES,
    TABLE,
    Relations,
    Rows,
    answer,
    tiny_rows,
)

from enact_assets.engine.errors import TableContractError
from enact_assets.engine.publishing.relations import StalePartitions
from enact_assets.engine.publishing.warehouse_checks import (
    SPLIT_BY,
    CheckResult,
    Within,
    merged,
    run_check,
)
from enact_assets.engine.tables import TABLES
from enact_assets.results.verification.tables import Evaluation

Break = Callable[[Rows], None]


def _set(name: str, where: dict[str, Any], **values: Any) -> Break:
    """Change the one row of a table that matches ``where``."""

    def change(rows: Rows) -> None:
        [row] = [r for r in rows[name] if where.items() <= r.items()]
        row |= values

    return change


def _drop(name: str, **where: Any) -> Break:
    """Remove the rows of a table that match ``where``."""

    def change(rows: Rows) -> None:
        kept = [r for r in rows[name] if not where.items() <= r.items()]
        assert len(kept) < len(rows[name])
        rows[name] = kept

    return change


def _empty_question_set(rows: Rows) -> None:
    """As after a draw over no demonstration at all: questions are there, nobody asks them."""
    for name in ("question_set", "asked_questions", "predictions", "evaluation", "probes"):
        rows[name] = []


def _asked(model: str, question_id: str) -> dict[str, Any]:
    return {"model": model, "variant": "baseline", "question_id": question_id}


def _score(model: str, question_id: str, **values: Any) -> Break:
    return _set("evaluation", _asked(model, question_id), **values)


def _step(model: str, question_id: str, step: int) -> dict[str, Any]:
    return {**_asked(model, question_id), "step": step}


def _published(
    model: str, length: int, accuracy: float, *, kind: str, metric: str = "task_accuracy"
) -> Break:
    where = {"experiment": "main", "published_model": model, "kind": kind, "metric": metric}
    return _set("published_accuracies", {**where, "length": length}, accuracy=accuracy)


UNSCORED = dict.fromkeys(
    ("answer", "is_exact", "is_semantic", "is_accepted", "n_steps_passed", "pairwise_accuracy")
)
WRONG = {"is_accepted": False, "n_steps_passed": 0, "pairwise_accuracy": 0.0}
LAST_STEP = {"model": "guesser", "question_id": "f3", "step": 3}
WORLD = "published_worldprediction"
SWAPPED = [["+RightGrasping(robot, cup)"], ["+Open(fridge)"]]
BREAKS: dict[str, list[tuple[str, Break]]] = {
    "compared_answers_are_those_evaluated": [
        ("'n_steps': 2, 'n_steps_evaluated': 3", _drop("compared_steps", **LAST_STEP)),
        ("'n_steps_passed': 1", _set("compared_steps", _step("oracle", "f1", 1), is_passed=False)),
    ],
    "published_accuracy_falls_with_length": [
        ("'n_courses': 60", _drop("published_accuracies", experiment="main", kind="inverse")),
        ("'n_courses': 0", _drop("published_accuracies", experiment="main")),
        ("Claude Sonnet 4", _published("Claude Sonnet 4", 9, 0.05, kind="forward")),
        ("Claude Sonnet 4", _published("Claude Sonnet 4", 10, 0.99, kind="inverse")),
    ],
    "published_inverse_is_above_forward": [
        ("'n_compared': 0", _drop("published_accuracies", experiment="main", kind="inverse")),
        ("GPT-5 nano", _published("GPT-5 nano", 4, 1.0, kind="forward")),
        (
            "Gemma-3-4b-it",
            _published("Gemma-3-4b-it", 5, 0.9, kind="inverse", metric="pairwise_accuracy"),
        ),
    ],
    "published_people_are_near_the_ceiling": [
        ("'n_compared': 16", _drop("published_accuracies", experiment="main", kind="forward")),
        ("'length': 7", _published("Human", 7, 0.83, kind="forward")),
        (
            "'best_of_models': 0.94",
            _published("GPT-5", 10, 0.94, kind="inverse", metric="pairwise_accuracy"),
        ),
    ],
    "published_worldprediction_adds_up": [
        (
            "wm samples by data set",
            _set(WORLD, {"task": "wm", "published_name": "COIN", "metric": "samples"}, value=235.0),
        ),
        (
            "'what': 'wm best vlm'",
            _set(WORLD, {"task": "wm", "published_name": "Qwen2.5-VL (72B)"}, value=0.56),
        ),
        (
            "pp accuracies that are no share",
            _set(WORLD, {"task": "pp", "published_name": "PDP"}, value=0.343),
        ),
        (
            "'what': 'captioner 72B, table 4'",
            _drop(WORLD, task="wm", published_name="Qwen2.5VL (72B)"),
        ),
    ],
    "qa_answers_are_permutations": [
        ("f1", _set("qa", {"question_id": "f1"}, answer=[1, 1])),
        ("f2", _set("qa", {"question_id": "f2"}, answer=[0, 1])),
        ("f3", _set("qa", {"question_id": "f3"}, actions=["one"])),
    ],
    "qa_answers_restore_the_order": [
        ("f1", _set("qa", {"question_id": "f1"}, shown_key_frames=[0, 1, 2])),
        ("f1", _set("qa", {"question_id": "f1"}, action_components=SWAPPED)),
        ("i1", _set("qa", {"question_id": "i1"}, answer=[1, 2, 3])),
    ],
    "trajectory_steps_are_edges": [
        (
            "setting_the_table-0:0-1-2",
            _drop("transition_graph", demonstration=TABLE, key_frame_to=2),
        ),
        (
            "setting_the_table-0:0-1-2",
            _set("trajectories", {"trajectory_id": "setting_the_table-0:0-1-2"}, frames=[20]),
        ),
    ],
    "question_set_questions_exist": [
        ("f2", _drop("qa", question_id="f2")),
        ("asked_questions", _set("asked_questions", {"question_id": "f2"}, length=9)),
    ],
    "asked_questions_are_those_of_qa": [
        ("f3", _set("asked_questions", {"question_id": "f3"}, prompt="Something else.")),
        ("i1", _set("asked_questions", {"question_id": "i1"}, answer=[1, 2, 3])),
        (
            "aperture_80",
            _set(
                "asked_questions",
                {"question_id": "f1", "variant": "aperture_80"},
                told_components=SWAPPED,
                wording="emoji",
            ),
        ),
    ],
    "question_set_has_its_pictures": [
        (
            "'key_frame': 2",
            _drop("frame_images", demonstration=BOIL, variant="baseline", key_frame=2),
        ),
        (
            "'variant': 'aperture_80'",
            _drop("frame_images", demonstration=BOIL, variant="aperture_80", key_frame=2),
        ),
    ],
    "oracle_is_always_right": [
        ("f3", _score("oracle", "f3", is_accepted=False, pairwise_accuracy=0.0)),
        ("f3", _score("oracle", "f3", answer_status="unparsed")),
    ],
    "question_set_is_not_empty": [("'gating': 'state'", _empty_question_set)],
    "leaderboard_counts_add_up": [
        ("guesser", _score("guesser", "f1", answer_status="lost")),
        ("guesser", _score("guesser", "i1", **UNSCORED)),
    ],
    "scores_are_fractions": [
        ("guesser baseline f1", _score("guesser", "f1", pairwise_accuracy=1.5)),
        (
            "visibility",
            _set(
                "visibility",
                {"demonstration": TABLE, "key_frame": 0, "object_name": "cup_0"},
                fraction=-0.1,
            ),
        ),
        ("probes", _set("probes", {"model": "guesser"}, welch_p=1.1)),
    ],
    "predicted_questions_exist": [
        ("gone", _set("predictions", _asked("guesser", "f1"), question_id="gone"))
    ],
    "evaluated_answers_were_predicted": [
        (
            "no prediction",
            _drop("predictions", model="guesser", question_id="f1", variant="baseline"),
        ),
        ("no question", _score("guesser", "f1", gating="contact")),
    ],
    "missing_answers_have_no_score": [
        ("f4", _score("guesser", "f4", pairwise_accuracy=0.0)),
        ("f4", _score("guesser", "f4", answer_status="unparsed", **WRONG)),
        ("f2", _score("guesser", "f2", pairwise_accuracy=None)),
        ("f1", _score("guesser", "f1", n_steps_passed=3)),
        ("f2", _score("guesser", "f2", is_accepted=None)),
        ("'reason': 'refused', 'stop': None", _score("guesser", "f2", reason="refused")),
        # f2 is unparsed and wrong; unparsed and left out are the rules of another profile.
        ("i1", _score("guesser", "i1", answer_status="unparsed", **UNSCORED)),
    ],
    "compared_components_add_up": [
        ("f3", _set("compared_steps", _step("guesser", "f3", 2), n_matched=1)),
        (
            "f3",
            _set(
                "compared_steps", _step("guesser", "f3", 3), n_polarity_inversions=1, n_omissions=1
            ),
        ),
        ("f3", _set("compared_steps", _step("guesser", "f3", 1), n_left_mixed=1)),
        ("f1", _drop("compared_steps", **_step("oracle", "f1", 1))),
        ("i1", _drop("compared_components", **_step("guesser", "i1", 2), outcome="hallucination")),
        (
            "i1",
            _set(
                "compared_components",
                {**_step("guesser", "i1", 2), "outcome": "polarity_inversion"},
                outcome="entity_substitution",
            ),
        ),
        ("f1", _drop("compared_steps", **_asked("oracle", "f1"))),
    ],
    "fact_intervals_are_ordered": [
        (
            "'frame_to': 301",
            _set("facts", {"demonstration": TABLE, "subject": "cup_0"}, frame_to=301),
        ),
        (
            "'frame_from': 300",
            _set("facts", {"demonstration": TABLE, "subject": "cup_0"}, frame_from=300),
        ),
        ("'n_frames': None", _drop("demonstrations", demonstration=TABLE)),
    ],
    "world_questions_have_their_candidates": [
        (
            "'question_id': 'pp-1', 'task': 'pp', 'length': 3, 'n_candidates': 11",
            _drop("world_candidates", question_id="pp-1", option="A", place=3),
        ),
        (
            "wm-1",
            _set(
                "world_candidates", {"question_id": "wm-1", "option": "C"}, category="open fridge"
            ),
        ),
        ("'n_candidates': 0", _drop("world_candidates", question_id="wm-1")),
    ],
}


BROKEN = [(check, *broken) for check, breaks in BREAKS.items() for broken in breaks]
CHECKS = [file for file in SQL_FILES.values() if file.stage == "checks"]


def offences(rows: Rows, *checks: str, stale: pl.DataFrame | None = None) -> dict[str, CheckResult]:
    """The checks, of those called ``checks`` or of all, that find something in ``rows``."""
    made = Relations(rows, stale)
    files = [file for file in CHECKS if not checks or file.name in checks]
    results = [run_check(made.connection_for(file.text), file) for file in files]
    return {result.name: result for result in results if not result.is_passed}


def offences_by_demonstration(rows: Rows, check: str) -> CheckResult:
    """What publishing finds, which looks at some demonstrations after others."""
    file = SQL_FILES[check]
    connection = Relations(rows).connection_for(file.text)
    ranges = [Within(None, TABLE), Within(TABLE, None)]
    tables = [n for n in file.reads if n in TABLES and SPLIT_BY in TABLES[n].schema()]
    rows = [{table: within.rows_of(table) for table in tables} for within in ranges]
    [result] = merged([run_check(connection, file, some) for some in rows])
    return result


def test_sound_rows_offend_no_check() -> None:
    assert offences(tiny_rows()) == {}


@pytest.mark.parametrize(
    ("check", "named", "break_rows"), BROKEN, ids=[f"{b[0]}-{n}" for n, b in enumerate(BROKEN)]
)
def test_what_breaks_a_rule_is_found_and_the_offending_row_is_named(
    check: str, named: str, break_rows: Break
) -> None:
    rows = tiny_rows()
    break_rows(rows)
    assert rows != tiny_rows()
    found = offences(rows, check)[check]
    if SQL_FILES[check].is_by_demonstration:
        assert offences_by_demonstration(rows, check) == found
    line = str(found)
    assert line.startswith(f"check {check}: ")
    assert "offending rows, first {" in line
    assert named in line
    assert "What to do: " in line


def test_a_score_that_is_not_a_number_is_outside_too() -> None:
    """The table refuses it before; a file from elsewhere may hold it, and `between` is false."""
    rows = tiny_rows()
    _score("guesser", "f1", pairwise_accuracy=float("nan"))(rows)
    with pytest.raises(TableContractError, match=r"1 of 12 rows .*pairwise_accuracy.*'f1'"):
        Evaluation.check(Evaluation.build(rows["evaluation"]))
    check = SQL_FILES["scores_are_fractions"]
    connection = Relations(tiny_rows()).connection_for(check.text)
    connection.execute(
        "update evaluation set pairwise_accuracy = 'nan' "
        "where model = 'guesser' and variant = 'baseline' and question_id = 'f1'"
    )
    assert "guesser baseline f1" in str(run_check(connection, check))


def test_every_check_is_shown_to_fail() -> None:
    """A check that cannot fail is worse than none."""
    assert set(BREAKS) == {file.name for file in CHECKS}


def test_pictures_are_not_due_before_any_was_made() -> None:
    """Questions are there long before a slow renderer is done: that is not an error."""
    rows = tiny_rows()
    rows["frame_images"] = [r for r in rows["frame_images"] if r["demonstration"] != BOIL]
    assert offences(rows) == {}


def test_an_oracle_that_was_never_asked_contradicts_nothing() -> None:
    """One demonstration without pictures would block every publication."""
    rows = tiny_rows()
    for name in ("predictions", "evaluation"):
        rows[name] = [r for r in rows[name] if not _asked("oracle", "f3").items() <= r.items()]
    answer(rows, "oracle", "baseline", "f3")
    assert rows["evaluation"][-1]["answer_status"] == "missing"
    assert offences(rows) == {}


def test_questions_that_are_known_to_be_old_are_published_as_such() -> None:
    """Where making them again failed, old answers stay published and are named as old."""
    rows = tiny_rows()
    rows["asked_questions"][0]["prompt"] = "As it was asked before."
    old = [("question_set", "state"), ("asked_questions", rows["asked_questions"][0]["variant"])]
    for asset, partition in old:
        row = {"asset": asset, "partition": partition, "state": "stale", "why": "qa has changed"}
        stale = StalePartitions.build([row])
        assert offences(rows, stale=stale) == {}
    assert set(offences(rows)) == {"asked_questions_are_those_of_qa"}


def test_errors_that_are_known_to_be_old_are_published_as_such() -> None:
    """Scores stay current while the error analysis of another answer is made again."""
    rows = tiny_rows()
    _set("compared_steps", _step("oracle", "f1", 1), is_passed=False)(rows)
    found = {"asset": "compared_steps", "partition": "oracle|baseline", "state": "stale"}
    stale = StalePartitions.build([{**found, "why": "evaluation changed"}])
    check = "compared_answers_are_those_evaluated"
    assert offences(rows, check, stale=stale) == {}
    assert set(offences(rows, check)) == {check}


def test_no_question_set_is_due_where_nothing_was_written() -> None:
    """The first publication may come before the first question."""
    rows = tiny_rows()
    _empty_question_set(rows)
    rows["qa"] = []
    assert offences(rows) == {}


def test_the_empty_set_of_one_gating_is_not_hidden_by_another() -> None:
    rows = tiny_rows()
    for name in ("qa", "transition_graph"):
        rows[name] += [{**row, "gating": "contact"} for row in rows[name]]
    [found] = offences(rows).values()
    assert (found.name, found.n_offending) == ("question_set_is_not_empty", 1)
    assert "'contact'" in str(found)
