"""Differences between variants: literal tables, textbook formulas, and what is undefined.

Panels: what a variant changes, and p-values corrected for all cells of one heat map."""

import math
from typing import Any

import numpy as np
import polars as pl
import pytest

from enact_assets.engine.errors import EvaluationError
from enact_assets.pipeline.steps.statistics_steps import probes
from enact_assets.results.probes.baseline_comparison import as_many_of_each, compare_with_baseline
from enact_assets.results.probes.panels import SEVERAL, correct_within_panels, panel_of
from enact_assets.results.probes.tables import Probes
from enact_assets.results.statistics.clusters import welch
from enact_assets.results.verification.tables import Evaluation
from enact_assets.settings.classes import CameraSettings, Variant
from enact_assets.settings.registry import DEFAULT_REGISTRY, load_registry


def evaluation(
    variant: str, scores: dict[str, float | None], gating: str = "state", repetition: int = 0
) -> pl.DataFrame:
    """Rows by question name ``<kind>-<length>-<demonstration>-<number>``."""
    rows: list[dict[str, Any]] = []
    for question, score in scores.items():
        kind, length, demonstration, _ = question.split("-")
        rows.append(
            {
                "model": "m",
                "variant": variant,
                "question_id": question,
                "repetition": repetition,
                "demonstration": demonstration,
                "gating": gating,
                "kind": kind,
                "length": int(length),
                "answer_status": "missing" if score is None else "parsed",
                "n_steps": int(length) - 1,
                "pairwise_accuracy": score,
            }
        )
    return Evaluation.build(rows)


def against_baseline(
    ours: dict[str, Any], theirs: dict[str, Any], gating: str = "state", **more: Any
) -> pl.DataFrame:
    """Probes of a variant ``v``, of another gating if need be."""
    rows = evaluation("v", ours, gating), evaluation("baseline", theirs)
    return compare_with_baseline(*rows, "v", "baseline", **more)


BASELINE = {
    "forward-3-a-1": 1.0,
    "forward-3-a-2": 0.5,
    "forward-3-b-1": 1.0,
    "forward-3-b-2": 0.5,
    "forward-6-a-1": 0.4,
    "forward-6-b-1": None,
    "forward-6-c-1": 0.8,
}
VARIANT = {
    "forward-3-a-1": 0.5,
    "forward-3-a-2": 0.5,
    "forward-3-b-1": 1.0,
    "forward-3-b-2": 0.0,
    "forward-6-a-1": 0.2,
    "forward-6-b-1": 0.6,
    "forward-6-c-1": None,
}


def row(found: pl.DataFrame, length: int | None) -> dict[str, Any]:
    return found.filter(pl.col("length").eq_missing(length)).row(0, named=True)


def test_a_stratum_is_compared_by_the_textbook() -> None:
    """Deltas with the wrong sign or errors of the wrong formula pass unnoticed in a heat map."""
    extra = {**BASELINE, "forward-3-a-99": 0.0}
    found = against_baseline(VARIANT, extra)
    assert found["length"].to_list() == [None, 3, 6]
    three = row(found, 3)
    x, y = np.array([0.5, 0.5, 1.0, 0.0]), np.array([1.0, 0.5, 1.0, 0.5])
    assert (three["n_variant"], three["n_baseline"], three["n_missing"]) == (4, 4, 0)
    assert three["delta"] == pytest.approx(-0.25)
    variance = x.var(ddof=1) / 4 + y.var(ddof=1) / 4
    assert three["standard_error"] == pytest.approx(math.sqrt(variance))
    # Welch: t = -0.25 / 0.25 on 5.4 degrees of freedom (table of Student's t).
    degrees = variance**2 / ((x.var(ddof=1) / 4) ** 2 / 3 + (y.var(ddof=1) / 4) ** 2 / 3)
    from scipy.stats import t

    assert three["welch_p"] == pytest.approx(
        2 * t.cdf(-0.25 / math.sqrt(variance), degrees), rel=1e-9
    )
    # Differences: a -0.5, 0; b 0, -0.5: the clusters agree exactly.
    assert (three["n_paired"], three["n_demonstrations"]) == (4, 2)
    assert three["paired_delta"] == pytest.approx(-0.25)
    assert (three["paired_standard_error"], three["paired_p"]) == (0.0, None)


