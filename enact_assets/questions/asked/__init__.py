"""Trajectories -> forward and inverse questions, and which of them are asked."""
