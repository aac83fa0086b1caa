"""Signature components: the atoms of a change between two scene graphs, and their one text form.

Source: ENACT paper A.3.2 and C.1: a component is (operation, entity, predicate). Text forms are
``+OnTop(mug, table)``, ``-Open(fridge)`` and ``~Transition(watermelon, half watermelon)``.
"""

import re
from dataclasses import dataclass
from typing import Literal

from enact_assets.contracts.errors import EnactError
from enact_assets.contracts.predicates import TRANSITION, predicate

Operation = Literal["add", "remove", "transition"]

_SIGN = {"add": "+", "remove": "-", "transition": "~"}
_OPERATION: dict[str, Operation] = {"+": "add", "-": "remove", "~": "transition"}
_TEXT = re.compile(r"([+~-])([A-Za-z]+)\(([^,()]+)(?:, ([^,()]+))?\)")
PARENT_JOINT = " and "


@dataclass(frozen=True, order=True)
class Component:
    """One atomic change. ``object`` is None for unary predicates.

    A transition has the parents, sorted and joined by " and ", as ``subject`` and what they
    became as ``object``.
    """

    operation: Operation
    predicate: str
    subject: str
    object: str | None = None

    def __str__(self) -> str:
        inner = self.subject if self.object is None else f"{self.subject}, {self.object}"
        return f"{_SIGN[self.operation]}{self.predicate}({inner})"

    @classmethod
    def transition(cls, parents: tuple[str, ...], child: str) -> "Component":
        """The component of ``parents`` turning into ``child``."""
        return cls("transition", TRANSITION, PARENT_JOINT.join(sorted(set(parents))), child)

    @classmethod
    def parse(cls, text: str) -> "Component":
        """Inverse of ``str``; raises :class:`EnactError` on any other text."""
        found = _TEXT.fullmatch(text)
        if found is None:
            raise EnactError(f"not a signature component: {text!r} (expected like '+Open(fridge)')")
        sign, name, subject, other = found.groups()
        arity = predicate(name).arity
        if (other is None) != (arity == 1):
            raise EnactError(f"component {text!r}: {name} takes {arity} object(s)")
        return cls(_OPERATION[sign], name, subject, other)
