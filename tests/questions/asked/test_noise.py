"""Noise: how much, of what kind, from what it follows, and that it can always be said."""

from collections import Counter
from functools import cache

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.questions.asked.natural import sentence
from enact_assets.questions.asked.noise import EXCHANGEABLE, KINDS, Vocabulary, perturb
from enact_assets.settings.classes import NoiseSettings
from enact_assets.settings.components import Component
from enact_assets.settings.predicates import CONTACT_PREDICATES, STATE_PREDICATES, label

from reference.builders import build_objects
from reference.household import Household, build_household

Steps = list[list[str]]


@cache
def home() -> Household:
    return build_household(5, trajectories_per_length=12)


@cache
def words() -> Vocabulary:
    return Vocabulary.of(home().objects, STATE_PREDICATES)


def trajectories() -> list[tuple[str, Steps]]:
    """Id and true steps of every trajectory that has questions."""
    forward = home().qa.filter(kind="forward")
    return forward.select("trajectory_id", "action_components").rows()


def kind_of(true: list[str], told: list[str]) -> str:
    """What noise did to the only component of ``true`` that it perturbed."""
    gone, come = sorted(set(true) - set(told)), sorted(set(told) - set(true))
    if not come:
        return "omission"
    if not gone:
        return "hallucination"
    (before,), (after,) = map(Component.parse, gone), map(Component.parse, come)
    differs = [
        before.operation != after.operation,
        before.predicate != after.predicate,
        (before.subject, before.object) != (after.subject, after.object),
    ]
    assert sum(differs) == 1
    return KINDS[differs.index(True)]


def test_nothing_is_perturbed_at_rate_0_and_everything_at_rate_1() -> None:
    """The limit of the probe is the baseline itself."""
    for name, steps in trajectories():
        assert perturb(steps, name, NoiseSettings(0.0, 3), words()) == (steps, 0)
        told, n = perturb(steps, name, NoiseSettings(1.0, 3), words())
        assert n == sum(map(len, steps))
        assert all(sorted(a) != sorted(b) for a, b in zip(steps, told, strict=True))


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_about_the_stated_share_of_components_is_perturbed(rate: float) -> None:
    """A rate that is not what it says makes the panel a figure without an axis."""
    total = perturbed = 0
    for seed in (1, 2, 3):
        for name, steps in trajectories():
            total += sum(map(len, steps))
            perturbed += perturb(steps, name, NoiseSettings(rate, seed), words())[1]
    assert total > 2000
    # Four standard errors of independent draws; the seeds are fixed.
    assert abs(perturbed / total - rate) < 4 * (rate * (1 - rate) / total) ** 0.5


def test_every_kind_of_error_occurs_about_equally_often() -> None:
    """One that is never drawn is a definition that does not hold."""
    found: Counter[str] = Counter()
    for seed in range(8):
        for name, (true, *_) in trajectories():
            (told,), n_perturbed = perturb([true], name, NoiseSettings(0.3, seed), words())
            if n_perturbed == 1:
                found[kind_of(true, told)] += 1
    assert set(found) == set(KINDS)
    assert min(found.values()) > max(found.values()) / 3
    assert max(found.values()) < 0.35 * found.total()


@given(st.integers(0, 2**63), st.floats(0, 1))
def test_what_is_told_can_be_said_and_is_of_the_demonstration(seed: int, rate: float) -> None:
    """A component nobody can word would stop the variant; a foreign object would give it away."""
    labels = {label(c) for c in home().objects["category"]}
    for name, steps in trajectories()[::5]:
        told, n = perturb(steps, name, NoiseSettings(rate, seed), words())
        assert 0 <= n <= sum(map(len, steps))
        for true, said in zip(steps, told, strict=True):
            assert said == sorted(set(said))
            assert said
            parsed = [Component.parse(text) for text in said]
            assert {c.predicate for c in parsed if c.operation != "transition"} <= {
                *STATE_PREDICATES
            }
            for c in parsed:
                assert sentence(c)
                named = {*c.parents} if c.operation == "transition" else {c.subject}
                assert named | ({c.object} if c.object else set()) <= labels
                if c.predicate.endswith("Grasping"):
                    assert c.subject == "agent"
            facts = [(c.predicate, c.subject, c.object) for c in parsed]
            twice = {f for f, count in Counter(facts).items() if count > 1}
            before = Counter((c.predicate, c.subject, c.object) for c in map(Component.parse, true))
            assert all(before[f] > 1 for f in twice)


