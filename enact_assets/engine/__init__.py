"""The engine: tables and steps are declared once; from that follow loading, lineage, code versions.

Nothing in it knows what the tables are about.
"""
