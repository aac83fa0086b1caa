"""Pooled annotators: how far they agree, and what their answers say of questions."""

import math
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from answers.people.panels import panel
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.answers.people.alpha import Ratings, nominal_alphas, ordinal_alphas
from enact_assets.answers.people.annotator_agreement import ENOUGH, LEAST_ANSWERS, agreement
from enact_assets.answers.people.annotator_names import role_of
from enact_assets.answers.people.keeping import kept_questions, question_ambiguities
from enact_assets.answers.people.pooling import with_pooled_annotators
from enact_assets.answers.people.quality import question_quality, verified_answers
from enact_assets.answers.people.tables import (
    HumanAgreement,
    HumanAnswers,
    KeptQuestions,
    QuestionQuality,
)
from enact_assets.results.verification.tables import Evaluation
from enact_assets.settings.classes import QuestionSetSettings

from reference.agreement import nominal, ordinal, slow_alpha

RIGHT, WRONG, OTHER = [2, 1, 3], [1, 2, 3], [3, 2, 1]
ASKED = {"variant": "baseline", "demonstration": "setting_the_table-0"}
ASKED |= {"kind": "forward", "length": 4}


def row(model: str, question: str, given: list[int] | str | None) -> dict:
    """``given``: an order, a reason why the annotator cannot tell, or nothing yet."""
    status = "missing" if given is None else "unparsed" if isinstance(given, str) else "parsed"
    found = {"model": model, "repetition": 0, "gating": "state", **ASKED, "question_id": question}
    found |= {"answer_status": status, "answer": given if status == "parsed" else None}
    found |= {"n_steps": 3}
    if status != "missing":
        is_right = given == RIGHT
        found |= dict.fromkeys(("is_exact", "is_semantic", "is_accepted"), is_right)
        found |= {"n_steps_passed": 3 * is_right, "pairwise_accuracy": float(is_right)}
    return found


def said(annotator: str, question: str, given: list[int] | str | None) -> dict:
    is_answer = isinstance(given, list)
    found = {"annotator": annotator, "role": "person", **ASKED, "question_id": question}
    found |= {"version": f"{question} as shown", "position": 0, "shuffle": [1, 2, 3]}
    found |= {"is_last": True, "comment": "too dark" if isinstance(given, str) else ""}
    found |= {"answer" if is_answer else "reason": given}
    if given is not None:
        found |= {"received_at": f"2026-01-0{annotator[-1]}", "revision": 0}
        found |= {"active_s": 10.0 + 20.0 * is_answer}
    return found


GIVEN = {
    "solved": (RIGHT, RIGHT),
    "one_wrong": (RIGHT, WRONG),
    "same_wrong": (WRONG, WRONG),
    "all_wrong": (WRONG, OTHER),
    "cannot_tell": ("unseen", "unseen"),
    "some_wrong": (RIGHT, WRONG, OTHER),
    "half": (RIGHT, None),
    "unanswered": (None, None),
}
ALL_GIVEN = [
    (f"person_{k}", question, given)
    for question, all_given in GIVEN.items()
    for k, given in enumerate(all_given, start=1)
]


@pytest.fixture(scope="module")
def evaluation() -> pl.DataFrame:
    rows = [row(*one) for one in ALL_GIVEN]
    return Evaluation.build([*rows, row("solver_1", "solved", WRONG), row("gpt", "solved", WRONG)])


def test_outcomes(evaluation: pl.DataFrame) -> None:
    answers = HumanAnswers.build([said(*one) for one in ALL_GIVEN])
    found = QuestionQuality.check(question_quality(answers, evaluation))
    people = {r["question_id"]: r for r in found.filter(role="person").iter_rows(named=True)}
    assert {q: r["outcome"] for q, r in people.items()} == {
        **{q: q for q in GIVEN if q not in {"half", "unanswered"}},
        "half": "solved",
    }
    cannot = people["cannot_tell"]
    assert (cannot["n_answered"], cannot["n_solved"], cannot["n_cannot_tell"]) == (2, 0, 2)
    assert (cannot["reasons"], cannot["comments"]) == (["unseen"], ["too dark"] * 2)
    assert cannot["median_active_s"] == 10
    assert people["half"]["n_assigned"] == 2
    assert people["one_wrong"]["verdicts"] == ["solved", "wrong"]
    assert people["some_wrong"]["verdicts"] == ["solved", "wrong", "wrong"]
    assert found.filter(role="solver")["outcome"].to_list() == ["all_wrong"]


