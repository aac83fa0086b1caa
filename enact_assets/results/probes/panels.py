"""Panels: variants that change the same thing, whose p-values are corrected together."""

import dataclasses

import numpy as np
import polars as pl

from enact_assets.results.probes.tables import ProbePanels
from enact_assets.results.statistics.multiplicity import holm
from enact_assets.settings.classes import CameraSettings, Variant

WITH_UNTOLD = "with_untold"
"""The registry's gating whose questions do not name every change that shows."""
SEVERAL = "several"
"""The panel of variants that change more than one thing."""
_TESTS = {
    "welch_p": "welch_holm_p",
    "paired_p": "paired_holm_p",
    "sign_flip_p": "sign_flip_holm_p",
    "unpaired_p": "unpaired_holm_p",
}


def panel_of(variant: Variant, baseline: Variant) -> str | None:
    """What ``variant`` changes, by the names of the paper (B.3 to B.6); None if nothing, or if it
    asks imported questions, which compare with none of ours.

    camera_fov, camera_height, realism, robot_appearance, contact_gating, unnamed,
    action_representation, prompts, noise_robustness, mirror, or :data:`SEVERAL` of them.
    """
    if variant.is_imported:
        return None
    camera, of_baseline = variant.camera, baseline.camera
    changed = {
        "camera_height": camera.height_offset_m != of_baseline.height_offset_m,
        "camera_fov": _without_height(camera) != _without_height(of_baseline),
        "realism": variant.renderer != baseline.renderer or variant.editing is not None,
        "robot_appearance": variant.appearance != baseline.appearance,
        "contact_gating": variant.gating not in (baseline.gating, WITH_UNTOLD),
        "unnamed": variant.gating == WITH_UNTOLD,
        "action_representation": variant.wording != baseline.wording,
        "prompts": variant.has_other_prompts,
        "noise_robustness": variant.noise != baseline.noise,
        "mirror": variant.is_mirrored,
    }
    panels = [panel for panel, is_changed in changed.items() if is_changed]
    return SEVERAL if len(panels) > 1 else panels[0] if panels else None


def correct_within_panels(probes: pl.DataFrame) -> pl.DataFrame:
    """The table ``probe_panels`` from rows of ``probes``, of any models and variants.

    A family for Holm are the cells of one heat map of the paper: all variants of a panel and both
    kinds, of one model at one length (null: all lengths). Cells without a p-value are not counted
    as tests; the baseline is in no panel.
    """
    rows = probes.drop_nulls("panel").sort("model", "panel", "length", "variant", "kind")
    families = [
        family.with_columns(
            pl.lit(family.height, pl.Int64).alias("n_cells"),
            *(
                pl.Series(name, holm(_with_nan(family, p)), pl.Float64).fill_nan(None)
                for p, name in _TESTS.items()
            ),
        )
        for _, family in rows.group_by("model", "panel", "length", maintain_order=True)
    ]
    contract = ProbePanels
    found = [family.select(list(contract.schema())) for family in families]
    return contract.arranged(pl.concat([contract.empty(), *found]))


def _with_nan(rows: pl.DataFrame, column: str) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    return rows.get_column(column).fill_null(float("nan")).to_numpy()


def _without_height(camera: CameraSettings) -> CameraSettings:
    return dataclasses.replace(camera, height_offset_m=0.0)
