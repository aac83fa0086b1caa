"""People in the report: beside models, with their agreement and what was hardest for them."""

from pathlib import Path

import pytest
from report_pages import Html, grey_picture, of_kind, published
from sql.tiny_lake import Rows, tiny_rows

from enact_assets.results.report.page import render
from enact_assets.results.report.parts import NONE, Example, Section, Table, Text
from enact_assets.results.report.people_section import people
from enact_assets.results.report.rows import read_rows

QUALITY = {
    "variant": "baseline",
    "demonstration": "setting_the_table-0",
    "kind": "forward",
    "length": 3,
    "n_assigned": 2,
    "n_answered": 2,
    "n_cannot_tell": 0,
    "reasons": [],
    "comments": [],
}


def quality(question: str, role: str, verdicts: list[str], outcome: str, seconds: float) -> dict:
    n_solved = verdicts.count("solved")
    about = {"question_id": question, "role": role, "verdicts": verdicts, "outcome": outcome}
    return QUALITY | about | {"n_solved": n_solved, "median_active_s": seconds}


def judged() -> Rows:
    """Two persons and a solver beside the models."""
    rows = tiny_rows()
    for name, accuracy in (("people (2)", 0.5), ("solvers (1)", 1.0)):
        rows["model_accuracies"] += [
            row | {"model": name, "accuracy": accuracy}
            for row in rows["model_accuracies"]
            if row["model"] == "oracle"
        ]
    rows["question_quality"] = [
        quality("f2", "person", ["solved", "solved"], "solved", 12.0),
        quality("f4", "person", ["solved", "solved"], "solved", 80.0),
        quality("f1", "person", ["cannot_tell", "wrong"], "all_wrong", 30.0)
        | {"reasons": ["unseen"], "comments": ["<b>too dark</b>"], "n_cannot_tell": 1},
        quality("i1", "solver", ["wrong", "wrong"], "all_wrong", 1.0),
    ]
    for question in rows["qa"]:
        by_id = {row["question_id"]: row for row in rows["question_quality"]}
        if question["question_id"] in by_id:
            where = ("demonstration", "kind", "length")
            by_id[question["question_id"]].update({name: question[name] for name in where})
    rows["human_agreement"] = [
        {
            "variant": "baseline",
            "role": role,
            "annotators": "all",
            "kind": None,
            "length": length,
            "measure": measure,
            "n_annotators": 2,
            "n_questions": 40,
            "n_demonstrations": 2,
            "value": value,
            "low": value - 0.1,
            "high": value + 0.05,
            "low_demonstrations": None,
            "high_demonstrations": None,
        }
        for role, length, measure, value in (
            ("person", None, "alpha_answers", 0.8),
            ("person", None, "alpha_places", 0.6),
            ("person", None, "alpha_answers_accepted", 0.9),
            ("person", 3, "alpha_answers", 0.7),
            ("solver", None, "alpha_answers", 0.99),
        )
    ]
    return rows


@pytest.fixture(scope="module")
def section(tmp_path_factory: pytest.TempPathFactory) -> Section:
    root = published(tmp_path_factory.mktemp("people"), judged())
    return people(read_rows(root.warehouse), grey_picture)


def test_without_people_it_says_so_whoever_else_answered(tmp_path: Path) -> None:
    rows = tiny_rows()
    rows["model_accuracies"] = [
        row | {"model": "solvers (1)"} if row["model"] == "oracle" else row
        for row in rows["model_accuracies"]
    ]
    found = people(read_rows(published(tmp_path, rows).warehouse), grey_picture)
    (only,) = found.parts
    assert isinstance(only, Text)
    assert only.text.startswith("Nobody has answered yet.")


def test_people_stand_above_models_and_other_roles_nowhere(section: Section) -> None:
    forward = of_kind(section, Table)[0]
    assert "forward" in forward.caption
    assert [line[0] for line in forward.rows[:2]] == ["people (2)", "people of the paper"]
    at = forward.columns.index("3")
    assert forward.rows[1][at] == "90.4"
    assert forward.rows[0][forward.columns.index("all")] == "50.0"
    assert {"oracle", "guesser"} <= {line[0] for line in forward.rows}
    assert "solver" not in str(section)


def test_agreement_is_that_of_people_beside_the_papers(section: Section) -> None:
    agreement = of_kind(section, Table)[-1]
    assert agreement.columns[-2:] == ("alpha, nominal (answers)", "alpha, ordinal (places)")
    nominal, ordinal = "0.800 [0.700, 0.850]", "0.600 [0.500, 0.650]"
    assert agreement.rows[0] == ("all", "both", "as given", "40", NONE, nominal, ordinal)
    accepted = "0.900 [0.800, 0.950]"
    key = "accepted ones as the key"
    assert agreement.rows[1] == ("all", "both", key, "40", NONE, accepted, NONE)
    # The paper says that its level is ordinal.
    theirs = "0.832 [0.788, 0.868]"
    assert agreement.rows[2] == ("paper: all", "both", "as given", "240", "0.767", NONE, theirs)
    assert len(agreement.rows) == 2 + 4
    assert "configured its analysis for ordinal data (B.1.2)" in str(section)


def test_the_hardest_come_first_with_pictures_and_reasons(section: Section) -> None:
    examples = of_kind(section, Example)
    assert [dict(e.facts)["Question"][0] for e in examples] == ["f1", "f4", "f2"]
    first = examples[0]
    assert "solved by 0 of 2" in first.title
    assert first.strip is not None
    facts = dict(first.facts)
    assert facts["Why they could not tell"] == ("unseen",)
    assert facts["Answers"] == ("all wrong: cannot tell, wrong",)
    assert facts["May mislead"] == ("small", "untold")
    page = Html(render([section], "report"))
    assert "<b>too dark</b>" in page.said


def test_commands_are_code_and_nothing_else_becomes_markup() -> None:
    text = Text("Say `enact-assets annotate`, not <b>`a < b`</b>.")
    html = render([Section("people", "People", (text,))], "report")
    assert "Say <code>enact-assets annotate</code>, not &lt;b&gt;<code>a &lt; b</code>" in html
