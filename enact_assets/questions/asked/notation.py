"""Signature components as signs: symbolic predicates, or emoji (paper B.2.4).

Both write ``sign predicate (subject, object)``, the objects by label, as in
``+OnTop(lid, stove)`` and ``✅🔼(lid, stove)``. Within a name the characters ``,()%`` are written
as in the text form of components, so that no two components, and no two actions, look alike. The
paper shows no encoding of its own; these are ours.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from enact_assets.engine.errors import QuestionError
from enact_assets.settings.components import Component, Operation
from enact_assets.settings.further_predicates import FURTHER
from enact_assets.settings.predicates import CATALOGUE, EXISTS, RELATED, ROBOT, label

SYMBOLIC, EMOJI = "symbolic", "emoji"
NOTATIONS = (SYMBOLIC, EMOJI)
BETWEEN = "; "
"""Between the components of one action."""

_ROBOT_LABELS = (ROBOT, "agent")
_UNSEEN = (EXISTS, RELATED)
"""Predicates that nothing in a picture shows, in no wording."""


@dataclass(frozen=True)
class Sign:
    """How emoji wording writes a predicate or operation, and what its key says of it."""

    emoji: str
    key: str


OPERATIONS: dict[Operation, Sign] = {
    "add": Sign("✅", "it holds now and did not before"),
    "remove": Sign("❌", "it held before and does not now"),
    "transition": Sign("🔄", "the first thing is gone and has become the second"),
}

# One code point each, and one that is drawn as an emoji without a selector behind it.
PREDICATES: dict[str, Sign] = {
    "RightGrasping": Sign("👉", "a's right hand holds b"),
    "LeftGrasping": Sign("👈", "a's left hand holds b"),
    "OnTop": Sign("🔼", "a is on top of b"),
    "Inside": Sign("📥", "a is inside b"),
    "Under": Sign("🔽", "a is under b"),
    "Contains": Sign("🥣", "a contains b"),
    "Covered": Sign("💦", "a is covered with b"),
    "Open": Sign("🚪", "a is open"),
    "ToggledOn": Sign("💡", "a is switched on"),
    "Cooked": Sign("🍳", "a is cooked"),
    "Transition": Sign("🦋", "a becomes b"),
    "Touching": Sign("🤝", "a touches b"),
    "Grasping": Sign("✊", "a holds b"),
    "AttachedTo": Sign("🔗", "a is fixed to b"),
    "Draped": Sign("🧣", "a hangs over b"),
    "Overlaid": Sign("🥞", "a is spread over the top of b"),
    "NextTo": Sign("👥", "a is next to b"),
    "Filled": Sign("🥛", "a is full of b"),
    "Saturated": Sign("🧽", "a is soaked with b"),
    "Burnt": Sign("⚫", "a is burnt"),
    "Frozen": Sign("🧊", "a is frozen"),
    "Heated": Sign("🥵", "a is hot"),
    "OnFire": Sign("🔥", "a is on fire"),
    "Folded": Sign("📁", "a is folded up"),
    "Unfolded": Sign("📂", "a is spread out"),
    "HeatSourceOrSink": Sign("⚡", "a heats or cools other things"),
    "InFOVofRobot": Sign("👀", "a is seen by the robot"),
    **{further.name: Sign(further.sign, further.key) for further in FURTHER},
}

_SYMBOLIC_KEY = (
    " Changes are written as predicates, with a semicolon between them: +P(a, b) says that P holds "
    "of a and b now and did not before, -P(a, b) that it held before and does not now, and "
    "~Transition(a, b) that a is gone and has become b."
)


def is_robot(name: str) -> bool:
    """Whether a label is the acting robot's, by its name or its category."""
    return name in _ROBOT_LABELS


def write_component(component: Component, notation: str) -> str:
    """``component`` in one of :data:`NOTATIONS`.

    Errors: :class:`QuestionError` for a component that cannot be seen, such as mere existence.
    """
    if component.predicate in _UNSEEN:
        raise QuestionError(f"no wording for {component}: nothing in a picture shows it")
    text = str(_as_named(component))
    if notation == SYMBOLIC:
        return text
    sign = OPERATIONS[component.operation].emoji + PREDICATES[component.predicate].emoji
    return sign + text[text.index("(") :]


def key_to(components: Iterable[Component], notation: str) -> str:
    """What a prompt must say so that actions in ``notation`` can be read, for ``components``.

    Emoji are explained as far as they occur. Starts with a space: it follows a sentence.
    """
    if notation == SYMBOLIC:
        return _SYMBOLIC_KEY
    found = list(components)
    operations = {c.operation for c in found}
    predicates = {c.predicate for c in found}
    signs = [f"{sign.emoji} {sign.key}" for name, sign in OPERATIONS.items() if name in operations]
    meanings = [
        f"{PREDICATES[name].emoji}({'a, b' if entry.arity == 2 else 'a'}) {PREDICATES[name].key}"
        for name, entry in CATALOGUE.items()
        if name in predicates
    ]
    return (
        " Changes are written in signs, with a semicolon between them. The first sign says how: "
        f"{'; '.join(signs)}. The second says what: {'; '.join(meanings)}."
    )


def _as_named(component: Component) -> Component:
    """``component`` with the names that its reader knows."""
    other = component.object
    return replace(
        component,
        subject=_known_as(component.subject),
        object=None if other is None else _known_as(other),
    )


def _known_as(name: str) -> str:
    return ROBOT if is_robot(name) else label(name)
