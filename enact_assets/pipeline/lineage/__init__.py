"""Lineage of this pipeline by content, without Dagster: its graph and states."""
