"""The driver: runs stale steps in this process, in several, or on a Dask cluster."""
