"""What the marts of error analysis say about answers small enough to analyse by hand.

Errors that the best models share: chosen models, and sizes of all combinations."""

import math
import random
from itertools import product
from typing import Any

import pytest
from sql.tiny_lake import Relations, Rows, compared_answers, query, tiny_rows

OPEN, TAKE, PUT = "+Open(fridge)", "+RightGrasping(robot, cup)", "-RightGrasping(robot, cup)"
ON, OFF, LEFT = "+OnTop(cup, table)", "-OnTop(cup, table)", "-LeftGrasping(robot, cup)"


def rows_of(made: Relations, relation: str, columns: str, **where: Any) -> list[tuple[Any, ...]]:
    told = " and ".join(
        f"{name} is null" if value is None else f"{name} = '{value}'"
        for name, value in {"model": "guesser", "variant": "baseline", **where}.items()
    )
    return query(made, f"select {columns} from {relation} where {told}").rows()  # noqa: S608 - ours


def test_errors_are_summed_up_per_answer_and_say_nothing_of_those_nobody_can_read(
    tiny: Relations,
) -> None:
    """f2 cannot be read and f4 was never answered: they are in evaluation, and not here."""
    found = rows_of(
        tiny,
        "compared_answers",
        "question_id, is_accepted, n_steps, n_steps_passed, n_reference, n_predicted, n_matched",
    )
    assert sorted(found) == [
        ("f1", True, 2, 2, 2, 2, 2),
        ("f3", False, 3, 1, 4, 5, 1),
        ("i1", False, 3, 0, 4, 4, 0),
    ]


@pytest.mark.parametrize(
    ("kind", "answers", "n_steps", "counts"),
    [
        # Polarity, predicate, entity, omission, hallucination.
        # f3: taken at step 2 is left out, two are made up; step 3 is turned round twice.
        ("forward", "all", 5, (2, 0, 0, 1, 2)),
        ("forward", "wrong", 3, (2, 0, 0, 1, 2)),
        ("inverse", "all", 3, (1, 0, 0, 3, 3)),
        ("inverse", "wrong", 3, (1, 0, 0, 3, 3)),
    ],
)
def test_structural_errors_are_those_found_by_hand(
    tiny: Relations, kind: str, answers: str, n_steps: int, counts: tuple[int, ...]
) -> None:
    columns = "category, n_steps, n_errors, share, errors_per_step"
    found = rows_of(tiny, "structural_errors", columns, kind=kind, answers=answers, length=None)
    names = (
        *("polarity_inversion", "predicate_substitution", "entity_substitution"),
        *("omission", "hallucination"),
    )
    expected = {
        name: (n_steps, n, pytest.approx(n / sum(counts)), pytest.approx(n / n_steps))
        for name, n in zip(names, counts, strict=True)
    }
    assert {name: tuple(rest) for name, *rest in found} == expected


def test_lengths_stand_beside_their_total(tiny: Relations) -> None:
    found = rows_of(
        tiny, "structural_errors", "length, n_errors, n_answers", kind="forward", answers="all"
    )
    totals = {length: sum(n for at, n, _ in found if at == length) for length, _, _ in found}
    assert totals == {None: 5, 3: 0, 4: 5}
    assert {(length, n) for length, _, n in found} == {(None, 2), (3, 1), (4, 1)}


def test_a_model_without_errors_has_none_and_no_shares(tiny: Relations) -> None:
    """0 of 0 errors is no distribution."""
    found = rows_of(
        tiny,
        "structural_errors",
        "n_errors, share",
        model="oracle",
        length=None,
        answers="all",
    )
    assert found == [(0, None)] * 10
    assert rows_of(tiny, "structural_errors", "1", model="oracle", answers="wrong") == []
    assert rows_of(tiny, "semantic_errors", "1", model="oracle") == []


def test_semantic_classes_are_those_of_the_true_component(tiny: Relations) -> None:
    found = rows_of(
        tiny,
        "semantic_errors",
        "kind, semantic_class, n_errors, share",
        answers="all",
        length=None,
    )
    assert found == [
        ("forward", "agent_interaction", 3, pytest.approx(3 / 5)),
        ("forward", "spatial_relation", 2, pytest.approx(2 / 5)),
        ("inverse", "agent_interaction", 3, pytest.approx(3 / 7)),
        ("inverse", "functional_state", 2, pytest.approx(2 / 7)),
        ("inverse", "spatial_relation", 2, pytest.approx(2 / 7)),
    ]


