"""The table of docs/activities.md: which cognitive constructs each activity exercises.

``ENACT_WRITE_DOCS=1`` writes the table anew instead of comparing it.
"""

import os
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from simulator.simulated import (
    KeyFrame,
    changed_predicates,
    hands_at_once,
    key_frames,
    recorded,
)

from enact_assets.settings.predicates import STATE_PREDICATES, TRANSITION
from enact_assets.simulator.activities import SHIPPED

DOCUMENT = Path(__file__).parents[3] / "docs" / "activities.md"
BEGIN = "<!-- made by tests/simulator/activities/test_cognitive_constructs.py -->"
END = "<!-- end -->"
pytestmark = pytest.mark.slow

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


def predicates(found: KeyFrame) -> set[str]:
    return {change.predicate for change in found.changes}


def row(activity: str) -> list[str]:
    """Its evidence for each construct, from the key frames of seed 0."""
    found = key_frames(activity)
    steps = found[1:]
    rate_hz = recorded(activity).frame_rate_hz
    seconds = [(after.frame - before.frame) / rate_hz for before, after in pairwise(found)]
    left, right = (
        sum(f"{hand}Grasping" in predicates(step) for step in steps) for hand in ("Left", "Right")
    )
    both = sum(hands_at_once(step) == 2 for step in steps)
    changed = set().union(*map(predicates, steps))
    return [
        activity,
        str(len(steps)),
        str(sum(len(step.changes) > 1 for step in steps)),
        str(sum(not hands_at_once(step) for step in steps)),
        ", ".join(use for predicate, use in USES.items() if predicate in changed),
        f"{left} / {right} / {both}",
        f"{min(seconds):.1f} to {max(seconds):.1f}",
    ]


def test_the_table_of_constructs_is_what_the_activities_do() -> None:
    rows = [
        [
            *("activity", "steps", "action-effect: several changes", "causal: no hand changes"),
            *("affordances", "embodied: left / right / both", "temporal: seconds per step"),
        ],
        ["---", "---:", "---:", "---:", "---", "---:", "---:"],
        *(row(activity) for activity in sorted(SHIPPED)),
    ]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
    text = DOCUMENT.read_text("utf-8")
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    if os.environ.get("ENACT_WRITE_DOCS"):
        DOCUMENT.write_text(f"{text[:begin]}\n{table}\n{text[end:]}", encoding="utf-8")
    else:
        assert text[begin:end].strip() == table
    # A kind of change that is in one activity only is no guarantee: it can be changed or left out.
    kinds = Counter(kind for name in SHIPPED for kind in changed_predicates(name))
    assert set(kinds) == {*STATE_PREDICATES, TRANSITION}
    assert min(kinds.values()) >= 2, kinds
