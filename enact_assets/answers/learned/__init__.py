"""Learned references: what a small model trained on other seeds of this simulator answers."""
