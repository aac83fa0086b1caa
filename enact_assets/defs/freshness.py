"""What is not fresh, and why: Dagster's answer, and what Dagster cannot know.

Files can be deleted, cut short or copied in behind its back; registry entries change without a run;
names disappear; and beyond 100 partitions of an input it no longer compares.
"""

from collections.abc import Collection, Iterable, Mapping

import dagster as dg
import polars as pl
from dagster._core.definitions.assets.graph.asset_graph import AssetGraph

from enact_assets.contracts.errors import LakeError, RenderError
from enact_assets.contracts.ids import sha256_bytes
from enact_assets.contracts.registry import load_registry
from enact_assets.contracts.tables import TABLES, table
from enact_assets.defs.resources import DataResource
from enact_assets.defs.settings import ROOTS, current_sha
from enact_assets.defs.staleness import NEVER, Node, Staleness
from enact_assets.frames.recorded_pictures import pictures_changed_at
from enact_assets.storage.question_files import question_file
from enact_assets.storage.warehouse import published_names

COMPARED_UPSTREAM = 100
"""Dagster compares data versions of at most this many partitions of one input, less one."""
REPLAY_TABLES = ("demonstrations", "facts", "objects", "observability", "states")
STALE_SCHEMA = {"asset": pl.String, "partition": pl.String, "why": pl.String}


def current_names(instance: dg.DagsterInstance) -> dict[str, set[str]]:
    """Names of each dimension that exist now: the registry's, and the dynamic partitions."""
    registry = load_registry()
    return {
        "demonstration": set(instance.get_dynamic_partitions("demonstration")),
        "gating": set(registry.gatings),
        "model": set(instance.get_dynamic_partitions("model")),
        "question_file": set(instance.get_dynamic_partitions("question_file")),
        "variant": set(registry.variants),
    }


class Freshness:
    """Answers at one moment: build it anew after anything was materialized."""

    def __init__(self, instance: dg.DagsterInstance, graph: AssetGraph, data: DataResource) -> None:
        self.staleness = Staleness(instance, graph)
        self._instance = instance
        self._data = data

    def why_not(self, node: Node, made: Collection[Node] = ()) -> str | None:
        """None if fresh, otherwise the first reason in words.

        ``made`` are the partitions made since the walk began: where an input has too many
        partitions for Dagster to compare, an asset is stale if one of them is among these.
        """
        why = self.staleness.why_not_fresh(node)
        if why is not None:
            return why
        name = node[0]
        if name in ROOTS and self.staleness.data_version(node) != current_sha(*node):
            return "the registry entry changed"
        if name in TABLES:
            why = self._why_not_landed(node)
        if name == "warehouse":
            why = self._why_not_published()
        return self._why_not_compared(node, made) if why is None and made else why

    def _why_not_compared(self, node: Node, made: Collection[Node]) -> str | None:
        by_input: dict[str, set[Node]] = {}
        for upstream in self.staleness.upstream(node):
            by_input.setdefault(upstream[0], set()).add(upstream)
        for name, partitions in sorted(by_input.items()):
            if len(partitions) >= COMPARED_UPSTREAM and not partitions.isdisjoint(made):
                return f"one of {len(partitions)} partitions of {name} was made again"
        return None

    def _why_not_landed(self, node: Node) -> str | None:
        name, partition = node
        values = partition.split("|") if partition is not None else []
        where = dict(zip(table(name).partitions, values, strict=True))
        lake = self._data.lake
        try:
            if self._has_newer_source(name, where):
                return "what was imported is newer"
            if lake.content_sha(name, where) != self.staleness.data_version(node):
                return "its file is not the one that was materialized"
            if name == "frame_images":
                shas = lake.read(name, where).get_column("image_sha")
                n_gone = sum(not self._data.images.exists(sha) for sha in shas)
                return f"{n_gone} of its pictures are gone" if n_gone else None
            if name == "question_set":
                return self._why_not_asked(where["gating"])
        except (LakeError, RenderError, OSError):
            return "its file is gone or damaged"
        return None

    def _why_not_asked(self, gating: str) -> str | None:
        """Why a question set does not fit the demonstrations there are."""
        lake = self._data.lake
        asked = set(lake.read("question_set", {"gating": gating}).get_column("demonstration"))
        current = current_names(self._instance)["demonstration"]
        if forgotten := asked - current:
            return f"{min(forgotten)} was forgotten"
        if len(current) > load_registry().questions.question_set_per_stratum:
            return None  # not everybody has a turn
        # To Dagster one that was forgotten and is back has not changed.
        for name in sorted(current - asked):
            partition = {"demonstration": name, "gating": gating}
            if lake.exists("qa", partition) and lake.read("qa", partition).height:
                return f"{name} has questions and is not asked about"
        return None

    def _has_newer_source(self, name: str, where: Mapping[str, str]) -> bool:
        """Whether a recording or question file was imported again since it was read."""
        lake = self._data.lake
        if name in REPLAY_TABLES and self._data.recordings.has(where["demonstration"]):
            # By time: hashing some hundred megabytes on each walk would take longer than the walk.
            imported = self._data.recordings.imported_at(where["demonstration"])
            return imported > lake.path(name, where).stat().st_mtime
        if name == "frame_images" and self._data.recordings.has(where["demonstration"]):
            changed = pictures_changed_at(self._data.recordings.folder(where["demonstration"]))
            return changed > lake.path(name, where).stat().st_mtime
        if name == "official_questions":
            path = question_file(self._data.question_files, where["question_file"])
            read = lake.read(name, where).get_column("source_sha").unique().to_list()
            return read not in ([], [sha256_bytes(path.read_bytes())])
        return False

    def _why_not_published(self) -> str | None:
        published = published_names(self._data.warehouse_path)
        if not published:
            return "its file is gone"
        current = current_names(self._instance)
        gone = sorted(n for d, names in published.items() for n in names - current[d])
        return f"{gone[0]} is no longer a partition" if gone else None


def find_stale(freshness: Freshness, nodes: Iterable[Node]) -> pl.DataFrame:
    """Rows that are older than what they are made from: asset, partition, why.

    ``nodes`` in topological order. A partition made from a stale one is stale itself, though
    nothing it reads has changed yet.
    """
    stale: dict[Node, str] = {}
    for node in nodes:
        why = freshness.why_not(node)
        if why == NEVER:
            continue
        if why is None:
            older = sorted(n for n in freshness.staleness.upstream(node) if n in stale)
            why = f"made from {older[0][0]} {older[0][1] or ''}".strip() if older else None
        if why is not None:
            stale[node] = why
    rows = [(asset, partition, why) for (asset, partition), why in stale.items()]
    return pl.DataFrame(rows, schema=STALE_SCHEMA, orient="row")
