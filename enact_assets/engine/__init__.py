"""The engine: declares tables and steps; loads, stores and publishes rows; derives lineage.

It does not depend on any table of this project.
"""