def test_both_sides_of_a_substitution_count_for_their_predicate() -> None:
    rows = tiny_rows()
    _say_instead(rows, OPEN, "+ToggledOn(fridge)")
    found = rows_of(
        Relations(rows),
        "errors_by_predicate",
        "predicate, n_reference, n_predicted, n_matched, n_predicate_substitutions, recall",
        kind="inverse",
    )
    assert found == [
        ("OnTop", 1, 1, 0, 0, 0.0),
        ("Open", 1, 1, 0, 1, 0.0),
        ("RightGrasping", 2, 1, 0, 0, 0.0),
        ("ToggledOn", 0, 1, 0, 0, None),
    ]


def _say_instead(rows: Rows, true: str, said: str) -> None:
    """Let the guesser say ``said`` at the first step of i1, where ``true`` is all that happens."""
    here = {"model": "guesser", "variant": "baseline", "question_id": "i1", "step": 1}
    listed = [r for r in rows["compared_components"] if here.items() <= r.items()]
    assert {r["reference"] for r in listed} == {true, None}
    kept = [r for r in rows["compared_components"] if not here.items() <= r.items()]
    pair = {"outcome": "predicate_substitution", "reference": true, "predicted": said}
    [omitted] = [r for r in listed if r["reference"]]
    rows["compared_components"] = [*kept, {**omitted, **pair, "place": 1}]
    [counts] = [r for r in rows["compared_steps"] if here.items() <= r.items()]
    counts |= {"n_omissions": 0, "n_hallucinations": 0, "n_predicate_substitutions": 1}
    counts |= {"n_predicted": 1, "n_hallucinated": 1, "n_right_predicted": 0}


def test_activities_are_told_apart(tiny: Relations) -> None:
    found = rows_of(
        tiny,
        "errors_by_activity",
        "kind, activity, n_answers, recall, precision, errors_per_step",
    )
    assert found == [
        ("forward", "setting_the_table", 2, 3 / 6, pytest.approx(3 / 7), 5 / 5),
        ("inverse", "setting_the_table", 1, 0.0, 0.0, pytest.approx(7 / 3)),
    ]


def test_hands_have_precision_recall_and_mixing(tiny: Relations) -> None:
    """Right hand, forward: f1 takes once and is right; f3 leaves one out for the left hand."""
    columns = (
        "n_reference, n_predicted, n_matched, n_mixed, precision, precision_se, recall, recall_se, "
        "mixing_rate, n_demonstrations, recall_clustered_se"
    )
    whole = {"kind": "forward", "length": None}
    [found] = rows_of(tiny, "handedness", columns, **whole, hand="right", answers="all")
    assert found[:4] == (3, 2, 1, 1)
    assert found[4:9] == (
        0.5,
        pytest.approx(math.sqrt(0.5 * 0.5 / 2)),
        pytest.approx(1 / 3),
        pytest.approx(math.sqrt(1 / 3 * 2 / 3 / 3)),
        pytest.approx(1 / 3),
    )
    assert found[9:] == (1, None)
    [wrong] = rows_of(tiny, "handedness", columns, **whole, hand="right", answers="wrong")
    assert wrong[:5] == (2, 1, 0, 1, 0.0)
    [left] = rows_of(tiny, "handedness", columns, **whole, hand="left", answers="all")
    assert left[:5] == (0, 1, 0, 0, 0.0)
    assert left[6:9] == (None, None, None)
    # f3, of length 4, is the wrong one: with f1, of length 3, they are all.
    here = {**whole, "hand": "right", "answers": "all"}
    by_length = [
        rows_of(tiny, "handedness", columns, **{**here, "length": n})[0][:4] for n in (3, 4)
    ]
    assert by_length == [(1, 1, 1, 0), (2, 1, 0, 1)]


