"""Names of annotators as models: the role and a number, such as ``person_3``."""

import re
from collections import Counter
from collections.abc import Collection

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


def with_pooled(models: Collection[str]) -> set[str]:
    """``models``, and the names of rows about several annotators among them."""
    of_role = Counter(role for model in models if (role := role_of(model)) is not None)
    pooled = {pooled_name(role, k + 1) for role, n in of_role.items() for k in range(n)}
    return {*models, *pooled}
