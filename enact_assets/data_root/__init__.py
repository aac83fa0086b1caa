"""Contents of a data root besides the lake: recordings, question files, the report."""
