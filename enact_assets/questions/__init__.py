"""Questions: key frames, paths through them, and what is asked about these."""
