"""The only folder that knows Dagster: assets, partitions, resources, jobs."""