def test_missing_answers_are_counted_and_take_no_part() -> None:
    """An outage scored as zero would look like sensitivity to the camera."""
    found = against_baseline(VARIANT, BASELINE)
    six = row(found, 6)
    assert (six["n_variant"], six["n_baseline"], six["n_missing"]) == (2, 2, 2)
    assert six["mean_variant"] == pytest.approx(0.4)
    assert six["mean_baseline"] == pytest.approx(0.6)
    assert (six["n_paired"], six["n_demonstrations"]) == (1, 1)
    assert six["paired_delta"] == pytest.approx(-0.2)
    assert six["paired_standard_error"] is None
    assert six["paired_p"] is None
    whole = row(found, None)
    assert (whole["n_variant"], whole["n_missing"], whole["n_paired"]) == (6, 2, 5)


def test_two_gatings_have_no_common_questions() -> None:
    """Questions that share an id by accident are still not the same question."""
    found = against_baseline({"forward-3-a-1": 0.5, "forward-3-b-8": 1.0}, BASELINE, "contact")
    three = row(found, 3)
    assert (three["n_variant"], three["n_baseline"], three["n_paired"]) == (2, 4, 0)
    assert three["delta"] == pytest.approx(0.0)
    assert three["standard_error"] is not None
    for name in ("paired_delta", "paired_standard_error", "paired_p"):
        assert three[name] is None
    six = row(found, 6)
    assert (six["n_variant"], six["n_baseline"]) == (0, 2)
    assert six["mean_variant"] is six["delta"] is six["standard_error"] is None


def test_a_model_that_never_varies_has_no_p_value() -> None:
    """The oracle: no difference, no spread, and no significance to report."""
    same = dict.fromkeys(BASELINE, 1.0)
    found = against_baseline(same, same)
    whole = row(found, None)
    assert (whole["delta"], whole["paired_delta"]) == (0.0, 0.0)
    assert (whole["standard_error"], whole["paired_standard_error"]) == (0.0, 0.0)
    assert whole["welch_p"] is whole["paired_p"] is None


def test_a_side_that_varies_by_rounding_only_is_compared_in_silence() -> None:
    """Warnings of lost precision in the log of a run would hide one that matters."""
    constant, spread = np.array([1 / 3, 1 / 3, 1 / 3 + 1e-16]), np.array([0.0, 1.0, 0.5])
    error, p = welch(constant, spread)
    assert error == pytest.approx(spread.std(ddof=1) / math.sqrt(3))
    # Two degrees of freedom, all of them of the side that varies.
    t = (0.5 - 1 / 3) / (0.5 / math.sqrt(3))
    assert p == pytest.approx(1 - t / math.sqrt(2 + t**2))


def test_rows_of_another_variant_are_refused_and_nothing_gives_nothing() -> None:
    """Swapped arguments would flip the sign of every delta."""
    ours, theirs = evaluation("v", VARIANT), evaluation("baseline", BASELINE)
    with pytest.raises(EvaluationError, match="rows of variant 'baseline' given as those of 'v'"):
        compare_with_baseline(theirs, ours, "v", "baseline")
    assert compare_with_baseline(ours.clear(), theirs.clear(), "v", "baseline").height == 0


def test_what_is_undefined_says_why() -> None:
    """A null alone is a bug or a fact, and nobody can tell which."""
    found = against_baseline(VARIANT, BASELINE, panel="realism")
    assert found["panel"].to_list() == ["realism"] * 3
    three, six = row(found, 3), row(found, 6)
    assert (three["welch_reason"], three["paired_reason"]) == (None, "no_variation")
    # Two demonstrations that agree: half of the flips are as far.
    assert three["sign_flip_p"] == pytest.approx(0.5)
    assert (six["welch_reason"], six["paired_reason"]) == (None, "one_demonstration")
    for name in ("paired_low", "sign_flip_p", "minimum_detectable_effect"):
        assert six[name] is None
    same = dict.fromkeys(BASELINE, 1.0)
    alike = against_baseline(same, same)
    assert set(alike["paired_reason"]) == {"no_difference"}
    assert set(alike["welch_reason"]) == {"no_variation"}
    silent = dict.fromkeys(BASELINE)
    none = against_baseline(silent, same)
    assert set(none["paired_reason"]) == set(none["welch_reason"]) == {"no_scores"}


