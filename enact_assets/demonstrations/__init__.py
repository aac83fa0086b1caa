"""Demonstrations: their replays, their pictures and the recordings they come from."""
