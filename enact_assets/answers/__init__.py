"""Answers to questions: of models, baselines, people and learned references."""
