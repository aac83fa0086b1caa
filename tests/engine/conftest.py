"""A pipeline of toys: no step, setting or handle but those that a test declares."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import pytest
from toy_tables import TOYS, Opening, Tariff, Till

from enact_assets.engine.parameters import (
    CONDITIONS,
    DETERMINES,
    HANDLES,
    SETTINGS,
    provides,
    settings,
)
from enact_assets.engine.steps import STEPS


@pytest.fixture
def toys() -> Iterator[None]:
    """What is declared during the test is forgotten after it, and what was declared comes back."""
    with ExitStack() as declared:
        for registry in (STEPS, HANDLES, SETTINGS, DETERMINES, CONDITIONS):
            declared.enter_context(patch.dict(registry, clear=True))
        declared.enter_context(patch("enact_assets.engine.deriving.TABLES", TOYS))
        settings(Tariff, "tariffs", "country")
        settings(Opening, "opening")
        DETERMINES["shop"] = "country"

        @provides(reads=("cash",))
        def till(tools: Any, partition: Mapping[str, str], loaded: Mapping[str, Any]) -> Till:
            return Till(tools, partition, loaded)

        yield
