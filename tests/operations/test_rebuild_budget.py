"""What a scheduled rebuild buys: nothing without a budget of its own, and never more than that."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
import yaml
from tiny_roots import TinyRoot, write_models

from enact_assets.pipeline.dagster.definitions import build_definitions
from enact_assets.pipeline.driver.step_runs import leave
from enact_assets.pipeline.rebuild.job import Counts, last_nights, rebuild_definitions
from enact_assets.pipeline.runs.instance import open_instance

from reference.misbehaving_server import Server
from reference.nights import performed, requested
from reference.undrawn import draw_nothing

pytestmark = pytest.mark.slow

FIRST = datetime(2026, 11, 20, 3, tzinfo=UTC)
ANSWER_USD = 918e-6


@pytest.fixture(autouse=True)
def without_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_nothing(monkeypatch)


class Bought:
    """A data root to which a model was added that costs money."""

    def __init__(self, root: Path, url: str, spending: str) -> None:
        self.root = root
        (root / "models.txt").write_text("seer\n")
        write_models(root, url, spending)
        self.definitions = dg.Definitions.merge(build_definitions(), rebuild_definitions())
        self.instance = open_instance(root)
        self._n = 0

    def night(self, **fields: object) -> Counts | str:
        """What the next night made, or why nothing."""
        (self.root / "schedule.yaml").write_text(yaml.safe_dump({"workers": 1, **fields}))
        night = FIRST + timedelta(days=self._n)
        self._n += 1
        request = requested(self.definitions, self.instance, night)
        if isinstance(request, str):
            return request
        assert performed(self.definitions, self.instance, request).is_success
        counts = last_nights(self.instance, 1)[0].counts
        assert counts is not None
        return counts

    def spent(self) -> float:
        return sum(
            json.loads(line).get("usd", 0.0)
            for file in (self.root / "ledger").rglob("*.jsonl")
            for line in file.read_text().splitlines()
        )


def test_nights_buy_within_their_budget_until_all_is_answered(
    tiny: TinyRoot, copied: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Models of automation (`by_automation`) are no budget of the night."""
    monkeypatch.setenv("ENACT_HOME", str(copied))
    spending = "spending: {max_usd: 5, by_automation: true}\n"
    bought = Bought(copied, server.url(), spending)
    try:
        # The root has no report yet. What asks the model is left, and what is made from it.
        first = bought.night()
        assert not isinstance(first, str)
        assert (first.made, first.left) == (1, 5)
        said = bought.night()
        assert str(said).endswith("that would cost money, and schedule.yaml sets no max_usd")
        assert not server.sold
        # Enough for a few requests at their highest possible price: the night is no failure.
        some = bought.night(max_usd=0.01)
        assert not isinstance(some, str)
        assert (some.failed, some.blocked) == (0, 0)
        assert some.left > 0
        assert some.usd == pytest.approx(bought.spent())
        assert 0 < some.usd <= 0.01
        n_sold = sum(server.sold.values())
        assert bought.spent() == pytest.approx(n_sold * ANSWER_USD)
        # The next night has a budget of its own, and pays for nothing twice.
        rest = bought.night(max_usd=3)
        assert not isinstance(rest, str)
        assert rest.left == 0
        assert rest.usd > 0
        assert bought.spent() == pytest.approx(some.usd + rest.usd)
        assert set(server.sold.values()) == {1}
        assert str(bought.night(max_usd=3)).startswith("nothing is due: all")
    finally:
        leave()
        bought.instance.dispose()


def test_what_was_ever_bought_stays_within_the_limit_of_the_root(
    tiny: TinyRoot, copied: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENACT_HOME", str(copied))
    bought = Bought(copied, server.url(), "spending: {max_usd: 0.005}\n")
    try:
        counts = bought.night(max_usd=3)
        assert not isinstance(counts, str)
        assert counts.left > 0
        assert 0 < bought.spent() <= 0.005
    finally:
        leave()
        bought.instance.dispose()
