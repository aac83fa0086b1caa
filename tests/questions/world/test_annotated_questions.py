"""Questions from annotations: the counts of CaptainCook4D, and what must hold of every question."""

from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.questions.world.annotated_actions import annotated_actions, flawless_recordings
from enact_assets.questions.world.annotated_questions import (
    FIXED,
    INCOMPATIBLE,
    OPEN,
    annotated_questions,
    flawless_plans,
    not_asked,
    order_counts,
    transition_questions,
    wrong_orders,
)
from enact_assets.questions.world.annotated_rows import Questions
from enact_assets.questions.world.captaincook4d import FOLDER, NAME
from enact_assets.questions.world.observed_orders import OrderCounts, breaks_fixed_order
from enact_assets.questions.world.plan_windows_kernels import longest_plans
from enact_assets.questions.world.step_files import read_step_file
from enact_assets.questions.world.tables import WorldCandidates, WorldQuestions
from enact_assets.settings.world import EQUIVALENT, SAME, WorldSettings

from reference import step_plans
from reference.small_step_files import kitchen, three_kitchens

LENGTHS = range(3, 11)


@pytest.fixture(scope="module")
def cook() -> pl.DataFrame:
    return annotated_actions(read_step_file(FOLDER, NAME), {}).rows


@pytest.fixture(scope="module")
def asked(cook: pl.DataFrame) -> Questions:
    """About six of the 24 recipes; a slow test asks about all."""
    some = pl.col("recording").str.extract(r"^(\d+)_").is_in(["1", "2", "3", "4", "5", "7"])
    return annotated_questions(cook.filter(some), WorldSettings())


def small(folder: Path) -> pl.DataFrame:
    return annotated_actions(read_step_file(three_kitchens(folder), "small"), {}).rows


def test_plans_of_captaincook4d_are_those_of_the_slow_twin(cook: pl.DataFrame) -> None:
    found = {
        (*plan.steps[0][:1], *(step.category for step in plan.steps))
        for plan in flawless_plans(cook, LENGTHS)
    }
    rows = step_plans.carried_out(FOLDER)
    slow = {(p[0]["recording"], *(s["step"] for s in p)) for p in step_plans.plans(rows, LENGTHS)}
    assert found == slow


def test_counts_of_captaincook4d(cook: pl.DataFrame) -> None:
    plans = flawless_plans(cook, LENGTHS)
    assert len(plans) == 9103
    lengths = Counter(len(plan.steps) for plan in plans)
    assert [lengths[n] for n in LENGTHS] == [1859, 1602, 1378, 1181, 1004, 840, 690, 549]
    assert cook.filter(flawless_recordings())["recording"].n_unique() == 170
    with_equivalent, in_sets = step_plans.in_balanced_sets(step_plans.carried_out(FOLDER))
    assert (with_equivalent, in_sets) == (3689, 3541)
    drawn = list(transition_questions(cook))
    assert len({one.steps[0][:2] for one in drawn}) == in_sets
    assert len(drawn) == 4012  # the last set of a recording borrows categories


@pytest.mark.slow
def test_every_plan_is_asked_and_one_in_four_short_ones_is_decidable(cook: pl.DataFrame) -> None:
    questions = annotated_questions(cook, WorldSettings()).questions
    assert questions["question_id"].is_unique().all()
    plans = questions.filter(task="pp")
    assert plans.height == 9103
    decidable = plans.filter(length=3)["is_decidable"].mean()
    assert decidable == pytest.approx(0.25, abs=0.01)


def test_rows_are_those_of_their_tables(asked: Questions) -> None:
    WorldQuestions.check(asked.questions)
    WorldCandidates.check(asked.candidates)


