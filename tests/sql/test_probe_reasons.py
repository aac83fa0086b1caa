"""Why a number of a probe is null: the right reason beside each null, and beside nothing else.

The slow twin works from the scores alone, one comparison at a time, in fractions.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import polars as pl
import pytest
from sql.tiny_lake import Relations, query

from enact_assets.results.probes.baseline_comparison import compare_with_baseline
from enact_assets.results.probes.panels import correct_within_panels
from enact_assets.results.verification.tables import Evaluation

pytestmark = pytest.mark.slow

Scores = Mapping[str, float | None]
SIDES: dict[str, Scores] = {
    "nothing asked": {},
    "nothing scored": {"a1": None, "b1": None},
    "one": {"a1": 0.5},
    "another": {"b3": 0.5},
    "one demonstration": {"a1": 1.0, "a2": 0.5, "b1": None},
    "one demonstration, constant": {"a1": 0.5, "a2": 0.5},
    "constant": {"a1": 0.5, "a2": 0.5, "b1": 0.5, "b2": 0.5},
    "constant, lower": {"a1": 0.25, "a2": 0.25, "b1": 0.25, "b2": 0.25},
    "cancels in each demonstration": {"a1": 0.75, "a2": 0.25, "b1": 0.25, "b2": 0.75},
    "varies": {"a1": 1.0, "a2": 0.5, "b1": 0.0, "b2": 0.5},
    "varies, others": {"a3": 1.0, "b3": 0.0, "b4": 0.25},
}
"""Score by question; its first character is the demonstration."""
CASES = [
    (ours, theirs, gating)
    for ours, theirs, gating in product(SIDES, SIDES, ("state", "contact"))
    if SIDES[ours] and (gating == "state" or ours not in ("another", "varies, others"))
]
UNCORRECTED = CASES.index(("varies", "constant", "state"))
"""The comparison of which there is no correction within its panel: that step failed."""
P_VALUES = {
    "welch_reason": ("welch_p", "welch_holm_p"),
    "unpaired_reason": ("unpaired_p", "unpaired_holm_p", "unpaired_low", "unpaired_high"),
    "paired_reason": (
        *("paired_p", "paired_holm_p", "paired_low", "paired_high"),
        "minimum_detectable_effect",
    ),
}
"""Reason -> numbers that are null with it, and only then."""


def evaluation(variant: str, scores: Scores, gating: str) -> pl.DataFrame:
    asked = {"model": "m", "variant": variant, "gating": gating, "repetition": 0}
    asked |= {"kind": "forward", "length": 3, "n_steps": 2}
    rows = []
    for name, score in scores.items():
        of = {"question_id": name, "demonstration": name[0], "pairwise_accuracy": score}
        rows.append({**asked, **of, "answer_status": "missing" if score is None else "parsed"})
    return Evaluation.build(rows)


def reasons(ours: Scores, theirs: Scores, gating: str) -> dict[str, str | None]:
    """By definition; ``gating`` is that of ours, theirs is "state"."""
    if gating == "state":
        theirs = {name: score for name, score in theirs.items() if name in ours}
    a, b = (
        {name: Fraction(score) for name, score in side.items() if score is not None}
        for side in (ours, theirs)
    )
    pairs = {name: a[name] - b[name] for name in a if name in b and gating == "state"}
    least, fewest = min(len(a), len(b)), min(len({n[0] for n in side}) for side in (a, b))
    found: dict[str, str | None] = dict.fromkeys(P_VALUES)
    if not least:
        return dict.fromkeys(P_VALUES, "no_scores")
    if least == 1:
        found["welch_reason"] = "one_question"
    elif len(set(a.values())) == len(set(b.values())) == 1:
        found["welch_reason"] = "no_variation"
    if fewest < 2:
        found["unpaired_reason"] = "one_demonstration"
    elif len(_influences(a, b)) == 1:
        found["unpaired_reason"] = "no_variation"
    demonstrations = {name[0] for name in pairs}
    sums = [sum(d for n, d in pairs.items() if n[0] == name) for name in sorted(demonstrations)]
    numbers = [sum(n[0] == name for n in pairs) for name in sorted(demonstrations)]
    if not pairs:
        found["paired_reason"] = "not_paired"
    elif len(demonstrations) < 2:
        found["paired_reason"] = "one_demonstration"
    elif not any(sums):
        found["paired_reason"] = "no_difference"
    elif len({total / n for total, n in zip(sums, numbers, strict=True)}) == 1:
        found["paired_reason"] = "no_variation"
    return found


def _influences(a: Mapping[str, Fraction], b: Mapping[str, Fraction]) -> set[Fraction]:
    """What each demonstration adds to the difference of means; only zeros if nothing varies."""

    def added(side: Mapping[str, Fraction], demonstration: str) -> float:
        mean = sum(side.values()) / len(side)
        mine = [score - mean for name, score in side.items() if name[0] == demonstration]
        # The correction of Bell and McCaffrey, a root: floats.
        share = len(mine) / len(side)
        return float(sum(mine)) / len(side) / (1 - share) ** 0.5

    names = {name[0] for name in (*a, *b)}
    return {Fraction(round(added(a, d) - added(b, d), 9)) for d in names} | {Fraction(0)}


@pytest.fixture(scope="module")
def made() -> Relations:
    compared = [
        compare_with_baseline(
            evaluation(f"v{k}", SIDES[ours], gating),
            evaluation("baseline", SIDES[theirs], "state"),
            f"v{k}",
            "baseline",
            panel=f"p{k}",
        )
        for k, (ours, theirs, gating) in enumerate(CASES)
    ]
    probes = pl.concat(compared)
    panels = correct_within_panels(probes).filter(pl.col("panel") != f"p{UNCORRECTED}")
    return Relations({"probes": probes.to_dicts(), "probe_panels": panels.to_dicts()})


def test_each_null_of_a_probe_has_its_reason_and_no_number_has_one(made: Relations) -> None:
    """``no_scores`` was written beside an unpaired p-value of hundreds of scores."""
    rows = query(made, "from probe_deltas where length is null").rows(named=True)
    of = {int(row["variant"][1:]): row for row in rows}
    assert set(of) == set(range(len(CASES)))
    seen = set()
    for k, case in enumerate(CASES):
        row, (ours, theirs, gating) = of[k], case
        expected = reasons(SIDES[ours], SIDES[theirs], gating)
        assert {name: row[name] for name in P_VALUES} == expected, case
        seen |= {*expected.items()}
        is_paired = expected["paired_reason"] not in ("no_scores", "not_paired")
        assert row["is_paired"] is is_paired, case
        assert row["reason"] == expected["paired_reason" if is_paired else "unpaired_reason"], case
        _check_nulls(row, expected)
    assert len(seen) == 4 + 4 + 6, "each reason, and none, of each p-value"


def _check_nulls(row: dict[str, Any], expected: dict[str, str | None]) -> None:
    has_panel = row["variant"] != f"v{UNCORRECTED}"
    for name, numbers in P_VALUES.items():
        for number in numbers:
            if has_panel or "holm" not in number:
                assert (row[number] is None) == (expected[name] is not None), (number, row)
    welch, unpaired, paired = expected.values()
    assert (row["difference"] is None) == (row["effect"] is None) == (unpaired == "no_scores")
    assert (row["delta"] is None) == (unpaired == "no_scores")
    assert (row["standard_error"] is None) == (welch in ("no_scores", "one_question"))
    few = ("no_scores", "one_demonstration")
    assert (row["unpaired_standard_error"] is None) == (unpaired in few)
    assert (row["paired_delta"] is None) == (paired in ("no_scores", "not_paired"))
    assert (row["paired_standard_error"] is None) == (paired in (*few, "not_paired"))
    assert (row["sign_flip_p"] is None) == (paired not in (None, "no_variation"))


def test_a_heat_map_says_why_a_cell_has_no_interval_or_p_value(made: Relations) -> None:
    rows = query(made, "from probe_heat_maps where source = 'ours'").rows(named=True)
    assert len(rows) == len(CASES)
    for row in rows:
        assert (row["reason"] is None) == (None not in (row["low"], row["high"], row["p"])), row
    [last] = [row for row in rows if row["variant"] == f"v{UNCORRECTED}"]
    assert last["low"] is not None
    assert last["reason"] == "not_corrected"
