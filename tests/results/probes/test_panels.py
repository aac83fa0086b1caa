"""Panels: what a variant changes, and p-values corrected for all cells of one heat map."""

from typing import Any

import polars as pl
import pytest
from results.probes.test_compare import evaluation

from enact_assets.pipeline.steps.statistics_steps import probes
from enact_assets.results.probes.panels import SEVERAL, correct_within_panels, panel_of
from enact_assets.results.probes.tables import Probes
from enact_assets.settings.classes import CameraSettings, Variant
from enact_assets.settings.registry import DEFAULT_REGISTRY, load_registry

PANELS = {
    "camera_fov": {"aperture_30", "aperture_60", "aperture_80", "fisheye"},
    "camera_height": {"high", "low"},
    "realism": {"path_tracing", "ray_tracing_only", "realistic"},
    "robot_appearance": {"white_color", "random_color", "skin_color"},
    "contact_gating": {"contact"},
    "action_representation": {"symbolic_predicates", "emoji"},
    "noise_robustness": {f"random_perturbations_{k}" for k in (1, 2, 3)},
}


def test_the_variants_of_the_registry_are_in_the_panels_of_the_paper() -> None:
    """A variant in the wrong panel would be corrected for tests it has nothing to do with."""
    variants = load_registry(DEFAULT_REGISTRY).variants
    found: dict[str | None, set[str]] = {}
    for name, variant in variants.items():
        found.setdefault(panel_of(variant, variants["baseline"]), set()).add(name)
    assert found == {**PANELS, None: {"baseline", "recorded", "real_world_video", "official"}}


def test_a_variant_of_two_changes_is_in_neither_panel() -> None:
    both = Variant("both", "contact", camera=CameraSettings(height_offset_m=0.5))
    assert panel_of(both, Variant("baseline", "state")) == SEVERAL


def probe(
    panel: str | None, variant: str, kind: str, p: float | None, **more: Any
) -> dict[str, Any]:
    counts = dict.fromkeys(
        ("n_variant", "n_baseline", "n_missing", "n_paired", "n_demonstrations"), 0
    )
    row = {"model": "m", "variant": variant, "baseline": "baseline", "kind": kind, "length": None}
    p_values = {"welch_p": p, "paired_p": p, "sign_flip_p": p}
    return {**row, **counts, **p_values, "panel": panel, **more}


def test_a_family_is_a_panel_of_one_model_at_one_length() -> None:
    rows = Probes.build(
        [
            probe("camera_fov", "wide", "forward", 0.01),
            probe("camera_fov", "wide", "inverse", 0.04),
            probe("camera_fov", "narrow", "forward", 0.02, paired_p=None),
            probe("camera_height", "high", "forward", 0.04),
            probe("camera_fov", "wide", "forward", 0.04, length=3),
            probe("camera_fov", "wide", "forward", 0.04, model="other"),
            probe(None, "baseline", "forward", None),
        ]
    )
    found = correct_within_panels(rows)
    assert "baseline" not in found["variant"]
    of = {
        (r["model"], r["variant"], r["kind"], r["length"]): r for r in found.iter_rows(named=True)
    }
    wide = of["m", "wide", "forward", None]
    assert wide["n_cells"] == 3
    assert wide["welch_holm_p"] == pytest.approx(0.03)
    # The one without a p-value is no test: two are left.
    assert wide["paired_holm_p"] == pytest.approx(0.02)
    assert of["m", "wide", "inverse", None]["paired_holm_p"] == pytest.approx(0.04)
    assert of["m", "narrow", "forward", None]["paired_holm_p"] is None
    assert of["m", "narrow", "forward", None]["sign_flip_holm_p"] == pytest.approx(0.04)
    for alone in (("m", "high", "forward", None), ("m", "wide", "forward", 3),
                  ("other", "wide", "forward", None)):  # fmt: skip
        assert of[alone]["welch_holm_p"] == pytest.approx(0.04)


def test_without_probes_there_are_no_panels() -> None:
    assert correct_within_panels(Probes.empty()).height == 0
    assert (
        correct_within_panels(Probes.build([probe("camera_fov", "wide", "forward", None)]))
        .select(pl.col("paired_holm_p").is_null())
        .item()
    )


@pytest.mark.parametrize(
    ("model", "variant", "n_rows"),
    [("m", "high", 2), ("fact_reader", "high", 0), ("fact_reader", "recorded", 2)],
)
def test_trained_references_are_in_no_panel(model: str, variant: str, n_rows: int) -> None:
    """A reader that knows one camera drops under any other: that says nothing of the questions.

    Variants without a panel keep their rows, which put them on the leaderboard.
    """
    variants = load_registry(DEFAULT_REGISTRY).variants
    scores = {"forward-3-a-1": 1.0, "forward-3-b-1": 0.5}
    named = pl.DataFrame(
        [{"question_id": name, "kind": "forward", "length": 3, "place": 0} for name in scores]
    )
    found = probes(
        evaluated=evaluation(variant, scores),
        questions=named,
        baseline_evaluated=evaluation("baseline", scores),
        baseline_questions=named,
        variant=variants[variant],
        baseline=variants["baseline"],
        model=model,
    )
    assert found.height == n_rows
