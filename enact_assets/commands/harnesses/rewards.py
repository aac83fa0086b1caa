"""Rewards for training, from what an exported question carries: the verifier's word, question by
question.

It needs what :mod:`enact_assets.commands.harnesses.scoring` needs: the standard library alone.
Functions without state, safe in threads. Those that end in ``_rewards`` take columns by name, as
TRL hands them over, an answer as text or as a conversation of one message.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from enact_assets.commands.harnesses.scoring import Fits, score_labels
from enact_assets.questions.asked.parsing import heed_stop, read_answer


class Reward(NamedTuple):
    """What one answer earns, each 0 to 1.

    ``whole``: it orders all steps, rightly or not. ``task``: the order is right. ``pairs``: the
    share of steps that are, of whole orders alone. The paper credits a list that is too short with
    its steps in order (A.3.2), which makes leaving a label out pay: of a guess 1.5 to 3.6 times as
    much from six pictures on.
    """

    whole: float
    task: float
    pairs: float


NOTHING = Reward(0.0, 0.0, 0.0)


def reward_of(
    text: str | None, kind: str, answer: Sequence[int], fits: Fits | str, stop: str | None = None
) -> Reward:
    """What a model's whole ``text`` earns to a question of ``kind`` with reference ``answer``.

    ``fits`` is that of the export, as JSON or read. ``stop`` is ``refused`` or ``cut`` where that
    is known.
    """
    n = len(answer)
    labels, reason = heed_stop(read_answer(text, n), stop)
    if labels is None or reason is not None:
        return NOTHING
    found = score_labels(labels, kind, answer, read_fits(fits), None)
    return Reward(1.0, float(found.is_accepted), found.n_right / n)


def read_fits(fits: Fits | str) -> Fits:
    """``fits`` of an exported question."""
    return _read(fits) if isinstance(fits, str) else fits


@lru_cache(1 << 14)
def _read(fits: str) -> Fits:
    return {name: frozenset(steps) for name, steps in json.loads(fits).items()}


def task_rewards(
    completions: Sequence[Any],
    kind: Sequence[str],
    answer: Sequence[Sequence[int]],
    fits: Sequence[Fits | str],
    **_others: object,
) -> list[float]:
    """Whether each order is right."""
    return [reward.task for reward in _rewards(completions, kind, answer, fits)]


def pairs_rewards(
    completions: Sequence[Any],
    kind: Sequence[str],
    answer: Sequence[Sequence[int]],
    fits: Sequence[Fits | str],
    **_others: object,
) -> list[float]:
    """The share of steps of each whole order that are right."""
    return [reward.pairs for reward in _rewards(completions, kind, answer, fits)]


def whole_rewards(
    completions: Sequence[Any],
    kind: Sequence[str],
    answer: Sequence[Sequence[int]],
    fits: Sequence[Fits | str],
    **_others: object,
) -> list[float]:
    """Whether each answer orders all steps, rightly or not."""
    return [reward.whole for reward in _rewards(completions, kind, answer, fits)]


def _rewards(*columns: Sequence[Any]) -> list[Reward]:
    """Errors: ValueError for columns of other lengths."""
    heights = dict(zip(("completions", "kind", "answer", "fits"), map(len, columns), strict=True))
    if len(set(heights.values())) > 1:
        said = ", ".join(f"{n} of {name}" for name, n in heights.items())
        raise ValueError(f"{said}: give one entry of each for each answer")
    return [reward_of(_said(completion), *of) for completion, *of in zip(*columns, strict=True)]


def _said(completion: Any) -> str:
    """Text of an answer, or of a conversation's messages, whose content is text or blocks."""
    if completion is None:
        return ""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Mapping):
        return _said(completion.get("content") or completion.get("text") or "")
    return "".join(map(_said, completion))