def test_seeds_differ_and_draws_depend_on_trajectory_and_step_alone() -> None:
    """Noise that hangs on its neighbours changes whenever a question is added."""
    (name, steps), (other, _) = trajectories()[:2]
    by_seed = [perturb(steps * 5, name, NoiseSettings(0.5, seed), words()) for seed in (1, 2, 3)]
    assert len({str(found) for found in by_seed}) == 3
    assert perturb(steps * 5, name, NoiseSettings(0.5, 1), words()) == by_seed[0]
    assert perturb(steps * 5, other, NoiseSettings(0.5, 1), words()) != by_seed[0]
    shortened = perturb(steps[:1], name, NoiseSettings(0.5, 1), words())[0]
    assert shortened == by_seed[0][0][:1]
    reordered = [step[::-1] for step in steps * 5]
    assert perturb(reordered, name, NoiseSettings(0.5, 1), words()) == by_seed[0]


def test_what_is_chosen_at_one_rate_is_chosen_at_every_higher_one() -> None:
    """Curves over the rate then compare the same errors, not two draws."""
    chosen: dict[float, set[tuple[str, str]]] = {0.1: set(), 0.3: set(), 0.9: set()}
    for rate, hit in chosen.items():
        for name, steps in trajectories():
            for text in {text for step in steps for text in step}:
                if perturb([[text]], name, NoiseSettings(rate, 1), words())[1]:
                    hit.add((name, text))
    assert set() < chosen[0.1] < chosen[0.3] < chosen[0.9]


def test_the_vocabulary_tells_things_from_substances_and_leaves_the_robot_out() -> None:
    """ "The mug now contains the table" is no error of sight."""
    objects = build_objects(
        ("robot", "agent"), ("mug_1", "mug"), ("tea", "green_tea"), ("box_1", "")
    ).with_columns(is_particle_system=pl.col("object_name") == "tea")
    found = Vocabulary.of(objects, STATE_PREDICATES)
    assert (found.things, found.substances) == (("box 1", "mug"), ("green tea",))
    for seed in range(40):
        noise = NoiseSettings(1.0, seed)
        ((said,), _) = perturb([["+Contains(mug, green tea)"]], "t", noise, found)
        assert all(Component.parse(text).object == "green tea" for text in said)


def test_exchangeable_predicates_are_those_that_a_gating_may_look_at() -> None:
    """One that is in no group would never be taken for another."""
    assert sorted(name for group in EXCHANGEABLE for name in group) == sorted(CONTACT_PREDICATES)
    things = Vocabulary(("a", "b"), (), STATE_PREDICATES)
    for seed in range(60):
        ((said,), _) = perturb([["+OnTop(a, b)"]], "t", NoiseSettings(1.0, seed), things)
        assert not [text for text in said if "Touching" in text]


def test_a_contact_is_the_same_from_either_side() -> None:
    """Told from the other side it would be told twice."""
    words = Vocabulary(("a", "b", "c"), (), CONTACT_PREDICATES)
    true = ["+Touching(a, b)", "+Touching(c, a)"]
    for seed in range(60):
        ((said,), _) = perturb([true], "t", NoiseSettings(1.0, seed), words)
        touching = [Component.parse(t) for t in said if "Touching" in t]
        pairs = [frozenset((c.subject, c.object)) for c in touching]
        assert len(set(pairs)) == len(pairs)


def test_a_change_that_cannot_be_told_otherwise_is_told_as_it_is() -> None:
    """The only change, with nothing to take for it: left out, the action would be empty."""
    nothing = Vocabulary((), (), STATE_PREDICATES)
    steps = [["~Transition(egg and flour, dough)"]]
    assert perturb(steps, "t", NoiseSettings(1.0, 1), nothing) == (steps, 0)


def test_draws_are_as_they_were() -> None:
    """Answers that were bought for these questions are worth nothing if the draws change."""
    steps = [
        ["+RightGrasping(agent, mug)", "-OnTop(mug, counter)"],
        ["+Contains(mug, tea)", "+OnTop(mug, table)", "-RightGrasping(agent, mug)"],
        ["+Open(fridge)"],
    ]
    words = Vocabulary(("counter", "fridge", "mug", "table"), ("milk", "tea"), STATE_PREDICATES)
    told = [perturb(steps, "a trajectory", NoiseSettings(0.5, seed), words) for seed in (1, 2)]
    first = [
        ["+RightGrasping(agent, mug)", "-OnTop(mug, counter)"],
        # Left out: what the mug contains. Told beside: another place of the mug.
        ["+OnTop(mug, counter)", "+OnTop(mug, table)", "-RightGrasping(agent, mug)"],
        ["+ToggledOn(fridge)"],
    ]
    second = [
        ["-OnTop(mug, counter)", "-OnTop(table, counter)", "-RightGrasping(agent, mug)"],
        ["+Contains(mug, milk)", "+OnTop(mug, table)"],
        ["+Open(mug)"],
    ]
    assert told == [(first, 3), (second, 5)]
