"""Claims about the registry's embedded demonstrations, which are simulated for them."""

from collections.abc import Iterator

import pytest

from enact_assets.demonstrations.replay import embedded
from enact_assets.results.faithfulness.claims import load_claims
from enact_assets.results.faithfulness.computing import ShippedRelations, value_of

from reference.carried_out import carried_out_once

pytestmark = pytest.mark.slow

CLAIMS = {n: c for n, (_, c) in load_claims().items() if c.needs == "demonstrations"}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShippedRelations]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(embedded, "carry_out", carried_out_once(tmp_path_factory))
        yield ShippedRelations()


@pytest.mark.parametrize("number", CLAIMS)
def test_what_was_found_is_still_found(number: int, ask: ShippedRelations) -> None:
    assert value_of(CLAIMS[number], ask) == CLAIMS[number].found
