"""Results that the paper published, as tables: marked as such, never mixed with measured ones."""
