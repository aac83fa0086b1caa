"""Plans of assignments: which annotator answers which questions, in which order."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from enact_assets.answers.people.content import ShownQuestion
from enact_assets.engine.ids import seed_from
from enact_assets.settings.world import PP, WM

OVERLAP_PER_ANNOTATOR = 5
"""Questions of each kind and length, per annotator, that all answer: 240 with three, as B.1.2."""
N_PRACTICE = 4
N_PRACTICE_OF = {WM: 4, PP: 2}
"""Of WorldPrediction, by task, as many as its annotators saw solved (A.2)."""


@dataclass(frozen=True)
class Assigned:
    """``practice`` comes first for all. ``of_annotator`` has what each is assigned, in order;
    ``pool`` what annotators draw from, in order, each question ``k`` times.
    """

    practice: tuple[ShownQuestion, ...]
    of_annotator: Mapping[str, tuple[ShownQuestion, ...]]
    pool: tuple[ShownQuestion, ...]
    k: int


def paper_plan(
    questions: Sequence[ShownQuestion],
    annotators: Sequence[str],
    seed: int,
    overlap: int | None = None,
) -> Assigned:
    """As the paper's annotation (B.1.2): a part of its own for each annotator, and a set that all
    answer, mixed in without a mark.

    ``questions`` are balanced already: of each kind and length, demonstrations take turns.
    ``overlap`` is how many of each kind and length all answer; by default five per annotator.
    """
    practice, rest = _practice(questions)
    n = len(annotators)
    n_common = OVERLAP_PER_ANNOTATOR * n if overlap is None else overlap
    parts: list[list[ShownQuestion]] = [[] for _ in annotators]
    for stratum in _strata(rest):
        for part in parts:
            part.extend(stratum[:n_common])
        _deal(stratum[n_common:], parts)
    for name, part in zip(annotators, parts, strict=True):
        random.Random(seed_from("order of questions", seed, name)).shuffle(part)  # noqa: S311
    return Assigned(practice, dict(zip(annotators, map(tuple, parts), strict=True)), (), 0)


def _deal(stratum: Sequence[ShownQuestion], parts: Sequence[list[ShownQuestion]]) -> None:
    """Put each question of ``stratum`` into one of ``parts``, so that no two of them differ by more
    than one question of the stratum, nor in all if they did not before.

    In each round every part gets one, and together they take them so that each has as few of the
    demonstration as can be. The last, short round goes to the shortest parts.
    """
    from scipy.optimize import linear_sum_assignment

    n_of = Counter((k, q.demonstration) for k, part in enumerate(parts) for q in part)
    for start in range(0, len(stratum), len(parts)):
        dealt = stratum[start : start + len(parts)]
        takers = sorted(range(len(parts)), key=lambda k: len(parts[k]))[: len(dealt)]
        costs = [[n_of[k, question.demonstration] for k in takers] for question in dealt]
        for question, place in zip(dealt, linear_sum_assignment(costs)[1], strict=True):
            taker = takers[place]
            parts[taker].append(question)
            n_of[taker, question.demonstration] += 1


def k_each_plan(
    questions: Sequence[ShownQuestion], k: int, *, has_practice: bool = True
) -> Assigned:
    """Annotators draw from a pool until each question has ``k`` answers: of any two questions, the
    pool has the one of a stratum with fewer before it first, so that it is balanced wherever
    annotators stop. Without ``has_practice`` all of them are asked.
    """
    practice, rest = _practice(questions) if has_practice else ((), list(questions))
    rounds = zip_longest(*_strata(rest))
    pool = tuple(question for turn in rounds for question in turn if question is not None)
    return Assigned(practice, {}, pool, k)


def _practice(
    questions: Sequence[ShownQuestion],
) -> tuple[tuple[ShownQuestion, ...], list[ShownQuestion]]:
    """Short questions with one right answer, of each kind in turn, which are not asked again; and
    all others.
    """
    clear = [question for question in questions if not question.is_ambiguous]
    strata = sorted(_strata(clear), key=lambda stratum: stratum[0].length)
    by_kind: dict[str, list[ShownQuestion]] = {}
    for stratum in strata:
        by_kind.setdefault(stratum[0].kind, []).extend(reversed(stratum))
    turns = zip_longest(*(by_kind[kind] for kind in sorted(by_kind)))
    in_turn = [question for turn in turns for question in turn if question is not None]
    practice = tuple(_as_many_as_wanted(in_turn)[: len(questions) // 4])
    chosen = {question.version for question in practice}
    return practice, [question for question in questions if question.version not in chosen]


def _as_many_as_wanted(in_turn: Sequence[ShownQuestion]) -> list[ShownQuestion]:
    """The first four questions; of WorldPrediction the first of each task, shared by conditions."""
    tasks = [question.kind.partition("_")[0] for question in in_turn]
    seen, found = Counter[str](), list[ShownQuestion]()
    for task, question in zip(tasks, in_turn, strict=True):
        of = task if task in N_PRACTICE_OF else ""
        seen[of] += 1
        if seen[of] <= N_PRACTICE_OF.get(of, N_PRACTICE):
            found.append(question)
    return found


def _strata(questions: Sequence[ShownQuestion]) -> list[list[ShownQuestion]]:
    """Questions of each kind and length, in the order given."""
    found: dict[tuple[str, int], list[ShownQuestion]] = {}
    for question in questions:
        found.setdefault((question.kind, question.length), []).append(question)
    return [found[key] for key in sorted(found)]
