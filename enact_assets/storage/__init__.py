"""Bytes on disk: the Parquet lake, the image store, the DuckDB warehouse. No algorithms."""
