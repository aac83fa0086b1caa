"""What a question shows, how its answers are read, and what people hear about them."""

from functools import cache
from typing import Any

import pytest

from enact_assets.engine.errors import QuestionError
from enact_assets.questions.asked.templates import KINDS, load_template
from enact_assets.questions.asked.types import KeyFramePicture, type_of

from reference.household import build_household


@cache
def question(kind: str) -> dict[str, Any]:
    rows = build_household(4).asked.iter_rows(named=True)
    return next(row for row in rows if row["kind"] == kind and row["length"] == 4)


@pytest.mark.parametrize("kind", KINDS)
def test_each_picture_follows_its_name_and_the_prompt_ends_it(kind: str) -> None:
    """A picture under the name of another one makes every answer wrong."""
    row = question(kind)
    *shown, prompt = type_of(row).parts(row)
    assert prompt == row["prompt"]
    names = ["Current State", "Next State 1", "Next State 2", "Next State 3"]
    assert shown[::2] == [f"[{name}]" for name in names]
    assert shown[1::2] == [
        KeyFramePicture(name, row["demonstration"], key_frame)
        for name, key_frame in zip(names, row["shown_key_frames"], strict=True)
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_prompts_name_the_pictures_as_they_are_named(kind: str) -> None:
    """A prompt that speaks of "Image 2" would leave the model to guess."""
    template = load_template(kind)
    assert "Current State" in template
    assert "Next State 1" in template
    assert template.rstrip().splitlines()[-1].startswith("Your answer")


def test_answers_are_read_by_the_length_of_the_question() -> None:
    row = question("forward")
    assert type_of(row).parse("so: [2, 1, 3]", row) == ([2, 1, 3], None)
    assert type_of(row).parse("[2, 1]", row) == ([2, 1], "wrong_length")
    assert type_of(row).parse(None, row) == (None, "no_answer")


VERDICT = {"answer_status": "parsed", "reason": None, "n_steps": 3, "answer": [2, 1, 3]}
WRONG = {"is_exact": False, "is_accepted": False, "n_steps_passed": 1}


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ({"is_exact": True, "is_accepted": True, "n_steps_passed": 3}, "Right."),
        ({**WRONG, "is_accepted": True}, "Right: the reference has another order"),
        (WRONG, "Not right: 1 of 3 steps fit."),
        ({**WRONG, "n_steps_passed": None, "unverified": "no_replay"}, "Not the published order; "),
        ({**WRONG, "answer": [2], "reason": "wrong_length"}, "The answer has 1 of 3 entries."),
        ({"answer_status": "unparsed", "reason": "no_list"}, "holds no bracketed list"),
        ({"answer_status": "missing", "reason": "time ran out"}, "no answer: time ran out."),
    ],
)
def test_people_hear_how_they_did_and_not_the_solution(verdict: dict[str, Any], words: str) -> None:
    heard = type_of(question("forward")).feedback({**VERDICT, **verdict})
    assert words in heard
    assert "[" not in heard


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(QuestionError, match=r"kind 'choose' have no type \(known: forward, inv"):
        type_of({"kind": "choose"})
