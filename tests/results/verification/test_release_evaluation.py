"""Profile ``release`` in the pipeline's tables: statuses, scores, and what chance scores."""

from itertools import pairwise, permutations
from typing import Any

import numpy as np
import polars as pl
import pytest
from release_pairs import PairTable, computed_pairs, random_pairs

from enact_assets.answers.baselines.tables import Predictions
from enact_assets.engine.errors import EvaluationError
from enact_assets.questions.asked.shuffles import shuffled_labels
from enact_assets.results.verification.evaluate import RELEASE_ANSWERS, evaluate
from enact_assets.results.verification.expectation import expect_random_orders
from enact_assets.results.verification.metrics import summarize

from reference import release_verification as slow
from reference.conformance import TASKS, expected

SCORES = ("is_exact", "is_semantic", "is_accepted", "n_steps_passed", "pairwise_accuracy")


def build_questions(deltas: PairTable, n: int, seed: int, max_steps: int = 5) -> pl.DataFrame:
    """Rows of ``qa``, as far as evaluation reads them; inverse ones take no step that raises."""
    random = np.random.default_rng(seed)
    rows = []
    while len(rows) < n:
        n_steps = int(random.integers(2, max_steps + 1))
        x = random.permutation(deltas.n_key_frames)[: n_steps + 1].tolist()
        kind = ("forward", "inverse")[len(rows) % 2]
        if kind == "inverse" and any(None in deltas.sets[step] for step in pairwise(x)):
            continue
        shown = (random.permutation(n_steps) + 1).tolist()
        said = [x[step - 1 : step + 1] for step in shown]
        rows.append(
            {
                "question_id": f"q{len(rows)}",
                "demonstration": "d",
                "gating": "release",
                "kind": kind,
                "length": n_steps + 1,
                "key_frames": x,
                "shown_key_frames": [x[0], *(x[s] for s in shown)] if kind == "forward" else x,
                "action_components": [
                    sorted(map(str, deltas.partial(i, j))) if kind == "inverse" else []
                    for i, j in said
                ],
                "answer": [shown.index(step) + 1 for step in range(1, n_steps + 1)],
            }
        )
    return pl.DataFrame(rows)


def predictions(questions: pl.DataFrame, raw: list[str | None]) -> pl.DataFrame:
    rows = [
        {"model": "m", "variant": "v", "question_id": q, "repetition": 0, "request_sha": "s"}
        | {"raw_answer": r}
        | {"error": None if r is not None else "timeout"}
        for q, r in zip(questions["question_id"], raw, strict=True)
    ]
    return Predictions.build(rows)


