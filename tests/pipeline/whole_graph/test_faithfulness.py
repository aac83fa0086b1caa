"""Claims of the papers in a finished data root: the relation, and the queries that need rows."""

import pytest
from made_roots import Materialized

from enact_assets.results.faithfulness.claims import faithfulness_rows, load_claims
from enact_assets.results.faithfulness.computing import value_of
from enact_assets.results.published import OpenWarehouse

CLAIMS = {number: claim for number, (_, claim) in load_claims().items()}


@pytest.fixture(params=["materialized", pytest.param("simulated", marks=pytest.mark.slow)])
def ask(request: pytest.FixtureRequest) -> OpenWarehouse:
    made: Materialized = request.getfixturevalue(request.param)
    return OpenWarehouse(made.root / "enact.duckdb")


def test_the_relation_is_published(ask: OpenWarehouse) -> None:
    assert ask("from faithfulness order by number").equals(faithfulness_rows())


def test_claims_that_need_a_root_hold_in_it(ask: OpenWarehouse) -> None:
    of_root = {n: c for n, c in CLAIMS.items() if c.needs == "root"}
    assert of_root
    found = {number: value_of(claim, ask) for number, claim in of_root.items()}
    assert found == {number: claim.found for number, claim in of_root.items()}


def test_queries_about_shipped_tables_are_answered_by_any_root(ask: OpenWarehouse) -> None:
    """Its variants are those of its own registry, so queries about settings differ."""
    shipped = {
        n: c
        for n, c in CLAIMS.items()
        if c.query and c.needs == "package" and "variant_settings" not in c.query
    }
    found = {number: value_of(claim, ask) for number, claim in shipped.items()}
    assert found == {number: claim.found for number, claim in shipped.items()}
