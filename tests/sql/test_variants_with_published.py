"""A variant with the name of one of the paper compares with it only under the paper's settings."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from sql.tiny_lake import Relations, Rows, add_settings, add_statistics, answer, query, tiny_rows

from enact_assets.contracts.registry import DEFAULT_REGISTRY, load_registry

EDITS: list[tuple[dict[str, Any], set[str], str | None]] = [
    # What is set in the registry, variants that are then not the paper's, what is said of one.
    ({}, set(), None),
    (
        {"aperture_60": {"camera": {"aperture_mm": 65.0}}},
        {"aperture_60"},
        "camera.aperture_mm is 65.0, in the paper 60.0",
    ),
    # Inherited by all but those that set it, or that it does not matter to.
    (
        {"baseline": {"camera": {"aperture_mm": 45.0}}},
        {"*", "-aperture_30", "-aperture_60", "-aperture_80", "-fisheye", "-real_world_video"},
        "camera.aperture_mm is 45.0, in the paper 40.0",
    ),
    (
        {"baseline": {"renderer": {"size_px": 64}}},
        {"*", "-real_world_video"},
        "renderer.size_px is 64, in the paper 512",
    ),
    ({"real_world_video": {"sources": ["recorded"]}}, {"real_world_video"}, "footage is"),
    ({"baseline": {"sources": ["embedded", "video"]}}, {"*", "-real_world_video"}, "footage is"),
    ({"contact": {"gating": "state"}}, {"contact"}, "gating.contact is false"),
    ({"emoji": {"wording": "symbolic"}}, {"emoji"}, "wording is symbolic, in the paper emoji"),
    ({"skin_color": {"appearance": {"robot": "white"}}}, {"skin_color"}, "appearance.robot is"),
    ({"realistic": {"renderer": {"mode": "path_tracing"}}}, {"realistic"}, "renderer.mode is"),
    ({"high": {"camera": {"height_offset_m": 0.4}}}, {"high"}, "camera.height_offset_m is 0.4"),
    ({"random_perturbations_2": {"noise": {}}}, {"random_perturbations_2"}, "noise is false"),
    # The paper gives none of these: no value of ours is the paper's.
    ({"baseline": {"renderer": {"samples": 8, "path_depth": 3}}}, set(), None),
    ({"random_perturbations_1": {"noise": {"rate": 0.2, "seed": 9}}}, set(), None),
    ({"emoji": {"asks": "all"}, "contact": {"asks": 10}}, set(), None),
    ({"baseline": {"sources": ["recorded", "omnigibson"]}}, set(), None),
]


def edited(folder: Path, changes: dict[str, Any]) -> Path:
    """The shipped registry with other entries: fields of the baseline are merged, one deep."""
    entries = yaml.safe_load(DEFAULT_REGISTRY.read_text())
    for variant, fields in changes.items():
        for name, value in fields.items():
            known = entries["variants"][variant].get(name)
            is_merged = variant == "baseline" and isinstance(value, dict)
            entries["variants"][variant][name] = {**known, **value} if is_merged else value
    path = folder / "registry.yaml"
    path.write_text(yaml.safe_dump(entries))
    return path


@pytest.mark.parametrize(("changes", "away", "said"), EDITS, ids=range(len(EDITS)))
def test_settings_that_the_paper_gives_decide_and_no_others(
    tmp_path: Path, changes: dict[str, Any], away: set[str], said: str | None
) -> None:
    rows = tiny_rows()
    add_settings(rows, edited(tmp_path, changes))
    found = query(Relations(rows), "from variants_with_published where is_as_published is not null")
    theirs = {row["published_variant"] for row in rows["published_settings"]}
    assert set(found["variant"]) == theirs
    if "*" in away:
        away = theirs - {name.removeprefix("-") for name in away if name.startswith("-")}
    assert set(found.filter(~found["is_as_published"])["variant"]) == away
    for row in found.iter_rows(named=True):
        assert row["is_as_published"] == (row["differences"] is None)
        if row["variant"] in away:
            assert said is not None
            assert said in row["differences"]
            assert f"compares with it: {row['differences']}." in row["caveat"]
        else:
            assert "Edited" not in (row["caveat"] or "")


def test_every_variant_and_setting_of_the_paper_is_one_of_the_registry() -> None:
    """A misspelled variant would compare with nothing, and a misspelled setting would not count."""
    rows = tiny_rows()
    add_settings(rows)
    ours = {(row["variant"], row["setting"]) for row in rows["variant_settings"]}
    assert {(r["published_variant"], r["setting"]) for r in rows["published_settings"]} <= ours
    theirs = {row["published_variant"] for row in rows["published_settings"]}
    assert theirs <= set(load_registry(DEFAULT_REGISTRY).variants)
    published = {row["published_variant"] for row in rows["published_accuracies"]}
    published |= {row["published_variant"] for row in rows["published_probes"]}
    assert {name.removesuffix("_1") for name in theirs} >= published


def compared(rows: Rows) -> dict[str, Any]:
    """What of ours compares with the paper's, by relation."""
    made = Relations(rows)
    shown = {
        "probe_heat_maps": "variant = 'aperture_80'",
        "leaderboard_with_published": "variant = 'baseline'",
        "verdicts_with_published": "true",
    }
    found: dict[str, Any] = {
        name: query(
            made,
            f"select distinct is_as_published, caveat like '%Edited%' as is_said from {name} "  # noqa: S608 - ours
            f"where source = 'ours' and {which}",
        ).rows()
        for name, which in shown.items()
    }
    for name in ("agreement_with_published", "accuracy_by_size"):
        model = "gpt-5-mini" if name.startswith("agreement") else "GLM-4.5V"
        wanted = f"select count(*) as n from {name} where model = '{model.lower()}'"  # noqa: S608
        found[name] = query(made, wanted).item() > 0
    return found


