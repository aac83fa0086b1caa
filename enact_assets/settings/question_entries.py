"""Questions of the registry: how many are written and asked, and the named question sets."""

from collections.abc import Iterable, Mapping
from typing import Any

from enact_assets.settings.ambiguities import AMBIGUITIES
from enact_assets.settings.classes import (
    NATURAL,
    NO_LIMIT,
    Gating,
    PerLength,
    QuestionSetSettings,
    QuestionSettings,
    number_at,
)
from enact_assets.settings.entries import changed, mapping, named_entries, one_of, per_length, wrong


def questions_of(entry: Any, gatings: Mapping[str, Gating], where: str) -> QuestionSettings:
    """Numbers and wording of questions. Errors: :class:`SettingsError` with ``where`` and the
    field.
    """
    questions = changed(QuestionSettings(), entry, where)
    # Questions of a file are all asked, unchanged.
    gatings = {n: g for n, g in gatings.items() if g.question_file is None}
    lengths = questions.probe_lengths
    if not lengths or len(set(lengths)) < len(lengths):
        raise wrong(f"{where}.probe_lengths", "expected one or more different lengths", lengths)
    for gating in gatings.values():
        if gating.profile.has_own_words and questions.wording != NATURAL:
            wanted = (
                f"expected {NATURAL!r}, as gating {gating.name!r} has profile "
                f"{gating.profile.name!r}, which has its own wording; a variant may set another "
                "one"
            )
            raise wrong(f"{where}.wording", wanted, questions.wording)
    _check_lengths(lengths, gatings.values(), f"{where}.probe_lengths")
    numbers = questions.question_set_per_stratum
    _check_lengths(_named(numbers), gatings.values(), f"{where}.question_set_per_stratum")
    short = _length_below_probes(numbers, questions)
    if short is not None:
        most = f"{number_at(numbers, short)} at length {short}"
        wanted = f"must not be above question_set_per_stratum ({most}); give that length as many"
        raise wrong(f"{where}.probe_set_per_stratum", wanted, questions.probe_set_per_stratum)
    return questions


def _named(numbers: PerLength) -> Iterable[int]:
    """The lengths that ``numbers`` names."""
    return numbers if isinstance(numbers, Mapping) else ()


def _check_lengths(lengths: Iterable[int], gatings: Iterable[Gating], where: str) -> None:
    for length in lengths:
        for gating in gatings:
            possible = gating.profile.lengths
            if length not in possible:
                wanted = f"gating {gating.name!r} has lengths {possible[0]} to {possible[-1]}"
                raise wrong(where, wanted, length)


def _length_below_probes(numbers: PerLength, questions: QuestionSettings) -> int | None:
    """The first length at which the probe set does not fit into the question set."""
    probed = questions.probe_set_per_stratum
    return next((k for k in questions.probe_lengths if number_at(numbers, k) < probed), None)


def question_sets_of(
    entry: Any, gatings: Mapping[str, Gating], questions: QuestionSettings, where: str
) -> dict[str, QuestionSetSettings]:
    """One question set for each gating, with its name, and the sets in ``entry``.

    The set of a gating with a question file has all its questions.
    Errors: :class:`SettingsError` with ``where``, set and field.
    """
    sets = {
        name: QuestionSetSettings(name, name, None if gating.question_file is None else NO_LIMIT)
        for name, gating in gatings.items()
    }
    for name, given in named_entries(entry, where).items():
        known = ("gating", "per_stratum", "keep", "without")
        fields = mapping(given, f"{where}.{name}", known=known, required=("gating",))
        gating = one_of("gating", fields["gating"], gatings, f"{where}.{name}.gating")
        if name in gatings and gating != name:
            wanted = f"expected {name!r}: each gating has a question set of its own name"
            raise wrong(f"{where}.{name}.gating", wanted, gating)
        number = None
        if "per_stratum" in fields:
            place = f"{where}.{name}.per_stratum"
            number = per_length("per_stratum", fields["per_stratum"], place)
            _check_lengths(_named(number), [gatings[gating]], place)
            short = _length_below_probes(number, questions)
            if short is not None:
                least = f"{questions.probe_set_per_stratum} at length {short}"
                wanted = f"must not be below probe_set_per_stratum ({least})"
                raise wrong(place, wanted, number_at(number, short))
        without = _without(fields.get("without", []), f"{where}.{name}.without")
        sets[name] = QuestionSetSettings(name, gating, number, fields.get("keep"), without)
        _check_keep(sets[name], f"{where}.{name}.keep")
    return sets


def _check_keep(question_set: QuestionSetSettings, where: str) -> None:
    keep = question_set.keep
    if keep is None:
        return
    found = question_set.kept_if if isinstance(keep, str) else None
    if found is None or found[0] > found[1]:
        raise wrong(where, "expected `solved_by >= k of n` with k up to n, such as 2 of 2", keep)


def _without(given: Any, where: str) -> tuple[str, ...]:
    if not isinstance(given, list):
        raise wrong(where, f"expected a list of {', '.join(AMBIGUITIES)}", given)
    return tuple(one_of("ambiguity", name, AMBIGUITIES, where) for name in given)
