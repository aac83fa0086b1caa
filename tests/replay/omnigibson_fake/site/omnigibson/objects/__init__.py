"""Part of the fake."""
