"""Answers to questions of WorldPrediction."""
