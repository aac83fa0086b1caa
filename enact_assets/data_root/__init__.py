"""What a data root holds besides the lake: recordings, question files, the report."""
