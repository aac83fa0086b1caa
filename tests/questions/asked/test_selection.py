"""The question set: strata, balance, nesting, and how little a new demonstration moves.

How many questions a set gets, against questions that are really written and chosen."""

from collections import Counter
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import QuestionError
from enact_assets.questions.asked.qa import write_questions
from enact_assets.questions.asked.selection import (
    chosen_by_variant,
    frames_wanted,
    select_questions,
    take_turns,
)
from enact_assets.questions.asked.stratum_counts import Stratum, count_strata
from enact_assets.questions.paths.counting import count_paths
from enact_assets.questions.paths.sampling import sample_trajectories
from enact_assets.questions.paths.tables import PathCounts
from enact_assets.settings.profile import PAPER, RELEASE
from enact_assets.settings.registry import QuestionSetSettings, QuestionSettings, Variant

from reference.builders import build_segmented_frames
from reference.household import build_household

SETTINGS = QuestionSettings(question_set_per_stratum=20, probe_set_per_stratum=7)

ids = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=3), st.integers(0, 12), max_size=6
).map(lambda sizes: {d: [f"{d}-{k}" for k in range(n)] for d, n in sizes.items()})


@given(ids, st.integers(0, 40), st.integers(0, 3))
def test_any_prefix_is_balanced(by_demonstration: dict[str, list[str]], n: int, seed: int) -> None:
    """Who has questions left differs by at most one from everybody else."""
    turns = take_turns(by_demonstration, seed, "forward 3")
    assert sorted(turns) == sorted(q for group in by_demonstration.values() for q in group)
    counts = Counter(q.split("-")[0] for q in turns[:n])
    most = max(counts.values(), default=0)
    for demonstration, group in by_demonstration.items():
        assert counts[demonstration] >= min(most - 1, len(group))


@given(ids, st.integers(0, 20), st.integers(1, 9))
def test_one_demonstration_more_only_shortens_what_others_give(
    by_demonstration: dict[str, list[str]], n: int, size: int
) -> None:
    """A reshuffle would make every stored answer useless whenever a demonstration is added."""
    more = {**by_demonstration, "new": [f"new-{k}" for k in range(size)]}
    before = take_turns(by_demonstration, 0, "s")[:n]
    after = take_turns(more, 0, "s")[:n]
    assert {q for q in after if not q.startswith("new-")} <= set(before)


def test_no_demonstration_is_first_in_every_stratum() -> None:
    """The odd question of each stratum would always go to the same demonstrations."""
    three = {d: [f"{d}-{k}" for k in range(4)] for d in "abc"}
    first = {take_turns(three, 0, f"stratum {k}")[0][0] for k in range(30)}
    assert first == {"a", "b", "c"}


@pytest.fixture(scope="module")
def qa() -> pl.DataFrame:
    homes = [
        build_household(seed, trajectories_per_length=size)
        for seed, size in ((1, 8), (2, 8), (3, 2))
    ]
    return pl.concat([h.qa for h in homes])


STATE = QuestionSetSettings("state", "state")
EVIDENCE = {f"household-{k}": f"sha {k}" for k in (1, 2, 3)}
SOURCES = dict.fromkeys(EVIDENCE, "embedded")


def test_strata_are_filled_and_probes_are_part_of_the_question_set(qa: pl.DataFrame) -> None:
    """Unequal strata would let short questions decide the leaderboard."""
    chosen = select_questions(qa, EVIDENCE, STATE, SETTINGS, SOURCES)
    sizes = qa.group_by("kind", "length").len("available")
    strata = (
        chosen.group_by("kind", "length")
        .agg(pl.col("in_question_set").sum(), pl.col("in_probe_set").sum())
        .join(sizes, on=["kind", "length"])
    )
    assert strata.height == 16
    for row in strata.iter_rows(named=True):
        assert row["in_question_set"] == min(20, row["available"])
        assert row["in_probe_set"] == (7 if row["length"] in (3, 6, 9) else 0)
    assert chosen.filter("in_probe_set")["in_question_set"].all()
    assert chosen.filter(~pl.col("in_question_set")).height == 0
    assert select_questions(qa.reverse(), EVIDENCE, STATE, SETTINGS, SOURCES).equals(chosen)
    # Two demonstrations are large, one is small: 2 of the small one, the rest shared equally.
    per_demonstration = dict(
        chosen.filter((pl.col("kind") == "forward") & (pl.col("length") == 3))
        .group_by("demonstration")
        .len()
        .iter_rows()
    )
    assert per_demonstration == {"household-1": 8, "household-2": 8, "household-3": 2}


