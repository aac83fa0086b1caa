"""Splits are said by the seed, leave none out, and what is not simulated is never trained on."""

import pytest

from enact_assets.settings.classes import EMBEDDED, QUESTIONS, RECORDED, VIDEO
from enact_assets.settings.registry import DEFAULT_REGISTRY, load_registry
from enact_assets.settings.splits import (
    HELD_OUT_ACTIVITIES,
    RESERVED_SEEDS,
    Split,
    is_held_out_room,
    split_of,
)
from enact_assets.settings.world import EnvironmentSettings
from enact_assets.simulator.activities import ACTIVITIES


def test_every_seed_has_the_split_that_is_written_down() -> None:
    bounds = [(0, Split.TEST), (100, Split.REFERENCE), (116, Split.VALIDATION), (900, Split.TEST)]
    bounds += [(1000, Split.TRAINING)]
    for (first, split), (after, _) in zip(bounds, [*bounds[1:], (3000, split_of)], strict=True):
        assert {split_of(EMBEDDED, seed) for seed in range(first, after)} == {split}
    assert [s for s in range(2000) if split_of(EMBEDDED, s) is Split.REFERENCE] == [*RESERVED_SEEDS]
    assert split_of(EMBEDDED, 10**9) is Split.TRAINING


@pytest.mark.parametrize("source", [RECORDED, VIDEO, QUESTIONS, "omnigibson"])
@pytest.mark.parametrize("seed", [None, 0, 116, 5000])
def test_what_is_not_simulated_here_is_a_test(source: str, seed: int | None) -> None:
    assert split_of(source, seed) is Split.TEST


def test_what_is_held_out_is_what_the_words_say() -> None:
    """The activities beside the registry's, and the first style of each kind of room."""
    registered = {
        name.rpartition("-")[0] for name in load_registry(DEFAULT_REGISTRY).demonstrations
    }
    assert set(ACTIVITIES) - registered == HELD_OUT_ACTIVITIES
    assert len(HELD_OUT_ACTIVITIES) == 10
    assert is_held_out_room("can_meat, living room 1, cabinet left")
    assert not is_held_out_room("can_meat, kitchen 11, cabinet left")


def test_environments_of_the_other_benchmark_are_tests() -> None:
    seeds = EnvironmentSettings().seeds
    assert {split_of(EMBEDDED, seed) for seed in seeds} == {Split.TEST}
