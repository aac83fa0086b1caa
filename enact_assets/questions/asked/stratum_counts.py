"""How many questions a set gets per kind and length, and why it gets fewer than it wants."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from enact_assets.engine.plurals import named
from enact_assets.questions.asked.templates import KINDS
from enact_assets.settings.classes import QuestionSetSettings, QuestionSettings
from enact_assets.settings.profile import Profile

N_NAMED = 3
"""Demonstrations that a reason names."""
NO_PATHS = "path_counts of {} demonstrations is not materialized"


@dataclass(frozen=True)
class Stratum:
    """Questions of one set, kind and length: ``n`` are there or expected, of ``wanted``.

    ``why`` says why there are fewer; empty if there are not.
    """

    kind: str
    length: int
    wanted: int
    n: int
    why: str = ""


def count_strata(
    path_counts: pl.DataFrame,
    question_set: QuestionSetSettings,
    questions: QuestionSettings,
    profile: Profile,
    *,
    n_missing: int = 0,
    found: pl.DataFrame | None = None,
) -> list[Stratum]:
    """Questions of ``question_set`` by length and kind.

    ``path_counts`` has the rows of all materialized demonstrations of the set's gating;
    ``n_missing`` demonstrations have none yet. ``found`` has the rows of table ``question_set`` of
    this set. Without it the numbers are those that follow from the paths, and each missing
    demonstration counts with the most that one can give. Without missing ones these numbers are
    exact under profile ``paper``, and an upper bound under profile ``release``.
    """
    paths: dict[int, dict[str, int]] = {length: {} for length in profile.lengths}
    columns = ("length", "demonstration", "n_paths")
    for length, demonstration, n_paths in path_counts.select(columns).iter_rows():
        of = paths[length]
        of[demonstration] = of.get(demonstration, 0) + int(n_paths)
    chosen: dict[tuple[str, int], int] | None = None
    if found is not None:
        counts = found.filter("in_question_set").group_by("kind", "length").len()
        chosen = {(kind, length): n for kind, length, n in counts.iter_rows()}
    drawn = questions.trajectories_per_length
    strata = []
    for length in profile.lengths:
        wanted = questions.wanted(question_set, length)
        for kind in KINDS:
            most = profile.most_questions(kind, drawn)
            given = {
                demonstration: profile.most_questions(kind, min(drawn, n))
                for demonstration, n in paths[length].items()
            }
            possible = min(wanted, sum(given.values()))
            if chosen is None:
                n = min(wanted, sum(given.values()) + n_missing * most)
            else:
                n = chosen.get((kind, length), 0)
            why = ""
            if n < possible:
                why = f"question_set is out of date: {possible} are possible"
            elif n < wanted and chosen is not None and n_missing:
                why = NO_PATHS.format(n_missing)
            elif n < wanted:
                why = _why_few(given, most, n_missing)
            strata.append(Stratum(kind, length, wanted, n, why))
    return strata


def _why_few(given: Mapping[str, int], most: int, n_missing: int) -> str:
    """``given`` maps demonstration -> its questions; each gives ``most`` at most."""
    few = sorted((n, demonstration) for demonstration, n in given.items() if n < most)
    if not few:
        n_all = len(given) + n_missing
        return f"too few demonstrations: {n_all} give at most {most} each"
    said = [f"{demonstration} ({n} of {most})" for n, demonstration in few]
    return f"too few paths in {named(said, N_NAMED)}"
