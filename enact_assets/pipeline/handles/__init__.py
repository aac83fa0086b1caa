"""What a step may open: handles that are made for it."""
