"""Visible and full changes between key frames: rules by hand, the slow twin, wrong input."""

import dataclasses
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.demonstrations.replay.parents import at_key_frames
from enact_assets.engine.errors import EnactError, ReplayError
from enact_assets.questions.key_frames.deltas import DeltaIndex
from enact_assets.questions.key_frames.families import resolve_parents
from enact_assets.questions.key_frames.pair_kernels import count_visible_changes
from enact_assets.settings.components import Component
from enact_assets.settings.predicates import EXISTS
from enact_assets.settings.profile import PAPER, Profile

import reference.deltas as twin
from reference.builders import (
    build_later_parents,
    build_objects,
    build_scene_graphs,
    build_visibility,
)
from reference.random_replays import CATEGORIES, EXISTENCE, FACTS, OBJECTS, PARENTS

Fact = tuple[str, str, str | None]
SEEN = 2 * PAPER.min_visible_fraction
HIDDEN = PAPER.min_visible_fraction
EVERYONE = tuple(CATEGORIES)


def build_index(
    graphs: list[set[Fact]],
    seen: list[set[str]],
    later: Sequence[tuple[int, str, set[str]]] = (),
    profile: Profile = PAPER,
) -> DeltaIndex:
    """Index of key frames with these facts, in which exactly these objects are visible.

    ``later`` are parents from a key frame on: key frame, child, parents.
    """
    fractions = [{o: SEEN if o in shown else HIDDEN for o in EVERYONE} for shown in seen]
    return DeltaIndex.from_tables(
        build_scene_graphs(graphs),
        build_visibility(fractions),
        OBJECTS,
        profile,
        later_parents=at_key_frames(
            # Some at a key frame, some shortly before one.
            build_later_parents(*((name, 100 * k - 5 * (k % 2 == 0), of) for k, name, of in later)),
            np.arange(0, 100 * len(graphs), 100),
        ),
    )


def existing(*names: str) -> set[Fact]:
    return {(EXISTS, name, None) for name in names}


def texts(components: frozenset[Component]) -> set[str]:
    return {str(component) for component in components}


WHOLE = existing("robot", "table", "plate_1", "plate_2", "apple", "pear")
SLICED = existing("robot", "table", "plate_1", "plate_2", "half_1", "half_2", "pear")


def test_a_change_shows_only_if_its_objects_are_visible_in_both_frames() -> None:
    """A mask of exactly the minimum is not visible; the full change has it all the same."""
    graphs = [WHOLE | {("OnTop", "apple", "plate_1")}, WHOLE | {("Open", "table", None)}]
    index = build_index(graphs, [{"table", "apple", "plate_1"}, {"table", "apple"}])
    assert texts(index.visible(0, 1)) == {"+Open(table)"}
    assert texts(index.full(0, 1)) == {"+Open(table)", "-OnTop(apple, plate)"}
    assert texts(index.full(1, 0)) == {"-Open(table)", "+OnTop(apple, plate)"}
    assert index.full(1, 1) == index.visible(0, 0) == frozenset()


def test_objects_of_a_transition_need_to_be_seen_only_once() -> None:
    """Sliced halves exist in one frame only and could never be seen in both."""
    graphs = [
        WHOLE | {("OnTop", "apple", "table")},
        SLICED | {("OnTop", "half_1", "table"), ("OnTop", "half_2", "plate_2")},
    ]
    index = build_index(graphs, [{"table", "apple", "plate_2"}, {"table", "half_1", "half_2"}])
    assert texts(index.visible(0, 1)) == {
        "-OnTop(apple, table)",
        "+OnTop(half apple, table)",
        "~Transition(apple, half apple)",
    }
    assert "+OnTop(half apple, plate)" in texts(index.full(0, 1))
    # Backwards nothing turns into anything: the apple does not come from its halves.
    assert texts(index.full(1, 0)) == {
        "+OnTop(apple, table)",
        "-OnTop(half apple, table)",
        "-OnTop(half apple, plate)",
    }
    assert index.visible(1, 0) == frozenset()


