"""Runs steps: one Dagster run per partition, in this process, in several, or on a Dask cluster."""
