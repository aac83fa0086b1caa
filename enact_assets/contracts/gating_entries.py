"""Gatings of the registry: predicates, and the constants of the profile that a gating sets."""

from collections.abc import Mapping
from typing import Any

from enact_assets.contracts.entries import changed, checked_value, mapping, one_of, wrong
from enact_assets.contracts.predicates import CONTACT_PREDICATES, STATE_PREDICATES
from enact_assets.contracts.profile import CONSTANTS, PROFILES, Profile
from enact_assets.contracts.settings import ANY_FILE, Gating, is_partition_name

_FLOOR = "embedded_min_visible_fraction"
_FILE = "question_file"


def gating_of(name: str, entry: Any, where: str) -> Gating:
    """The gating called ``name``. Errors: :class:`SettingsError` with ``where`` and the field."""
    fields = ("profile", "contact")
    entry = mapping(entry, where, known=(*fields, _FLOOR, _FILE, "constants"), required=fields)
    profile = PROFILES[one_of("profile", entry["profile"], PROFILES, f"{where}.profile")]
    has_contact = checked_value("contact", entry["contact"], default=True, where=f"{where}.contact")
    if profile.counts_every_state:
        if not has_contact:
            wanted = f"expected true, because profile {profile.name!r} counts every recorded state"
            raise wrong(f"{where}.contact", wanted, has_contact)
        if entry.get(_FLOOR) is not None:
            wanted = f"profile {profile.name!r} has its own rule"
            raise wrong(f"{where}.{_FLOOR}", wanted, entry[_FLOOR])
        if "constants" in entry:
            wanted = f"profile {profile.name!r} must stay what was released; delete the entry"
            raise wrong(f"{where}.constants", wanted, entry["constants"])
        return Gating(name, profile, (), question_file=_question_file(entry, where))
    if entry.get(_FILE) is not None:
        wanted = "only a gating of profile 'release' takes questions from files"
        raise wrong(f"{where}.{_FILE}", wanted, entry[_FILE])
    profile = _with_constants(profile, entry.get("constants", {}), f"{where}.constants")
    predicates = CONTACT_PREDICATES if has_contact else STATE_PREDICATES
    given = entry.get(_FLOOR)
    fraction = None if given is None else checked_value(_FLOOR, given, 0.0, f"{where}.{_FLOOR}")
    return Gating(name, profile, predicates, fraction)


def _question_file(entry: Mapping[str, Any], where: str) -> str | None:
    """The imported file that the gating takes its questions from."""
    given = entry.get(_FILE)
    if given is None:
        return None
    if not isinstance(given, str) or not is_partition_name(given):
        wanted = f"expected the name of an imported question file without .jsonl, or {ANY_FILE!r}"
        raise wrong(f"{where}.{_FILE}", wanted, given)
    return given


def _with_constants(profile: Profile, entry: Any, where: str) -> Profile:
    """``profile`` with the constants that ``entry`` sets: those of the paper are fixed."""
    settable = [c.name for c in CONSTANTS.values() if c.is_settable]
    for name, given in mapping(entry, where).items():
        if name in CONSTANTS and name not in settable:
            wanted = (
                f"section {CONSTANTS[name].source} of the paper gives this constant, so profile "
                f"{profile.name!r} keeps it; can be set: {', '.join(settable)}"
            )
            raise wrong(f"{where}.{name}", wanted, given)
    return changed(profile, mapping(entry, where, known=settable), where)
