"""Errors that the best models share: chosen models, and sizes of all combinations."""

import random
from itertools import product
from typing import Any

import pytest
from sql.tiny_lake import Relations, Rows, answer, compared, query, tiny_rows

ALL = "select * from shared_errors where variant = 'baseline'"


def test_a_model_alone_shares_nothing() -> None:
    """The oracle has no error, so the guesser is alone."""
    assert query(Relations(tiny_rows()), "select * from shared_errors").is_empty()


def test_combinations_of_two_models_are_those_counted_by_hand() -> None:
    """Of f1, f2 and f3, which both have scores for, the guesser is right about f1 only."""
    rows = tiny_rows()
    for question, order, passed in (("f1", [1, 2], 1), ("f2", [1, 2], 2), ("f3", [2, 1, 3], 1)):
        answer(rows, "turner", "baseline", question, parsed=order, passed=passed)
        compared(rows, rows["evaluation"][-1])
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
