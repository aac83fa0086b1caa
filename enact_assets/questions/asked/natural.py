"""Signature components as English sentences, in several phrasings.

A sentence names the objects as the reader of a question knows them, by label, and says what holds
after the step that did not hold before it, or the other way round. Every phrasing of one predicate
and operation says the same; none of them can be mistaken for another component.
"""

from collections.abc import Iterable

from enact_assets.engine.errors import QuestionError
from enact_assets.questions.asked.notation import is_robot
from enact_assets.settings.classes import OwnWords
from enact_assets.settings.components import PARENT_JOINT, Component
from enact_assets.settings.predicates import ROBOT, label

# {S} and {O}: subject and object with their article; {o}: the object without one, for what comes
# in bulk; the other fields agree with the number of the subject.
PHRASINGS: dict[tuple[str, str], tuple[str, ...]] = {
    ("add", "RightGrasping"): (
        "{S}'s right hand now holds {O}",
        "{S} took hold of {O} with the right hand",
        "{S} now has {O} in the right hand",
    ),
    ("remove", "RightGrasping"): (
        "{S}'s right hand no longer holds {O}",
        "{S} let go of {O} with the right hand",
        "{S} no longer has {O} in the right hand",
    ),
    ("add", "LeftGrasping"): (
        "{S}'s left hand now holds {O}",
        "{S} took hold of {O} with the left hand",
        "{S} now has {O} in the left hand",
    ),
    ("remove", "LeftGrasping"): (
        "{S}'s left hand no longer holds {O}",
        "{S} let go of {O} with the left hand",
        "{S} no longer has {O} in the left hand",
    ),
    ("add", "OnTop"): (
        "{S} {is} now on top of {O}",
        "{S} came to rest on top of {O}",
        "{S} now {rests} on {O}",
    ),
    ("remove", "OnTop"): (
        "{S} {is} no longer on top of {O}",
        "{S} left the top of {O}",
        "{S} no longer {rests} on {O}",
    ),
    ("add", "Inside"): (
        "{S} {is} now inside {O}",
        "{S} ended up inside {O}",
        "{S} {is} in {O} now",
    ),
    ("remove", "Inside"): (
        "{S} {is} no longer inside {O}",
        "{S} {is} out of {O} now",
        "{S} {is} not in {O} any more",
    ),
    ("add", "Under"): (
        "{S} {is} now under {O}",
        "{S} ended up below {O}",
        "{S} now {lies} below {O}",
    ),
    ("remove", "Under"): (
        "{S} {is} no longer under {O}",
        "{S} {is} not below {O} any more",
        "{S} no longer {lies} below {O}",
    ),
    ("add", "Contains"): (
        "{S} now {contains} {o}",
        "{S} {has} received some {o}",
        "{S} now {holds} some {o}",
    ),
    ("remove", "Contains"): (
        "{S} no longer {contains} {o}",
        "{S} {is} empty of {o} now",
        "{S} no longer {holds} any {o}",
    ),
    ("add", "Covered"): (
        "{S} {is} now covered with {o}",
        "{S} {has} become covered in {o}",
        "{S} now {has} {o} on the surface",
    ),
    ("remove", "Covered"): (
        "{S} {is} no longer covered with {o}",
        "{S} {is} free of {o} now",
        "{S} no longer {has} {o} on the surface",
    ),
    ("add", "Open"): (
        "{S} {is} now open",
        "{S} {has} been opened",
        "{S} went from closed to open",
    ),
    ("remove", "Open"): (
        "{S} {is} no longer open",
        "{S} {has} been closed",
        "{S} went from open to closed",
    ),
    ("add", "ToggledOn"): (
        "{S} {is} now switched on",
        "{S} {has} been turned on",
        "{S} went from off to on",
    ),
    ("remove", "ToggledOn"): (
        "{S} {is} no longer switched on",
        "{S} {has} been turned off",
        "{S} went from on to off",
    ),
    ("add", "Cooked"): (
        "{S} {is} now cooked",
        "{S} {has} become cooked",
        "{S} went from uncooked to cooked",
    ),
    ("remove", "Cooked"): (
        "{S} {is} no longer cooked",
        "{S} {is} not cooked any more",
        "{S} went from cooked to uncooked",
    ),
    ("transition", "Transition"): (
        "{S} turned into {O}",
        "{S} became {O}",
        "{S} {has} changed into {O}",
    ),
    ("add", "Touching"): (
        "{S} {is} now in contact with {O}",
        "{S} came into contact with {O}",
        "{S} now {touches} {O}",
    ),
    ("remove", "Touching"): (
        "{S} {is} no longer in contact with {O}",
        "{S} lost contact with {O}",
        "{S} no longer {touches} {O}",
    ),
}

