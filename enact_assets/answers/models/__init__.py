"""Asks models: messages, wire formats, the ledger of answers, budgets. Knows nothing of tables."""
