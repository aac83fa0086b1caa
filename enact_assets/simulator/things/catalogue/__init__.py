"""Builders of movable things, by theme. Each module lists its kinds in ``KINDS``."""
