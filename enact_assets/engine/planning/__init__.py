"""What is stale, missing or due, and why: provenance compared with what there is now."""
