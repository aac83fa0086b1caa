"""The Dagster UI: a guarded web server and its services."""