def test_every_option_of_a_plan_orders_the_same_clips(asked: Questions, cook: pl.DataFrame) -> None:
    """Truth is the plan, the others are three more orders; each clip is of another environment."""
    place = dict(cook.select("recording", "environment").unique().iter_rows())
    label = {(r, a): c for r, a, c in cook.select("recording", "action", "category").iter_rows()}
    shown: dict[str, dict[str, list[tuple[int, str, int, str]]]] = {}
    columns = "question_id", "option", "pool", "recording", "action", "category"
    for q, option, *clip in asked.candidates.select(columns).iter_rows():
        shown.setdefault(q, {}).setdefault(option, []).append(tuple(clip))
    numbers, letters = Counter[tuple[int, int]](), Counter[str]()
    for row in asked.questions.filter(task="pp").iter_rows(named=True):
        options = shown[row["question_id"]]
        truth = options[row["answer"]]
        assert [clip[3] for clip in truth] == row["plan"]
        assert len({tuple(o) for o in options.values()}) == 4
        assert all(sorted(o) == sorted(truth) for o in options.values())
        for _, recording, action, category in truth:
            assert label[recording, action] == category
            assert place[recording] != place[row["recording"]]
        classes = Counter(row["classes"])
        assert row["classes"]["ABCD".index(row["answer"])] == "truth"
        assert classes["truth"] == 1
        assert classes[FIXED] + classes[OPEN] == 3
        assert row["is_decidable"] == (classes[FIXED] == 3)
        letters[row["answer"]] += 1
        if row["length"] == 3:
            numbers.update((k, clip[0]) for k, clip in enumerate(truth))
    # Uniform: within five standard deviations of the share expected.
    n = letters.total()
    assert all(abs(k - n / 4) < 5 * np.sqrt(n * 3 / 16) for k in letters.values())
    n = numbers.total() / 3
    assert len(numbers) == 9
    assert all(abs(k - n / 3) < 5 * np.sqrt(n * 2 / 9) for k in numbers.values())


def test_sets_show_four_clips_of_one_recording_each_right_once(
    asked: Questions, cook: pl.DataFrame
) -> None:
    place = dict(cook.select("recording", "environment").unique().iter_rows())
    rows = asked.questions.filter(task="wm")
    shown = asked.candidates.join(rows.select("question_id"), on="question_id", how="semi")
    clips = {
        q: dict(zip(o, zip(r, a, c, strict=True), strict=True))
        for q, o, r, a, c in shown.group_by("question_id")
        .agg("option", "recording", "action", "category")
        .iter_rows()
    }
    for _, four in rows.group_by("set_id"):
        assert four.height == 4
        first = set(clips[four.item(0, "question_id")].values())
        right = [clips[q][a] for q, a in four.select("question_id", "answer").iter_rows()]
        assert set(right) == first
        assert len({c for *_, c in first}) == 4
        assert len({r for r, *_ in first}) == 1
        for row in four.iter_rows(named=True):
            assert set(clips[row["question_id"]].values()) == first
            assert clips[row["question_id"]][row["answer"]][2] == row["plan"][0]
            assert place[right[0][0]] != place[row["recording"]]
            assert sorted(row["classes"]) == [INCOMPATIBLE] * 3 + ["truth"]


def test_rows_do_not_depend_on_the_order_of_the_input(tmp_path: Path) -> None:
    rows = small(tmp_path / "small")
    settings = WorldSettings(lengths=(3, 4))
    found = annotated_questions(rows, settings)
    again = annotated_questions(rows.sample(fraction=1, shuffle=True, seed=1), settings)
    assert found.questions.height > 0
    assert found.questions.equals(again.questions)
    assert found.candidates.equals(again.candidates)
    other = annotated_questions(rows, WorldSettings(lengths=(3, 4), seed=1))
    assert set(other.questions["question_id"]) != set(found.questions["question_id"])


def test_what_is_made_of_small_kitchens(tmp_path: Path) -> None:
    """Six steps of each recording: sets of four, the second borrowing two; plans of all lengths."""
    found = annotated_questions(small(tmp_path / "small"), WorldSettings(lengths=(3, 6)))
    counts = Counter(found.questions["task"])
    assert counts == {"wm": 3 * 8, "pp": 3 * (4 + 1)}
    assert set(found.questions["condition"]) == {EQUIVALENT}
    not_asked = annotated_questions(small(tmp_path / "small"), WorldSettings(conditions=(SAME,)))
    assert not_asked.questions.is_empty()
    assert not_asked.candidates.is_empty()


