"""Error analysis spelled out: the paper's algorithms 2 to 4 in plain loops over texts."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from reference.verification import components, step_passes

Row = tuple[str, str | None, str | None]
"""Outcome, true component, component said."""

_TEXT = re.compile(r"([-+~])(\w+)\((.*)\)")


def parts(text: str) -> tuple[str, str, str]:
    """Sign, predicate, objects."""
    found = _TEXT.fullmatch(text)
    assert found
    return found[1], found[2], found[3]


def is_inverted(true: str, said: str) -> bool:
    (sign, *rest), (other, *other_rest) = parts(true), parts(said)
    return {sign, other} == {"+", "-"} and rest == other_rest


def is_other_predicate(true: str, said: str) -> bool:
    (sign, name, objects), (other_sign, other, other_objects) = parts(true), parts(said)
    return (sign, objects) == (other_sign, other_objects) and name != other


def is_other_entity(true: str, said: str) -> bool:
    (sign, name, objects), (other_sign, other, other_objects) = parts(true), parts(said)
    alike = objects.count(", ") == other_objects.count(", ")
    return (sign, name) == (other_sign, other) and alike and objects != other_objects


CATEGORIES = (
    ("polarity_inversion", is_inverted),
    ("predicate_substitution", is_other_predicate),
    ("entity_substitution", is_other_entity),
)


def compare(true: Iterable[str], said: Iterable[str]) -> list[Row]:
    """What became of each component of two sets, in the order that the tables promise."""
    true, said = sorted(true), sorted(said)
    rows: list[Row] = [("matched", c, c) for c in true if c in said]
    missing = [c for c in true if c not in said]
    made_up = [c for c in said if c not in true]
    for category, is_pair in CATEGORIES:
        for m in list(missing):
            for h in list(made_up):
                if is_pair(m, h):
                    rows.append((category, m, h))
                    missing.remove(m)
                    made_up.remove(h)
                    break
    rows += [("omission", m, None) for m in missing]
    rows += [("hallucination", None, h) for h in made_up]
    return rows


def count_hands(true: set[str], said: set[str]) -> dict[str, int]:
    """Per hand the sizes of the sets, and what is mixed up with the other hand."""
    found = {}
    for hand, other in (("Left", "Right"), ("Right", "Left")):
        here = {c for c in true if f"{hand}Grasping(" in c}
        there = {c for c in said if f"{hand}Grasping(" in c}
        made_up = [c for c in said - true if f"{other}Grasping(" in c]
        is_mixed = not there - true and bool(made_up)
        name = f"n_{hand.lower()}"
        found |= {
            f"{name}_reference": len(here),
            f"{name}_predicted": len(there),
            f"{name}_matched": len(here & there),
            f"{name}_mixed": len(here - there) if is_mixed else 0,
        }
    return found


def compare_step(true: set[str], said: set[str]) -> tuple[dict[str, int], list[Row]]:
    """Counts of one step, and its rows."""
    rows = compare(true, said)
    counts = {
        "n_reference": len(true),
        "n_predicted": len(said),
        "n_matched": len(true & said),
        "n_missing": len(true - said),
        "n_hallucinated": len(said - true),
        **count_hands(true, said),
    }
    for name in (*(category for category, _ in CATEGORIES), "omission", "hallucination"):
        counts[f"n_{name}s"] = sum(outcome == name for outcome, _, _ in rows)
    return counts, rows


def compare_order(
    question: dict[str, Any], order: Sequence[int], deltas: Any
) -> list[tuple[bool, dict[str, int], list[Row]]]:
    """Per step of an order: whether it passes, its counts, its rows."""
    passes = step_passes(question, order, deltas)
    is_exact = list(order) == list(question["answer"])
    frames, before = question["key_frames"], question["shown_key_frames"][0]
    found = []
    for step, label in enumerate(order):
        true = components(deltas.visible(frames[step], frames[step + 1]))
        if question["kind"] == "forward":
            after = question["shown_key_frames"][label]
            said = components(deltas.visible(before, after))
            before = after
        else:
            said = set(question["action_components"][label - 1])
        found.append((passes[step] or is_exact, *compare_step(true, said)))
    return found
