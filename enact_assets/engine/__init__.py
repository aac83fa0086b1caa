"""The engine: declared tables and steps, and what follows: loading, lineage, code versions.

Nothing in it knows what the tables are about.
"""
