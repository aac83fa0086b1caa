"""Claims about the twelve embedded demonstrations, which are simulated for them."""

import pytest

from enact_assets.results.faithfulness.claims import load_claims
from enact_assets.results.faithfulness.computing import ShippedRelations, value_of

pytestmark = pytest.mark.slow

CLAIMS = {n: c for n, (_, c) in load_claims().items() if c.needs == "demonstrations"}


@pytest.fixture(scope="module")
def ask() -> ShippedRelations:
    return ShippedRelations()


@pytest.mark.parametrize("number", CLAIMS)
def test_what_was_found_is_still_found(number: int, ask: ShippedRelations) -> None:
    assert value_of(CLAIMS[number], ask) == CLAIMS[number].found
