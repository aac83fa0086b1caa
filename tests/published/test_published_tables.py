"""The published results are all there, and a damaged file is refused."""

import shutil
from pathlib import Path

import polars as pl
import pytest

from enact_assets.contracts.errors import TableContractError
from enact_assets.engine.tables import TABLES
from enact_assets.published.published_results import FOLDER, published_table
from enact_assets.published.published_tables import (
    PublishedAccuracies,
    PublishedErrorShares,
    PublishedProbes,
    PublishedQuestionCounts,
)

KINDS, METRICS = 2, 2
PUBLISHED = {name: found for name, found in TABLES.items() if name.startswith("published_")}


def test_every_published_table_ships_and_nothing_else() -> None:
    assert {p.stem for p in FOLDER.glob("*.csv")} == set(PUBLISHED)
    for contract in PUBLISHED.values():
        assert published_table(contract).height


def test_names_are_kept_apart_from_measured_ones() -> None:
    """A column called model would be filtered by the models that are current."""
    dimensions = {d for contract in TABLES.values() for d in contract.by}
    for contract in PUBLISHED.values():
        assert not dimensions & contract.schema().keys()


def test_the_tables_are_complete() -> None:
    """A row lost in copying would show as a model that is better at some lengths."""
    rows = published_table(PublishedAccuracies)
    models = {"main": 31}
    for (experiment, variant), found in rows.group_by("experiment", "published_variant"):
        assert found.height == models.get(str(experiment), 1) * 8 * KINDS * METRICS, variant
    panels = published_table(PublishedProbes)
    assert panels.group_by("published_model").len()["len"].to_list() == [24, 24]
    assert published_table(PublishedQuestionCounts)["n_questions"].sum() * KINDS == 8_972


def test_percent_became_fractions() -> None:
    rows = published_table(PublishedAccuracies).filter(
        experiment="main", published_model="GPT-5", kind="forward", length=3
    )
    assert dict(rows.select("metric", "accuracy").iter_rows()) == {
        "task_accuracy": 0.8059,
        "pairwise_accuracy": 0.8462,
    }
    for contract in PUBLISHED.values():
        floats = published_table(contract).select(pl.selectors.float().abs())
        assert all(x is None or x <= 1 for row in floats.iter_rows() for x in row)
    shares = published_table(PublishedErrorShares).group_by("kind").agg(pl.col("share").sum())
    assert shares["share"].to_list() == pytest.approx([1, 1], abs=0.002)


def test_means_over_questions_are_those_of_the_text() -> None:
    """The paper's 94.81 and 95.03 for people: means over questions, not over lengths."""
    counts = published_table(PublishedQuestionCounts)
    rows = published_table(PublishedAccuracies).filter(
        experiment="main", published_model="Human", metric="pairwise_accuracy"
    )
    found = (
        rows.join(counts, on="length")
        .group_by("kind")
        .agg((pl.col("accuracy") * pl.col("n_questions")).sum() / pl.col("n_questions").sum())
        .sort("kind")
    )
    assert found["accuracy"].to_list() == pytest.approx([0.9481, 0.9503], abs=5e-5)


def test_a_damaged_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(TableContractError, match=r"published_probes\.csv: published results"):
        published_table(PublishedProbes, tmp_path)
    shutil.copy(FOLDER / "published_handedness.csv", tmp_path / "published_probes.csv")
    with pytest.raises(TableContractError, match="published_probes"):
        published_table(PublishedProbes, tmp_path)
