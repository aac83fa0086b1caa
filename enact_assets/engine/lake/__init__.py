"""The lake: one sealed Parquet file per table and partition, and pictures by content."""
