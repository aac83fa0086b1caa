"""Substances, heat and recipes of a running simulation."""
