"""A board that others can join: submissions as files, and pages that need no server."""
