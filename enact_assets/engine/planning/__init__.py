"""Finds stale, missing and due partitions, and the reasons: compares provenance with current
state.
"""
