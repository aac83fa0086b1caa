"""The page on which people answer questions: ``enact-assets annotate serve``."""
