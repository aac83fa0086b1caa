"""Dagster's definitions: assets, partitions, jobs, sensors, schedules, checks."""
