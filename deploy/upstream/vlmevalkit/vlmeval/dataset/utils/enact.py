"""Reads and scores answers as the public release of ENACT does. Needs Python alone.

An answer is an order of labels from 1: of pictures (forward) or of actions (inverse). A step is one
change between two pictures that follow each other. What an order says of a step is looked up:

- ``passes`` maps what an order names to the steps (from 1) that it passes: two pictures, one right
  after the other (``"0>2"``; 0 is the current state), or an action (``"3"``);
- ``aligns`` is the same for orders of another length than the reference;
- ``raises`` lists pairs of pictures on which the release fails: no step of such an order passes;
- ``is_void`` says that the release fails on a step of the question itself.

This is the evidence of a question. It comes from scene graphs, which the data set does not hold.
"""

import ast
import json
import re

ACCURACIES = ("exact_match", "exact_pairwise", "task_accuracy", "pairwise_accuracy")


def read_order(text, n_steps):
    """The labels that ``text`` names, or None if there is no number in it.

    The last bracket of numbers counts: its last ``n_steps`` entries, shifted so that the least is 1.
    If Python cannot read that bracket as a list, all numbers of the text count as they are.
    """
    brackets = re.findall(r"\[[\d\s,]+\]", text)
    try:
        labels = ast.literal_eval(brackets[-1])[-n_steps:] if brackets else []
        if labels:
            return [label + 1 - min(labels) for label in labels]
    except (SyntaxError, ValueError):
        pass
    try:
        return [int(run) for run in re.findall(r"\d+", text)] or None
    except ValueError:  # more digits than Python converts
        return None


def own_steps(kind, gold):
    """Evidence without scene graphs: what the reference names passes its own steps, nothing else."""
    passes = {name: [step] for step, name in enumerate(_names(kind, gold), start=1)}
    return {"passes": passes, "aligns": passes, "raises": [], "is_void": False}


def read_evidence(path):
    """Question id -> its evidence, from a file with a JSON object per line."""
    with open(path, encoding="utf-8") as file:
        return {row["id"]: row for row in map(json.loads, file)}


def kind_of(question_type):
    """forward or inverse."""
    return "inverse" if "inverse" in question_type.lower() else "forward"


def picture_name(place):
    """What the question calls its picture at ``place``; the same words are drawn on the picture."""
    return f"Next State {place}" if place else "Current State"


def score(text, kind, gold, evidence=None):
    """``ACCURACIES`` of one answer, 0.0 to 1.0. Each is None where the answer is in no mean.

    The release leaves out answers without a number. Without ``evidence`` the last two are unknown,
    so they are None as well.
    """
    order = read_order(text, len(gold))
    if order is None:
        return dict.fromkeys(ACCURACIES)
    exact = float(order == gold)
    same_steps = exact or _share(order, kind, len(gold), own_steps(kind, gold))
    found = {"exact_match": exact, "exact_pairwise": same_steps}
    if evidence is None or (evidence["is_void"] and kind == "inverse"):
        return {**found, "task_accuracy": None, "pairwise_accuracy": None}
    share = exact or _share(order, kind, len(gold), evidence)
    is_right = share == 1.0 and len(order) == len(gold)
    return {**found, "task_accuracy": float(is_right), "pairwise_accuracy": share}


def mean(values):
    """Mean of all values but None; not a number if there is none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else float("nan")


def _names(kind, order):
    if kind == "inverse":
        return [str(label) for label in order]
    return [f"{before}>{after}" for before, after in zip([0, *order], order)]


def _share(order, kind, n_steps, evidence):
    """Share of steps that pass; of orders of another length, those that can be matched in order."""
    is_whole = len(order) == n_steps
    if kind == "inverse":
        # The release drops labels that no action has, and fails on one behind the last step.
        is_void = not is_whole and any(1 <= label <= n_steps for label in order[n_steps:])
        names = _names(kind, [label for label in order if 1 <= label <= n_steps])
        n_of = n_steps
    else:
        names = _names(kind, order)
        is_void = max(order) > n_steps or not set(names).isdisjoint(evidence["raises"])
        n_of = max(len(order), n_steps)
    if is_void or evidence["is_void"]:
        return 0.0
    passed = [evidence["passes" if is_whole else "aligns"].get(name, ()) for name in names]
    if is_whole:
        return sum(step in steps for step, steps in enumerate(passed, start=1)) / n_of
    best = [0] * (n_steps + 1)
    for steps in passed:
        before = list(best)
        for step in range(1, n_steps + 1):
            best[step] = max(best[step - 1], before[step], before[step - 1] + (step in steps))
    return best[n_steps] / n_of
