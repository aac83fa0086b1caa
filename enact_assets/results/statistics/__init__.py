"""Uncertainty: intervals, tests, corrections for many tests, detectable effects."""
