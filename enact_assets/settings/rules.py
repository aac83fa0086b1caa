"""The rules by which key frames and valid edges are found, each with the settings that switch it
off: the same code then computes what there would be without it.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from enact_assets.settings.classes import EMBEDDED, Gating
from enact_assets.settings.predicates import CONTACT_PREDICATES, STATE_PREDICATES
from enact_assets.settings.profile import CHANGES, STATES

SMOOTHING, PERSISTENCE, SIMILARITY = "flicker_smoothing", "persistence", "similarity"
TRANSIENTS, GAP = "transient_filter", "gap"
"""Rules of which it is counted at how many frames they decide (:attr:`Rule.counts_as`)."""
Change = Callable[[Gating], Gating]
CONTACTS = frozenset(CONTACT_PREDICATES) - frozenset(STATE_PREDICATES)
NO_LIMIT = 1_000_000


def _unchanged(gating: Gating) -> Gating:
    return gating


def _with_constants(gating: Gating, **constants: Any) -> Gating:
    return dataclasses.replace(gating, profile=dataclasses.replace(gating.profile, **constants))


def _with_release_constants(gating: Gating, **constants: Any) -> Gating:
    release = dataclasses.replace(gating.profile.release_constants, **constants)
    return _with_constants(gating, release=release)


def _without_filter(gating: Gating) -> Gating:
    """Every window is longer than the longest."""
    longest = gating.profile.release_constants.max_window
    return _with_release_constants(gating, min_window=longest + 1)


def _without_contacts(gating: Gating) -> Gating:
    predicates = tuple(p for p in gating.predicates if p not in CONTACTS)
    return dataclasses.replace(gating, predicates=predicates)


def _without_floor(gating: Gating) -> Gating:
    return dataclasses.replace(gating, embedded_min_visible_fraction=None)


def _without_threshold(gating: Gating) -> Gating:
    return _with_constants(_without_floor(gating), min_visible_fraction=0.0)


def _has_contacts(gating: Gating, _source: str) -> bool:
    return not CONTACTS.isdisjoint(gating.predicates)


def _has_floor(gating: Gating, source: str) -> bool:
    return source == EMBEDDED and gating.embedded_min_visible_fraction is not None


def must_name_all(gating: Gating, source: str) -> bool:
    """Whether steps of demonstrations of ``source`` name every change that shows."""
    return source == EMBEDDED and gating.embedded_names_all


def _names_some(gating: Gating) -> Gating:
    return dataclasses.replace(gating, embedded_names_all=False)


def _always(_gating: Gating, _source: str) -> bool:
    return True


@dataclass(frozen=True)
class Rule:
    """One rule. ``off`` changes a gating so that the rule decides nothing.

    ``on`` changes a gating so that the rule is in force, if it is not always. ``exists`` says
    whether a gating has the rule for demonstrations of a source. ``is_search``: it belongs to the
    search for key frames; ``is_about_graphs``: other facts count without it, so key frames and
    scene graphs are found anew. ``is_blind``: without it everything counts as visible.
    ``counts_as`` is its name among frames decided, if it has any. ``moves_pictures``: without it
    every key frame is another frame, whose picture would have to be traced to know its edges.
    """

    name: str
    meaning: str
    off: Change = _unchanged
    on: Change = _unchanged
    exists: Callable[[Gating, str], bool] = _always
    is_search: bool = False
    is_about_graphs: bool = False
    is_blind: bool = False
    counts_as: str | None = None
    moves_pictures: bool = False


_EDGES = (
    Rule(
        "both_visible",
        "objects of a change must be visible at both key frames; without: everything is visible",
        is_blind=True,
    ),
    Rule(
        "min_changes",
        "an edge has at least one visible change; without: or none",
        partial(_with_constants, min_changes=0),
    ),
    Rule(
        "max_changes",
        "an edge has at most so many visible changes; without: any number",
        partial(_with_constants, max_changes=NO_LIMIT),
    ),
)

PAPER_RULES: tuple[Rule, ...] = (
    Rule(
        SMOOTHING,
        "short runs of a fact are flipped",
        partial(_with_constants, flicker_frames=0),
        is_search=True,
        counts_as=SMOOTHING,
    ),
    Rule(
        PERSISTENCE,
        "a change must hold for some frames; without: for one",
        partial(_with_constants, persistence_frames=1),
        is_search=True,
        counts_as=PERSISTENCE,
    ),
    Rule(
        "settle",
        "the first key frame and pictures of changes are taken some frames later; without: at once",
        partial(_with_constants, settle_frames=0),
        is_search=True,
        moves_pictures=True,
    ),
    *(
        Rule(
            f"similarity_of_{compared}",
            f"a change must be less similar than the limit to {to}",
            partial(_with_constants, max_signature_similarity=math.inf),
            on=partial(_with_constants, similarity_of=compared),
            is_search=True,
            counts_as=SIMILARITY,
        )
        for compared, to in (
            (CHANGES, "the last accepted change"),
            (STATES, "the last key frame, both by the facts that hold"),
        )
    ),
    Rule(
        "contact",
        "contacts count as changes",
        _without_contacts,
        exists=_has_contacts,
        is_about_graphs=True,
    ),
    *_EDGES,
    Rule(
        "ambiguous_labels",
        "changes that name one of several changed objects of one label are dropped",
        partial(_with_constants, drops_ambiguous=False),
    ),
    Rule(
        "embedded_floor",
        "embedded objects must be larger than others; without: the profile's threshold counts",
        _without_floor,
        exists=_has_floor,
    ),
    Rule(
        "names_all",
        "an edge of embedded demonstrations names every change that shows; without: or not",
        _names_some,
        exists=must_name_all,
    ),
    Rule(
        "visible_share",
        "a visible object covers more than some share of the picture; without: one pixel",
        _without_threshold,
    ),
)
"""Rules of profile ``paper``, in the order in which they apply."""

RELEASE_RULES: tuple[Rule, ...] = (
    Rule(
        TRANSIENTS,
        "short pulses and gaps of records are mended",
        _without_filter,
        is_search=True,
        counts_as=TRANSIENTS,
    ),
    Rule(
        SIMILARITY,
        "a key frame is less similar than the limit to the one before; without: it differs",
        partial(_with_release_constants, max_similarity=math.inf),
        is_search=True,
        counts_as=SIMILARITY,
    ),
    Rule(
        GAP,
        "key frames lie more than so many ids apart",
        partial(_with_release_constants, min_gap_ids=0),
        is_search=True,
        counts_as=GAP,
    ),
    Rule(
        "settle",
        "a key frame is saved some ids after its change; without: at the next dissimilar frame",
        partial(_with_release_constants, settle_ids=0),
        is_search=True,
    ),
    *_EDGES,
    Rule(
        "visible_share",
        "a visible object covers more than some share of the picture; without: one pixel",
        partial(_with_release_constants, min_visible_percent=0.0),
    ),
)
"""Rules of profile ``release`` that a constant decides."""

MEANINGS: Mapping[str, str] = {r.name: r.meaning for r in (*RELEASE_RULES, *PAPER_RULES)}
"""Rule -> what it demands. Where both profiles have one, they mean the same by it."""