def test_clustered_errors_of_a_hand_are_those_of_a_ratio() -> None:
    """Said of the left hand: 0 of 1 right about one demonstration, 1 of 1 about the other.

    Of a hand that one demonstration uses the residual is zero by construction: an error of 0 would
    say that the recall is certain.
    """
    rows = tiny_rows()
    compared_answers(rows, "two", ("f3", [2, 1, 3], 1), ("f4", [2, 1], 2))
    columns = "precision, precision_se, precision_clustered_se, n_demonstrations"
    made = Relations(rows)
    where: dict[str, Any] = {"model": "two", "length": None, "answers": "all"}
    [found] = rows_of(made, "handedness", columns, **where, hand="left")
    # Residuals -1/2 and 1/2: their squares over the other's half, over both components.
    assert found == (0.5, pytest.approx(math.sqrt(1 / 8)), pytest.approx(math.sqrt(2 * 0.5) / 2), 2)
    columns = "n_demonstrations, n_reference, n_predicted, recall, recall_se, "
    columns += "recall_clustered_se, precision_clustered_se, mixing_rate_clustered_se"
    [right] = rows_of(made, "handedness", columns, **where, hand="right")
    assert right == (2, 2, 1, 0.0, 0.0, None, None, None)
    # Both demonstrations say something of the left hand, one has something true of it.
    [left] = rows_of(made, "handedness", columns, **where, hand="left")
    assert left[:6] == (2, 1, 2, 1.0, 0.0, None)
    assert left[6] > 0


def test_accepted_answers_that_say_less_or_else_are_counted() -> None:
    """Three steps that pass: one exact, one that says more, one that says less."""
    rows = tiny_rows()
    compared_answers(rows, "sloppy", ("f3", [2, 3, 1], 3))
    steps = [r for r in rows["compared_steps"] if r["model"] == "sloppy"]
    listed = [r for r in rows["compared_components"] if r["model"] == "sloppy"]
    # The third step leaves out that the hand lets go.
    steps[2] |= {"n_predicted": 1, "n_matched": 1, "n_missing": 1, "n_omissions": 1}
    steps[2] |= {"n_right_predicted": 0, "n_right_matched": 0}
    [let_go] = [r for r in listed if r["reference"] == PUT]
    let_go |= {"outcome": "omission", "predicted": None}
    # The second says something more.
    steps[1] |= {"n_predicted": 2, "n_hallucinated": 1, "n_hallucinations": 1}
    made_up = {"outcome": "hallucination", "reference": None, "predicted": "+Open(door)"}
    [taken] = [r for r in listed if r["reference"] == TAKE]
    rows["compared_components"].append({**taken, **made_up, "place": 2, "predicate": "Open"})
    made = Relations(rows)
    columns = "kind, n_accepted_questions, n_subset_questions, n_passed_steps, n_subset_steps, "
    columns += "n_inexact_steps, question_mismatch_rate, step_mismatch_rate, step_inexact_rate, "
    columns += "n_strict_subset_questions, question_mismatch_strict_rate"
    sloppy: dict[str, Any] = {"model": "sloppy", "length": None}
    third, two_thirds = pytest.approx(1 / 3), pytest.approx(2 / 3)
    for kind, row in zip(
        (None, "forward"), rows_of(made, "mismatch_rates", columns, **sloppy), strict=True
    ):
        # The second step says more: read strictly the question is no subset of what happened.
        assert row == (kind, 1, 1, 3, 1, 2, 1.0, third, two_thirds, 0, 0.0)
    # Of the guesser, f1 is accepted and exact, and one step of f3 passes.
    guesser = rows_of(made, "mismatch_rates", columns, length=None)
    assert guesser[0] == (None, 1, 0, 3, 0, 0, 0.0, 0.0, 0.0, 0, 0.0)
    assert guesser[2] == ("inverse", 0, 0, 0, 0, 0, None, None, None, 0, None)
    [longer] = rows_of(made, "mismatch_rates", columns, model="sloppy", kind=None, length=4)
    assert longer[:4] == (None, 1, 1, 3)


def test_an_example_has_all_that_a_picture_strip_needs(tiny: Relations) -> None:
    columns = (
        "question_id, step, expected, given, missing, hallucinated, expected_order, given_order, "
        "expected_key_frames, given_key_frames, place"
    )
    [found] = rows_of(tiny, "error_examples", columns, kind="forward", category="omission")
    assert found[:6] == ("f3", 2, TAKE, None, [TAKE], [ON, LEFT])
    assert found[6:] == ([2, 3, 1], [2, 1, 3], [0, 1, 2, 3], [0, 1, 3, 2], 1)
    [found] = rows_of(
        tiny, "error_examples", columns, kind="forward", category="polarity_inversion"
    )
    assert found[1:6] == (3, ON, OFF, [ON, PUT], [OFF, TAKE])
    columns += ", expected_actions, given_actions"
    [found] = rows_of(tiny, "error_examples", columns, kind="inverse", category="hallucination")
    assert found[:4] == ("i1", 1, None, TAKE)
    assert found[8] == found[9] == [0, 1, 2, 3]
    # Shown are actions 2, 3, 1 of the true order.
    texts = [f"Something happens ({number})." for number in (1, 2, 3)]
    assert found[11] == texts
    assert found[12] == [texts[1], texts[2], texts[0]]