def test_what_is_not_asked_about_is_named(tmp_path: Path) -> None:
    """A fourth kitchen shares three steps with the others, and ends with one of its own."""
    folder = three_kitchens(tmp_path / "small")
    file = folder / "step_annotations.csv"
    file.write_text(file.read_text() + "\n".join(kitchen("d", (1, 2, 3, 9))) + "\n")
    videos = folder / "video_information.csv"
    videos.write_text(videos.read_text() + "d,3,4,60\n")
    rows = annotated_actions(read_step_file(folder, "small"), {}).rows
    settings = WorldSettings(lengths=(3, 4))
    found = annotated_questions(rows, settings)
    transitions, plans = not_asked(rows, found.questions, settings.lengths)
    assert transitions == (
        "wm: 1 recording not asked about (first: d): no recording of another environment shares "
        "four steps."
    )
    assert plans == (
        "pp: 2 plans not asked about (first: recording d, action 1): a step has no equivalent in "
        "another environment."
    )
    of_d = found.questions.filter(task="pp", recording="d")
    assert of_d["plan"].to_list() == [["1", "2", "3"]]


def test_a_film_makes_its_clips_the_ones_that_are_shown(tmp_path: Path) -> None:
    """Of two recordings in another environment the one with a film lends its clips."""
    file = read_step_file(three_kitchens(tmp_path / "small"), "small")
    rows = annotated_actions(file, {"a": 60.0, "c": 60.0}).rows
    found = annotated_questions(rows, WorldSettings(lengths=(3,)))
    of_a = found.questions.filter(recording="a").select("question_id")
    shown = found.candidates.join(of_a, on="question_id", how="semi")
    assert set(shown["recording"]) == {"c"}


def test_orders_of_people_who_erred_count_as_orders(tmp_path: Path) -> None:
    counts = order_counts(small(tmp_path / "small"))
    one, two, three = counts.number["1"], counts.number["2"], counts.number["3"]
    assert counts.precedes[one, two] == 2
    assert counts.precedes[two, one] == 1
    assert counts.precedes[one, three] == 3
    assert not counts.is_fixed.any()  # no five recordings


@given(
    st.integers(1, 12).flatmap(
        lambda n: st.tuples(
            st.lists(st.integers(0, 2), min_size=n, max_size=n).map(sorted),
            st.lists(
                st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted), min_size=n, max_size=n
            ),
            st.lists(st.integers(0, 4), min_size=n, max_size=n),
            st.lists(st.booleans(), min_size=n, max_size=n),
            st.integers(1, 6),
        )
    )
)
def test_longest_plans_are_those_of_the_slow_twin(
    drawn: tuple[list[int], list[list[int]], list[int], list[bool], int],
) -> None:
    recording, spans, category, is_usable, most = drawn
    in_time = sorted(zip(recording, spans, strict=True))
    recording, spans = [r for r, _ in in_time], [s for _, s in in_time]
    found = longest_plans(
        np.array(recording),
        np.array(spans, np.float64),
        np.array(category),
        np.array(is_usable),
        most,
    )
    slow = step_plans.longest(recording, [(a, b) for a, b in spans], category, is_usable, most)
    assert found.tolist() == slow


@given(st.integers(3, 10), st.integers(0, 10**6))
def test_wrong_orders_differ_and_are_none_of_the_truth(length: int, key: int) -> None:
    orders = wrong_orders(length, (key,))
    assert len({tuple(order) for order in orders}) == 3
    assert all(sorted(o) == list(range(length)) and o != sorted(o) for o in orders)


def test_wrong_orders_of_three_are_uniform() -> None:
    n = 2000
    drawn = Counter(tuple(o) for key in range(n) for o in wrong_orders(3, (key,)))
    assert len(drawn) == 5
    assert all(abs(k - 0.6 * n) < 5 * np.sqrt(n * 0.24) for k in drawn.values())


def test_an_order_is_fixed_if_five_recordings_have_it_and_none_its_reverse() -> None:
    usual = [["a", "b", "c"]] * 5
    fixed = OrderCounts.of(usual, "abcx").is_fixed
    assert np.argwhere(fixed).tolist() == [[0, 1], [0, 2], [1, 2]]
    assert not OrderCounts.of(usual[1:], "abcx").is_fixed.any()
    counts = OrderCounts.of([*usual, ["b", "a"]], "abcx")
    assert np.argwhere(counts.is_fixed).tolist() == [[0, 2], [1, 2]]
    plans = counts.numbers(["acb", "bac", "cxa", "axc"])
    assert breaks_fixed_order(counts.is_fixed, plans).tolist() == [True, False, True, False]
