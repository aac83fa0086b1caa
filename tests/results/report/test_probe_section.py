"""Probes, hands and questions in the report: what is paired, what is not, and many variants."""

from typing import Any

import polars as pl
import pytest
from report_pages import changed, drawn_rows, of_kind, published, said_in
from sql.tiny_lake import tiny_rows

from enact_assets.results.probes.panels import correct_within_panels
from enact_assets.results.probes.tables import Probes
from enact_assets.results.report.accuracy import leaderboard
from enact_assets.results.report.error_section import NO_WRONG
from enact_assets.results.report.hands import handedness
from enact_assets.results.report.parts import BOTH_KINDS, NONE, Figure, Section, Table
from enact_assets.results.report.probes import VARIANTS_ABREAST, heat_maps, probes
from enact_assets.results.report.questions import questions
from enact_assets.results.report.rows import ReportRows, read_rows

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> ReportRows:
    """With a contact variant: other questions about the same demonstrations."""
    tiny = tiny_rows()
    [probe] = tiny["probes"]
    contact = {"variant": "contact", "panel": "contact_gating", "n_paired": 0, "delta": -0.25}
    contact |= {"n_variant": 30, "n_baseline": 40, "paired_delta": None}
    contact |= {"paired_reason": "not_paired"}
    contact |= {"unpaired_p": 0.004, "unpaired_low": -0.4, "unpaired_high": -0.1}
    tiny["probes"].append({**probe, **contact})
    built = Probes.build(tiny["probes"])
    tiny["probe_panels"] = correct_within_panels(built).to_dicts()
    return read_rows(published(tmp_path_factory.mktemp("probes"), tiny).warehouse)


def figures(section: Section) -> dict[str, Figure]:
    return {figure.name: figure for figure in of_kind(section, Figure)}


def test_contact_gating_is_shown_though_nothing_is_paired(rows: ReportRows) -> None:
    """No question is asked under both gatings: a figure of paired differences is hatching only."""
    section = probes(rows)
    alt = figures(section)["probes_contact_gating"].alt
    assert "1 differences to the baseline, 1 of them marked as significant" in alt
    assert "\N{MINUS SIGN}25.0 points" in alt
    [shown] = of_kind(section, Table)
    [line] = [row for row in shown.rows if row[1] == "contact"]
    assert line[3:6] == (
        *("\N{MINUS SIGN}25.0", "\N{MINUS SIGN}40.0 to \N{MINUS SIGN}10.0", "0.004"),
    )
    assert line[8] == "30 against 40, not paired"
    assert "the gating differs, so no question is scored under both" in said_in(section)
    paired = rows["probes"].filter(pl.col("n_paired") > 0)
    assert "another gating" not in said_in(probes(changed(rows, probes=paired)))


def test_many_variants_stand_in_several_figures() -> None:
    """Fourteen in one figure overlap; each has its own place, in the order given."""
    variants = [f"my_camera_variant_{n:02}" for n in range(14)]
    cells: list[dict[str, Any]] = [
        {"kind": kind, "model": "m", "variant": variant, "is_published": False}
        | {"delta": -0.1, "mark": ""}
        for kind in ("forward", "inverse")
        for variant in variants
    ]
    no_rows = drawn_rows(["m"])
    drawn = heat_maps(no_rows, "several", "Several", variants, cells)
    assert [figure.name for figure in drawn] == [
        *("probes_several", "probes_several_2", "probes_several_3"),
    ]
    told = [figure.alt.partition("Variants: ")[2].partition(".")[0].split(", ") for figure in drawn]
    assert [name.replace(" ", "_") for names in told for name in names] == variants
    assert max(map(len, told)) <= VARIANTS_ABREAST
    assert "10 differences" in drawn[1].alt
    [alone] = heat_maps(no_rows, "several", "Several", variants[:6], cells)
    assert (alone.name, alone.caption) == ("probes_several", "Several")


def test_a_rate_over_one_demonstration_has_no_error(rows: ReportRows) -> None:
    hands = rows["handedness"]
    clustered = pl.lit(0.2).alias("precision_clustered_se")
    told = hands.with_columns(precision=pl.lit(0.5), precision_se=pl.lit(0.1))
    without = changed(rows, handedness=told.with_columns(clustered * None))
    for section, expected in (
        (handedness(without), "50.0"),
        (handedness(changed(rows, handedness=told.with_columns(clustered))), "50.0 ± 20.0"),
    ):
        [shown] = of_kind(section, Table)
        assert {row[4] for row in shown.rows if row[1] == "here"} == {expected}


def test_wrong_answers_that_name_no_hand_are_not_said_to_be_right(rows: ReportRows) -> None:
    hands = rows["handedness"]
    assert hands.height
    silent = hands.with_columns(n_reference=pl.lit(0, pl.Int64), n_predicted=pl.lit(0, pl.Int64))
    said = said_in(handedness(changed(rows, handedness=silent)))
    assert "Neither the wrong answers nor the true changes name a hand" in said
    assert NO_WRONG not in said
    assert NO_WRONG in said_in(handedness(changed(rows, handedness=hands.clear())))


def test_a_gating_of_a_variant_shows_what_the_variant_asks(rows: ReportRows) -> None:
    asked = rows["questions"]
    assert asked["is_of_baseline"].all()
    contact = asked.with_columns(gating=pl.lit("contact"), is_of_baseline=pl.lit(value=False))
    counts = pl.DataFrame(
        [{"gating": "contact", "kind": kind, "length": 3, "n_asked": 2} for kind in BOTH_KINDS]
    )
    both = pl.concat([rows["asked_counts"], counts])
    drawn = figures(
        questions(changed(rows, questions=pl.concat([asked, contact]), asked_counts=both))
    )
    assert drawn["questions_state"].caption == "Questions asked under the baseline, gating state"
    assert "the paper asks 500" in drawn["questions_state"].alt
    other = drawn["questions_contact"]
    assert "as many as a variant asks" in other.caption
    assert "2 forward" in other.alt
    assert "500" not in other.alt


def test_effects_of_rules_stand_below_the_questions_of_their_gating(rows: ReportRows) -> None:
    """A rule that is not in force must not read as one that decided the questions above."""
    [shown] = [
        part
        for part in of_kind(questions(rows), Table)
        if part.caption.startswith("What each rule")
    ]
    assert "gating state" in shown.caption
    numbers = {row[1]: row[2:] for row in shown.rows}
    assert numbers["persistence"] == ("14", "8", "2", "6", "5", "2", "6", "3.00", "80.0")
    assert numbers["similarity_of_states (not in force)"][-1] == NONE
    assert numbers["settle"] == (NONE,) * 9
    empty = questions(changed(rows, rule_totals=rows["rule_totals"].clear()))
    assert not [t for t in of_kind(empty, Table) if t.caption.startswith("What each rule")]


def test_models_without_a_score_give_no_empty_figure(rows: ReportRows) -> None:
    told = rows["accuracies"].with_columns(
        pl.lit(None, pl.Float64).alias(name) for name in ("accuracy", "low", "high")
    )
    section = leaderboard(changed(rows, accuracies=told))
    assert figures(section) == {}
    assert "so there is no figure" in said_in(section)
