"""Questions -> answers of each model."""