def test_two_changed_objects_of_one_label_cannot_be_told_apart() -> None:
    """ "The plate is on the table" would fit either plate."""
    on_table = {("OnTop", "plate_1", "table"), ("OnTop", "plate_2", "table")}
    graphs = [
        WHOLE,
        WHOLE | on_table | {("Open", "table", None)},
        WHOLE | {("OnTop", "plate_1", "table")},
    ]
    index = build_index(graphs, [set(EVERYONE)] * 3)
    assert texts(index.visible(0, 1)) == {"+Open(table)"}
    assert texts(index.full(0, 1)) == {"+OnTop(plate, table)", "+Open(table)"}
    assert texts(index.visible(0, 2)) == {"+OnTop(plate, table)"}
    # A plate that changes where nobody sees it does not confuse anybody.
    hidden = build_index(graphs, [set(EVERYONE), set(EVERYONE) - {"plate_2"}, set(EVERYONE)])
    assert texts(hidden.visible(0, 1)) == {"+OnTop(plate, table)", "+Open(table)"}


KEEPS_AMBIGUOUS = dataclasses.replace(PAPER, drops_ambiguous=False)


def test_ambiguous_changes_are_kept_where_the_profile_keeps_them() -> None:
    """Both plates change, and the wording does not say which."""
    graphs = [
        WHOLE | {("OnTop", "plate_1", "table")},
        WHOLE | {("OnTop", "plate_2", "table"), ("Open", "plate_1", None)},
    ]
    index = build_index(graphs, [set(EVERYONE)] * 2, profile=KEEPS_AMBIGUOUS)
    kept = {"+OnTop(plate, table)", "-OnTop(plate, table)", "+Open(plate)"}
    assert texts(index.visible(0, 1)) == texts(index.full(0, 1)) == kept
    assert build_index(graphs, [set(EVERYONE)] * 2).visible(0, 1) == frozenset()


def test_halves_of_one_fruit_may_stand_for_each_other() -> None:
    """Otherwise no sliced fruit could ever be asked about."""
    graphs = [SLICED, SLICED | {("OnTop", "half_1", "plate_2"), ("OnTop", "half_2", "plate_2")}]
    index = build_index(graphs, [set(EVERYONE)] * 2)
    assert texts(index.visible(0, 1)) == {"+OnTop(half apple, plate)"}


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        ({"pear"}, "~Transition(apple, salad)"),
        ({"apple"}, "~Transition(pear, salad)"),
        (set(), "~Transition(apple and pear, salad)"),
    ],
)
def test_a_transition_names_only_the_parents_that_disappear(left: set[str], expected: str) -> None:
    """An ingredient that is still there did not turn into anything."""
    graphs = [existing("apple", "pear"), existing("salad", *left)]
    index = build_index(graphs, [{"apple", "pear"}, {"salad"}])
    assert texts(index.full(0, 1)) == texts(index.visible(0, 1)) == {expected}


def test_objects_that_only_turn_into_others_can_be_ambiguous_or_hidden_too() -> None:
    """No fact names them, yet the transition does."""
    before, after = existing("apple", "apple_2"), existing("half_1", "half_2", "half_3")
    everyone = set(EVERYONE)
    graphs = [before, after, existing("juice")]
    index = build_index(graphs, [everyone] * 3)
    assert texts(index.full(0, 1)) == {"~Transition(apple, half apple)"}
    assert index.visible(0, 1) == frozenset()
    assert texts(index.full(0, 2)) == {"~Transition(apple, juice)"}
    assert index.visible(0, 2) == frozenset()
    one = [existing("apple"), existing("half_1"), existing("juice")]
    assert texts(build_index(one, [everyone] * 3).visible(0, 1)) == {
        "~Transition(apple, half apple)"
    }
    assert build_index(one, [set(), everyone - {"apple"}, set()]).visible(0, 1) == frozenset()
    assert build_index(one, [everyone - {"half_1"}, set(), set()]).visible(0, 1) == frozenset()


def test_a_parent_can_be_a_category_unknown_or_not_recorded() -> None:
    """Recordings name parents as they like; a transition must not be lost, or be an error."""
    objects = build_objects(
        ("apple_1", "apple"),
        ("apple_2", "apple"),
        ("half_1", "half_apple", ["apple"]),
        ("half_2", "half_apple", ["apple_2", "half_apple"]),
        ("juice", "juice", ["pear", "apple_1"]),
    )
    unrecorded = pl.col("object_name") == "apple_1"
    objects = objects.with_columns(parents=pl.when(~unrecorded).then("parents"))
    assert {name: of.parents for name, (of,) in resolve_parents(objects).items()} == {
        "apple_1": (),
        "apple_2": (),
        "half_1": ("apple_1", "apple_2"),
        "half_2": ("apple_2", "half_1"),
        "juice": ("apple_1",),
    }
    graphs = build_scene_graphs([existing("apple_1"), existing("half_1"), existing("juice")])
    index = DeltaIndex.from_tables(graphs, build_visibility([]), objects, PAPER)
    assert texts(index.full(0, 1)) == {"~Transition(apple, half apple)"}
    assert texts(index.full(0, 2)) == {"~Transition(apple, juice)"}


