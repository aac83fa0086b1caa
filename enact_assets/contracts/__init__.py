"""Shared contracts: predicates, components, ids, profiles, settings, registry, errors."""