def test_examples_of_a_semantic_class_are_those_of_the_slow_twin(tiny: Relations) -> None:
    """Of every class with an error in a wrong answer, the first error of the shortest answer."""
    rows = tiny_rows()
    wrong = {
        (r["model"], r["question_id"]): r
        for r in rows["evaluation"]
        if r["variant"] == "baseline" and r["answer_status"] == "parsed" and not r["is_accepted"]
    }
    errors = [
        (wrong[r["model"], r["question_id"]], r)
        for r in rows["compared_components"]
        if r["variant"] == "baseline" and (r["model"], r["question_id"]) in wrong
        and r["outcome"] != "matched"
    ]  # fmt: skip
    expected = {}
    for answered, error in sorted(
        errors, key=lambda pair: (pair[0]["length"], pair[1]["step"], pair[1]["place"])
    ):
        here = (answered["kind"], error["semantic_class"])
        told = (error["question_id"], error["step"], error["reference"], error["predicted"])
        expected.setdefault(here, told)
    columns = "kind, category, question_id, step, expected, given"
    found = rows_of(tiny, "error_examples", columns, perspective="semantic", place=1)
    assert {row[:2]: row[2:] for row in found} == expected
    assert {category for _, category in expected} == {
        *("agent_interaction", "spatial_relation", "functional_state"),
    }


def test_examples_are_of_wrong_answers_the_shortest_first() -> None:
    """A semantically accepted order has errors too, and is no example of being wrong."""
    rows = tiny_rows()
    compared_answers(rows, "turner", ("f1", [1, 2], 0), ("f3", [2, 1, 3], 0), ("i1", [1, 2, 3], 0))
    made = Relations(rows)
    where = {"model": "turner", "category": "polarity_inversion"}
    found = rows_of(made, "error_examples", "kind, question_id, place", **where)
    assert found == [("forward", "f1", 1), ("forward", "f3", 2), ("inverse", "i1", 1)]
    semantic = {"model": "turner", "category": "agent_interaction"}
    found = rows_of(made, "error_examples", "kind, question_id, place, perspective", **semantic)
    assert found == [
        *(("forward", "f1", 1, "semantic"), ("forward", "f3", 2, "semantic")),
        ("inverse", "i1", 1, "semantic"),
    ]
    rows["evaluation"][-3] |= {"is_accepted": True, "is_semantic": True}
    found = rows_of(Relations(rows), "error_examples", "kind, question_id", **where)
    assert found == [("forward", "f3"), ("inverse", "i1")]


ALL = "select * from shared_errors where variant = 'baseline'"


def test_a_model_alone_shares_nothing() -> None:
    """The oracle has no error, so the guesser is alone."""
    assert query(Relations(tiny_rows()), "select * from shared_errors").is_empty()


def test_combinations_of_two_models_are_those_counted_by_hand() -> None:
    """Of f1, f2 and f3, which both have scores for, the guesser is right about f1 only."""
    rows = tiny_rows()
    compared_answers(rows, "turner", ("f1", [1, 2], 1), ("f2", [1, 2], 2), ("f3", [2, 1, 3], 1))
    found = query(Relations(rows), f"{ALL} and kind = 'forward' order by unit, n_wrong_models")
    counted = {
        (row["unit"], tuple(sorted(row["wrong_models"]))): (row["n"], row["n_at_least"])
        for row in found.to_dicts()
    }
    assert {tuple(row) for row in found["models"]} == {("turner", "guesser")}
    assert counted == {
        # Both are wrong about f3; f2 the guesser alone; f1 the turner alone.
        ("question", ()): (0, 3),
        ("question", ("guesser",)): (1, 2),
        ("question", ("turner",)): (1, 2),
        ("question", ("guesser", "turner")): (1, 1),
        # f2 of the guesser has no order: both of its steps fail. Step 2 of f1 fails the turner,
        # steps 2 and 3 of f3 fail both.
        ("step", ()): (2, 7),
        ("step", ("guesser",)): (2, 4),
        ("step", ("turner",)): (1, 3),
        ("step", ("guesser", "turner")): (2, 2),
    }
    assert query(Relations(rows), f"{ALL} and kind = 'inverse'").is_empty()