def test_the_smaller_set_of_one_gating_lies_within_the_larger(qa: pl.DataFrame) -> None:
    """A model that answered the larger one has answered the smaller one too."""
    there = Counter(qa.select("kind", "length").iter_rows())
    asked, some = {}, {3: 9, 6: 5, 10: 2}
    for name, number in (("few", 4), ("some", some), ("all", None)):
        question_set = QuestionSetSettings(name, "state", number)
        chosen = select_questions(qa, EVIDENCE, question_set, replace(SETTINGS, seed=1), SOURCES)
        chosen = chosen.filter("in_question_set")
        sizes = Counter(chosen.select("kind", "length").iter_rows())
        for kind, length in there:
            wanted = {"few": 4, "some": some.get(length, 0), "all": 20}[name]
            assert sizes[kind, length] == min(wanted, there[kind, length])
        asked[name] = set(chosen["question_id"])
    assert asked["few"] < asked["all"]
    assert asked["some"] < asked["all"]
    assert len(asked["few"] & asked["some"]) == 2 * (4 + 4 + 2)


def test_more_probes_than_questions_are_still_asked_by_the_baseline(qa: pl.DataFrame) -> None:
    """A probe the baseline never asked could not be compared with anything."""
    few = replace(SETTINGS, question_set_per_stratum=3)
    chosen = select_questions(qa, EVIDENCE, STATE, few, SOURCES)
    probes = chosen.filter("in_probe_set")
    assert probes.height == 2 * 3 * 7
    assert probes["in_question_set"].sum() == 2 * 3 * 3
    baseline = chosen_by_variant(chosen, Variant("baseline", "state", asks="all"))
    other = chosen_by_variant(chosen, Variant("aperture_80", "state"))
    assert set(probes["question_id"]) == set(other["question_id"]) < set(baseline["question_id"])
    assert chosen_by_variant(chosen, Variant("contact", "contact")).height == 0


def test_evidence_follows_the_question_and_what_verifies_it(qa: pl.DataFrame) -> None:
    """A prompt or a mask that changed must make the answers stale, and nothing else may."""
    chosen = select_questions(qa, EVIDENCE, STATE, SETTINGS, SOURCES)
    first = chosen.row(0, named=True)

    is_first = pl.col("question_id") == first["question_id"]

    def sha(questions: pl.DataFrame, evidence: dict[str, str]) -> str:
        found = select_questions(questions, evidence, STATE, SETTINGS, SOURCES)
        return str(
            found.filter(pl.col("question_id") == first["question_id"]).item(0, "evidence_sha")
        )

    is_first = pl.col("question_id") == first["question_id"]
    reworded = qa.with_columns(
        prompt=pl.when(is_first).then(pl.col("prompt") + " please").otherwise("prompt")
    )
    assert sha(reworded, EVIDENCE) != first["evidence_sha"]
    assert sha(qa, {**EVIDENCE, first["demonstration"]: "other"}) != first["evidence_sha"]
    others = {d: "other" for d in EVIDENCE if d != first["demonstration"]}
    assert sha(qa, {**EVIDENCE, **others}) == first["evidence_sha"]
    with pytest.raises(QuestionError, match="no evidence for question"):
        select_questions(qa, {}, STATE, SETTINGS, SOURCES)


