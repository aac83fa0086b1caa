"""Whether a training set teaches: a small policy learns from its rewards alone, and is asked about
demonstrations that it never saw.

A test of set and rewards, with controls: rewards of other orders must teach nothing, and half of a
question, with the pictures or the actions of another, must not be enough.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from enact_assets.commands.training.learning import (
    KINDS,
    UPDATES,
    Question,
    Questions,
    by_chance,
    learn,
    solved,
)
from enact_assets.engine.errors import EvaluationError
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.results.statistics.clusters import ClusterSums
from enact_assets.results.statistics.constants import StatisticsSettings
from enact_assets.results.statistics.resampling import mean_intervals

LEAST_GAIN, MOST_OF_CONTROLS = 0.10, 0.04
N_CONTROLS = 5
LOOKS_AT = (5, 10, 20, 30, 40, 60, 80, 100, 120, 140, 160, 180)
"""Updates after which the policy is asked."""


@dataclass(frozen=True)
class Learned:
    """Task accuracies of one kind, 0 to 1. ``low`` and ``high`` are the ends of the 95 % interval
    of the gain over chance, by bootstrap over demonstrations.
    """

    kind: str
    n_questions: int
    chance: float
    trained: float
    low: float
    high: float
    shuffled: float
    """Mean of the policies that learned from rewards of other orders."""
    other_pictures: float
    other_actions: float

    @property
    def problems(self) -> list[str]:
        """What of the proof fails, in words."""
        found = []
        if not self.low >= LEAST_GAIN:
            found.append(
                f"{self.kind}: trained less chance is at least {self.low:+.1%}, "
                f"not {LEAST_GAIN:.0%}"
            )
        controls = {
            "rewards of other orders": abs(self.shuffled - self.chance),
            "pictures of another question": self.other_pictures - self.chance,
            "actions of another question": self.other_actions - self.chance,
        }
        found += [
            f"{self.kind}: with {name} the policy is {apart:.1%} from chance, more than "
            f"{MOST_OF_CONTROLS:.0%}: the set may say the order elsewhere"
            for name, apart in controls.items()
            if not apart <= MOST_OF_CONTROLS
        ]
        return found


class Point(NamedTuple):
    """Task accuracies after a number of updates."""

    updates: int
    forward: float
    inverse: float


@dataclass(frozen=True)
class Proof:
    """What a policy learned, and one from rewards of other orders, after some updates."""

    n_training: int
    n_demonstrations: int
    kinds: tuple[Learned, ...]
    curve: tuple[Point, ...]
    control: tuple[Point, ...]

    @property
    def problems(self) -> list[str]:
        """What of the proof fails, in words; empty if it holds."""
        return [problem for kind in self.kinds for problem in kind.problems]

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {**asdict(self), "problems": self.problems}


def prove(
    training: Questions,
    asked: Questions,
    *,
    updates: int = UPDATES,
    on_progress: OnProgress = unheard,
) -> Proof:
    """Learn from ``training`` and ask about ``asked``.

    Errors: :class:`EvaluationError` if they share a demonstration, or a kind is lacking.
    """
    if shared := set(training.demonstrations) & set(asked.demonstrations):
        raise EvaluationError(
            f"{min(shared)} is in both sets. Ask about demonstrations that are not trained on."
        )
    kinds = np.array([question.kind for question in asked.questions])
    if lacking := set(KINDS) - set(kinds):
        raise EvaluationError(f"No question is {min(lacking)}. Ask questions of both kinds.")
    total, done = (1 + N_CONTROLS) * updates, 0
    curves, policies = [], []
    for seed, is_control in ((0, False), *((seed, True) for seed in range(N_CONTROLS))):
        curve = []
        steps = learn(training, seed=seed, updates=updates, is_control=is_control)
        for n, policy in enumerate(steps, start=1):
            if n == updates or (n in LOOKS_AT and seed == 0):
                right = solved(policy, asked)
                curve.append(Point(n, *(float(right[kinds == kind].mean()) for kind in KINDS)))
            done += 1
            on_progress(Progress(done, total, "updates"))
        curves.append(tuple(curve))
        policies.append(policy)
    taught, *others = policies
    right, chance = solved(taught, asked), by_chance(asked)
    controls = (  # in the order of the fields of `Learned`
        np.mean([solved(policy, asked) for policy in others], axis=0),
        solved(taught, with_other(asked, "pictures")),
        solved(taught, with_other(asked, "actions")),
    )
    numbers = np.unique(asked.demonstrations, return_inverse=True)[1]
    found = []
    for kind in KINDS:
        of = kinds == kind
        gain = (right - chance)[of, None]
        low, high = mean_intervals(ClusterSums.of(gain, numbers[of]), StatisticsSettings(), -1.0)
        found.append(
            Learned(
                kind,
                int(of.sum()),
                float(chance[of].mean()),
                float(right[of].mean()),
                float(low[0]),
                float(high[0]),
                *(float(values[of].mean()) for values in controls),
            )
        )
    n_demonstrations = len(set(asked.demonstrations))
    return Proof(len(training.questions), n_demonstrations, tuple(found), curves[0], curves[1])


def with_other(asked: Questions, half: str) -> Questions:
    """The same questions, with the pictures or the actions (``half``) of the next one of the same
    kind and length about another demonstration; a question that has none keeps its own.
    """
    alike: Mapping[tuple[str, int], list[int]] = defaultdict(list)
    for number, question in enumerate(asked.questions):
        alike[question.kind, len(question.actions)].append(number)
    found: list[Question] = list(asked.questions)
    for numbers in alike.values():
        for number, other in zip(numbers, _others(numbers, asked.demonstrations), strict=True):
            found[number] = found[number]._replace(**{half: getattr(asked.questions[other], half)})
    return Questions(tuple(found), asked.looks, asked.table)


def _others(numbers: Sequence[int], demonstrations: Sequence[str]) -> list[int]:
    """For each of ``numbers`` the next, round and round, about another demonstration."""
    found = []
    for k, number in enumerate(numbers):
        ahead = (*numbers[k + 1 :], *numbers[:k])
        others = (n for n in ahead if demonstrations[n] != demonstrations[number])
        found.append(next(others, number))
    return found
