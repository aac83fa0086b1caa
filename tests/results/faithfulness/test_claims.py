"""Each computed claim still has the value that it records, and each names what is there."""

import re
from pathlib import Path

import polars as pl
import pytest

from enact_assets.engine.errors import EvaluationError, TableContractError
from enact_assets.results.faithfulness.claims import (
    FOLDER,
    PARTS,
    Claim,
    faithfulness_rows,
    load_claims,
)
from enact_assets.results.faithfulness.computing import ShippedRelations, resolve, value_of
from enact_assets.results.faithfulness.tables import Faithfulness

ROOT = Path(__file__).parents[3]
CLAIMS = {number: claim for number, (_, claim) in load_claims().items()}
QUICK = [n for n, c in CLAIMS.items() if c.is_computed and c.needs == "package"]
NAMED = [n for n, c in CLAIMS.items() if c.here or c.function]
LEAST_COMPUTED = 100
WITHOUT_COMPARISON = ("missing", "cannot be had here")


@pytest.fixture(scope="module")
def ask() -> ShippedRelations:
    return ShippedRelations()


@pytest.mark.parametrize("number", QUICK)
def test_what_was_found_is_still_found(number: int, ask: ShippedRelations) -> None:
    assert value_of(CLAIMS[number], ask) == CLAIMS[number].found


def test_claims_are_numbered_without_gaps_and_a_hundred_are_computed() -> None:
    assert sorted(CLAIMS) == list(range(1, len(CLAIMS) + 1))
    assert {path.stem for path in FOLDER.iterdir()} == set(PARTS)
    assert sum(claim.is_computed for claim in CLAIMS.values()) >= LEAST_COMPUTED


def test_verdicts_follow_from_the_two_values_where_there_are_two() -> None:
    for number, claim in CLAIMS.items():
        is_compared = claim.is_computed and claim.verdict not in WITHOUT_COMPARISON
        if is_compared and claim.of_paper is not None:
            assert (claim.found == claim.of_paper) == (claim.verdict == "same"), number


@pytest.mark.parametrize("number", NAMED)
def test_what_a_claim_names_is_there(number: int) -> None:
    """A renamed mart or constant would leave the page pointing nowhere."""
    here = CLAIMS[number].here or ""
    for name in re.findall(r"`([^`]+)`", here):
        resolve(name)
    for path in re.findall(r"docs/[\w.]+", here):
        assert (ROOT / path).is_file()
    if CLAIMS[number].function:
        resolve(str(CLAIMS[number].function))


def test_a_name_of_nothing_is_noticed() -> None:
    for name in ("leaderbord", "registry: variants.blurred", "enact_assets.Profile.flicker"):
        with pytest.raises((KeyError, AttributeError)):
            resolve(name)


def test_every_table_figure_and_algorithm_of_the_paper_has_a_row() -> None:
    """By number: 14 tables, 51 figures, 4 algorithms."""
    places = [claim.place for claim in CLAIMS.values() if claim.source == "ENACT v2"]
    for kind, last in (("table", 14), ("figure", 51), ("algorithm", 4)):
        found: set[int] = set()
        for place in places:
            for numbers in re.findall(rf"{kind}s? ([\d, toand]+)", place):
                for first, end in re.findall(r"(\d+)(?: to (\d+))?", numbers):
                    found |= set(range(int(first), int(end or first) + 1))
        assert found == set(range(1, last + 1)), kind


def test_a_changed_number_of_the_paper_changes_what_is_found(ask: ShippedRelations) -> None:
    """Gemma-3-4b-it is one of two models that are better on forward questions."""

    def changed(sql: str, _values: object = None, /) -> pl.DataFrame:
        lifted = (
            "(select * replace (if(published_model = 'Gemma-3-4b-it' and kind = 'inverse', 0.9, "
            "accuracy) as accuracy) from published_accuracies)"
        )
        return ask(sql.replace("from published_accuracies", f"from {lifted}"))

    claim = CLAIMS[31]
    assert (value_of(claim, ask), value_of(claim, changed)) == (28, 29)


def test_the_table_has_every_claim() -> None:
    rows = Faithfulness.check(faithfulness_rows())
    assert rows["number"].to_list() == sorted(CLAIMS)
    by_number = {row["number"]: row for row in rows.iter_rows(named=True)}
    assert by_number[31]["found"] == "28"
    assert by_number[235]["found"] == "ABCD"
    assert by_number[80]["arguments"].startswith('["inverse", [[], ["Open(fridge)"')
    is_computed = pl.col("query").is_not_null() | pl.col("function").is_not_null()
    assert rows.filter((pl.col("method") == "computed") != is_computed).is_empty()


GOOD = {"place": "1", "claim": "c", "kind": "number", "verdict": "same"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "give `query` or `function`"),
        ({"query": "select 1", "function": "enact_assets.segment", "found": 1}, "give `query` or"),
        ({"query": "select 1"}, "`found` is missing"),
        ({"method": "inspected"}, "`here` is missing"),
        ({"method": "by argument", "verdict": "missing"}, "`why` is missing"),
        ({"method": "by argument", "query": "select 1"}, "give `query` or `function`"),
    ],
)
def test_a_claim_without_what_its_method_needs_is_refused(
    changes: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Claim(**{**GOOD, **changes})  # type: ignore[arg-type]


ENTRY = "{place: a, claim: c, kind: number, verdict: same, method: by argument}"


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (f"1: {ENTRY}\n1: {ENTRY}\n", "", "benchmark.yaml: 1 numbers are there more than once"),
        (f"1: {ENTRY}\n", f"1: {ENTRY}\n", "claim 1 is in benchmark.yaml and in results.yaml"),
        ("1: {place: a}\n", "", "benchmark.yaml, claim 1: cannot be read"),
        ("1: [\n", "", "benchmark.yaml: cannot be read"),
    ],
)
def test_files_that_cannot_be_read_are_named(
    tmp_path: Path, first: str, second: str, message: str
) -> None:
    texts = dict.fromkeys(PARTS, "{}\n") | {"benchmark": first, "results": second or "{}\n"}
    for part, text in texts.items():
        (tmp_path / f"{part}.yaml").write_text(text)
    with pytest.raises(TableContractError, match=re.escape(message)):
        load_claims(tmp_path)


def test_what_is_not_computed_cannot_be_evaluated(ask: ShippedRelations) -> None:
    claim = next(claim for claim in CLAIMS.values() if not claim.is_computed)
    with pytest.raises(EvaluationError, match="nothing to compute"):
        value_of(claim, ask)
