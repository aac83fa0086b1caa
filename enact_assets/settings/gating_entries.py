"""Gatings of the registry: predicates, and the constants of the profile that a gating sets."""

import re
from collections.abc import Mapping
from typing import Any

from enact_assets.settings.classes import (
    ANY_FILE,
    SENTENCE_FIELDS,
    Gating,
    OwnWords,
    is_partition_name,
)
from enact_assets.settings.entries import changed, checked_value, mapping, one_of, wrong
from enact_assets.settings.predicates import (
    CATALOGUE,
    CONTACT_PREDICATES,
    EXISTS,
    RELATED,
    STATE_PREDICATES,
    TRANSITION,
    nearest,
)
from enact_assets.settings.profile import CONSTANTS, PROFILES, Profile

_FLOOR = "embedded_min_visible_fraction"
_ALL = "embedded_names_all"
_FILE = "question_file"
_ALSO = "also"
_MAX_SENTENCE = 200
_BRACES = re.compile(r"\{([^{}]*)\}")


def gating_of(name: str, entry: Any, where: str) -> Gating:
    """The gating called ``name``. Errors: :class:`SettingsError` with ``where`` and the field."""
    fields = ("profile", "contact")
    known = (*fields, _FLOOR, _ALL, _FILE, _ALSO, "constants")
    entry = mapping(entry, where, known=known, required=fields)
    profile = PROFILES[one_of("profile", entry["profile"], PROFILES, f"{where}.profile")]
    has_contact = checked_value("contact", entry["contact"], default=True, where=f"{where}.contact")
    if profile.counts_every_state:
        if not has_contact:
            wanted = f"expected true, because profile {profile.name!r} counts every recorded state"
            raise wrong(f"{where}.contact", wanted, has_contact)
        for field in (_FLOOR, _ALL):
            if entry.get(field) is not None:
                wanted = f"profile {profile.name!r} has its own rule"
                raise wrong(f"{where}.{field}", wanted, entry[field])
        if "constants" in entry:
            wanted = f"profile {profile.name!r} must stay what was released; delete the entry"
            raise wrong(f"{where}.constants", wanted, entry["constants"])
        if _ALSO in entry:
            wanted = f"profile {profile.name!r} counts every recorded state; delete the entry"
            raise wrong(f"{where}.{_ALSO}", wanted, entry[_ALSO])
        return Gating(name, profile, (), question_file=_question_file(entry, where))
    if entry.get(_FILE) is not None:
        wanted = "only a gating of profile 'release' takes questions from files"
        raise wrong(f"{where}.{_FILE}", wanted, entry[_FILE])
    profile = _with_constants(profile, entry.get("constants", {}), f"{where}.constants")
    predicates = CONTACT_PREDICATES if has_contact else STATE_PREDICATES
    given = entry.get(_FLOOR)
    fraction = None if given is None else checked_value(_FLOOR, given, 0.0, f"{where}.{_FLOOR}")
    names_all = checked_value(_ALL, entry.get(_ALL, False), default=False, where=f"{where}.{_ALL}")
    own_words = _own_words(entry.get(_ALSO, {}), predicates, f"{where}.{_ALSO}")
    every = (*predicates, *(own.predicate for own in own_words))
    return Gating(name, profile, every, fraction, names_all, own_words=own_words)


def _own_words(entry: Any, shipped: tuple[str, ...], where: str) -> tuple[OwnWords, ...]:
    """Predicates that ``entry`` adds to the ``shipped`` ones, with their sentences."""
    given = mapping(entry, where)
    can_be = [p for p in CATALOGUE if p not in (*CONTACT_PREDICATES, EXISTS, RELATED, TRANSITION)]
    found, said = [], dict[str, str]()
    for name in sorted(given):
        if name in shipped:
            raise wrong(where, "this gating looks at it as it is; delete the line", name)
        if name in CONTACT_PREDICATES:
            raise wrong(where, "contacts count with `contact: true`; delete the line", name)
        if name not in can_be:
            near = nearest(name)
            hint = f"; the nearest is {near}" if near in can_be else ""
            wanted = f"no predicate that can be added (can be: {', '.join(can_be)}{hint})"
            raise wrong(where, wanted, name)
        at = f"{where}.{name}"
        texts = mapping(given[name], at, known=("begins", "ends"), required=("begins", "ends"))
        parts = {part: _sentences(texts[part], name, f"{at}.{part}") for part in texts}
        for part, sentences in parts.items():
            for sentence in sentences:
                if sentence in said:
                    raise wrong(f"{at}.{part}", f"{said[sentence]} says the same", sentence)
                said[sentence] = f"{name}.{part}"
        found.append(OwnWords(name, **parts))
    return tuple(found)


def _sentences(given: Any, predicate: str, where: str) -> tuple[str, ...]:
    """One sentence, or a list of sentences with the same meaning."""
    needs_object = CATALOGUE[predicate].arity == 2
    fields = ", ".join(f"{{{name}}}" for name in SENTENCE_FIELDS)
    sentences = given if isinstance(given, list) else [given]
    if not sentences:
        raise wrong(where, "expected a sentence, or a list of sentences", given)
    for sentence in sentences:
        if not isinstance(sentence, str) or not sentence.strip() or "." in sentence:
            raise wrong(where, "expected a sentence, without a full stop", sentence)
        if not sentence.isprintable() or len(sentence) > _MAX_SENTENCE:
            wanted = f"expected one line of at most {_MAX_SENTENCE} characters"
            raise wrong(where, wanted, sentence)
        named = _BRACES.findall(sentence)
        if set(named) - {*SENTENCE_FIELDS} or set("{}") & set(_BRACES.sub("", sentence)):
            raise wrong(where, f"in braces can be {fields}", sentence)
        if "S" not in named or needs_object != bool({"O", "o"} & {*named}):
            takes = "{S} and {O}" if needs_object else "{S}, and no other object"
            raise wrong(where, f"{predicate} takes {takes}", sentence)
    return tuple(sentences)


def _question_file(entry: Mapping[str, Any], where: str) -> str | None:
    """The imported file whose questions the gating uses."""
    given = entry.get(_FILE)
    if given is None:
        return None
    if not isinstance(given, str) or not is_partition_name(given):
        wanted = f"expected the name of an imported question file without .jsonl, or {ANY_FILE!r}"
        raise wrong(f"{where}.{_FILE}", wanted, given)
    return given


def _with_constants(profile: Profile, entry: Any, where: str) -> Profile:
    """``profile`` with the constants that ``entry`` sets; constants of the paper are fixed."""
    settable = [c.name for c in CONSTANTS.values() if c.is_settable]
    for name, given in mapping(entry, where).items():
        if name in CONSTANTS and name not in settable:
            wanted = (
                f"section {CONSTANTS[name].source} of the paper gives this constant, so profile "
                f"{profile.name!r} keeps it; can be set: {', '.join(settable)}"
            )
            raise wrong(f"{where}.{name}", wanted, given)
    return changed(profile, mapping(entry, where, known=settable), where)
