"""Draws of the public release: its recorded samples, and its procedure step by step."""

import random
from dataclasses import replace
from math import comb

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import SettingsError, TrajectoryError
from enact_assets.engine.ids import short_id
from enact_assets.pipeline.steps.profiles import SAMPLE
from enact_assets.questions.paths.counting import CountedPaths, count_paths, path_counts_of
from enact_assets.questions.paths.release_draws import (
    choose,
    draw_release,
    draws_of,
    pass_over_choices,
    why_no_questions,
)
from enact_assets.questions.paths.sampling import release_trajectories
from enact_assets.questions.paths.tables import Trajectories
from enact_assets.settings.classes import QuestionSettings
from enact_assets.settings.profile import PAPER, RELEASE, Profile, ReleaseRules

import reference.release_draws as twin
from reference.conformance import TASKS, expected
from reference.household import build_household
from reference.release_chain import failing_task, release_task

KINDS = ("forward", "inverse")
REQUESTED = 30


@pytest.mark.parametrize("name", TASKS)
def test_path_counts_are_those_recorded(name: str) -> None:
    """One wrong count and every weighted draw after it differs."""
    task, recorded = release_task(name), expected(name)["paths"]
    counts = path_counts_of(task.segmented_frames, task.transition_graph, RELEASE)
    assert {n: counts.total(int(n)) for n in recorded["total"]} == recorded["total"]
    assert {n: counts.ending(int(n)) for n in recorded["per_end"]} == recorded["per_end"]
    rows = count_paths(task.segmented_frames, task.transition_graph, RELEASE)
    per_length = rows.group_by("length").agg(pl.col("n_paths").cast(pl.Int64))
    assert {str(n): paths for n, paths in per_length.iter_rows()} == recorded["per_end"]


@pytest.mark.parametrize("name", TASKS)
def test_the_recorded_samples_are_drawn_again(name: str) -> None:
    """Whoever switches to this project must find the questions they had, in their order."""
    task, recorded = release_task(name), expected(name)
    ids = np.array(recorded["segmentation"]["key_frame_ids"])
    _, found = draws_of(
        task.segmented_frames, task.transition_graph, task.index, REQUESTED, RELEASE
    )
    sequences = {
        f"{kind}_{drawn.length}": [ids[list(d.key_frames)].tolist() for d in drawn.of_kind(kind)]
        for drawn in found
        for kind in KINDS
    }
    assert sequences == recorded["reference_sampled_sequences"]
    n_found = {key: len(paths) for key, paths in sequences.items()}
    assert n_found == recorded["reference_qa_counts"]["counts"]


@pytest.mark.parametrize("name", TASKS)
def test_drawn_trajectories_carry_their_exact_rank(name: str) -> None:
    """The release knows no ranks; ours must name the same trajectory as under any sampler."""
    task = release_task(name)
    frames, graph = task.segmented_frames, task.transition_graph
    rows = release_trajectories(frames, graph, task.index, RELEASE, REQUESTED)
    counts = path_counts_of(frames, graph, RELEASE)
    frame_of = frames["frame"].to_numpy()
    assert rows["trajectory_id"].n_unique() == rows.height == 8 * REQUESTED
    for row in rows.iter_rows(named=True):
        (path,) = counts.unrank(row["length"], [int(row["rank"])]).tolist()
        assert path == row["key_frames"]
        assert row["frames"] == frame_of[path].tolist()
        assert row["trajectory_id"] == short_id("trajectory", name, row["frames"])
    other_seed = QuestionSettings(seed=99, trajectories_per_length=REQUESTED)
    again = SAMPLE.of(RELEASE)(frames, graph, task.index, RELEASE, other_seed)
    assert again.equals(rows)


@st.composite
def tasks(draw: st.DrawFn) -> tuple[int, set[twin.Pair], dict[twin.Pair, twin.Pair]]:
    """(key frames, edges, states to be worded per pair); most pairs are edges."""
    n = draw(st.integers(0, 8))
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    no_edges = draw(st.sets(st.sampled_from(pairs), max_size=n)) if pairs else set()
    count = st.integers(0, 3)
    return n, set(pairs) - no_edges, {pair: (draw(count), draw(count)) for pair in pairs}


def found_and_wanted(
    task: tuple[int, set[twin.Pair], dict[twin.Pair, twin.Pair]],
    requested: int,
    length: int,
    attempts: int = 10,
    without_picture: frozenset[int] = frozenset(),
) -> list[tuple[list[twin.Question], list[twin.Question]]]:
    """Draws of both kinds, ours and the twin's."""
    n, edges, n_draws = task
    array = np.zeros((n, n, 2), np.int64)
    for pair, states in n_draws.items():
        array[pair] = states
    counts = CountedPaths.of(n, np.array(sorted(edges)).reshape(-1, 2), RELEASE.max_length)
    rules = replace(ReleaseRules(), attempts_per_trajectory=attempts)
    profile = replace(RELEASE, release=rules)
    pictured = [k not in without_picture for k in range(n)]
    found = {d.length: d for d in draw_release(counts, array, requested, profile, pictured)}
    asked = {"length": length, "requested": requested, "attempts": attempts}
    asked["without_picture"] = without_picture
    return [
        (
            [
                twin.Question(d.key_frames, d.wordings, d.shown)
                for d in (found[length].of_kind(kind) if length in found else [])
            ],
            twin.generate(n, edges, n_draws, kind=kind, **asked),
        )
        for kind in KINDS
    ]


