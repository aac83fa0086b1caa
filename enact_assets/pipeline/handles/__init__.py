"""Handles: the files and services that a step may use besides its tables."""