def test_verified_answers_take_accepted_orders_for_the_reference(evaluation: pl.DataFrame) -> None:
    questions = pl.DataFrame({"question_id": list(GIVEN), "answer": [RIGHT] * len(GIVEN)})
    is_other = pl.col("question_id") == "all_wrong"
    other = evaluation.with_columns(is_accepted=is_other | pl.col("is_accepted"))
    found = verified_answers(other, questions)
    assert "gpt" not in found["annotator"]
    mine = found.filter(question_id="all_wrong")
    assert mine["answer"].to_list() == [WRONG, OTHER]
    assert mine["as_accepted"].to_list() == [RIGHT, RIGHT]
    assert found.filter(question_id="cannot_tell")["answer"].null_count() == 2
    assert found.filter(question_id="unanswered").is_empty()


def test_pooling_keeps_every_answer_once(evaluation: pl.DataFrame) -> None:
    found, names = with_pooled_annotators(evaluation)
    assert names == ["people (3)", "solvers (1)"]
    assert found.height == evaluation.height
    Evaluation.check(Evaluation.arranged(found))
    people = found.filter(model="people (3)", question_id="some_wrong")
    assert sorted(people["repetition"]) == [0, 1, 2]
    models = evaluation.filter(model="gpt")
    assert with_pooled_annotators(models) == (models, []) or (
        with_pooled_annotators(models)[0].equals(models)
    )


def test_names_say_roles() -> None:
    names = ("person_1", "solver_12", "simulated_3", "person_", "person_01", "persons_1", "lead_1")
    assert [role_of(name) for name in names] == ["person", "solver", "simulated", *[None] * 4]


VERDICTS = {
    "kept": ["solved", "solved"],
    "kept_later": ["solved", "solved", "wrong", "solved"],
    "dropped": ["solved", "wrong", "solved"],
    "cannot": ["cannot_tell", "solved"],
    "one": ["solved"],
}


@pytest.fixture
def chosen() -> pl.DataFrame:
    """Rows of ``question_set``: those of :data:`VERDICTS`, one of nobody, one of no set."""
    return pl.DataFrame(
        [
            {"question_set": "solved", **ASKED, "question_id": q, "in_question_set": q != "probe"}
            for q in (*VERDICTS, "nobody", "probe")
        ]
    )


@pytest.fixture
def people() -> pl.DataFrame:
    """Rows of ``question_quality``."""
    return pl.DataFrame(
        [{"role": "person", "question_id": q, "verdicts": v} for q, v in VERDICTS.items()]
        + [{"role": "solver", "question_id": "nobody", "verdicts": ["solved"] * 3}]
    )


def test_the_first_persons_decide_and_later_ones_measure(
    chosen: pl.DataFrame, people: pl.DataFrame
) -> None:
    wanted = QuestionSetSettings("solved", "state", keep="solved_by >= 2 of 2")
    found = KeptQuestions.check(kept_questions(chosen, people, wanted))
    rows = {r["question_id"]: r for r in found.iter_rows(named=True)}
    assert {q: r["is_kept"] for q, r in rows.items()} == {
        "kept": True,
        "kept_later": True,
        "dropped": False,
        "cannot": False,
        "one": None,
        "nobody": None,
    }
    assert (rows["kept_later"]["n_later"], rows["kept_later"]["n_later_solved"]) == (2, 1)
    assert rows["dropped"]["n_solved"] == 1
    lenient = QuestionSetSettings("solved", "state", keep="solved_by >= 1 of 2")
    assert kept_questions(chosen, people, lenient)["is_kept"].sum() == 4
    assert kept_questions(chosen, people, QuestionSetSettings("state", "state")).is_empty()


