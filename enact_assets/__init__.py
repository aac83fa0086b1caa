"""Lineage-aware pipeline for ENACT, a benchmark of embodied cognition for VLMs."""

__version__ = "0.1.0"
