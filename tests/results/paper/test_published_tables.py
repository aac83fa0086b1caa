"""The published results are all there, and a damaged file is refused."""

import shutil
from pathlib import Path

import polars as pl
import pytest

from enact_assets.answers.models.catalogue import load_catalogue, name_of
from enact_assets.engine.errors import TableContractError
from enact_assets.engine.tables import TABLES
from enact_assets.results.paper.results import FOLDER, published_table
from enact_assets.results.paper.tables import (
    PublishedAccuracies,
    PublishedAgreement,
    PublishedCaveats,
    PublishedErrorShares,
    PublishedFirstVersion,
    PublishedHandedness,
    PublishedModels,
    PublishedProbes,
    PublishedQuestionCounts,
    PublishedWorldprediction,
)
from enact_assets.settings.registry import load_registry

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


def test_models_of_the_paper_are_known_by_every_name_of_the_packaged_ones(tmp_path: Path) -> None:
    """And by no other, but for the same weights in this process or on a server of one's own."""
    rows = published_table(PublishedModels)
    known = dict(rows.select("known_as", "published_model").iter_rows())
    assert len(known) == rows.height
    expected = {}
    weights = {}
    for name, entry in load_catalogue(tmp_path).models.items():
        if entry.published:
            names = (name, *map(name_of, (entry.id, *entry.aliases)))
            expected |= dict.fromkeys(names, entry.published)
            if entry.weights == "open" and entry.id.partition("/")[0] != "answers":
                provider, _, asked = entry.id.partition("/")
                hub_id = entry.hub_id or (entry.id if provider == "google" else asked)
                same = (name_of(f"{where}/{hub_id}") for where in ("hf", "vllm"))
                weights |= dict.fromkeys(same, entry.published)
    assert known == expected | weights
    theirs = set(published_table(PublishedAccuracies)["published_model"]) - {"Human"}
    assert set(known.values()) == theirs


def test_percent_became_fractions() -> None:
    rows = published_table(PublishedAccuracies).filter(
        experiment="main", published_model="GPT-5", kind="forward", length=3
    )
    assert dict(rows.select("metric", "accuracy").iter_rows()) == {
        "task_accuracy": 0.8059,
        "pairwise_accuracy": 0.8462,
    }
    for contract in PUBLISHED.values():
        found = published_table(contract)
        if contract is PublishedWorldprediction:  # counts and seconds share the column
            found = found.filter(metric="accuracy")
        floats = found.select(pl.selectors.float().abs())
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


def test_agreement_between_annotators_is_that_of_the_text() -> None:
    rows = published_table(PublishedAgreement).sort("annotators").to_dicts()
    assert [row["alpha"] for row in rows] == [0.8180, 0.8265, 0.8518, 0.8320]
    assert (rows[-1]["low"], rows[-1]["high"]) == (0.7879, 0.8682)
    # "an agreement rate of 76.67 %"
    assert rows[-1]["n_unanimous"] / rows[-1]["n_questions"] == pytest.approx(0.7667, abs=5e-5)


def test_the_first_version_is_held_against_what_all_other_tables_hold() -> None:
    """A first-version number in another table would be compared with ours as if it were current."""
    accuracies = published_table(PublishedAccuracies).filter(experiment="main")
    probes = published_table(PublishedProbes).filter(published_model="GPT-5 mini")
    hands = published_table(PublishedHandedness).filter(published_model="GPT-5 mini")
    rows = published_table(PublishedFirstVersion)
    assert rows["measure"].value_counts(sort=True).rows()[0] == ("pairwise_accuracy", 8)
    for row in rows.iter_rows(named=True):
        measure, kind, item = row["measure"], row["kind"], row["item"]
        if measure == "pairwise_accuracy":
            model = row["published_model"]
            found = accuracies.filter(
                metric=measure, kind=kind, length=int(item), published_model=model
            )
            assert found["accuracy"].to_list() == [row["second_version"]]
        elif measure == "mixing_rate":
            [rate] = hands.filter(kind=kind, hand=item)[measure]
            assert row["second_version"] is None
            assert f"GPT-5 mini's: {rate}." in row["note"]
        else:
            found = probes.filter(kind=kind, published_variant=item)
            assert found[measure].to_list() == [row["second_version"]]
    differ = rows.filter(pl.col("first_version") != pl.col("second_version"))
    assert differ["measure"].value_counts(sort=True).rows() == [
        ("pairwise_accuracy", 7),
        ("welch_p", 4),
    ]


def test_conflicts_inside_the_paper_are_noted_where_the_numbers_conflict() -> None:
    noted = published_table(PublishedProbes).drop_nulls("note")
    assert set(noted["published_variant"]) == {"aperture_60"}
    by_model = noted.select("published_model", "kind", "delta", "welch_p").sort("published_model")
    assert sorted(by_model.rows()) == [
        ("GPT-5 mini", "forward", -0.08, 0.02),
        ("GPT-5 mini", "inverse", -0.09, 0.02),
        ("InternVL3.5-241B-A28B", "inverse", -0.04, 0.44),
    ]


def test_caveats_are_about_variants_there_are() -> None:
    """A renamed variant would stand beside the paper's without its caveat."""
    rows = published_table(PublishedCaveats).iter_rows()
    caveats = {name: caveat for name, _, caveat in rows}
    variants = load_registry().variants
    seeds_of = {name.rpartition("_")[0] for name, v in variants.items() if v.noise.rate}
    assert set(caveats) <= set(variants) | seeds_of
    differs = seeds_of | {n for n, v in variants.items() if v.camera.projection == "fisheye"}
    differs |= {n for n, v in variants.items() if v.renderer.mode != "default"}
    assert differs | {"baseline"} <= set(caveats)
    assert len({caveats[name] for name in caveats if name.startswith("random_pert")}) == 1


def test_a_damaged_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(TableContractError, match=r"published_probes\.csv: published results"):
        published_table(PublishedProbes, tmp_path)
    shutil.copy(FOLDER / "published_handedness.csv", tmp_path / "published_probes.csv")
    with pytest.raises(TableContractError, match="published_probes"):
        published_table(PublishedProbes, tmp_path)