def test_ambiguities_keep_a_question_out_whatever_people_say(
    chosen: pl.DataFrame, people: pl.DataFrame
) -> None:
    """Each step counts, an ambiguity that the set allows does not."""
    names = ("kept", "kept_later", "nobody")
    qa = pl.DataFrame(
        [{"question_id": n, "key_frames": [k, k + 3, k + 5]} for k, n in enumerate(names)]
    )
    steps = [(3, 5, "small"), (3, 5, "untold"), (1, 4, "untold"), (2, 5, "cloth"), (0, 5, "small")]
    schema = ["key_frame_from", "key_frame_to", "ambiguity"]
    changes = pl.DataFrame(steps, schema=schema, orient="row")
    ambiguities = question_ambiguities(qa, changes)
    assert set(ambiguities.iter_rows()) == {
        *(("kept", name) for name in ("small", "untold")),
        ("kept_later", "untold"),
        ("nobody", "cloth"),
    }
    without = ("small", "cloth")
    clear = QuestionSetSettings("solved", "state", without=without)
    found = KeptQuestions.check(kept_questions(chosen, people, clear, ambiguities))
    rows = {r["question_id"]: r for r in found.iter_rows(named=True)}
    dropped = {q: r["ambiguities"] for q, r in rows.items() if not r["is_kept"]}
    assert dropped == {"kept": ["small"], "nobody": ["cloth"]}
    assert (rows["kept"]["n_deciding"], rows["kept_later"]["n_later"]) == (0, 4)
    both = QuestionSetSettings("solved", "state", keep="solved_by >= 2 of 2", without=without)
    found = kept_questions(chosen, people, both, ambiguities)
    kept = dict(found.select("question_id", "is_kept").iter_rows())
    assert [q for q, is_kept in kept.items() if is_kept] == ["kept_later"]
    assert (kept["one"], kept["nobody"]) == (None, False)


TEXTBOOK = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
"""Krippendorff 2011, section C: four observers, twelve units, values that are missing."""
ALPHAS = ((nominal_alphas, nominal), (ordinal_alphas, ordinal))

UNITS = st.lists(
    st.lists(st.lists(st.integers(0, 4), max_size=4), min_size=1, max_size=3),
    min_size=1,
    max_size=5,
)
"""Questions, their units, the values of each."""


def ratings(questions: list[list[list[int]]]) -> Ratings:
    units = [(q, unit) for q, of in enumerate(questions) for unit in of]
    pairs = [(u, value) for u, (_, unit) in enumerate(units) for value in unit]
    of = np.array(pairs, np.int64).reshape(-1, 2)
    return Ratings(of[:, 0], of[:, 1], np.array([q for q, _ in units]), len(questions))


@pytest.mark.parametrize(
    ("alphas", "expected"), [(nominal_alphas, 0.7434), (ordinal_alphas, 0.8154)]
)
def test_textbook(alphas, expected: float) -> None:
    rows = [line.split() for line in TEXTBOOK]
    units = [[int(row[k]) for row in rows if row[k] != "."] for k in range(12)]
    found = alphas(ratings([[unit] for unit in units]), np.ones((1, 12)))
    assert round(found[0], 4) == expected


def test_the_papers_unanimous_questions_fit_its_alpha_as_a_nominal_one() -> None:
    """B.1.2: 184 of 240 answered alike by all three, alpha 0.8320; thirty questions a length."""
    units = []
    for k in range(240):
        length, order = 3 + k % 8, k // 8
        n_orders = math.factorial(length - 1)
        first, second, third = (
            100_000 * length + (order * 7 + shift) % n_orders for shift in (0, 1, 2)
        )
        others = [first] * 2
        if k >= 184:
            others = [first, second] if k < 232 else [second, third if n_orders > 2 else first]
        units.append([[first, *others]])
    assert sum(len(set(unit)) == 1 for (unit,) in units) == 184
    codes = {value: code for code, value in enumerate(sorted({v for (u,) in units for v in u}))}
    units = [[[codes[value] for value in unit]] for (unit,) in units]
    found = nominal_alphas(ratings(units), np.ones((1, 240)))
    assert found[0] == pytest.approx(0.832, abs=0.003)


@given(UNITS, st.integers(0, 2**32 - 1))
def test_a_resample_equals_the_questions_written_out(questions, seed: int) -> None:
    n = len(questions)
    drawn = np.random.default_rng(seed).integers(n, size=(3, n))
    weights = np.array([np.bincount(row, minlength=n) for row in drawn], float)
    for alphas, difference in ALPHAS:
        found = alphas(ratings(questions), weights)
        for value, row in zip(found, drawn, strict=True):
            units = [unit for q in row for unit in questions[q]]
            assert value == pytest.approx(slow_alpha(units, difference), nan_ok=True, abs=1e-9)


def one(rows: pl.DataFrame, measure: str, **where: object) -> dict:
    wanted = {"annotators": "all", "kind": None, "length": None, "measure": measure} | where
    found = rows
    for name, value in wanted.items():
        found = found.filter(pl.col(name).eq_missing(pl.lit(value)))
    return found.row(0, named=True)


