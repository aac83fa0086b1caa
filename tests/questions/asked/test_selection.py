"""The question set: strata, balance, nesting, and how little a new demonstration moves."""

from collections import Counter
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import QuestionError
from enact_assets.questions.asked.selection import (
    chosen_by_variant,
    frames_wanted,
    select_questions,
    take_turns,
)
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
