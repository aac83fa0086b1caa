"""Footnotes below heat maps: how our conditions differ, where the paper contradicts itself."""

import polars as pl
from report_pages import drawn_models
from sql.tiny_lake import tiny_rows

from enact_assets.results.paper.results import published_table
from enact_assets.results.paper.tables import PublishedCaveats, PublishedProbes
from enact_assets.results.probes.tables import Probes
from enact_assets.results.report.parts import Figure, Text
from enact_assets.results.report.probes import probes
from enact_assets.results.report.rows import ReportRows


def parts_of(*variants: str) -> list[str]:
    """Names of figures and texts of the section, with probes of ``variants`` measured here."""
    [probe] = tiny_rows()["probes"]
    rows = [{**probe, "variant": variant} for variant in variants]
    no_p = (pl.lit(None, pl.Float64).alias(f"{test}_holm_p") for test in TESTS)
    theirs = published_table(PublishedProbes).filter(published_variant="aperture_60")
    frames = {
        "probes": Probes.build(rows).with_columns(*no_p),
        "published_probes": theirs,
        "caveats": published_table(PublishedCaveats).select(
            pl.col("published_variant").alias("variant"), "caveat"
        ),
        "conditions": pl.DataFrame({"published_variant": variants, "variant": variants}, STRINGS),
        **drawn_models(["guesser"]),
    }
    parts = probes(ReportRows(frames, "baseline", "")).parts
    return [p.name if isinstance(p, Figure) else p.text for p in parts if isinstance(p, FOOTED)]


STRINGS = {"published_variant": pl.String, "variant": pl.String}
TESTS = ("welch", "paired", "sign_flip", "unpaired")
FOOTED = (Figure, Text)


def test_measured_and_published_rows_have_their_footnotes_below_the_heat_map() -> None:
    found = parts_of("fisheye", "aperture_80")
    caveats = dict(
        published_table(PublishedCaveats).select("published_variant", "caveat").iter_rows()
    )
    assert f"All models measured here: {caveats['baseline']}" in found
    after = found[found.index("probes_camera_fov") + 1 :]
    assert after[0] == f"Measured here differs from the paper. fisheye: {caveats['fisheye']}"
    assert after[1].startswith("Paper: GPT-5 mini (publ.), aperture 60, forward: Section 3.3 says")
    assert "inverse: The caption of figure 17" in after[1]


def test_what_was_not_measured_needs_no_caveat() -> None:
    found = parts_of()
    assert not [text for text in found if "measured here" in text.lower() and "differs" in text]
    assert not [text for text in found if text.startswith("All models measured here")]
