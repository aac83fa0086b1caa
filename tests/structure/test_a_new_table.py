"""A table and its step are two files; all else follows from them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.tiny_root import write_small_registry

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
TABLE = '''"""How much of the paper's question set each length has."""

from enact_assets.settings import columns as common
from enact_assets.engine.tables import Table, number


class LengthShares(Table):
    """One row per variant and length.

    Shares of one kind.
    """

    by = ("variant",)
    variant = common.variant(key=True)
    length = common.length(key=True)
    share = number("of all questions", "fraction")
'''
STEP = '''"""Lengths of questions."""

import polars as pl

from enact_assets.settings.registry import Variant
from enact_assets.engine.steps import step
from enact_assets.engine.tables import Of
from enact_assets.results.probes.length_tables import LengthShares
from enact_assets.results.paper.tables import PublishedQuestionCounts


@step(group="statistics", job="share_lengths")
def length_shares(counts: Of[PublishedQuestionCounts], variant: Variant) -> Of[LengthShares]:
    """The share of each length in the question set of the paper."""
    share = pl.col("n_questions") / pl.col("n_questions").sum()
    return LengthShares.of(
        counts.select(pl.lit(variant.name).alias("variant"), "length", share.alias("share"))
    )
'''
LOOK = """
import json, sys
from pathlib import Path

import dagster as dg

from enact_assets.settings.registry import load_registry
from enact_assets.pipeline.dagster.definitions import build_definitions
from enact_assets.pipeline.lineage.table_docs import table_rows
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.results.published import query

table, root = "length_shares", Path("data")
warehouse = root / "enact.duckdb"
driver = Driver(root, registry=load_registry(), workers=1)


def stale():
    return [[s.partition[0], s.why] for s in driver.plan()[0].stale if s.step == table]


def rows(sql):
    return query(warehouse, sql).rows()


planned = stale()
report = driver.run(assets=[table, "published_results", "variant_config", "warehouse"])
definitions = build_definitions()
graph = definitions.resolve_asset_graph()
node = graph.get(dg.AssetKey(table))
jobs = [job for job in definitions.jobs if job.name == "share_lengths"]
columns = f"select column_name, comment from duckdb_columns() where table_name = \'{table}\'"
print(json.dumps({
    "parents": sorted(key.to_user_string() for key in node.parent_keys),
    "partitions": node.partitions_def.get_partition_keys(),
    "description": node.description,
    "in its job": [key.to_user_string() for job in jobs for key in job.selection.resolve(graph)],
    "planned": planned,
    "failures": [failure.message for failure in report.failures],
    "planned again": stale(),
    "rows": driver.data.lake.read(table, {"variant": "contact"}).height,
    "published": rows(f"select variant, sum(share) from {table} group by 1 order by 1"),
    "comments": dict(rows(columns)),
    "documented": [row for row in table_rows() if f"`{table}`" in row],
}))
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a copy of the package with the two files makes of them."""
    folder = tmp_path_factory.mktemp("project")
    package = folder / "enact_assets"
    shutil.copytree(ROOT / "enact_assets", package, ignore=shutil.ignore_patterns("*.nb[ci]"))
    shutil.copytree(ROOT / "sql", folder / "sql")
    (package / "results" / "probes" / "length_tables.py").write_text(TABLE)
    (package / "pipeline" / "steps" / "length_steps.py").write_text(STEP)
    registry = write_small_registry(
        folder / "registry.yaml", variants=["baseline", "contact"], models=[]
    )
    found = subprocess.run(  # noqa: S603 - our own interpreter, our own code
        [sys.executable, "-c", LOOK],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "ENACT_REGISTRY": str(registry)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout.splitlines()[-1])


def test_dagster_has_the_asset(seen: dict[str, Any]) -> None:
    assert seen["parents"] == ["published_question_counts", "variant_config"]
    assert seen["partitions"] == ["baseline", "contact", "world:embedded"]
    assert seen["description"].startswith("The share of each length")
    assert seen["in its job"] == ["length_shares"]


def test_it_is_planned_until_it_is_made(seen: dict[str, Any]) -> None:
    assert seen["planned"] == [[name, "never materialized"] for name in ("baseline", "contact")]
    assert (seen["failures"], seen["planned again"]) == ([], [])
    assert seen["rows"] == 8


def test_it_is_published_with_comments(seen: dict[str, Any]) -> None:
    assert seen["published"] == [["baseline", pytest.approx(1)], ["contact", pytest.approx(1)]]
    assert seen["comments"].keys() == {"variant", "length", "share"}
    assert seen["comments"]["share"] == "of all questions (unit: fraction)"


def test_it_is_in_the_list_of_tables(seen: dict[str, Any]) -> None:
    (row,) = seen["documented"]
    assert row == (
        "| `length_shares` | One row per variant and length | variant, length | variant | "
        "length_shares | published_question_counts, variant_config | yes |"
    )