def test_a_panel_of_known_skill_is_recovered() -> None:
    """Answers at random are equal by chance only, so alpha of answers is the skill squared; alpha
    of places is too, as two orders at random have a rank correlation of zero.
    """
    skill = 0.9
    rows = agreement(panel(skill, 400, 1), "baseline")
    HumanAgreement.check(rows)
    for measure in ("alpha_answers", "alpha_places"):
        found = one(rows, measure)
        assert found["low"] < skill**2 < found["high"]
        assert found["low_demonstrations"] < skill**2 < found["high_demonstrations"]
        assert found["high"] - found["low"] < 0.1
    n_orders = np.array([6, 720])
    chance = (1 - skill) / n_orders
    by_length = (skill + chance) ** 3 + (n_orders - 1) * chance**3
    assert one(rows, "unanimous")["value"] == pytest.approx(by_length.mean(), abs=0.04)
    pairs = rows.filter(annotators="annotator_1 and annotator_3", measure="alpha_answers")
    assert pairs["value"][0] == pytest.approx(skill**2, abs=0.05)


@pytest.mark.slow
def test_annotators_with_few_answers_can_be_left_out() -> None:
    """Two with enough answers, and one who stopped at 19 and always gave another answer."""
    whole = panel(1.0, 24, 3)
    is_third, question = pl.col("annotator") == "annotator_3", pl.col("question_id").str.slice(1)
    short = whole.filter(~is_third | (question.cast(pl.Int64) < LEAST_ANSWERS - 1)).with_columns(
        answer=pl.when(is_third).then(pl.col("answer").list.reverse()).otherwise("answer")
    )
    rows = agreement(short, "baseline")
    assert one(rows, "unanimous")["value"] == pytest.approx(5 / 24)
    enough = one(rows, "unanimous", annotators=ENOUGH)
    assert (enough["value"], enough["n_annotators"], enough["n_questions"]) == (1.0, 2, 24)
    twin = agreement(short.filter(~is_third), "baseline").filter(annotators="all")
    kept = rows.filter(annotators=ENOUGH).with_columns(annotators=pl.lit("all"))
    assert kept.equals(twin)
    # "Cannot tell" is work, too; where all have enough there is nothing to leave out.
    twenty = whole.filter(~is_third | (question.cast(pl.Int64) < LEAST_ANSWERS)).with_columns(
        answer=pl.when(is_third).then(None).otherwise("answer")
    )
    assert ENOUGH not in agreement(twenty, "baseline")["annotators"]


def test_intervals_hold_the_truth_nearly_as_often_as_they_say() -> None:
    held = 0
    for seed in range(30):
        found = one(agreement(panel(0.8, 60, seed, lengths=(6,)), "x"), "alpha_answers")
        held += found["low"] <= 0.8**2 <= found["high"]
    assert held >= 26


def test_alpha_of_places_is_the_mean_rank_correlation_within_a_length() -> None:
    answers = panel(0.6, 80, 3, lengths=(6,))
    found = one(agreement(answers, "baseline"), "alpha_places", length=6)
    rho = []
    for given_ in answers.partition_by("question_id"):
        places = [np.argsort(order) for order in given_["answer"]]
        rho += [1 - 6 * ((a - b) ** 2).sum() / 120 for a, b in combinations(places, 2)]
    assert found["value"] == pytest.approx(np.mean(rho), abs=5e-3)


def test_lengths_are_not_pooled_on_one_scale() -> None:
    answers = panel(0.5, 80, 4, lengths=(3, 10))
    rows = agreement(answers, "baseline")
    parts = [one(rows, "alpha_places", length=length)["value"] for length in (3, 10)]
    assert one(rows, "alpha_places")["value"] == pytest.approx(np.mean(parts))


def test_accepted_orders_may_stand_for_the_reference_and_cannot_tell_is_no_answer() -> None:
    answers = panel(1.0, 40, 5)
    other = pl.when(pl.int_range(pl.len()) % 3 == 0).then(pl.col("answer").list.reverse())
    answers = answers.with_columns(answer=other.otherwise("answer"))
    rows = agreement(answers, "baseline")
    assert one(rows, "alpha_answers")["value"] < 0.5
    assert one(rows, "alpha_answers_accepted")["value"] == 1
    assert one(rows, "unanimous")["value"] == 0
    silent = pl.when(pl.col("annotator") == "annotator_1").then(None).otherwise("answer")
    rows = agreement(answers.with_columns(answer=silent), "baseline")
    assert one(rows, "unanimous")["value"] == 1
    assert one(rows, "unanimous")["n_annotators"] == 2
    assert agreement(answers.filter(annotator="annotator_1"), "baseline").is_empty()
