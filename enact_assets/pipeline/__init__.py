"""The pipeline: steps, their lineage, and their execution by Dagster and by the driver."""
