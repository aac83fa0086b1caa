"""The pipeline: steps, their lineage, and what runs them."""
