"""A data root: its scope, its partitions, forgotten names, files that nothing needs."""
