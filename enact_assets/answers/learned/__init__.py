"""Learned references: small models, trained on other seeds of this simulator."""
