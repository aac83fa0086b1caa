"""What every stage promises: table schemas, predicates, components, ids, registry, errors."""
