"""Rigid bodies of a running simulation: bounds, containment, holding, and checks."""
