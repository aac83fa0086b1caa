"""From the simulator to answers: one activity, one training demonstration, small pictures."""

import numpy as np
import polars as pl
import pytest

from benchmarks.bench_learned import HALVES, asked_about, evaluated, trained, with_other
from enact_assets.answers.baselines.learned_names import FACT_READER, LEARNED_PROGRESS, TRANSFER
from enact_assets.answers.learned import training
from enact_assets.answers.learned.tables import TrainingStatistics
from enact_assets.answers.learned.training import training_statistics_of
from enact_assets.engine.errors import PhysicsError
from enact_assets.engine.progress import Progress
from enact_assets.settings.splits import RESERVED_SEEDS

ACTIVITY, PX = "picking_up_toys", 64


def accuracy(evaluation: pl.DataFrame) -> float:
    assert evaluation["is_accepted"].null_count() == 0
    return float(np.mean(evaluation["is_accepted"].to_numpy()))


@pytest.mark.slow
def test_a_reader_learns_an_activity_and_nothing_from_half_a_question() -> None:
    """The same rows for any number of processes; above chance by looking and reading."""
    pictures: list[tuple[float, float]] = []

    def hear(progress: Progress) -> None:
        if progress.unit.startswith("pictures"):
            pictures.append((progress.done, progress.total))

    statistics = TrainingStatistics.check(
        training_statistics_of(
            ACTIVITY,
            RESERVED_SEEDS[:1],
            size_px=PX,
            workers=2,
            on_progress=hear,
        )
    )
    alone = training_statistics_of(ACTIVITY, RESERVED_SEEDS[:1], size_px=PX)
    assert alone.equals(statistics)
    n = statistics.height // 2
    assert pictures == [(k, n) for k in range(1, n + 1)]
    assert statistics["features"].list.len().unique().to_list() == [3584]

    asked = asked_about(f"{ACTIVITY}-0", size_px=PX)
    models = trained(statistics, (FACT_READER, LEARNED_PROGRESS, TRANSFER))
    found = {
        name: accuracy(evaluated(name, asked, models[name]))
        for name in (FACT_READER, LEARNED_PROGRESS)
    }
    chance = accuracy(evaluated("random", asked))
    assert chance < 0.15
    assert found[FACT_READER] > max(chance + 0.12, found[LEARNED_PROGRESS])
    for half in HALVES:
        swapped = with_other(asked, half)
        assert accuracy(evaluated(FACT_READER, swapped, models[FACT_READER])) < chance + 0.08
    refused = evaluated(TRANSFER, asked, models[TRANSFER])
    assert refused["answer_status"].unique().to_list() == ["missing"]


@pytest.mark.slow
def test_a_seed_that_cannot_be_carried_out_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which things fall over depends on the processor: in groceries 101 a loaf throws the salt off
    the table on one, and not on another. So one that falls is planted.
    """
    simulate = training._simulated

    def simulated(activity: str, seed: int, progress: object) -> object:
        if seed == 101:
            raise PhysicsError("unloading_groceries-101: salt_shaker fell.")
        return simulate(activity, seed, progress)

    monkeypatch.setattr(training, "_simulated", simulated)
    with pytest.raises(PhysicsError, match="salt_shaker"):
        training_statistics_of("unloading_groceries", [101], size_px=PX)
    passed = training_statistics_of("unloading_groceries", [101, 102], 1, size_px=PX)
    assert passed.equals(training_statistics_of("unloading_groceries", [102], size_px=PX))
