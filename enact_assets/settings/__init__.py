"""Settings: the registry, profiles and predicates, shared columns, where things are."""