def test_the_table_says_what_the_release_says() -> None:
    """Rows it skips must be counted as unparsed and have no score, or means change."""
    deltas = random_pairs(4, failing=0.1)
    questions = build_questions(deltas, 120, seed=1)
    random = np.random.default_rng(2)
    raw: list[str | None] = []
    for question in questions.iter_rows(named=True):
        n = question["length"] - 1
        order = (random.permutation(n) + 1).tolist()
        labels = " ".join(map(str, order))
        choices = (str(question["answer"]), str(order), f"{labels} {n}", "none", "9" * 4301, None)
        raw.append(choices[random.choice(6, p=(0.2, 0.4, 0.2, 0.1, 0.05, 0.05))])
    found = evaluate(predictions(questions, raw), questions, {"d": deltas}, RELEASE_ANSWERS)
    by_id = {q["question_id"]: q for q in questions.iter_rows(named=True)}
    answers = dict(zip(questions["question_id"], raw, strict=True))
    for row in found.iter_rows(named=True):
        question, answer = by_id[row["question_id"]], answers[row["question_id"]]
        n_steps = question["length"] - 1
        assert row["n_steps"] == n_steps
        wanted = slow.evaluate(
            question["key_frames"], question["answer"], question["kind"], answer, deltas
        )
        if wanted["outcome"] == "skipped":
            status, reason = ("missing", "timeout") if answer is None else ("unparsed", None)
            assert (row["answer_status"], row["reason"]) == (status, reason or wanted["reason"])
            assert {row[name] for name in (*SCORES, "answer")} == {None}
            continue
        assert (row["answer_status"], row["reason"]) == ("parsed", None)
        assert row["answer"] == wanted["parsed"]
        assert row["is_exact"] == wanted["exact_match"]
        assert row["is_semantic"] == wanted["semantic_match"]
        assert row["is_accepted"] == wanted["task_accuracy"]
        assert row["pairwise_accuracy"] == wanted["pairwise_accuracy"]
        of = max(n_steps, len(row["answer"])) if question["kind"] == "forward" else n_steps
        assert row["n_steps_passed"] / (n_steps if row["is_accepted"] else of) == pytest.approx(
            row["pairwise_accuracy"]
        )
    counts = found["answer_status"].value_counts().rows()
    assert dict(counts).keys() == {"parsed", "unparsed", "missing"}

    scored = found.filter(pl.col("answer_status") == "parsed")
    summary = summarize(found, ("model",)).row(0, named=True)
    assert summary["n_scored"] == summary["n_parsed"] == scored.height
    assert summary["n_unparsed"] + summary["n_missing"] == found.height - scored.height
    by_question = scored["pairwise_accuracy"].mean()
    assert summary["pairwise_accuracy_by_question"] == pytest.approx(by_question)
    assert summary["pairwise_accuracy"] == pytest.approx(
        (scored["pairwise_accuracy"] * scored["n_steps"]).sum() / scored["n_steps"].sum()
    )


def test_a_step_without_a_change_leaves_an_inverse_question_out() -> None:
    """There the release raises outside of what it protects; forward it scores zero."""
    deltas = random_pairs(1, failing=0)
    questions = build_questions(deltas, 2, seed=1)
    for x in questions["key_frames"]:
        deltas.sets[x[0], x[1]] = (None, None)
    raw: list[str | None] = [f"{list(range(1, n))}" for n in questions["length"]]
    questions = questions.with_columns(
        answer=pl.Series([list(range(n - 1, 0, -1)) for n in questions["length"]])
    )
    found = evaluate(predictions(questions, raw), questions, {"d": deltas}, RELEASE_ANSWERS)
    assert found.select("kind", "answer_status", "reason", "pairwise_accuracy").rows() == [
        ("forward", "parsed", None, 0.0),
        ("inverse", "unparsed", "evaluation_error", None),
    ]


def test_labels_beyond_64_bits_label_nothing_and_fit_the_table() -> None:
    """A model that runs on in digits would end the evaluation of its partition."""
    deltas = random_pairs(1, failing=0)
    questions = build_questions(deltas, 2, seed=1)
    raw: list[str | None] = [f"1 {10**30}", f"1 {10**30}"]
    found = evaluate(predictions(questions, raw), questions, {"d": deltas}, RELEASE_ANSWERS)
    assert found["answer"].to_list() == [[1, 2**63 - 1]] * 2
    assert found["answer_status"].to_list() == ["parsed"] * 2
    assert found["pairwise_accuracy"][0] == 0


def test_a_question_without_an_index_is_refused_and_nothing_is_a_partition_too() -> None:
    deltas = random_pairs(1)
    questions = build_questions(deltas, 2, seed=1)
    given = predictions(questions, ["[1]", "[1]"])

    with pytest.raises(EvaluationError, match="no index of changes, first d"):
        evaluate(given, questions, {}, RELEASE_ANSWERS)
    assert evaluate(given.clear(), questions, {"d": deltas}, RELEASE_ANSWERS).height == 0


