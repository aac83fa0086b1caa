"""Findings of the paper, asked of every model, beside what a random order shows."""
