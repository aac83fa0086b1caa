"""Lineage-aware pipeline for ENACT, a benchmark of embodied cognition for VLMs."""

from enact_assets.system.kernel_cache import place_kernels

__version__ = "0.1.0"

place_kernels()
