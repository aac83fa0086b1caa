"""What questions of both tasks have in common: seeded draws, instances of actions, and rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from enact_assets.engine.ids import content_sha
from enact_assets.settings.world import LETTERS, set_columns

TRUTH, INCOMPATIBLE = "truth", "incompatible"
T = TypeVar("T")


@dataclass(frozen=True, order=True)
class Instance:
    """One action of one recording, as a clip may show it."""

    recording: str
    action: int
    category: str
    environment: str


def side_of(environment: str) -> str:
    """The end of its name: the side of its first fixture; mirror images differ."""
    return environment.rpartition(" ")[2]


@dataclass(frozen=True)
class Question:
    """A question and its four options, in the order of their letters.

    ``options`` are plans: positions of pool clips, each with its instance. ``shown`` maps an
    instance's place in ``pool`` to the number under which it is shown.
    """

    row: Mapping[str, Any]
    pool: tuple[Instance, ...]
    options: tuple[tuple[int, ...], ...]
    """Of each option, the clips in its order, as positions in ``pool``."""
    numbers: tuple[int, ...]
    """Number under which each clip of the pool is shown, from 1."""
    view: str | None


def in_drawn_order(items: Iterable[T], *content: object) -> list[T]:
    """``items`` in an order that depends on ``content`` and on each item alone."""
    return sorted(items, key=lambda item: content_sha([*map(str, content), str(item)]))


def question_row(
    question: Question, world_source: str, evidence: Sequence[object]
) -> dict[str, Any]:
    """Its row of ``world_questions``; ``evidence`` is what it was made from."""
    videos = {clip.recording for clip in question.pool}
    sha = content_sha([dict(question.row), candidate_rows(question, world_source), list(evidence)])
    return {
        **question.row,
        **set_columns(world_source),
        "n_videos": len(videos),
        "evidence_sha": sha,
    }


def candidate_rows(question: Question, world_source: str) -> list[dict[str, Any]]:
    """Its rows of ``world_candidates``."""
    return [
        {
            **set_columns(world_source),
            "question_id": question.row["question_id"],
            "option": letter,
            "place": place,
            "pool": question.numbers[clip],
            "recording": question.pool[clip].recording,
            "action": question.pool[clip].action,
            "view": question.view,
            "category": question.pool[clip].category,
        }
        for letter, plan in zip(LETTERS, question.options, strict=True)
        for place, clip in enumerate(plan, 1)
    ]
