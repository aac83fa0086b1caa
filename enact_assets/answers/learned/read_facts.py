"""Facts that pictures are read for, and what readings of several facts have in common."""

from typing import NamedTuple

from enact_assets.questions.asked.notation import is_robot
from enact_assets.settings.components import Component
from enact_assets.settings.predicates import OTHER_HAND, ROBOT, label

PROGRESS = "progress"
"""The reading of how far a demonstration is, learned beside those of facts."""
ANY = "*"


class Fact(NamedTuple):
    """A relation or state of named objects, as sentences name them; ``object`` may be None."""

    predicate: str
    subject: str
    object: str | None

    def mirrored(self) -> "Fact":
        """What a mirror image shows: the other hand."""
        return self._replace(predicate=OTHER_HAND.get(self.predicate, self.predicate))

    def readings(self) -> tuple[str, str, str]:
        """Names of its readings: its own, that of its predicate and subject, of its predicate.

        The last two are learned from other facts too, and read objects that training lacks.
        """
        own = self.subject if self.object is None else f"{self.subject}, {self.object}"
        return (
            f"{self.predicate}({own})",
            f"{self.predicate}({self.subject}, {ANY})",
            f"{self.predicate}({ANY})",
        )


class Change(NamedTuple):
    """A fact that begins (``sign`` 1) or ceases (-1)."""

    fact: Fact
    sign: int

    def __str__(self) -> str:
        return f"{'+' if self.sign > 0 else '-'}{self.fact.readings()[0]}"


def change_of(component: Component) -> Change:
    """The change that a component tells of; a transition is a fact that begins."""
    fact = Fact(
        component.predicate,
        _named(component.subject),
        None if component.object is None else _named(component.object),
    )
    return Change(fact, -1 if component.operation == "remove" else 1)


def _named(name: str) -> str:
    """As sentences name it."""
    return ROBOT if is_robot(name) else label(name)
