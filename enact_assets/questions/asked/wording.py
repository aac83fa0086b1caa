"""Actions as texts in the requested wording: English sentences, symbols or emoji."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from enact_assets.engine.ids import encoded, seeds_from
from enact_assets.questions.asked.natural import phrasings_of, sentence
from enact_assets.questions.asked.notation import BETWEEN, NOTATIONS, key_to, write_component
from enact_assets.settings.classes import NATURAL, OwnWords
from enact_assets.settings.components import Component
from enact_assets.settings.predicates import CATALOGUE

WORDINGS = (NATURAL, *NOTATIONS)

_ORDER = {"add": 0, "remove": 1, "transition": 2}
_PREDICATE_ORDER = {name: index for index, name in enumerate(CATALOGUE)}


def word_actions(
    actions: Iterable[Iterable[str]],
    *content: object,
    wording: str = NATURAL,
    own: tuple[OwnWords, ...] = (),
) -> list[str]:
    """Actions, each by the texts of its components, in words of ``wording``, one of `WORDINGS`.

    Within an action, facts that began come first, then facts that ended, then what turned into
    something else; within these by predicate and objects, so that the order tells nothing beyond
    the components. Sentences take one of several phrasings by ``content``, the number of the
    action, from 1, and the component; notations have one text per component, whatever ``content``.
    ``own`` are words of the user.
    """
    if wording != NATURAL:
        return [BETWEEN.join(_written(tuple(components), wording)) for components in actions]
    told = [_told(tuple(components), own) for components in actions]
    more = [f'"{k}",{text}' for k, (texts, _) in enumerate(told, start=1) for text in texts]
    seeds = iter(seeds_from(("phrasing", *content), more))
    return [" ".join([s[next(seeds) % len(s)] for s in sentences]) for _, sentences in told]


def explain_wording(actions: Iterable[Sequence[str]], wording: str) -> str:
    """What a prompt says so that ``actions``, as components, can be read; empty for sentences."""
    if wording == NATURAL:
        return ""
    return key_to([Component.parse(text) for action in actions for text in action], wording)


@lru_cache(maxsize=1 << 14)
def _told(
    texts: tuple[str, ...], own: tuple[OwnWords, ...]
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Components of one action in their order in the text, encoded, and all sentences of each.

    A demonstration has some hundred different actions, each of them in some dozen questions.
    """
    told = sorted([_sentences(text, own) for text in set(texts)])
    return tuple([encoded(text) for (*_, text), _ in told]), tuple([found for _, found in told])


@lru_cache(maxsize=1 << 14)
def _sentences(
    text: str, own: tuple[OwnWords, ...]
) -> tuple[tuple[int, int, str, str], tuple[str, ...]]:
    """A component's place within an action, and all its sentences."""
    c = Component.parse(text)
    n = len(phrasings_of(c, own)) or 1  # the error below names changes without words
    return _place(c), tuple([sentence(c, k, own) for k in range(n)])


def _written(texts: tuple[str, ...], notation: str) -> list[str]:
    """Components of one action in a notation, in the same order as sentences."""
    told = sorted([Component.parse(text) for text in set(texts)], key=_place)
    return [write_component(component, notation) for component in told]


def _place(c: Component) -> tuple[int, int, str, str]:
    """A component's place within an action; its text comes last."""
    return _ORDER[c.operation], _PREDICATE_ORDER[c.predicate], c.subject, str(c)