@given(
    tasks(),
    st.integers(1, 40),
    st.integers(3, 10),
    st.sampled_from([1, 2, 10]),
    st.one_of(st.just(frozenset()), st.frozensets(st.integers(0, 7), max_size=3)),
)
def test_draws_follow_the_procedure_of_the_release(
    task: tuple[int, set[twin.Pair], dict[twin.Pair, twin.Pair]],
    requested: int,
    length: int,
    attempts: int,
    without_picture: frozenset[int],
) -> None:
    """Also where attempts run out, few trajectories exist, or pictures are missing."""
    for found, wanted in found_and_wanted(task, requested, length, attempts, without_picture):
        assert found == wanted


def test_draws_follow_the_procedure_where_weights_pass_double_precision() -> None:
    """Python compares the drawn float with exact sums; rounding them first moves borders."""
    n = 220
    pairs = {(i, j): (j % 3, i % 2) for i in range(n) for j in range(i + 1, n)}
    assert comb(n, 10) > 2**55
    for found, wanted in found_and_wanted((n, set(pairs), pairs), 20, 10):
        assert found == wanted
        assert len(found) == 20


@given(st.integers(0, 2**32), st.lists(st.integers(1, 9), max_size=60))
def test_a_choice_is_that_of_pythons_random_choice(seed: int, sizes: list[int]) -> None:
    """Same picks, and the same numbers used up: what follows must not shift."""
    ours, pythons = random.Random(seed), random.Random(seed)  # noqa: S311 - no secret
    for n in sizes:
        assert choose(ours.getrandbits, n) == pythons.choice(range(n))
    assert ours.getstate() == pythons.getstate()


@given(st.integers(0, 2**32), st.lists(st.sampled_from([1, 2, 4, 8, 64]), max_size=300))
def test_choices_are_passed_over_as_if_they_were_made(seed: int, sizes: list[int]) -> None:
    """Thousands of choices stand before the first trajectory; none of them is looked at."""
    ours, pythons = random.Random(seed), random.Random(seed)  # noqa: S311 - no secret
    pass_over_choices(ours.getrandbits, len(sizes))
    for n in sizes:
        pythons.choice(range(n))
    assert ours.getstate() == pythons.getstate()


def test_a_failing_change_ends_all_draws_and_is_told() -> None:
    """The release loses the whole demonstration; nothing found must not look like nothing there."""
    task = failing_task()
    assert draws_of(task.segmented_frames, task.transition_graph, task.index, 5, RELEASE)[1] == []
    reason = why_no_questions(task.index)
    assert reason is not None
    assert "key frames 0 to 3: AssertionError: particles 'diced__apple' appear" in reason
    rows = release_trajectories(
        task.segmented_frames, task.transition_graph, task.index, RELEASE, 5
    )
    assert rows.equals(Trajectories.empty())
    assert why_no_questions(release_task(TASKS[0]).index) is None


def test_changes_and_graph_of_different_key_frames_are_refused() -> None:
    """Numbers passed over for other pairs shift every draw and still look like a sample."""
    task = release_task(TASKS[0])
    counts = path_counts_of(task.segmented_frames, task.transition_graph, RELEASE)
    n = counts.n_key_frames
    with pytest.raises(TrajectoryError, match=rf"shape \(2, 2, 2\); {n} key frames take"):
        draw_release(counts, np.zeros((2, 2, 2), np.int64), 5, RELEASE)
    few = task.segmented_frames.head(3)
    none = task.transition_graph.clear()
    with pytest.raises(TrajectoryError, match=f"know {n} key frames, segmented_frames 3"):
        release_trajectories(few, none, task.index, RELEASE, 5)


def test_profile_and_index_must_fit() -> None:
    """An index of the paper's changes has no draws to pass over."""
    task = release_task(TASKS[0])
    for index in (None, build_household(3).index):
        with pytest.raises(TrajectoryError, match="give an index of its own class"):
            release_trajectories(task.segmented_frames, task.transition_graph, index, RELEASE, 5)
    counts = CountedPaths.of(2, np.array([[0, 1]]), 3)
    n_draws = np.zeros((2, 2, 2), np.int64)
    with pytest.raises(SettingsError, match="'paper' has no constants of the public release"):
        draw_release(counts, n_draws, 5, PAPER)
    three = Profile("three", release=replace(ReleaseRules(), added_wordings=3))
    with pytest.raises(SettingsError, match="3 wordings are no power of two"):
        draw_release(counts, n_draws, 5, three)


def test_no_key_frames_give_no_draws() -> None:
    """A demonstration that is too short is no error."""
    task = failing_task()
    empty = task.segmented_frames.clear()
    rows = release_trajectories(empty, task.transition_graph.clear(), task.index, RELEASE, 5)
    assert rows.equals(Trajectories.empty())
