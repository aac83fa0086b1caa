"""Answers -> parsing, verification, metrics."""
