"""Both tasks on embedded demonstrations: tables ``world_questions`` and ``world_candidates``."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import polars as pl

from enact_assets.questions.world.candidates import (
    Instance,
    Question,
    candidate_rows,
    question_row,
    side_of,
)
from enact_assets.questions.world.plan_replay import Situation
from enact_assets.questions.world.pp_questions import PlanWorld, neighbours, pp_questions
from enact_assets.questions.world.situations import kinds_of, situation_at
from enact_assets.questions.world.tables import WorldCandidates, WorldQuestions
from enact_assets.questions.world.wm_questions import ActionState, wm_questions
from enact_assets.questions.world.wrong_plans import Pair
from enact_assets.settings.world import EMBEDDED_WORLD, WorldSettings


@dataclass(frozen=True)
class Recorded:
    """Tables of embedded demonstrations: ``action_states`` of one gating, ``actions``, ``facts``,
    ``objects``, of any number of demonstrations.
    """

    states: pl.DataFrame
    actions: pl.DataFrame
    facts: pl.DataFrame
    objects: pl.DataFrame


def embedded_questions(
    recorded: Recorded, asked: Collection[str], settings: WorldSettings
) -> list[Question]:
    """Questions about the demonstrations ``asked``; clips may be of any of ``recorded``."""
    found = _by_demonstration(recorded.states)
    questions: list[Question] = []
    usual = neighbours(found.values())
    for name in sorted(set(asked) & found.keys()):
        own = found[name]
        elsewhere = [
            states
            for other, states in found.items()
            if other != name and states[0].instance.environment != own[0].instance.environment
        ]
        conditions, seed = settings.conditions, settings.seed
        mirrored = list(wm_questions(own, _mirrored(own, elsewhere), conditions, seed))
        questions += mirrored or wm_questions(own, elsewhere, conditions, seed)
        equivalents: dict[str, list[Instance]] = {}
        for state in (s for states in elsewhere for s in states if s.has_clip):
            equivalents.setdefault(state.instance.category, []).append(state.instance)
        questions += pp_questions(
            own,
            _plan_world(recorded, name, usual),
            equivalents,
            conditions=conditions,
            plans_per_length=settings.plans_per_length,
            seed=seed,
        )
    return questions


def as_tables(
    questions: Collection[Question],
    recorded: Recorded,
    world_source: str = EMBEDDED_WORLD,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Tables ``world_questions`` and ``world_candidates``."""
    shas = {
        (d, a): [*rest]
        for d, a, *rest in recorded.states.select(
            "demonstration", "action", "frame_from", "frame_to", "changes"
        ).iter_rows()
    }
    rows = []
    for question in questions:
        row = question.row
        shown = [shas[clip.recording, clip.action] for clip in question.pool]
        asked = shas[row["recording"], row["first_action"]]
        made = question_row(question, world_source, [asked, shown])
        rows.append(made)
    candidates = [row for q in questions for row in candidate_rows(q, world_source)]
    return WorldQuestions.build(rows), WorldCandidates.build(candidates)


def _by_demonstration(states: pl.DataFrame) -> dict[str, list[ActionState]]:
    found: dict[str, list[ActionState]] = {}
    for row in states.sort("demonstration", "action").iter_rows(named=True):
        found.setdefault(row["demonstration"], []).append(ActionState.of(row))
    return found


def _mirrored(
    own: Sequence[ActionState], elsewhere: Sequence[Sequence[ActionState]]
) -> list[Sequence[ActionState]]:
    """Recordings of ``elsewhere`` in rooms that are no copy of the layout: there, pictures are not
    alike just because the same things are on the same side.
    """
    side = side_of(own[0].instance.environment)
    return [states for states in elsewhere if side_of(states[0].instance.environment) != side]


def _plan_world(recorded: Recorded, name: str, usual: frozenset[Pair]) -> PlanWorld:
    """How plans of one demonstration are replayed."""
    of = pl.col("demonstration") == name
    objects, facts = recorded.objects.filter(of), recorded.facts.filter(of)
    performed = recorded.actions.filter(of)
    frames = dict(performed.select("action", "frame_from").iter_rows())
    known: dict[int, Situation] = {}

    def situation(action: int) -> Situation:
        if action not in known:
            known[action] = situation_at(facts, objects, frames[action])
        return known[action]

    return PlanWorld(kinds_of(objects, performed), situation, usual)
