"""Tables, figures, examples and a document for a paper about chosen models."""
