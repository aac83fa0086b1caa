"""Settings: the registry, profiles and predicates, shared columns, paths."""