def test_the_interval_holds_the_difference_and_the_plan_for_more_questions() -> None:
    generator = np.random.default_rng(4)
    names = [f"forward-3-d{k // 8}-{k}" for k in range(80)]
    lower = {name: float(generator.choice([0.0, 0.5, 1.0])) for name in names}
    upper = {name: float(generator.choice([0.5, 1.0])) for name in names}
    found = against_baseline(upper, lower)
    whole = row(found, None)
    assert whole["paired_reason"] is None
    assert whole["paired_low"] < whole["paired_delta"] < whole["paired_high"]
    assert 0 < whole["sign_flip_p"] <= 1
    assert whole["minimum_detectable_effect"] > 2.5 * whole["paired_standard_error"]
    assert whole["n_demonstrations_needed"] > 10
    assert whole["n_questions_needed"] is None or whole["n_questions_needed"] > 80


def test_other_questions_of_the_same_demonstrations_have_a_clustered_test() -> None:
    """Contact gating asks nothing that the baseline asks: its figure would be empty."""
    state = {f"forward-3-{d}-{k}": 0.9 - 0.1 * k for d in "abcd" for k in range(3)}
    contact = {f"forward-3-{d}-{7 + k}": 0.4 + 0.05 * ord(d) % 0.1 for d in "abcd" for k in (0, 1)}
    found = against_baseline(contact, state, "contact")
    whole = row(found, None)
    assert (whole["n_paired"], whole["paired_delta"], whole["paired_p"]) == (0, None, None)
    assert whole["delta"] < 0
    assert whole["unpaired_standard_error"] > 0
    assert whole["unpaired_p"] < 0.05
    assert whole["unpaired_low"] < whole["delta"] < whole["unpaired_high"] < 0


def test_equal_accuracies_at_every_length_are_no_difference() -> None:
    """A variant of another gating asks two of each length, the baseline four short ones."""
    by_length = {3: 1.0, 9: 0.25}
    ours = {f"forward-{n}-d{k}-{k}": by_length[n] for n in (3, 9) for k in range(2)}
    theirs = {f"forward-3-d{k}-{k}": 1.0 for k in range(4)}
    theirs |= {f"forward-9-d{k}-{k}": 0.25 for k in range(2)}
    variant = evaluation("contact", ours, gating="contact")
    baseline = evaluation("baseline", theirs)
    places = {
        side: rows.select("question_id", "kind", "length").with_columns(
            place=pl.col("question_id").str.split("-").list.last().cast(pl.Int64) + 1
        )
        for side, rows in (("variant", variant), ("baseline", baseline))
    }
    alike = as_many_of_each(baseline, places["baseline"], places["variant"])
    assert alike.height == 4
    found = compare_with_baseline(variant, alike, "contact", "baseline")
    assert set(found["delta"]) == {0.0}
    mixed = compare_with_baseline(variant, baseline, "contact", "baseline")
    assert mixed.filter(pl.col("length").is_null())["delta"].item() < -0.1


def test_a_repeated_question_counts_once_with_its_mean() -> None:
    """Answers 0 and 1 to one question are one score of 0.5; answers without one do not count."""
    names = ("forward-3-a-1", "forward-3-b-1", "forward-3-c-1")
    baseline = evaluation("baseline", dict.fromkeys(names, 1.0))
    ours = [
        evaluation("v", dict(zip(names, scores, strict=True)), repetition=n)
        for n, scores in enumerate([(0.0, 1.0, None), (1.0, 1.0, 0.5), (None, 1.0, 0.5)])
    ]
    found = compare_with_baseline(pl.concat(ours), baseline, "v", "baseline")
    means = evaluation("v", dict(zip(names, (0.5, 1.0, 0.5), strict=True)))
    assert found.equals(compare_with_baseline(means, baseline, "v", "baseline"))
    assert row(found, None)["n_paired"] == 3


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
    of_none = {"baseline", "recorded", "real_world_video", "official"}
    assert found == {**PANELS, "mirror": {"mirrored"}, "unnamed": {"with_untold"}, None: of_none}


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
