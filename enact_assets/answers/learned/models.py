"""Learned references as models: they answer from the pictures and words of a question alone.

The activity of a demonstration chooses what was learned for it, as an experiment does; nothing else
that a question is stored with takes part.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.answers.baselines.learned_names import (
    LEARNED_PRECEDENCE,
    LEARNED_PROGRESS,
    REFUSES,
)
from enact_assets.answers.baselines.references import random_order
from enact_assets.answers.baselines.requests import ModelProtocol, ModelRequest, Picture, Reply
from enact_assets.answers.learned.fitting import as_matrix
from enact_assets.answers.learned.picture_features import features_of, scaled
from enact_assets.answers.learned.precedence_kernels import likeliest_order
from enact_assets.answers.learned.read_facts import PROGRESS, Change, change_of
from enact_assets.demonstrations.replay.embedded import check_may_be_asked, parse_demonstration
from enact_assets.engine.errors import EnactError, PredictionError, QuestionError, UnknownNameError
from enact_assets.questions.asked.sentence_reading import actions_of
from enact_assets.settings.classes import EMBEDDED

Floats = NDArray[np.float32]


@dataclass
class _Sight:
    """Features of pictures, each computed once."""

    _known: dict[str, Floats] = field(default_factory=dict)

    def features(self, pictures: Sequence[Picture]) -> Floats:
        """Shape: (n, features). Errors: those of loading; :class:`PredictionError`."""
        return np.stack([self._of(picture) for picture in pictures])

    def _of(self, picture: Picture) -> Floats:
        sha = str(picture.sha)
        if sha not in self._known:
            pixels = picture.load()
            if pixels.ndim != 3 or pixels.shape[2] != 3 or 0 in pixels.shape:
                raise PredictionError(
                    f"{picture.shown.name}: expected a picture of shape (height, width, 3), got "
                    f"{pixels.shape}"
                )
            self._known[sha] = features_of(scaled(pixels)[None])[0]
        return self._known[sha]


class LearnedModel:
    """Answers each question as far as its activity was trained; refuses any other.

    ``knowledge`` is what was learned, by activity. A subclass orders by it.
    """

    def __init__(self, name: str, knowledge: Mapping[str, Any]) -> None:
        self._name, self._knowledge, self._sight = name, knowledge, _Sight()

    def ask(self, requests: Sequence[ModelRequest]) -> Iterator[Reply]:
        """Answers as text, like any model's; what it cannot answer is an error, not a guess."""
        for request in requests:
            try:
                yield Reply(str(self.order(self._activity(request), request)))
            except QuestionError as error:
                reads = "it reads actions in natural sentences, and nothing else"
                yield Reply(None, f"{self._name} {REFUSES}: {reads}. {error}")
            except (EnactError, OSError) as error:
                yield Reply(None, f"{type(error).__name__}: {error}")

    def order(self, activity: str, request: ModelRequest) -> list[int]:
        """Labels from 1, in order."""
        raise NotImplementedError

    def _activity(self, request: ModelRequest) -> str:
        """The activity asked about. The source decides: a recording may be named like one."""
        names = {picture.shown.key[0] for picture in request.pictures}
        shown = ", ".join(sorted(names)) or "No picture"
        only = "it is trained on the embedded simulator and answers no question about anything else"
        if request.source != EMBEDDED:
            raise PredictionError(
                f"{self._name} {REFUSES}: {only}. The source of {shown} is {request.source}."
            )
        try:
            for name in names:
                check_may_be_asked(name)
            (activity,) = {parse_demonstration(name)[0] for name in names}
        except (UnknownNameError, ValueError):
            raise PredictionError(
                f"{self._name} {REFUSES}: {only}. {shown} is not one of its demonstrations, or is "
                "one that it was trained on."
            ) from None
        return activity

    def _known(self, activity: str) -> Any:
        """What was learned for ``activity``. Errors: :class:`PredictionError` if nothing was."""
        if activity not in self._knowledge:
            raise PredictionError(
                f"{self._name} was not trained for {activity} (trained for: "
                f"{', '.join(sorted(self._knowledge)) or 'nothing'}). Materialize "
                "training_statistics and fact_reader."
            )
        return self._knowledge[activity]


