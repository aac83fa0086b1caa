"""Names of annotators as models: the role and a number, such as ``person_3``."""

import re

PERSON, SOLVER, SIMULATED = "person", "solver", "simulated"
POOLED = {PERSON: "people", SOLVER: "solvers", SIMULATED: "simulated"}
"""Role -> name of all its annotators together, in the order of tables."""
ROLES = tuple(POOLED)
"""Roles of annotators. Answers of different roles are never mixed."""
_NAME = re.compile(rf"({'|'.join(ROLES)})_[1-9][0-9]*")


def role_of(model: str) -> str | None:
    """The role in the name of an annotator; None for the name of any other model."""
    found = _NAME.fullmatch(model)
    return None if found is None else found[1]


def pooled_name(role: str, n: int) -> str:
    """``people (3)``: ``n`` annotators of ``role`` as one row of the leaderboard."""
    return f"{POOLED[role]} ({n})"
