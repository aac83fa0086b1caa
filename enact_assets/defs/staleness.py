"""Which partitions are missing or stale, and what they depend on: Dagster's own answers.

The only module that uses private Dagster classes. They are the ones the UI uses, so driver and UI
agree on what is fresh.
"""

import dagster as dg
from dagster._core.definitions.assets.graph.asset_graph import AssetGraph
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus
from dagster._core.definitions.partitions.context import partition_loading_context
from dagster._core.loader import LoadingContextForTest

Node = tuple[str, str | None]
"""An asset and one of its partitions (None if it has none)."""


NEVER = "never materialized"
"""Why a partition is not fresh that has no rows at all."""
NEW_CODE = "has a new code version"
"""Part of the reason, in Dagster's words, where code changed; it comes before any other."""


class Staleness:
    """Answers about one instance at one moment: build it anew after anything was materialized."""

    def __init__(self, instance: dg.DagsterInstance, graph: AssetGraph) -> None:
        self._instance = instance
        self._graph = graph
        self._resolver = CachingStaleStatusResolver(
            instance, graph, LoadingContextForTest(instance)
        )

    def why_not_fresh(self, node: Node) -> str | None:
        """None if fresh; otherwise the first reason, in words."""
        key, partition = dg.AssetKey(node[0]), node[1]
        status = self._resolver.get_status(key, partition)
        if status == StaleStatus.FRESH:
            return None
        if status == StaleStatus.MISSING:
            return NEVER
        causes = self._resolver.get_stale_causes(key, partition)
        cause = next(iter(causes), None)
        if cause is None:
            return "stale"
        return f"{cause.key.asset_key.to_user_string()} {cause.reason}"

    def data_version(self, node: Node) -> str:
        """The data version of the last materialization."""
        return self._resolver.get_current_data_version(dg.AssetKey(node[0]), node[1]).value

    def upstream(self, node: Node) -> set[Node]:
        """The partitions of other assets that ``node`` is made from."""
        with partition_loading_context(dynamic_partitions_store=self._instance):
            found = self._graph.get_parents_partitions(dg.AssetKey(node[0]), node[1])
        return {(k.asset_key.to_user_string(), k.partition_key) for k in found.parent_partitions}
