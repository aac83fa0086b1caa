"""Reference baselines that answer one kind of question as ``random`` does, draw by draw."""

from collections.abc import Iterable

RANDOM = "random"
RANDOM_ON = {"text_prior": "forward", "pixel_continuity": "inverse"}
"""Reference -> the kind of question that gives it nothing to go by."""


def equal_guesses(scores: Iterable[tuple[str, str, float | None, float | None]]) -> str:
    """A sentence below a leaderboard with equal rows of one guess; empty if it has none.

    ``scores``: kind, model, task and pairwise accuracy of each row.
    """
    of = {(kind, model): accuracies for kind, model, *accuracies in scores}
    equal = [
        f"{model} {kind} ones"
        for model, kind in RANDOM_ON.items()
        if of.get((kind, model), [None])[0] is not None
        and of[kind, model] == of.get((kind, RANDOM))
    ]
    if not equal:
        return ""
    return (
        f"Equal rows are one guess: {RANDOM} answers all questions at random, and with the same "
        f"draws {' and '.join(equal)}."
    )
