"""Scheduled rebuilds: settings, one night, and what the last nights made."""
