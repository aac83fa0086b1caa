"""Visibility and pictures of key frames, per variant."""
