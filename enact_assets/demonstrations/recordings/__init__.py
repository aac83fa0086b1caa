"""Recordings of a data root: folders, zips and videos."""
