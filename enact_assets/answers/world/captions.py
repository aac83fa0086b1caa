"""Captions of states and clips from scene graphs, with noise, and the rules that reason on them.

The rules are those by which questions are made, so the score is a bound, not a finding.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from enact_assets.engine.ids import seed_from
from enact_assets.questions.world.action_labels import Label, label_of
from enact_assets.questions.world.items import Candidate, WorldItem, best_option
from enact_assets.questions.world.plan_replay import HELD, Kinds, Situation, carry_out, effect_of
from enact_assets.questions.world.situations import kinds_of, situation_of
from enact_assets.settings.world import WM

Fact = tuple[str, str, str | None]
"""Predicate, subject, object."""
Signs = Counter[tuple[str, str, str]]
"""Change of the number of each fact by kinds; places are one predicate."""

ANY = ""
_ON = "On"
_RENAMED = {"OnTop": _ON, "Inside": _ON, "LeftGrasping": HELD, "RightGrasping": HELD}
_RESOLUTION = 2.0**63


@dataclass(frozen=True)
class SceneTables:
    """Tables of embedded demonstrations: ``scene_graphs`` of a gating, ``objects``, ``actions``."""

    graphs: pl.DataFrame
    objects: pl.DataFrame
    actions: pl.DataFrame


class Captioner:
    """Captions of states and clips. Each fact is left out, and each action gets another name, with
    probability ``noise``; draws depend only on the state or clip.

    ``categories`` are those that an action may be called by.
    """

    def __init__(self, tables: SceneTables, noise: float, categories: Sequence[str]) -> None:
        self._noise, self._categories = noise, sorted(set(categories))
        graphs = tables.graphs.partition_by(["demonstration", "key_frame"], as_dict=True)
        columns = "predicate", "subject", "object"
        self._facts = {key: rows.select(columns).rows() for key, rows in graphs.items()}
        self._objects = _by_demonstration(tables.objects)
        self._actions = _by_demonstration(tables.actions)
        self._kinds: dict[str, Kinds] = {}

    def kinds(self, recording: str) -> Kinds:
        """Kinds of things of one demonstration."""
        if recording not in self._kinds:
            found = kinds_of(self._objects[recording], self._actions[recording])
            self._kinds[recording] = found
        return self._kinds[recording]

    def state(self, recording: str, key_frame: int) -> list[Fact]:
        """Facts that are said to hold at a key frame."""
        facts = self._facts.get((recording, key_frame), [])
        return [f for f in facts if not self._is_lost(recording, key_frame, *f)]

    def situation(self, recording: str, key_frame: int) -> Situation:
        """The same as counts of kinds."""
        return situation_of(self.state(recording, key_frame), self._objects[recording])

    def counts(self, recording: str, key_frame: int) -> Signs:
        """The same as facts by kinds, of any hand and of any manner of being at a place."""
        kind = dict(self._objects[recording].select("object_name", "category").iter_rows())
        found = Signs()
        for predicate, subject, other in self.state(recording, key_frame):
            name = _RENAMED.get(predicate, predicate)
            is_held = name == HELD
            first = kind.get(str(other) if is_held else subject, subject)
            last = ANY if is_held or other is None else kind.get(other, other)
            found[name, first, last] += 1
        return found

    def clip(self, candidate: Candidate) -> Label:
        """Name of the action of a clip."""
        category = candidate["category"]
        where = candidate["recording"], candidate["action"]
        if self._is_lost(*where):
            others = [c for c in self._categories if c != category]
            category = others[seed_from("called", *where) % len(others)] if others else category
        return label_of(category)

    def _is_lost(self, *what: object) -> bool:
        return self._noise > 0 and seed_from("noise", *what) / _RESOLUTION < self._noise


def answer_by_rules(item: WorldItem, captioner: Captioner, *, knows_goal: bool = True) -> int:
    """The option whose actions explain the captions best, from 0; ties by the question's id.

    Without the goal, a plan of ``pp`` that can be carried out is as good as any other such plan.
    """
    row = item.row
    before, after = row["key_frame_before"], row["key_frame_after"]
    recording = row["recording"]
    plans = [[captioner.clip(c) for c in option] for option in item.options]
    if row["task"] == WM:
        change = captioner.counts(recording, after)
        change.subtract(captioner.counts(recording, before))
        scores = [_agreement(plan[0], change) for plan in plans]
    else:
        kinds = captioner.kinds(recording)
        start = captioner.situation(recording, before)
        end = captioner.situation(recording, after) if knows_goal else None
        scores = [_reaches(plan, kinds, start, end) for plan in plans]
    return best_option(scores, row["question_id"])


def _agreement(label: Label, change: Signs) -> float:
    """Share of what an action should change that did change so."""
    wanted = expected_signs(label)
    if not wanted:
        return 0.0
    return sum(_has_changed(fact, sign, change) for fact, sign in wanted) / len(wanted)


def expected_signs(label: Label) -> list[tuple[tuple[str, str, str], int]]:
    """Facts by kinds that become more (+1), fewer (-1) or change at all (0) with an action."""
    verb, thing, place = label
    rests, held = (_ON, thing, place), (HELD, thing, ANY)
    signs = {
        "grasp": [(held, 1), (rests, -1)],
        "place": [(held, -1), (rests, 1)],
        "open": [(("Open", thing, ANY), 1)],
        "close": [(("Open", thing, ANY), -1)],
        "press": [(("ToggledOn", thing, ANY), 0)],
        "slice": [(("Exists", thing, ANY), -1)],
        "dice": [(("Exists", thing, ANY), -1)],
        "pour": [(("Contains", place, ANY), 0)],
        "stir": [(("Contains", place, ANY), 0)],
        "wipe": [(("Covered", place, ANY), -1)],
        "dip": [(("Covered", thing, ANY), 1)],
        "spread": [(("Covered", place, ANY), 1)],
    }
    return list(signs.get(verb.removesuffix("_both"), []))


def _has_changed(fact: tuple[str, str, str], sign: int, change: Signs) -> bool:
    predicate, first, last = fact
    found = [
        n
        for (p, a, b), n in change.items()
        if n and p == predicate and a == first and last in {b, ANY}
    ]
    return any(sign == 0 or n * sign > 0 for n in found)


def _reaches(plan: Sequence[Label], kinds: Kinds, start: Situation, end: Situation | None) -> float:
    """How far a plan can be carried out, then how well it ends where the last state is."""
    n_done, reached = carry_out([effect_of(label, kinds) for label in plan], start)
    if end is None:
        return n_done / len(plan)
    apart = Counter(reached.at)
    apart.subtract(end.at)
    missed = sum(map(abs, apart.values())) + len(reached.opened ^ end.opened)
    return n_done / len(plan) - missed / 1000


def _by_demonstration(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    return {
        str(key[0]): part
        for key, part in rows.partition_by(["demonstration"], as_dict=True).items()
    }
