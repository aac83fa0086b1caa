"""Errors of an answer: per step, missing, made-up and substituted changes."""