class FactReaderModel(LearnedModel):
    """Orders pictures or actions so that readings rise and fall most as the actions say."""

    def order(self, activity: str, request: ModelRequest) -> list[int]:
        """Exact: the assignment of greatest sum, over pictures or actions and their places."""
        actions = [[change_of(c) for c in action] for action in actions_of(_prompt(request))]
        if len(actions) != len(request.pictures) - 1:
            raise PredictionError(
                f"{len(actions)} actions between {len(request.pictures)} pictures: expected one "
                "for each step"
            )
        weights = self._known(activity)
        features = self._sight.features(request.pictures)
        # Rows: actions; columns: pictures. An action fits a step by how much its row rises.
        readings = np.stack([_direction(action, weights, features) for action in actions])
        if request.kind == "forward":
            following = np.vstack([readings[1:], np.zeros_like(readings[:1])])
            gain = (readings - following)[:, 1:]
        else:
            gain = np.diff(readings, axis=1).T
        return [int(k) + 1 for k in best_assignment(gain)]


class LearnedProgress(LearnedModel):
    """Orders pictures by how far the activity seems to be."""

    def order(self, activity: str, request: ModelRequest) -> list[int]:
        """Inverse questions have nothing to order by: random."""
        weights = self._known(activity)
        if request.kind == "inverse":
            return random_order(request)
        progress = self._sight.features(request.pictures[1:]) @ weights[PROGRESS]
        return [int(k) + 1 for k in np.argsort(progress, kind="stable")]


class LearnedPrecedence(LearnedModel):
    """Orders actions by which of their changes came first in training."""

    def order(self, activity: str, request: ModelRequest) -> list[int]:
        """Exact; among equally likely orders a random one. Forward questions: random."""
        n = self._known(activity)
        drawn = random_order(request)
        if request.kind == "forward":
            return drawn
        actions = actions_of(_prompt(request))
        changes = [[str(change_of(c)) for c in actions[label - 1]] for label in drawn]
        odds = np.array([[_mean_odds(a, b, n) for b in changes] for a in changes])
        return [drawn[k] for k in likeliest_order(odds)]


def learned_model(name: str, reader: pl.DataFrame, precedences: pl.DataFrame) -> ModelProtocol:
    """The model ``name`` of ``predictions.baselines.LEARNED``, with what it has learned.

    ``reader`` are rows of ``fact_reader``, ``precedences`` of ``learned_precedences``.
    """
    if name == LEARNED_PRECEDENCE:
        n: dict[str, dict[tuple[str, str], int]] = {}
        columns = precedences.select("activity", "earlier", "later", "n")
        for activity, earlier, later, times in columns.iter_rows():
            n.setdefault(activity, {})[earlier, later] = times
        return LearnedPrecedence(name, n)
    by_activity = _weights_of(reader)
    if name == LEARNED_PROGRESS:
        return LearnedProgress(name, by_activity)
    return FactReaderModel(name, by_activity)


def best_assignment(gain: NDArray[np.float64]) -> NDArray[np.int64]:
    """Column of each row, each once, with the greatest sum of ``gain`` (n, n); exact."""
    from scipy.optimize import linear_sum_assignment

    return np.asarray(linear_sum_assignment(gain, maximize=True)[1], np.int64)


def _weights_of(reader: pl.DataFrame) -> dict[str, dict[str, Floats]]:
    """Activity -> reading -> weights (features,)."""
    return {
        str(activity): dict(zip(rows["reading"], as_matrix(rows["weights"]), strict=True))
        for (activity,), rows in reader.group_by("activity")
    }


def _direction(
    action: Sequence[Change], weights: Mapping[str, Floats], features: Floats
) -> NDArray[np.float64]:
    """Sum of what an action's changes read in each picture, (n,); it should rise."""
    total = np.zeros(len(features))
    for fact, sign in action:
        known = [weights[reading] for reading in fact.readings() if reading in weights]
        if known:
            total += sign * (features @ np.sum(known, axis=0))
    return total


def _mean_odds(
    first: Sequence[str], second: Sequence[str], n: Mapping[tuple[str, str], int]
) -> float:
    """Mean logarithm of how much more often changes of ``first`` came before ``second``'s."""
    odds = [
        np.log((n.get((a, b), 0) + 0.5) / (n.get((b, a), 0) + 0.5)) for a in first for b in second
    ]
    return float(np.mean(odds))


def _prompt(request: ModelRequest) -> str:
    return "\n".join(part for part in request.parts if isinstance(part, str))
