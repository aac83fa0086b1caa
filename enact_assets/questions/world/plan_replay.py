"""Replays orders of actions by their labels alone: which orders contradict themselves, which do not
fit the first state, and which end elsewhere.

Things of one kind are counted, not distinguished, and hands are anonymous: two of them hold at most
two things. A plan *contradicts itself* if no start makes it possible, however the things of each
kind were spread over places and hands. What a label does not say (amounts, heat, buttons) is no
reason.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from enact_assets.questions.world.action_labels import Label

Spot = tuple[str, str]
"""Kind of thing, and kind of the place where it is; the place of what is held is ``HELD``."""
Switches = tuple[tuple[str, str, bool], ...]
"""(what, of which kind, value), e.g. ("open", "fridge", True)."""
HELD = "(held)"
HANDS = 2
INTERNAL, INITIAL, FINAL, RIGHT = "internal", "initial", "final", "right"
"""Classes of orders: contradicts itself, does not fit the first state, ends elsewhere, works."""

_WITH_HELD = frozenset({"pour", "wipe", "dip", "spread", "stir"})
_FREE_HAND = frozenset({"open", "close", "press"})
_WIDTH = {"grasp": 1, "place": 1, "grasp_both": 2, "place_both": 2}


@dataclass(frozen=True)
class Kinds:
    """What is known of the kinds of things: how many of each there are, what each becomes when it
    is cut (kind -> number of pieces), and which places have a door, lid or drawer.
    """

    numbers: Mapping[str, int]
    pieces: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    openable: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Situation:
    """A state by labels: how many things of a kind are where, what is open, what bears a coat."""

    at: Counter[Spot]
    opened: frozenset[str] = frozenset()
    coated: frozenset[str] = frozenset()
    n_held: int = 0
    """Hands that hold something."""


@dataclass(frozen=True)
class Effect:
    """What one action needs and does. ``free`` and ``busy`` are hands it needs in that state."""

    needs: Counter[Spot]
    moves: Counter[Spot]
    hands: int = 0
    free: int = 0
    busy: int = 0
    wants: Switches = ()
    """Switches that must have that value."""
    sets: Switches = ()


def effect_of(label: Label, kinds: Kinds) -> Effect:
    """Needs and effects of one action."""
    verb, thing, place = label
    held, spot = (thing, HELD), (thing, place)
    is_shut_in = (("open", place, True),) if place in kinds.openable else ()
    if verb in ("grasp", "grasp_both"):
        moves = Counter({spot: -1, held: 1})
        return Effect(Counter({spot: 1}), moves, _WIDTH[verb], wants=is_shut_in)
    if verb in ("place", "place_both"):
        moves = Counter({held: -1, spot: 1})
        return Effect(Counter({held: 1}), moves, -_WIDTH[verb], wants=is_shut_in)
    if verb in ("slice", "dice"):
        made = {(piece, place): n for piece, n in kinds.pieces.get(thing, {}).items()}
        return Effect(Counter({spot: 1}), Counter({spot: -1, **made}), busy=1)
    if verb in ("open", "close"):
        switch = ("open", thing)
        is_opened = verb == "open"
        before, after = (*switch, not is_opened), (*switch, is_opened)
        return Effect(Counter(), Counter(), free=1, wants=(before,), sets=(after,))
    needs = Counter({held: 1}) if verb in _WITH_HELD else Counter[Spot]()
    coated: Switches = (("coated", thing, True),)
    wants, sets = coated if verb == "spread" else (), coated if verb == "dip" else ()
    return Effect(needs, Counter(), free=int(verb in _FREE_HAND), wants=wants, sets=sets)


class Replay:
    """Classes of plans, of which one starts in ``start`` and is right.

    ``labels`` are its actions in true order, ``others`` actions that wrong plans may have in their
    place. Plans are given as positions, from 0: first ``labels``, then ``others``.
    """

    def __init__(
        self, labels: Sequence[Label], kinds: Kinds, start: Situation, others: Sequence[Label] = ()
    ) -> None:
        known = [*labels, *others]
        self._effects = [effect_of(label, kinds) for label in known]
        self._widths = {label.thing: _WIDTH[label.verb] for label in known if label.verb in _WIDTH}
        self._kinds, self._start = kinds, start
        self._end = self._run(range(len(labels)))

    def class_of(self, order: Sequence[int]) -> str:
        """One of the four classes."""
        end = self._run(order)
        if end is None:
            return INTERNAL if self._contradicts_itself(order) else INITIAL
        return RIGHT if end == self._end else FINAL

    @property
    def is_replayed(self) -> bool:
        """Whether the true order fits the first state, as far as labels tell."""
        return self._end is not None

    def is_seen_to_differ(self, order: Sequence[int]) -> bool:
        """Whether ``order`` works and ends with a thing in another place, or another door open."""
        end = self._run(order)
        if end is None or self._end is None:
            return False
        return end.at != self._end.at or end.opened != self._end.opened

    def _run(self, order: Sequence[int]) -> Situation | None:
        """Where ``order`` ends from the true start; None if an action is impossible."""
        n_done, end = carry_out([self._effects[k] for k in order], self._start)
        return end if n_done == len(order) else None

    def _contradicts_itself(self, order: Sequence[int]) -> bool:
        """Whether no start makes ``order`` possible."""
        lacking = self._lacking(order)
        by_kind = Counter[str]()
        for (kind, _), n in lacking.items():
            by_kind[kind] += n
        for kind, n in by_kind.items():
            made_later = sum(
                pieces.get(kind, 0) * by_kind[parent]
                for parent, pieces in self._kinds.pieces.items()
            )
            if n > self._kinds.numbers.get(kind, 0) - made_later:
                return True
        least = sum(
            n * self._widths.get(kind, 1) for (kind, place), n in lacking.items() if place == HELD
        )
        if not any(self._hands_suffice(order, n_held) for n_held in range(least, HANDS + 1)):
            return True
        return self._switches_clash(order)

    def _lacking(self, order: Sequence[int]) -> Counter[Spot]:
        """How many things must be where at the start, at least."""
        lacking, moved = Counter[Spot](), Counter[Spot]()
        for k in order:
            does = self._effects[k]
            for spot, n in does.needs.items():
                lacking[spot] = max(lacking[spot], n - moved[spot])
            moved.update(does.moves)
        return lacking

    def _hands_suffice(self, order: Sequence[int], n_held: int) -> bool:
        for k in order:
            if not _fits(n_held, self._effects[k]):
                return False
            n_held += self._effects[k].hands
        return True

    def _switches_clash(self, order: Sequence[int]) -> bool:
        known: dict[tuple[str, str], bool] = {}
        for k in order:
            for what, name, value in self._effects[k].wants:
                if known.setdefault((what, name), value) != value:
                    return True
            known.update({(what, name): value for what, name, value in self._effects[k].sets})
        return False


def carry_out(effects: Sequence[Effect], start: Situation) -> tuple[int, Situation]:
    """How many actions are possible one after the other, and what holds after these."""
    at, n_held = Counter(start.at), start.n_held
    on = {("open", name) for name in start.opened} | {("coated", name) for name in start.coated}
    n_done = 0
    for does in effects:
        is_possible = (
            all(at[spot] >= n for spot, n in does.needs.items())
            and all(((what, name) in on) == value for what, name, value in does.wants)
            and _fits(n_held, does)
        )
        if not is_possible:
            break
        n_done += 1
        n_held += does.hands
        at.update(does.moves)
        for what, name, value in does.sets:
            (on.add if value else on.discard)((what, name))
    of = {what: frozenset(n for w, n in on if w == what) for what in ("open", "coated")}
    return n_done, Situation(+at, of["open"], of["coated"], n_held)


def _fits(n_held: int, does: Effect) -> bool:
    """Whether hands allow an action while ``n_held`` of them hold something."""
    after = n_held + does.hands
    return 0 <= after <= HANDS and n_held + does.free <= HANDS and n_held >= does.busy
