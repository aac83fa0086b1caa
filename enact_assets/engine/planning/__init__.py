"""What is stale, missing or due, and why: provenance compared with the current state."""