AGREEMENTS: dict[str, tuple[str, str]] = {
    "is": ("is", "are"),
    "has": ("has", "have"),
    "rests": ("rests", "rest"),
    "contains": ("contains", "contain"),
    "holds": ("holds", "hold"),
    "lies": ("lies", "lie"),
    "touches": ("touches", "touch"),
}
"""Field of a phrasing that agrees with its subject -> the word for one and for several."""
HALF = "half "
"""How labels of halves begin."""
HALVES = "two halves"
"""What a thing turned into whose halves are called so: "into a half lemon" says half of it."""
# Singular for all their final s.
_SINGULAR_ENDINGS = ("ss", "us", "is")
_SINGULAR_WORDS = frozenset({"gas", "lens", "canvas", "atlas", "molasses", "series"})


def is_plural(name: str) -> bool:
    """Whether a label reads as a plural ("hand towels", "scissors"), judged by its last word."""
    last = name.rsplit(" ", maxsplit=1)[-1].lower()
    return (
        last.endswith("s") and not last.endswith(_SINGULAR_ENDINGS) and last not in _SINGULAR_WORDS
    )


def phrasings_of(component: Component, own: Iterable[OwnWords] = ()) -> tuple[str, ...]:
    """Every phrasing of ``component``; ``own`` are the user's. None if nothing is said of it."""
    of_user = [w.phrasings(component.operation) for w in own if w.predicate == component.predicate]
    return PHRASINGS.get((component.operation, component.predicate), ()) or sum(of_user, ())


def sentence(component: Component, phrasing: int = 0, own: Iterable[OwnWords] = ()) -> str:
    """``component`` as one sentence; ``phrasing`` counts from 0, modulo the phrasings there are.

    ``own`` are words of the user for what we have none for. Errors: :class:`QuestionError` for a
    component that cannot be seen, such as mere existence.
    """
    phrasings = phrasings_of(component, own)
    if not phrasings:
        raise QuestionError(
            f"no wording for {component}: questions/asked/natural.py has none for "
            f"({component.operation}, {component.predicate}), and the gating adds none"
        )
    parents = component.parents if component.operation == "transition" else []
    several = len(parents) > 1 or is_plural(component.subject)
    words = {
        **{field: words[several] for field, words in AGREEMENTS.items()},
        "S": _named(*(parents or [component.subject])),
        "O": HALVES if _is_halved(component) else _named(component.object or ""),
        "o": label(component.object or ""),
    }
    text = phrasings[phrasing % len(phrasings)].format_map(words)
    return text[0].upper() + text[1:] + "."


def _is_halved(component: Component) -> bool:
    """Whether one thing turned into its own halves."""
    whole = label(component.subject)
    is_own = component.operation == "transition" and label(component.object or "") == HALF + whole
    return is_own and not is_plural(whole)


def _named(*labels: str) -> str:
    """Labels with their articles; the robot is the robot, whatever its category is called.

    A half has another half: "the half lemon left the board" would be false while that stays.
    """
    named = (ROBOT if is_robot(name) else label(name) for name in labels)
    return PARENT_JOINT.join(f"{_article(name)} {name}" for name in named)


def _article(name: str) -> str:
    return "a" if name.startswith(HALF) and not is_plural(name) else "the"
