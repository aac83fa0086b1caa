"""Crashes, faults and damaged files in numbers: ``make campaign``."""
