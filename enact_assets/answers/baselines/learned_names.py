"""Names of trained references, and their training data."""

FACT_READER, TRANSFER = "fact_reader", "fact_reader_transfer"
LEARNED_PROGRESS, LEARNED_PRECEDENCE = "learned_progress", "learned_precedence"
CONTROLS = (LEARNED_PROGRESS, LEARNED_PRECEDENCE)
"""Trained as the fact reader, on one half of each question."""
LEARNED = (FACT_READER, TRANSFER, *CONTROLS)
"""References that are trained on this simulator, with other seeds (``learned/``)."""
TRAINED_ON = dict.fromkeys(LEARNED, "this simulator, other seeds")

REFUSES = "refuses this question"
"""Part of the reason why a trained reference leaves a question unanswered for good."""


def reference_mark(model: str) -> str:
    """Text after the name of a reference baseline in tables."""
    trained = f", trained on {TRAINED_ON[model]}" if model in TRAINED_ON else ""
    return f" (reference{trained})"
