"""Tables 2, 11, 12 and 14 of the paper: ours beside every published cell."""

import shutil
from pathlib import Path

import pytest
import yaml
from made_roots import small_registry

from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.results.published import query
from enact_assets.settings.registry import DEFAULT_REGISTRY, load_registry

from reference.undrawn import BUT_REPORT

pytestmark = pytest.mark.slow

VIDEO = Path(__file__).parents[3] / "docs" / "annotated_video" / "picking_up_toys_1"
EMPTY_CELLS = """
    with cells as (
        select distinct experiment, published_variant as variant, kind, length, metric, model
        from published_accuracies
        cross join (select distinct model from leaderboard)
        where experiment <> 'main'
    )
    select cells.* from cells
    left join variant_accuracies as ours
        on ours.source = 'ours' and ours.experiment = cells.experiment
        and ours.variant = cells.variant and ours.kind = cells.kind
        and ours.length = cells.length and ours.metric = cells.metric
        and ours.model = cells.model
    where ours.accuracy is null"""


def test_no_cell_beside_a_published_one_is_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Contact, wordings and noise at L = 3 to 10 in both metrics, and a video of one's own."""
    registry_file = small_registry(tmp_path, 1)
    entries = yaml.safe_load(registry_file.read_text())
    shipped = yaml.safe_load(DEFAULT_REGISTRY.read_text())["variants"]
    told = [n for n, v in shipped.items() if "asks" in v and n != "recorded"]
    entries["variants"] = {
        "baseline": entries["variants"]["baseline"] | {"sources": ["embedded"]},
        **{name: shipped[name] for name in told},
    }
    registry_file.write_text(yaml.safe_dump(entries))
    monkeypatch.setenv("ENACT_REGISTRY", str(registry_file))
    root = tmp_path / "data"
    shutil.copytree(VIDEO, root / "recordings" / VIDEO.name)
    report = Driver(root, registry=load_registry(registry_file), workers=1).run(assets=BUT_REPORT)
    assert report.is_success, [f.message for f in report.failures]
    warehouse = root / "enact.duckdb"
    assert query(warehouse, EMPTY_CELLS).rows() == []
    boards = "select distinct variant from leaderboard order by all"
    assert query(warehouse, boards).rows() == [("baseline",), ("real_world_video",)]
