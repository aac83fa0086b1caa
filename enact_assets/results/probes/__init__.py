"""Variant against baseline: differences and their uncertainty."""
