"""Questions from trajectories: content, answers, prompts and stability.

What a question of each type shows, how its answers are read, and what people hear about them."""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from enact_assets.engine.errors import QuestionError, UnknownNameError
from enact_assets.questions.asked.natural import PHRASINGS, sentence
from enact_assets.questions.asked.qa import write_questions
from enact_assets.questions.asked.shuffles import inverse_order, shuffled_labels
from enact_assets.questions.asked.templates import KINDS, fill_template, load_template
from enact_assets.questions.asked.types import KeyFramePicture, type_of
from enact_assets.settings.components import Component
from enact_assets.settings.registry import QuestionSettings

from reference.household import Household, build_household


@cache
def household() -> Household:
    return build_household(3)


def test_the_answer_names_the_label_shown_for_each_step() -> None:
    """The inverse permutation looks as plausible and is right only half the time."""
    home = household()
    seen = Counter()
    for q in home.qa.iter_rows(named=True):
        assert sorted(q["answer"]) == list(range(1, q["length"]))
        assert q["shown_key_frames"][0] == q["key_frames"][0]
        for step, label in enumerate(q["answer"]):
            i, j = q["key_frames"][step : step + 2]
            change = sorted(map(str, home.index.visible(i, j)))
            if q["kind"] == "forward":
                assert q["shown_key_frames"][label] == j
                assert q["action_components"][step] == change
            else:
                assert q["shown_key_frames"] == q["key_frames"]
                assert q["action_components"][label - 1] == change
        seen[q["kind"], q["length"]] += 1
    assert set(seen) == {(kind, length) for kind in KINDS for length in range(3, 11)}


def test_each_action_text_says_exactly_its_components() -> None:
    """A sentence lost in wording makes a question nobody can answer."""
    for q in household().qa.iter_rows(named=True):
        for text, components in zip(q["actions"], q["action_components"], strict=True):
            rest = text
            for component in map(Component.parse, components):
                n_phrasings = len(PHRASINGS[component.operation, component.predicate])
                found = [s for k in range(n_phrasings) if (s := sentence(component, k)) in rest]
                assert len(found) == 1
                rest = rest.replace(found[0], "", 1)
            assert not rest.strip()


def test_prompts_carry_all_that_is_needed_to_answer() -> None:
    """Role, task, output format, example, and every action on a line of its own."""
    for q in household().qa.iter_rows(named=True):
        prompt, n = q["prompt"], q["length"] - 1
        for k, text in enumerate(q["actions"], start=1):
            assert f"\n[Action {k}] {text}\n" in prompt
        assert f"[Action {n + 1}]" not in prompt.split("# Actions")[1]
        assert f"Python list of {n} integers and nothing else" in prompt
        assert "household robot" in prompt
        assert "[3, 1, 2]" in prompt
        assert f"Next State {n}" in prompt
        assert "{" not in prompt
        assert prompt.splitlines()[-1].strip()


def test_questions_depend_on_content_alone() -> None:
    """The order of rows, or another trajectory beside it, must not reshuffle a question."""
    home = household()
    again = write_questions(
        home.trajectories.reverse(),
        home.transition_graph.sample(fraction=1.0, shuffle=True, seed=1),
        QuestionSettings(),
    )
    assert again.equals(home.qa)
    one = write_questions(home.trajectories.head(1), home.transition_graph, QuestionSettings())
    assert one.height == 2
    content = [column for column in home.qa.columns if column != "draw"]
    assert one.join(home.qa, on=content, nulls_equal=True).height == 2
    assert home.qa["question_id"].n_unique() == home.qa.height


def test_another_seed_shuffles_anew_and_renames() -> None:
    """Ids that stay while the labels move would join answers to other questions."""
    home = household()
    other = write_questions(home.trajectories, home.transition_graph, QuestionSettings(seed=1))
    assert not set(other["question_id"]) & set(home.qa["question_id"])
    same = (
        home.qa.join(other, on=["trajectory_id", "kind"])
        .filter(pl.col("answer") == pl.col("answer_right"))
        .height
    )
    assert same < home.qa.height / 4


def test_a_step_that_is_no_edge_is_refused() -> None:
    """An action without a sentence would be shown as an empty line."""
    home = household()
    with pytest.raises(QuestionError, match="which is not an edge of the transition graph"):
        write_questions(home.trajectories, home.transition_graph.clear(), QuestionSettings())
    with pytest.raises(UnknownNameError, match="unknown wording 'terse'"):
        write_questions(home.trajectories, home.transition_graph, QuestionSettings(wording="terse"))


@pytest.mark.parametrize("n", [2, 3, 4])
def test_shuffles_are_uniform_and_the_identity_is_one_of_them(n: int) -> None:
    """A shuffle that avoids the identity, or favours it, can be exploited without looking."""
    from math import factorial

    from scipy.stats import chisquare

    draws = Counter(tuple(shuffled_labels(n, "t", k, "forward")) for k in range(4800))
    assert len(draws) == factorial(n)
    assert chisquare(sorted(draws.values())).pvalue > 0.001


def test_every_label_is_equally_likely_at_every_step_of_long_questions() -> None:
    """Bias at one place of a nine-step question would not show in short ones."""
    from scipy.stats import chisquare

    draws = [shuffled_labels(9, "trajectory", k) for k in range(2000)]
    for place in range(9):
        counts = Counter(order[place] for order in draws)
        assert chisquare([counts[label] for label in range(1, 10)]).pvalue > 0.0005
    assert inverse_order(inverse_order(draws[0])) == draws[0]


def test_a_template_of_ones_own_is_used_and_checked(tmp_path: Path) -> None:
    """A typo in a placeholder would send the same prompt for every question."""
    home = household()
    for kind in KINDS:
        (tmp_path / f"{kind}.txt").write_text(f"{kind} {{n_steps}}\n{{actions}}\n")
    qa = write_questions(
        home.trajectories.head(1), home.transition_graph, QuestionSettings(), tmp_path
    )
    assert all(p.startswith(f"{k} ") for p, k in qa.select("prompt", "kind").iter_rows())
    (tmp_path / "forward.txt").write_text("no place for them")
    with pytest.raises(QuestionError, match=r"forward\.txt: placeholder \{actions\} is missing"):
        load_template("forward", tmp_path)
    (tmp_path / "forward.txt").write_text("{actions} {state_changes}")
    with pytest.raises(QuestionError, match=r"nothing fills in \{state_changes\}"):
        load_template("forward", tmp_path)
    with pytest.raises(QuestionError, match="cannot be read"):
        load_template("inverse", tmp_path / "nowhere")
    with pytest.raises(QuestionError, match="unknown kind of question 'sideways'"):
        load_template("sideways")


def test_actions_are_never_read_as_placeholders() -> None:
    """An object called like a placeholder would be replaced inside the action."""
    assert fill_template("{n_steps}: {actions}", ["a {n_steps} {actions}"]) == (
        "1: [Action 1] a {n_steps} {actions}"
    )


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
