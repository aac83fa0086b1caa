"""Pages of ``enact-assets browse``: read-only, for this machine alone."""
