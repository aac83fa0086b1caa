"""Signature components: the atoms of a change between two scene graphs, and their text form.

Source: ENACT paper A.3.2 and C.1: a component is (operation, entity, predicate). Text forms are
``+OnTop(mug, table)``, ``-Open(fridge)`` and ``~Transition(watermelon, half watermelon)``; profile
``release`` also has ``~Cooked(diced apple)``, an object that turned into its cooked form.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from enact_assets.engine.errors import EnactError
from enact_assets.settings.predicates import OTHER_HAND, TRANSITION, predicate

Operation = Literal["add", "remove", "transition"]

_SIGN = {"add": "+", "remove": "-", "transition": "~"}
_OPERATION: dict[str, Operation] = {"+": "add", "-": "remove", "~": "transition"}
_TEXT = re.compile(r"([+~-])([A-Za-z]+)\(([^,()]+)(?:, ([^,()]+))?\)")
_RESERVED = re.compile("[%,()]")
_QUOTED = re.compile("%(2[589C])")
PARENT_JOINT = " and "
_WITHIN_PARENT = " & "


@dataclass(frozen=True, order=True)
class Component:
    """One atomic change. ``object`` is None for unary predicates.

    A transition has the parents, sorted and joined by " and ", as ``subject`` and what they became
    as ``object``; an " and " within a parent is written " & " there. In texts, the characters
    ``,()%`` of a name are written as %2C and so on.
    """

    operation: Operation
    predicate: str
    subject: str
    object: str | None = None

    def __str__(self) -> str:
        inner = _quoted(self.subject)
        if self.object is not None:
            inner += f", {_quoted(self.object)}"
        return f"{_SIGN[self.operation]}{self.predicate}({inner})"

    @classmethod
    def transition(cls, parents: tuple[str, ...], child: str) -> "Component":
        """The component of ``parents`` turning into ``child``."""
        names = sorted({parent.replace(PARENT_JOINT, _WITHIN_PARENT) for parent in parents})
        return cls("transition", TRANSITION, PARENT_JOINT.join(names), child)

    @property
    def parents(self) -> tuple[str, ...]:
        """Parents of a transition, sorted; inverse of :meth:`transition`."""
        names = self.subject.split(PARENT_JOINT)
        return tuple(sorted(name.replace(_WITHIN_PARENT, PARENT_JOINT) for name in names))

    @classmethod
    def parse(cls, text: str) -> "Component":
        """Inverse of ``str``; raises :class:`EnactError` on any other text.

        The number of objects is not checked against the catalogue, as recordings also use unary
        states with two objects, and the other way round.
        """
        found = _TEXT.fullmatch(text)
        if found is None:
            raise EnactError(f"not a signature component: {text!r} (expected like '+Open(fridge)')")
        sign, name, subject, other = found.groups()
        if predicate(name).name == TRANSITION and other is None:
            raise EnactError(f"component {text!r}: {name} takes 2 objects")
        return cls(
            _OPERATION[sign], name, _unquoted(subject), None if other is None else _unquoted(other)
        )


def mirrored_text(text: str) -> str:
    """The component that a mirror image of its scene shows: of grasping, that of the other hand."""
    sign, name = text[0], text[1:].partition("(")[0]
    return text.replace(f"{sign}{name}", f"{sign}{OTHER_HAND.get(name, name)}", 1)


def component_texts(facts: Iterable[tuple[bool, tuple[str, str, str | None]]]) -> list[str]:
    """Components of facts that came or went (whether it came; predicate, subject, object), as
    texts.
    """
    return [str(Component("add" if came else "remove", *fact)) for came, fact in facts]


def _quoted(name: str) -> str:
    return _RESERVED.sub(lambda found: f"%{ord(found[0]):02X}", name)


def _unquoted(name: str) -> str:
    return _QUOTED.sub(lambda found: chr(int(found[1], 16)), name)
