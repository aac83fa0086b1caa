"""Orders actions by the consistency of their text, without looking at a picture.

Every fact an action changes had the other value before. From an unknown start, the rules below show
which orders of the actions contradict themselves; the order with the fewest contradictions is the
answer.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from enact_assets.answers.baselines.order_kernels import RuleMasks, least_violations
from enact_assets.settings.components import Component
from enact_assets.settings.predicates import EXISTS, predicate

Fact = tuple[str, str, str | None]
"""Predicate, subject, object."""

RULES = ("alternation", "existence", "one_thing_per_hand", "open_door", "one_place", "in_hand")
WEIGHTS = np.array([4, 4, 2, 2, 1, 1], np.int64)
"""Broken logic outweighs broken physics, and physics what is only usual."""

_GRASPS = ("RightGrasping", "LeftGrasping")
_PLACES = ("OnTop", "Inside")


class ActionRules:
    """Preconditions and effects of each of n actions, as sets of facts and as bit masks over them.

    - alternation: what is added was false, what is removed was true;
    - existence: what turns into something else is gone after, what it turns into absent before;
    - one_thing_per_hand: while a hand takes or lets go of a thing it holds nothing else;
    - open_door: things enter and leave what can be opened while it is open;
    - one_place: a thing rests on one thing, or in one thing, at a time;
    - in_hand: a thing that is lifted or put down with no change of grasp is in the hand.
    """

    def __init__(self, actions: Sequence[Sequence[str]]) -> None:
        self.components = [[Component.parse(text) for text in action] for action in actions]
        everything = [c for action in self.components for c in set(action)]
        self.facts: dict[Fact, int] = {}
        # Labels that turn into, or come from, something exactly once: only there is it clear which
        # object is meant.
        ends = Counter(p for c in everything if c.operation == "transition" for p in c.parents)
        starts = Counter(_child(c) for c in everything if c.operation == "transition")
        self._passing = {x for x in {*ends, *starts} if ends[x] <= 1 and starts[x] <= 1}
        for component in everything:
            if component.operation == "transition":
                for name in (*component.parents, _child(component)):
                    if name in self._passing:
                        self._fact((EXISTS, name, None))
            else:
                self._fact(_fact_of(component))
        self.needs: list[dict[tuple[str, bool], set[Fact]]] = []
        """Per action, (rule, whether facts must be true) -> these facts."""
        self.makes: list[dict[bool, set[Fact]]] = []
        """Per action, whether facts are true from then on -> these facts."""
        for action in self.components:
            self._add_action(action)

    def masks(self) -> RuleMasks:
        """The same as bit masks, bit b of word w for fact 64 w + b."""
        n_words = max(1, -(-len(self.facts) // 64))
        n = len(self.components)
        needs = np.zeros((2, len(RULES), n, n_words), np.uint64)
        makes = np.zeros((2, n, n_words), np.uint64)
        for action in range(n):
            for (rule, is_true), facts in self.needs[action].items():
                self._set_bits(needs[int(is_true), RULES.index(rule), action], facts)
            for is_true, facts in self.makes[action].items():
                self._set_bits(makes[int(is_true), action], facts)
        return RuleMasks(needs[1], needs[0], makes[1], makes[0], WEIGHTS)

    def _fact(self, fact: Fact) -> None:
        self.facts.setdefault(fact, len(self.facts))

    def _set_bits(self, words: NDArray[np.uint64], facts: set[Fact]) -> None:
        for fact in facts:
            index = self.facts[fact]
            words[index // 64] |= np.uint64(1 << (index % 64))

    def _add_action(self, action: Sequence[Component]) -> None:
        added = {_fact_of(c) for c in action if c.operation == "add"}
        removed = {_fact_of(c) for c in action if c.operation == "remove"}
        touched = added | removed
        # Two objects of one label may gain and lose the same fact at once: nothing follows.
        added, removed = added - removed, removed - added
        ending, starting = self._transitions(action)
        ends: set[Fact] = {(EXISTS, name, None) for name in ending}
        starts: set[Fact] = {(EXISTS, name, None) for name in starting}
        needs = defaultdict[tuple[str, bool], set[Fact]](set)
        needs["alternation", True] |= removed
        needs["alternation", False] |= added
        needs["existence", True] |= ends
        needs["existence", False] |= starts
        for fact in touched:
            name, subject, other = fact
            for thing in {subject, other} & self._passing - ending - starting:
                needs["existence", True].add((EXISTS, str(thing), None))
            untouched = [f for f in self.facts if f not in touched]
            if name in _GRASPS:
                holding = {f for f in untouched if f[:2] == (name, subject)}
                needs["one_thing_per_hand", False] |= holding
            if name in _PLACES:
                needs["one_place", False] |= {f for f in untouched if f[:2] == (name, subject)}
            if name == "Inside" and ("Open", other, None) in untouched:
                needs["open_door", True].add(("Open", str(other), None))
        for thing in {f[1] for f in touched if f[0] in _PLACES}:
            needs["in_hand", True] |= self._hand_that_moved(thing, added, removed, touched)
        self.needs.append(needs)
        self.makes.append({True: added | starts, False: removed | ends})

    def _transitions(self, action: Sequence[Component]) -> tuple[set[str], set[str]]:
        """Labels that end, and that start, in this action, as far as it is clear which."""
        turned = [c for c in action if c.operation == "transition"]
        ending = {p for c in turned for p in c.parents}
        starting = {_child(c) for c in turned}
        return ending & self._passing, starting & self._passing

    def _hand_that_moved(
        self, thing: str, added: set[Fact], removed: set[Fact], touched: set[Fact]
    ) -> set[Fact]:
        """The grasp without which ``thing`` would not have been lifted or put down."""
        grasps = {f for f in self.facts if f[0] in _GRASPS and f[2] == thing}
        is_lifted = any(f[0] in _PLACES and f[1] == thing for f in removed)
        is_put_down = any(f[0] in _PLACES and f[1] == thing for f in added)
        # Lifted and put down in one action, or by either hand: no single grasp is implied.
        if is_lifted == is_put_down or len(grasps) != 1 or grasps & touched:
            return set()
        return grasps


def order_by_text(
    actions: Sequence[Sequence[str]], preference: Sequence[int]
) -> tuple[list[int], int]:
    """Labels (from 1) of ``actions`` in an order that breaks the fewest rules, and what it breaks.

    ``actions`` are components as text. ``preference``, labels in a random order, breaks ties: of
    the best orders the one that comes first when labels are compared by their place in it.
    """
    masks = ActionRules(actions).masks()
    order, cost = least_violations(masks, np.array(preference, np.int64) - 1)
    return [int(k) + 1 for k in order], int(cost)


def _fact_of(component: Component) -> Fact:
    subject, other = component.subject, component.object
    if predicate(component.predicate).is_symmetric and other is not None and other < subject:
        subject, other = other, subject
    return component.predicate, subject, other


def _child(transition: Component) -> str:
    """What the parents became; profile ``release`` writes some as turning cooked, by no name."""
    return transition.object or f"cooked {transition.subject}"