def test_what_is_edited_stays_on_our_side(tmp_path: Path) -> None:
    """aperture_80 with 20 mm was in the column of the paper's, under its name."""
    rows = tiny_rows()
    for model in ("gpt-5-mini", "glm-4.5v"):
        answer(rows, model, "baseline", "f1", parsed=[2, 1], passed=2)
    add_statistics(rows)
    assert compared(rows) == {
        "probe_heat_maps": [(True, False)],
        "leaderboard_with_published": [(True, False)],
        "verdicts_with_published": [(True, False)],
        "agreement_with_published": True,
        "accuracy_by_size": True,
    }
    add_settings(rows, edited(tmp_path, {"aperture_80": {"camera": {"aperture_mm": 20.0}}}))
    of_variant = compared(rows)
    assert of_variant["probe_heat_maps"] == [(False, True)]
    assert of_variant["leaderboard_with_published"] == [(True, False)]
    assert of_variant["agreement_with_published"]
    add_settings(rows, edited(tmp_path, {"baseline": {"camera": {"aperture_mm": 20.0}}}))
    of_baseline = compared(rows)
    assert of_baseline["probe_heat_maps"] == [(False, True)], "its difference is to that baseline"
    assert of_baseline["leaderboard_with_published"] == [(False, True)]
    assert of_baseline["verdicts_with_published"] == [(False, True)]
    assert not of_baseline["agreement_with_published"]
    assert not of_baseline["accuracy_by_size"]
    rows["variant_settings"] = []
    assert not compared(rows)["agreement_with_published"], "of unknown settings"


def test_one_edited_seed_of_noise_is_said_of_all(tmp_path: Path) -> None:
    rows = tiny_rows()
    add_settings(rows)
    [probe] = rows["probes"]
    names = [f"random_perturbations_{seed}" for seed in (1, 2, 3)]
    for name in names:
        rows["probes"].append({**probe, "variant": name, "panel": "noise_robustness"})
        rows["model_accuracies"] += [
            {**row, "variant": name}
            for row in rows["model_accuracies"]
            if row["variant"] == "aperture_80"
        ]
    shown = (
        "select distinct variant, is_as_published, caveat from variant_accuracies "
        "where source = 'ours' and experiment = 'noise_robustness'"
    )
    [(stem, is_as_published, caveat)] = query(Relations(rows), shown).rows()
    assert (stem, is_as_published) == ("random_perturbations", True)
    assert caveat.startswith("The paper gives no rate of noise")
    add_settings(rows, edited(tmp_path, {names[2]: {"wording": "emoji", "noise": {"rate": 0.1}}}))
    [(_, is_as_published, caveat)] = query(Relations(rows), shown).rows()
    assert not is_as_published
    assert "wording is emoji, in the paper natural" in caveat
