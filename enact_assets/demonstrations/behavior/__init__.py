"""Activities that BEHAVIOR defines, carried out with our kinds and furniture."""
