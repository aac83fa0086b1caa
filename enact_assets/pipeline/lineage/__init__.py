"""Lineage of this pipeline, by content and without Dagster: graph, states and versions."""
