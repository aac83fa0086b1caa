"""How many questions a set gets, against questions that are really written and chosen."""

from collections import Counter
from dataclasses import replace

import polars as pl

from enact_assets.questions.asked.qa import write_questions
from enact_assets.questions.asked.selection import select_questions
from enact_assets.questions.asked.stratum_counts import Stratum, count_strata
from enact_assets.questions.paths.counting import count_paths
from enact_assets.questions.paths.sampling import sample_trajectories
from enact_assets.questions.paths.tables import PathCounts
from enact_assets.settings.classes import QuestionSetSettings, QuestionSettings
from enact_assets.settings.profile import PAPER, RELEASE

from reference.builders import build_segmented_frames
from reference.household import build_household

STATE = QuestionSetSettings("state", "state")


def counted(paths: dict[str, int]) -> pl.DataFrame:
    """Rows of path_counts: so many paths of every length, half of them end at either key frame."""
    return PathCounts.build(
        [
            {
                "demonstration": demonstration,
                "gating": "state",
                "length": length,
                "key_frame": key_frame,
                "n_paths": str((n + key_frame) // 2),
            }
            for demonstration, n in paths.items()
            for length in PAPER.lengths
            for key_frame in (0, 1)
        ]
    )


def at(strata: list[Stratum], length: int, kind: str = "forward") -> tuple[int, str]:
    (found,) = [s for s in strata if (s.kind, s.length) == (kind, length)]
    return found.n, found.why


def found_rows(n: int) -> pl.DataFrame:
    """Rows of question_set: n of each kind and length, and one more that is only a probe."""
    rows = [
        {"kind": kind, "length": length, "in_question_set": k < n}
        for kind in ("forward", "inverse")
        for length in PAPER.lengths
        for k in range(n + 1)
    ]
    return pl.DataFrame(rows)


def test_twelve_demonstrations_reach_the_counts_of_the_paper() -> None:
    """47 trajectories of each would leave five lengths short."""
    twelve = counted({f"d-{k}": 1000 for k in range(12)})
    strata = count_strata(twelve, STATE, QuestionSettings(), PAPER)
    assert sum(s.n for s in strata) == sum(s.wanted for s in strata) == 8972
    assert not any(s.why for s in strata)
    fewer = count_strata(twelve, STATE, QuestionSettings(trajectories_per_length=47), PAPER)
    assert at(fewer, 3) == (564, "too few demonstrations: 12 give at most 47 each")
    assert at(fewer, 9) == (548, "")
    assert [s.length for s in fewer if s.why and s.kind == "inverse"] == [3, 4, 5, 6, 7, 8]


def test_a_short_stratum_names_the_demonstrations_with_too_few_paths() -> None:
    settings = QuestionSettings(trajectories_per_length=10, question_set_per_stratum=50)
    paths = counted({"a-0": 3, "b-0": 10**30, "c-0": 9, "d-0": 9, "e-0": 0, "f-0": 9})
    n, why = at(count_strata(paths, STATE, settings, PAPER), 5)
    assert n == 3 + 10 + 9 + 9 + 9
    assert why == "too few paths in e-0 (0 of 10), a-0 (3 of 10), c-0 (9 of 10) and 2 more"
    small = replace(STATE, per_stratum={5: 20})
    assert at(count_strata(paths, small, settings, PAPER), 5) == (20, "")
    assert at(count_strata(paths, small, settings, PAPER), 6) == (0, "")


def test_a_missing_demonstration_counts_with_the_most_until_questions_are_chosen() -> None:
    settings = QuestionSettings(trajectories_per_length=10, question_set_per_stratum=30)
    paths = counted({"a-0": 50, "b-0": 50})
    assert at(count_strata(paths, STATE, settings, PAPER, n_missing=1), 3) == (30, "")
    found = count_strata(paths, STATE, settings, PAPER, n_missing=1, found=found_rows(20))
    assert at(found, 3) == (20, "path_counts of 1 demonstrations is not materialized")
    old = count_strata(paths, STATE, settings, PAPER, n_missing=1, found=found_rows(15))
    assert at(old, 3) == (15, "question_set is out of date: 20 are possible")
    all_found = count_strata(paths, STATE, settings, PAPER, found=found_rows(20))
    assert at(all_found, 3) == (20, "too few demonstrations: 2 give at most 10 each")


def test_the_release_keeps_25_inverse_questions() -> None:
    settings = QuestionSettings(trajectories_per_length=40, question_set_per_stratum=80)
    strata = count_strata(counted({"a-0": 99, "b-0": 99}), STATE, settings, RELEASE)
    assert at(strata, 4) == (80, "")
    assert at(strata, 4, "inverse")[0] == 50


def test_the_expected_numbers_are_those_that_are_written_and_chosen() -> None:
    """The table would promise questions that nobody can ask."""
    settings = QuestionSettings(
        trajectories_per_length=10, question_set_per_stratum={3: 12, 8: 30, 9: 25, 10: 25}
    )
    counts, qa = [], []
    # Eight key frames have few paths of length 8, and none of 9.
    for seed, n_key_frames in ((1, 24), (2, 8), (3, 12)):
        home = build_household(seed, n_key_frames)
        frames = build_segmented_frames(n_key_frames).with_columns(
            demonstration=pl.lit(home.demonstration)
        )
        counts.append(count_paths(frames, home.transition_graph, PAPER))
        drawn = sample_trajectories(frames, home.transition_graph, PAPER, 10, seed=0)
        qa.append(write_questions(drawn, home.transition_graph, settings))
    evidence = {f"household-{seed}": "sha" for seed in (1, 2, 3)}
    sources = dict.fromkeys(evidence, "embedded")
    chosen = select_questions(pl.concat(qa), evidence, STATE, settings, sources)
    strata = count_strata(pl.concat(counts), STATE, settings, PAPER)
    numbers = Counter(chosen.filter("in_question_set").select("kind", "length").iter_rows())
    assert {(s.kind, s.length): s.n for s in strata if s.n} == numbers
    assert at(strata, 3) == (12, "")
    assert 0 < at(strata, 9)[0] < 25
    assert "household-2 (0 of 10)" in at(strata, 9)[1]
    found = count_strata(pl.concat(counts), STATE, settings, PAPER, found=chosen)
    assert found == strata
