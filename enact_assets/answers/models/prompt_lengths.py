"""Whether a server cut prompts: tokens that it counted beside pictures that it was sent.

A server whose context is too short for a question may drop the beginning of it without a word, as
Ollama does, and the model answers what is left. Its counts of tokens then stop growing.
"""

from collections.abc import Iterable

from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.messages import Message, Text
from enact_assets.engine.plurals import counted

LEAST_TOKENS = 16
"""Fewer than a picture is for any model that is known."""
APART = 2
"""Numbers of pictures that are compared differ by so many at least: texts differ, too."""
_CHARACTERS_PER_TOKEN = 4.0


def why_cut(answers: Iterable[tuple[Message, Answer]]) -> str | None:
    """Why the server probably cut prompts of these answers, in words; None where nothing says so.

    Either messages with different numbers of pictures have the same, highest number of tokens; or
    less than ``LEAST_TOKENS`` came with each picture more, over messages of ``APART`` pictures
    more, beside what their texts have more.
    """
    known = [
        (message.n_pictures, answer.tokens_in, _tokens_of_texts(message))
        for message, answer in answers
        if answer.tokens_in and message.n_pictures
    ]
    if not known:
        return None
    most = max(tokens for _, tokens, _ in known)
    at_most = [n for n, tokens, _ in known if tokens == most]
    if min(at_most) < max(at_most):
        return (
            f"{counted(len(at_most), 'question')} of {min(at_most)} to {max(at_most)} pictures "
            f"have the same number of input tokens ({most:,}): the server probably cut them. "
            "Raise its context length, and ask a model of another id or other `parameters`"
        )
    by_number: dict[int, list[float]] = {}
    for n, tokens, of_texts in known:
        by_number.setdefault(n, []).append(tokens - of_texts)
    means = {n: sum(found) / len(found) for n, found in by_number.items()}
    last = max(means)
    for n in sorted(means):
        grown = means[last] - means[n]
        if n <= last - APART and grown < LEAST_TOKENS * (last - n):
            return (
                f"questions of {last} pictures have hardly more input tokens than those of {n} "
                f"({grown:+,.0f} beside their texts): the server probably cut them, or does not "
                "count pictures. Look at its context length"
            )
    return None


def _tokens_of_texts(message: Message) -> float:
    characters = sum(len(part.text) for part in message.parts if isinstance(part, Text))
    return characters / _CHARACTERS_PER_TOKEN
