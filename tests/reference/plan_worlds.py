"""Slow twin of ``worldprediction.plan_replay``: every start is tried, with every thing by itself.

A state is where each thing is (a place, HELD, ELSEWHERE or GONE), what is open, which kinds bear a
coat, and how many hands hold things that no action names.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from enact_assets.questions.world.action_labels import Label
from enact_assets.questions.world.plan_replay import HELD, Kinds, Situation

ELSEWHERE, GONE = "(elsewhere)", "(gone)"
State = tuple[tuple[str, ...], frozenset[str], frozenset[str], int]


class PlanWorlds:
    """``things`` are kinds, one entry per thing; the pieces of the k-th thing of a kind that is cut
    are the k-th share of the things of their kind.
    """

    def __init__(self, kinds: Kinds, labels: Sequence[Label]) -> None:
        self.kinds = kinds
        self.things = [kind for kind, n in sorted(kinds.numbers.items()) for _ in range(n)]
        self.width = {la.thing: 2 if la.verb.endswith("_both") else 1 for la in labels}
        self.places = sorted({la.place for la in labels if la.place} | {ELSEWHERE, HELD})

    def starts(self) -> Iterator[State]:
        """Every state that there may be."""
        cut = [k for k, kind in enumerate(self.things) if kind in self.kinds.pieces]
        for gone in (set(c) for n in range(len(cut) + 1) for c in combinations(cut, n)):
            absent = gone | {p for k in cut if k not in gone for p in self.pieces_of(k)}
            options = [(GONE,) if k in absent else self.places for k in range(len(self.things))]
            for at in product(*options):
                for opened in _subsets(self.kinds.openable):
                    for coated in _subsets({"sponge", "knife"} & set(self.things)):
                        for others in range(3):
                            state = at, opened, coated, others
                            if self.hands(state) <= 2:
                                yield state

    def start_of(self, situation: Situation) -> State:
        """The state that a situation describes."""
        left, at = dict(situation.at), []
        for kind in self.things:
            place = next((p for (k, p), n in left.items() if k == kind and n), GONE)
            if place != GONE:
                left[kind, place] -= 1
            at.append(place)
        state = tuple(at), situation.opened, situation.coated, 0
        return (*state[:3], situation.n_held - self.hands(state))

    def pieces_of(self, thing: int) -> list[int]:
        """Which things come of one that is cut."""
        kind = self.things[thing]
        rank = self.things[:thing].count(kind)
        found = []
        for piece, n in self.kinds.pieces.get(kind, {}).items():
            every = [k for k, other in enumerate(self.things) if other == piece]
            found += every[rank * n : (rank + 1) * n]
        return found

    def hands(self, state: State) -> int:
        """Hands that hold something."""
        held = (
            self.width.get(k, 1) for k, p in zip(self.things, state[0], strict=True) if p == HELD
        )
        return state[3] + sum(held)

    def after(  # noqa: PLR0911 - one for each kind of action
        self, state: State, label: Label
    ) -> State | None:
        """The state after an action; None if it is impossible."""
        at, opened, coated, others = state
        verb, thing, place = label
        n_hands = self.hands(state)
        if verb in ("open", "close"):
            is_opened = thing in opened
            if n_hands > 1 or is_opened == (verb == "open"):
                return None
            return at, opened ^ {thing}, coated, others
        if verb == "press":
            return state if n_hands <= 1 else None
        is_shut = place in self.kinds.openable and place not in opened
        if verb.startswith(("grasp", "place")):
            source, goal = (place, HELD) if verb.startswith("grasp") else (HELD, place)
            moved = self._moved(at, thing, source, goal)
            if is_shut or moved is None:
                return None
            found = moved, opened, coated, others
            return found if self.hands(found) <= 2 else None
        if verb in ("slice", "dice"):
            which = next(
                (k for k, p in enumerate(at) if (self.things[k], p) == (thing, place)), None
            )
            if which is None or n_hands < 1:
                return None
            new = list(at)
            new[which] = GONE
            for piece in self.pieces_of(which):
                new[piece] = place
            return tuple(new), opened, coated, others
        if self._moved(at, thing, HELD, HELD) is None or (verb == "spread" and thing not in coated):
            return None
        return at, opened, coated | {thing} if verb == "dip" else coated, others

    def run(self, start: State, plan: Sequence[Label]) -> State | None:
        """Where a plan ends; None if it breaks off."""
        state: State | None = start
        for label in plan:
            state = None if state is None else self.after(state, label)
        return state

    def ends_alike(self, first: State, second: State) -> bool:
        """Whether two states are the same but for things of one kind that changed places."""
        return self._counted(first) == self._counted(second)

    def _counted(self, state: State) -> tuple[object, ...]:
        return (sorted(zip(self.things, state[0], strict=True)), *state[1:])

    def _moved(
        self, at: tuple[str, ...], kind: str, source: str, goal: str
    ) -> tuple[str, ...] | None:
        for k, place in enumerate(at):
            if (self.things[k], place) == (kind, source):
                return (*at[:k], goal, *at[k + 1 :])
        return None


def _subsets(names: object) -> Iterator[frozenset[str]]:
    every = sorted(names)  # type: ignore[call-overload]
    for n in range(len(every) + 1):
        yield from map(frozenset, combinations(every, n))
