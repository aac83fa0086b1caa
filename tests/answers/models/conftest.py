"""A provider of this machine for tests of asking."""

from collections.abc import Iterator

import pytest
from answers.models.small_questions import KEY, KEY_VARIABLE

from reference.misbehaving_server import Server, running


@pytest.fixture(scope="module")
def provider() -> Iterator[Server]:
    with running() as server:
        yield server


@pytest.fixture
def server(provider: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """With nothing sold so far, and its key is set."""
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    for counts in (provider.sold, provider.tries, provider.statuses):
        counts.clear()
    return provider
