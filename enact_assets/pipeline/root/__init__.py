"""A data root: its scope, shards, forgotten names, alerts, and removal of unneeded files."""