def expected_of(question: dict[str, Any], deltas: PairTable) -> tuple[float, float]:
    """Task and pairwise accuracy of a random order: every order judged in turn."""
    n = question["length"] - 1
    rows = [
        slow.evaluate(
            question["key_frames"], question["answer"], question["kind"], list(order), deltas
        )
        for order in permutations(range(1, n + 1))
    ]
    assert all(row["outcome"] == "scored" for row in rows)
    names = ("task_accuracy", "pairwise_accuracy")
    task, pairs = (sum(float(row[name]) for row in rows) / len(rows) for name in names)
    return task, pairs


def test_chance_is_exact_where_pairs_raise() -> None:
    """An order over such a pair loses all its steps, so steps are no longer independent."""
    deltas = random_pairs(6, failing=0.08)
    questions = build_questions(deltas, 60, seed=3)
    found = expect_random_orders(questions, {"d": deltas})
    by_id = {q["question_id"]: q for q in questions.iter_rows(named=True)}
    n_raising = 0
    for row in found.iter_rows(named=True):
        question = by_id[row["question_id"]]
        task, pairs = expected_of(question, deltas)
        assert row["expected_task_accuracy"] == pytest.approx(task, abs=1e-12)
        assert row["expected_pairwise_accuracy"] == pytest.approx(pairs, abs=1e-12)
        shown = question["shown_key_frames"]
        n_raising += any(deltas.sets[i, j][1] is None for i in shown for j in shown if i != j)
    assert n_raising > 10
    assert (found["expected_pairwise_accuracy"] > 0).sum() > 40


def recorded_questions(name: str) -> pl.DataFrame:
    """The release's own questions about a task, as rows of ``qa``."""
    index = computed_pairs(name)
    position = {k: at for at, k in enumerate(expected(name)["segmentation"]["key_frame_ids"])}
    rows = []
    for item in expected(name)["qa"]["items"]:
        x, gold = [position[k] for k in item["key_frame_ids"]], item["gt_answer"]
        shown = [gold.index(label) + 1 for label in range(1, len(gold) + 1)]
        kind = item["type"].split("_")[0]
        rows.append(
            {
                "question_id": item["id"],
                "demonstration": name,
                "gating": "release",
                "kind": kind,
                "length": len(x),
                "key_frames": x,
                "shown_key_frames": [x[0], *(x[s] for s in shown)] if kind == "forward" else x,
                "action_components": [
                    sorted(map(str, index.visible(x[s - 1], x[s]))) for s in shown
                ],
                "answer": gold,
            }
        )
    return pl.DataFrame(rows)


@pytest.mark.slow
def test_the_oracle_is_right_and_random_scores_what_chance_scores() -> None:
    """On recorded tasks, one with pairs that raise: an order lost or gained moves the means."""
    questions = pl.concat([recorded_questions(name) for name in TASKS])
    indexes = {name: computed_pairs(name) for name in TASKS}
    oracle = [str(answer.to_list()) for answer in questions["answer"]]
    found = evaluate(predictions(questions, oracle), questions, indexes, RELEASE_ANSWERS)
    assert found["is_exact"].all()
    assert found["is_semantic"].all()
    assert (found["pairwise_accuracy"] == 1).all()

    expectation = expect_random_orders(questions, indexes)
    means = []
    for draw in range(5):
        orders = [
            str(shuffled_labels(length - 1, key, draw))
            for key, length in questions.select("question_id", "length").iter_rows()
        ]
        found = evaluate(predictions(questions, orders), questions, indexes, RELEASE_ANSWERS)
        means.append(found.join(expectation, on="question_id"))
    both = pl.concat(means)
    for kind in ("forward", "inverse"):
        rows = both.filter(pl.col("kind") == kind)
        for score, chance in (
            (rows["is_accepted"].cast(pl.Float64), rows["expected_task_accuracy"]),
            (rows["pairwise_accuracy"], rows["expected_pairwise_accuracy"]),
        ):
            excess = (score - chance).to_numpy()
            error = excess.std(ddof=1) / np.sqrt(excess.size)
            assert abs(excess.mean()) < 2.6 * error, "outside the 99 % interval around chance"