MODELS = ("m0", "m1", "m2", "m3", "m4", "half", "right")


def many() -> Rows:
    """Sixty questions of four steps: m0 is best; `half` has few scores, `right` has no error."""
    draw, rows = random.Random(5), tiny_rows()  # noqa: S311 - no secret
    scored, step = rows["evaluation"][0], rows["compared_steps"][0]
    rows["evaluation"], rows["compared_steps"] = [], []
    for (place, model), n in product(enumerate(MODELS), range(60)):
        if draw.random() < (0.6 if model == "half" else 0.05):
            continue
        is_short = draw.random() < 0.05 and model != "right"
        is_read = not is_short and (draw.random() > 0.1 or model == "right")
        here = {"model": model, "variant": "baseline", "question_id": f"q{n}", "kind": "forward"}
        passes = [is_read and draw.random() > 0.1 + 0.1 * place for _ in range(4)]
        if is_short:
            n_credited = draw.randrange(3)
            passes = [k < n_credited for k in range(4)]
        if model == "right":
            passes = [True] * 4
        told: dict[str, Any] = {"n_steps": 4, "n_steps_passed": sum(passes), "length": 5}
        told |= {"is_accepted": all(passes), "pairwise_accuracy": sum(passes) / 4}
        told |= {"reason": "wrong_length" if is_short else None}
        rows["evaluation"].append({**scored, **here, **told})
        if is_read:
            del here["kind"]
            rows["compared_steps"] += [
                {**step, **here, "step": k, "is_passed": is_passed}
                for k, is_passed in enumerate(passes, start=1)
            ]
    return rows


@pytest.mark.parametrize("unit", ["question", "step"])
def test_set_sizes_are_those_of_the_slow_twin(unit: str) -> None:
    rows = many()
    accuracies = dict.fromkeys(MODELS, 0.0)
    wrong: dict[str, set[tuple[str, int]]] = {model: set() for model in MODELS}
    known: dict[str, set[tuple[str, int]]] = {model: set() for model in MODELS}
    for model in MODELS:
        mine = [row for row in rows["evaluation"] if row["model"] == model]
        accuracies[model] = sum(row["n_steps_passed"] for row in mine) / (4 * len(mine))
        for row in mine:
            steps = {
                s["step"]: s["is_passed"]
                for s in rows["compared_steps"]
                if (s["model"], s["question_id"]) == (model, row["question_id"])
            }
            # Nobody wrote down which steps a short list gets right.
            is_short = row["reason"] == "wrong_length"
            for k in range(1, 5 if not is_short else 1) if unit == "step" else [0]:
                item = (row["question_id"], k)
                known[model].add(item)
                if not (steps.get(k, False) if k else row["is_accepted"]):
                    wrong[model].add(item)
    best = sorted(MODELS[:5], key=lambda m: -accuracies[m])[:4]
    items = set.intersection(*(known[model] for model in best))
    found = query(Relations(rows), f"{ALL} and unit = '{unit}'").to_dicts()
    assert len(found) == 16
    for row in found:
        these = row["wrong_models"]
        assert row["models"] == best
        exactly = {i for i in items if [m for m in best if i in wrong[m]] == these}
        at_least = {i for i in items if all(i in wrong[m] for m in these)}
        assert (row["n"], row["n_at_least"]) == (len(exactly), len(at_least))
        assert row["share"] == pytest.approx(len(exactly) / len(items))
    assert sum(row["n"] for row in found) == len(items) > 100 * (unit == "step")


def test_reference_baselines_fill_places_that_no_model_takes() -> None:
    rows = many()
    accuracy = rows["model_accuracies"][0]
    rows["model_accuracies"] = [
        {**accuracy, "variant": "baseline", "model": model, "is_reference": model in {"m0", "m1"}}
        for model in MODELS
    ]
    found = query(Relations(rows), f"{ALL} limit 1")
    assert found["models"].to_list() == [["m2", "m3", "m4", "m0"]]
