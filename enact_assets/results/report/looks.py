"""How each model looks in every figure: colour, marker and hatching, chosen by its name.

A name prefers a place in the palette by its hash, and takes the one that least repeats colours and
markers of the others. So equal sets of models look equal in all reports, and a further model
changes few of the others. Reference baselines are grey: no ranked model is.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from enact_assets.engine.ids import seed_from

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6b4c9a", "#8b1a1a")
"""Colours of Okabe and Ito, with a violet for their yellow, which is too faint on white, and a dark
red for their black, which looks like a reference.
"""
MARKERS = ("o", "s", "^", "D", "v", "<", ">", "p")
"""Each differs filled and hollow also at a column's width: a cross, a plus and a star do not."""
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++", "----", "oooo")
REFERENCE_COLOURS = ("#4a4a4a", "#8c8c8c")
REFERENCE_MARKERS = ("d", "<", ">", "p", "h")
REFERENCE_LINE = (0, (4, 1.5, 1, 1.5))


@dataclass(frozen=True)
class Look:
    """How one model is drawn: Matplotlib's colour, marker, and hatching of its bars."""

    colour: str
    marker: str
    hatch: str = ""
    is_reference: bool = False

    def marked(self, *, is_filled: bool = True) -> dict[str, Any]:
        """Arguments of ``plot`` for a marker, filled or hollow."""
        face = self.colour if is_filled else "white"
        return {"color": self.colour, "marker": self.marker, "markerfacecolor": face}

    @property
    def line(self) -> dict[str, Any]:
        """Arguments of ``plot`` for a line with markers."""
        style = REFERENCE_LINE if self.is_reference else "-"
        width = 0.9 if self.is_reference else 1.4
        return {**self.marked(), "linestyle": style, "linewidth": width}

    @property
    def bar(self) -> dict[str, Any]:
        """Arguments of ``barh`` and ``Patch``; colours that repeat differ in their hatching."""
        return {"facecolor": self.colour, "hatch": self.hatch, "edgecolor": "white", "linewidth": 0}


def looks_of(
    models: Iterable[str],
    references: Collection[str] = (),
    taken: Mapping[str, Look] | None = None,
) -> dict[str, Look]:
    """Look of each model; models in ``taken`` keep theirs.

    64 ranked models look different from each other, and eight have colours of their own.
    """
    found = dict(taken or {})
    for name in sorted(set(models) - set(found), key=_seed):
        is_reference = name in references
        others = [look for look in found.values() if look.is_reference == is_reference]
        found[name] = _chosen(_seed(name), others, is_reference=is_reference)
    return found


def _seed(name: str) -> int:
    return seed_from("look", name)


def _chosen(seed: int, others: Collection[Look], *, is_reference: bool) -> Look:
    """The place that repeats the others least; of equal ones the first from the preferred on."""
    colours = REFERENCE_COLOURS if is_reference else COLOURS
    markers = REFERENCE_MARKERS if is_reference else MARKERS
    pairs = Counter((look.colour, look.marker) for look in others)
    n_colour = Counter(look.colour for look in others)
    n_marker = Counter(look.marker for look in others)

    def repeats(place: tuple[int, int]) -> tuple[int, ...]:
        colour, marker = colours[place[0]], markers[place[1]]
        preferred = (place[0] - seed) % len(colours), (place[1] - seed // 64) % len(markers)
        return pairs[colour, marker], n_colour[colour], n_marker[marker], *preferred

    c, m = min(product(range(len(colours)), range(len(markers))), key=repeats)
    hatch = HATCHES[n_colour[colours[c]] % len(HATCHES)]
    return Look(colours[c], markers[m], hatch, is_reference)
