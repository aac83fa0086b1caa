"""`dg scaffold defs` writes here. What this folder defines is loaded as it is."""