def subsets(values: tuple[Any, ...]) -> st.SearchStrategy[set[Any]]:
    """Every element in or out by itself; sets of hypothesis are mostly small."""
    picks = st.lists(st.booleans(), min_size=len(values), max_size=len(values))
    return picks.map(lambda kept: {value for value, k in zip(values, kept, strict=True) if k})


key_frames = st.lists(
    st.tuples(
        subsets(FACTS),
        subsets(EXISTENCE),
        subsets(EVERYONE) | st.just(set(EVERYONE)),
    ),
    min_size=1,
    max_size=5,
)


@given(key_frames, st.sampled_from([PAPER, KEEPS_AMBIGUOUS]))
def test_changes_of_every_pair_agree_with_the_twin(
    frames: list[tuple[set[Fact], set[Fact], set[str]]], profile: Profile
) -> None:
    """Forward, backward and from a frame to itself; one by one, in bulk and as edges."""
    graphs = [facts | existence for facts, existence, _ in frames]
    seen = [shown for _, _, shown in frames]
    index = build_index(graphs, seen, profile=profile)
    pairs = [(i, j) for i in range(len(frames)) for j in range(len(frames))]
    visible_bits, full_bits = index.visible_bits(np.array(pairs)), index.full_bits(np.array(pairs))
    is_edited, takes_part = index.edited(np.array(pairs))
    edges = {}
    for row, (i, j) in enumerate(pairs):
        shown = twin.shown_changes(
            graphs[i],
            graphs[j],
            (seen[i], seen[j]),
            CATEGORIES,
            PARENTS,
            drops_ambiguous=profile.drops_ambiguous,
        )
        changes = twin.changes_between(graphs[i], graphs[j], PARENTS)
        turning = {o for c in changes if c[0] == "transition" for o in twin.objects_of(c)}
        named = {o for c in shown for o in twin.objects_of(c)}
        assert set(np.array(index.object_names)[is_edited[row]]) == named
        assert set(np.array(index.object_names)[takes_part[row]]) == turning
        visible = frozenset(twin.worded(c, CATEGORIES) for c in shown)
        full = twin.full(graphs[i], graphs[j], CATEGORIES, PARENTS)
        assert index.visible(i, j) == visible
        assert index.full(i, j) == full
        assert visible <= full
        encoded, is_known = index.encode([visible, full])
        assert is_known.all()
        assert (encoded[0] == visible_bits[row]).all()
        assert (encoded[1] == full_bits[row]).all()
        if i < j and PAPER.min_changes <= len(visible) <= PAPER.max_changes:
            edges[i, j] = len(visible)
    found_pairs, n_changes = index.edges()
    assert dict(zip(map(tuple, found_pairs.tolist()), n_changes.tolist(), strict=True)) == edges
    assert index.texts(full_bits).to_list() == [sorted(texts(index.full(*p))) for p in pairs]


LATER = ("half_1", "half_2", "salad")
parents_over_time = st.lists(
    st.tuples(
        st.integers(1, 5),
        st.sampled_from(LATER),
        st.sampled_from([{"apple"}, {"apple_2", "pear"}, {"pear"}, set()]),
    ),
    max_size=4,
    unique_by=lambda row: row[:2],
)


@given(key_frames, parents_over_time)
def test_changes_agree_with_the_twin_where_parents_change(
    frames: list[tuple[set[Fact], set[Fact], set[str]]], later: list[tuple[int, str, set[str]]]
) -> None:
    """Those count that the child has where it appears; halves stay twins if they change alike."""
    graphs = [facts | existence for facts, existence, _ in frames]
    seen = [shown for _, _, shown in frames]
    history: dict[str, list[set[str]]] = {n: [set(of)] * len(frames) for n, of in PARENTS.items()}
    for start, name, of in sorted(later, key=lambda row: row[0]):
        history[name] = [*history[name][:start], *[of] * (len(frames) - start)]
    index = build_index(graphs, seen, later)
    for i, j in product(range(len(frames)), repeat=2):
        parents = twin.parents_at_appearance(history, graphs, j)
        full = twin.full(graphs[i], graphs[j], CATEGORIES, parents)
        told = graphs[i], graphs[j], (seen[i], seen[j]), CATEGORIES, parents
        assert index.full(i, j) == full
        assert index.visible(i, j) == twin.visible(*told, history=history)
        shown = twin.shown_changes(*told, history=history)
        named = {o for c in shown for o in twin.objects_of(c)}
        is_edited, _ = index.edited(np.array([[i, j]]))
        assert set(np.array(index.object_names)[is_edited[0]]) == named