def test_each_source_has_a_sample_of_its_own_and_a_variant_asks_about_some(
    qa: pl.DataFrame,
) -> None:
    """Filmed and simulated questions in one score would be a number about nothing."""
    filmed = min(EVIDENCE)
    both = select_questions(qa, EVIDENCE, STATE, SETTINGS, {**SOURCES, filmed: "video"})
    alone = select_questions(
        qa.filter(demonstration=filmed), EVIDENCE, STATE, SETTINGS, {filmed: "video"}
    )
    assert both.filter(source="video").equals(alone)
    for _, stratum in both.group_by("source", "kind", "length"):
        assert sorted(stratum["place"]) == list(range(1, stratum.height + 1))
        assert stratum["in_question_set"].sum() == min(20, stratum.height)
    real = Variant("real_world_video", "state", asks="all", sources=("video",))
    assert set(chosen_by_variant(both, real)["demonstration"]) == {filmed}
    assert chosen_by_variant(both, real).height == alone.height
    baseline = Variant("baseline", "state", asks="all", sources=("embedded",))
    assert filmed not in set(chosen_by_variant(both, baseline)["demonstration"])
    few = chosen_by_variant(both, replace(baseline, asks=3))
    assert set(few.group_by("kind", "length").len()["len"]) == {3}
    less = chosen_by_variant(both, replace(baseline, asks=2))
    assert set(less["question_id"]) < set(few["question_id"])
    by_length = chosen_by_variant(both, replace(baseline, asks={3: 4, 10: 2}))
    sizes = Counter(by_length.select("kind", "length").iter_rows())
    assert sizes == {(k, n): {3: 4, 10: 2}[n] for k in ("forward", "inverse") for n in (3, 10)}
    # The first of each stratum, so that answers to fewer or more are found again.
    for length, shared in ((3, 3), (10, 2)):
        of = {name: rows.filter(length=length) for name, rows in (("n", few), ("m", by_length))}
        both_ask = set(of["n"]["question_id"]) & set(of["m"]["question_id"])
        assert len(both_ask) == 2 * shared
    with pytest.raises(QuestionError, match=f"no row in demonstrations, first {filmed}"):
        select_questions(qa, EVIDENCE, STATE, SETTINGS, {})


def test_nothing_is_asked_about_what_has_no_pictures(qa: pl.DataFrame) -> None:
    """A recording has none under another camera."""
    hidden = min(EVIDENCE)
    chosen = select_questions(qa, EVIDENCE, STATE, SETTINGS, SOURCES)
    asked = chosen_by_variant(chosen, Variant("aperture_80", "state"), not_shown=[hidden])
    assert hidden not in set(asked["demonstration"])
    rest = chosen.filter(pl.col("demonstration") != hidden, "in_probe_set")
    assert asked.height == rest.height


def test_a_variant_wants_the_key_frames_that_its_questions_show(qa: pl.DataFrame) -> None:
    """Rendering the others costs hours; leaving one of these out loses the question."""
    home = "household-1"
    segmented = build_segmented_frames(24).with_columns(demonstration=pl.lit(home))
    mine = qa.filter(demonstration=home)
    chosen = select_questions(
        qa, EVIDENCE, STATE, replace(SETTINGS, probe_set_per_stratum=2), SOURCES
    )
    asked = chosen_by_variant(chosen, Variant("high", "state"))
    asked = asked.join(qa.select("question_id", "shown_key_frames"), on="question_id")
    found = frames_wanted(segmented, mine, asked, "high", is_whole=False)
    shown = set()
    for question in mine.iter_rows(named=True):
        if question["question_id"] in set(asked["question_id"]):
            shown |= set(question["key_frames"])
    assert 0 < len(shown) < 24
    assert set(found["key_frame"]) == shown
    assert found["frame"].to_list() == [100 * k for k in sorted(shown)]
    assert found["variant"].unique().to_list() == ["high"]
    whole = frames_wanted(segmented, mine, asked, "baseline", is_whole=True)
    assert whole["key_frame"].to_list() == list(range(24))
    # What is asked about others, or about nobody, wants nothing here.
    others = asked.filter(pl.col("demonstration") != home)
    assert frames_wanted(segmented, mine, others, "high", is_whole=False).is_empty()
    assert frames_wanted(segmented.clear(), mine, asked, "high", is_whole=True).is_empty()


def test_a_question_that_was_never_written_wants_no_picture_in_silence(qa: pl.DataFrame) -> None:
    """Questions written again since they were chosen: their pictures would be missing."""
    home = "household-1"
    segmented = build_segmented_frames(24).with_columns(demonstration=pl.lit(home))
    chosen = select_questions(qa, EVIDENCE, STATE, SETTINGS, SOURCES)
    asked = chosen_by_variant(chosen, Variant("high", "state"))
    mine = qa.filter(demonstration=home)
    told = rf"^{home} \(state\): \d+ of \d+ questions that 'high' asks were never written"
    with pytest.raises(QuestionError, match=told):
        frames_wanted(segmented, mine.head(1), asked, "high", is_whole=False)


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
