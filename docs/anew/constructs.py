"""Rows of docs/activities.md: which cognitive constructs of the paper's table 7 a demonstration
exercises, from what changes at its key frames.
"""

from collections.abc import Sequence
from itertools import pairwise

from enact_assets.commands.activity_check import Tried
from enact_assets.settings.components import Component
from enact_assets.simulator.activities import SHIPPED
from enact_assets.simulator.simulation.physics import FRAME_RATE_HZ

BEGIN, END = "<!-- made by docs/make_activity_table.py --constructs -->\n", "<!-- end -->"
COLUMNS = (
    *("activity", "steps", "action-effect: several changes", "causal: no hand changes"),
    *("affordances", "embodied: left / right / both", "temporal: seconds per step"),
)
HEAD = (f"| {' | '.join(COLUMNS)} |", "| --- | ---: | ---: | ---: | --- | ---: | ---: |")
USES = {
    "Open": "opened",
    "ToggledOn": "switched",
    "Inside": "put inside",
    "Contains": "filled",
    "Covered": "covered",
    "Cooked": "cooked",
    "Transition": "made of others",
}
"""What the change of a predicate says that an object is for."""


def construct_row(activity: str, seed_0: Tried) -> str:
    """The evidence for each construct in the key frames of seed 0."""
    steps = seed_0.changes[1:]
    seconds = [(after - before) / FRAME_RATE_HZ for before, after in pairwise(seed_0.frames)]
    hands = [_hands(step) for step in steps]
    left, right = (sum(hand in found for found in hands) for hand in ("Left", "Right"))
    cells = (
        activity,
        len(steps),
        sum(len(step) > 1 for step in steps),
        sum(not found for found in hands),
        ", ".join(use for predicate, use in USES.items() if predicate in seed_0.predicates),
        f"{left} / {right} / {sum(len(found) == 2 for found in hands)}",
        f"{min(seconds):.1f} to {max(seconds):.1f}",
    )
    return f"| {' | '.join(map(str, cells))} |"


def _hands(step: Sequence[Component]) -> set[str]:
    """The hands that take or leave something."""
    names = {change.predicate for change in step}
    return {hand for hand in ("Left", "Right") if f"{hand}Grasping" in names}


def rows_in(page: str, begin: str, head: Sequence[str]) -> dict[str, str]:
    """Rows of the table that comes after ``begin``, by activity."""
    table = page.partition(begin)[2].partition(END)[0].splitlines()[len(head) :]
    return {line.split(" | ")[0].removeprefix("| "): line for line in table}


def with_row(page: str, begin: str, head: Sequence[str], activity: str, row: str) -> str:
    """The page with ``row`` in the place of the one of this activity, if there was one, and without
    those of activities that are gone.
    """
    before, _, rest = page.partition(begin)
    rows = rows_in(page, begin, head) | {activity: row}
    lines = "\n".join([*head, *(rows[key] for key in sorted(rows) if key in SHIPPED)])
    return f"{before}{begin}{lines}\n{END}{rest.partition(END)[2]}"
