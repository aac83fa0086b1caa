"""Dagster's runs of a data root: its instance and lock, lost runs, results of runs."""
