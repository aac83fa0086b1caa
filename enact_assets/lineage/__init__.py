"""Lineage by content, without Dagster: what is stale, which input changed, what may follow."""