def test_a_substance_made_twice_comes_from_what_it_was_made_of_then() -> None:
    """Either parents for both times would lose a transition; so would those of a later frame."""
    graphs = [
        existing("apple", "pear"),
        existing("pear", "salad"),
        existing("pear"),
        existing("salad"),
        existing("salad"),
    ]
    later = [(3, "salad", {"pear"}), (4, "salad", {"robot"})]
    index = build_index(graphs, [set(EVERYONE)] * 5, later)
    from_apple, from_pear = {"~Transition(apple, salad)"}, {"~Transition(pear, salad)"}
    assert texts(index.full(0, 1)) == texts(index.visible(0, 1)) == from_apple
    assert texts(index.full(2, 3)) == texts(index.visible(2, 4)) == from_pear
    assert texts(index.full(0, 3)) == texts(index.full(0, 4)) == from_pear
    assert texts(index.full(1, 4)) == texts(index.full(3, 4)) == set()


def test_sets_of_more_than_a_word_keep_their_components_apart() -> None:
    """Bit 64 must not fall back on bit 0."""
    names = [f"thing_{k}" for k in range(150)]
    objects = build_objects(*((name, name.replace("_", " ")) for name in names))
    graphs = [
        existing(*names) | {("Open", name, None) for name in names[k : k + 100]} for k in range(3)
    ]
    visibility = build_visibility([dict.fromkeys(names, SEEN)] * 3)
    index = DeltaIndex.from_tables(build_scene_graphs(graphs), visibility, objects, PAPER)
    assert index.n_words == 4
    assert texts(index.visible(0, 2)) == {
        *(f"-Open(thing {k})" for k in (0, 1)),
        *(f"+Open(thing {k})" for k in (100, 101)),
    }
    assert count_visible_changes(index._arrays, index.n_words).tolist() == [
        [0, 2, 4],
        [0, 0, 2],
        [0, 0, 0],
    ]


def test_an_index_without_key_frames_answers_with_empty_arrays() -> None:
    """A demonstration without key frames must reach the trajectories as zero paths."""
    index = DeltaIndex.from_tables(build_scene_graphs([]), build_visibility([]), OBJECTS, PAPER)
    pairs, n_changes = index.edges()
    assert (index.n_key_frames, pairs.shape, n_changes.shape) == (0, (0, 2), (0,))
    assert index.texts(index.visible_bits(pairs)).to_list() == []


def test_components_that_never_occur_are_reported_as_unknown() -> None:
    """Dropping them silently would turn a wrong action into a subset of the right one."""
    index = build_index([WHOLE, WHOLE | {("Open", "table", None)}], [set(EVERYONE)] * 2)
    bits, is_known = index.encode([[Component("add", "Open", "oven")], []])
    assert is_known.tolist() == [False, True]
    assert not bits.any()


def test_key_frames_that_do_not_exist_are_refused() -> None:
    """Compiled code does not check bounds: it would read other memory."""
    index = build_index([WHOLE, WHOLE], [set(EVERYONE)] * 2)
    for pair in ((0, 2), (-1, 0)):
        with pytest.raises(EnactError, match=r"1 of 1 pairs name a key frame outside 0\.\.1"):
            index.full(*pair)


def test_tables_that_do_not_belong_together_are_refused() -> None:
    """Masks of another gating have other key frames."""
    graphs, masks = build_scene_graphs([WHOLE]), build_visibility([{"apple": SEEN}])
    other = masks.with_columns(gating=pl.lit("contact"))
    with pytest.raises(ReplayError, match="2 partitions"):
        DeltaIndex.from_tables(graphs, other, OBJECTS, PAPER)
    foreign = OBJECTS.with_columns(demonstration=pl.lit("other-0"))
    with pytest.raises(ReplayError, match="2 demonstrations"):
        DeltaIndex.from_tables(graphs, masks, foreign, PAPER)
    with pytest.raises(ReplayError, match=r"scene_graphs\.subject: 1 names.*'pear'"):
        DeltaIndex.from_tables(
            graphs, masks, OBJECTS.filter(pl.col("object_name") != "pear"), PAPER
        )
    with pytest.raises(ReplayError, match="1 of 13 rows repeat a name"):
        DeltaIndex.from_tables(graphs, masks, pl.concat([OBJECTS, OBJECTS.head(1)]), PAPER)
