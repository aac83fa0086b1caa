"""Faithfulness: what the papers say, claim by claim, and what is here of each."""
