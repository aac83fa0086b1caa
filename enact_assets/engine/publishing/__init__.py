"""The warehouse: the lake's current files as one DuckDB file, with marts and checks."""
