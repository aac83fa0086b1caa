"""Imported question files and their pictures."""
