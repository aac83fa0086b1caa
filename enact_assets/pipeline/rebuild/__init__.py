"""Scheduled rebuilds: settings, one night, and results of the last nights."""
