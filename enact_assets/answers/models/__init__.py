"""Asks models: messages, wire formats, the ledger of answers, budgets. It does not depend on
tables.
"""
