"""A set that teaches passes; one that says the order elsewhere is noticed by a control."""

from dataclasses import replace

import numpy as np
import pytest
from commands.training.test_reward_learning import toy

from enact_assets.commands.training.learning import Question, Questions
from enact_assets.commands.training.order_rewards import OrderTable
from enact_assets.commands.training.proof import Learned, prove, with_other
from enact_assets.engine.errors import EvaluationError

N_PLACES = 5


def renamed(questions: Questions, name: str) -> Questions:
    """The same questions, as of other demonstrations."""
    found = (q._replace(demonstration=f"{name}-{q.demonstration}") for q in questions.questions)
    return replace(questions, questions=tuple(found))


def leaking(n_questions: int, seed: int, name: str) -> Questions:
    """Nothing to see and nothing said, but for the place in the reference order, in a picture's
    corner and in an action's words.
    """
    random = np.random.default_rng(seed)
    looks, questions, rows = [np.zeros(N_PLACES, np.float32)], [], []
    for number in range(n_questions):
        n, kind = int(random.integers(3, N_PLACES + 1)), ("forward", "inverse")[number % 2]
        places = random.permutation(n)
        pictures = np.eye(N_PLACES, dtype=np.float32)[places if kind == "forward" else np.arange(n)]
        told = np.eye(N_PLACES, dtype=np.float32)[np.arange(n) if kind == "forward" else places]
        first = len(looks)
        looks += list(pictures)
        shown = np.array([0, *range(first, first + n)])
        questions.append(Question(kind, f"{name}-{number % 6}", shown, told))
        answer = (np.argsort(places) + 1).tolist()
        before = [0, *answer]
        fits = {
            (f"{before[k]}>{label}" if kind == "forward" else str(label)): [k + 1]
            for k, label in enumerate(answer)
        }
        rows.append({"kind": kind, "answer": answer, "fits": fits})
    return Questions(tuple(questions), np.stack(looks), OrderTable(rows))


@pytest.mark.slow
def test_a_planted_order_is_noticed_by_its_control() -> None:
    """The policy learns it, and answers as well without half of the question: forward the actions
    are the same everywhere, inverse the pictures are.
    """
    proof = prove(leaking(300, 0, "training"), leaking(120, 1, "asked"), updates=60)
    for one in proof.kinds:
        assert one.low > 0.4
        told_by = one.other_actions if one.kind == "forward" else one.other_pictures
        assert told_by > one.chance + 0.4
    assert {problem.partition(":")[0] for problem in proof.problems} == {"forward", "inverse"}
    assert any("may say the order elsewhere" in problem for problem in proof.problems)


def test_what_is_learned_from_both_halves_passes() -> None:
    one = Learned("forward", 100, 0.18, 0.36, 0.12, 0.24, 0.19, 0.17, 0.2)
    assert one.problems == []
    assert len(replace(one, low=0.09).problems) == 1
    assert len(replace(one, low=float("nan")).problems) == 1
    assert len(replace(one, shuffled=0.1, other_pictures=0.23, other_actions=0.3).problems) == 3


def test_halves_come_from_other_demonstrations_of_the_same_form() -> None:
    asked = toy(60, 3)
    shown = [tuple(question.pictures) for question in asked.questions]
    for number, found in enumerate(with_other(asked, "pictures").questions):
        before, other = asked.questions[number], asked.questions[shown.index(tuple(found.pictures))]
        assert found.actions is before.actions
        assert (other.kind, len(other.actions)) == (before.kind, len(before.actions))
        assert other.demonstration != before.demonstration
    for before, found in zip(asked.questions, with_other(asked, "actions").questions, strict=True):
        assert found.pictures is before.pictures
        assert found.actions is not before.actions


def test_shared_demonstrations_and_a_kind_that_lacks_are_refused() -> None:
    questions = toy(12, 0)
    with pytest.raises(EvaluationError, match="toy-0 is in both sets"):
        prove(questions, questions)
    forward = tuple(q for q in questions.questions if q.kind == "forward")
    with pytest.raises(EvaluationError, match="No question is inverse"):
        prove(questions, renamed(replace(questions, questions=forward), "other"))
