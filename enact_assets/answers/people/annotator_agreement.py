"""Agreement of annotators: shares, alphas and their intervals, by kind and length."""

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from enact_assets.answers.people.alpha import Ratings, nominal_alphas, ordinal_alphas
from enact_assets.answers.people.tables import HumanAgreement
from enact_assets.engine.ids import seed_from
from enact_assets.settings.arrays import Floats, Ints

N_RESAMPLES = 1_000
"""The paper's number of annotators (B.1.2)."""
PERCENTILES = (2.5, 97.5)
ALL = "all"
LEAST_ANSWERS = 20
"""Questions that an annotator answers at least, to get used to them (WorldPrediction, A.1)."""
ENOUGH = f"at least {LEAST_ANSWERS}"
"""Name of the annotators who answered that many, where others answered fewer."""
ACCEPTED = "_accepted"

Measure = Callable[[Floats], Floats]
"""How often each resample has each question, (R, Q) -> value in each resample, (R,)."""


def agreement(answers: pl.DataFrame, variant: str) -> pl.DataFrame:
    """The table ``human_agreement`` of one variant.

    ``answers``: the last answer of each annotator to each question, with columns ``role``,
    ``annotator``, ``question_id``, ``demonstration``, ``kind``, ``length``, ``answer`` (a list of
    labels, or null: cannot tell) and ``as_accepted`` (the same, with the reference in place of any
    accepted order). Two annotators by themselves have rows over all kinds and lengths. Where some
    answered fewer than ``LEAST_ANSWERS`` questions, there are rows without these, too.
    """
    rows: list[dict[str, Any]] = []
    for (role,), of_role in sorted(answers.partition_by("role", as_dict=True).items()):
        for names, kind, length, part in _parts(of_role):
            for row in _measures(part):
                rows.append({"variant": variant, "role": role, "annotators": names} | row)
                rows[-1] |= {"kind": kind, "length": length}
    return HumanAgreement.build(rows)


def with_enough(answers: pl.DataFrame) -> pl.DataFrame:
    """Those of annotators who worked on ``LEAST_ANSWERS`` questions or more: a row for each
    annotator and question that was answered, "cannot tell" included.
    """
    return answers.filter(pl.len().over("annotator") >= LEAST_ANSWERS)


def _parts(worked: pl.DataFrame) -> Iterator[tuple[str, str | None, int | None, pl.DataFrame]]:
    """Annotators, kind, length and their answers to questions with two answers or more."""
    is_given = pl.col("answer").is_not_null()
    enough = with_enough(worked)
    several = _answered_twice(worked.filter(is_given))
    groups = {ALL: several}
    if enough.height < worked.height:
        groups[ENOUGH] = _answered_twice(enough.filter(is_given))
    for name, of_group in groups.items():
        for kind in (None, *of_group["kind"].unique().sort()):
            of_kind = of_group if kind is None else of_group.filter(kind=kind)
            for length in (None, *of_kind["length"].unique().sort()):
                part = of_kind if length is None else of_kind.filter(length=length)
                if part.height:
                    yield name, kind, length, part
    names = several["annotator"].unique().sort().to_list()
    if len(names) < 3:
        return
    for pair in combinations(names, 2):
        part = _answered_twice(several.filter(pl.col("annotator").is_in(pair)))
        if part.height:
            yield " and ".join(pair), None, None, part


def _answered_twice(answers: pl.DataFrame) -> pl.DataFrame:
    return answers.filter(pl.len().over("question_id") > 1)


def _measures(answers: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Values and intervals of all measures of one set of answers."""
    questions = answers.unique("question_id").sort("question_id")
    clusters = questions["demonstration"].rank("dense").to_numpy().astype(np.int64) - 1
    numbers = dict(zip(questions["question_id"], range(questions.height), strict=True))
    coded = answers.with_columns(
        question=pl.col("question_id").replace_strict(numbers, return_dtype=pl.Int64)
    )
    measures: dict[str, Measure] = {"unanimous": _unanimous(coded)}
    for ending, column in (("", "answer"), (ACCEPTED, "as_accepted")):
        of = coded.with_columns(labels=pl.col(column))
        measures[f"alpha_answers{ending}"] = _of_answers(of, questions.height)
        if coded["answer"].list.len().max() != 1:  # one option has no places
            measures[f"alpha_places{ending}"] = _of_places(of, questions["length"].to_numpy())
    about = {
        "n_annotators": answers["annotator"].n_unique(),
        "n_questions": questions.height,
        "n_demonstrations": int(clusters.max()) + 1,
    }
    by_question = _drawn(questions.height)
    by_demonstration = _drawn(int(clusters.max()) + 1)
    is_one_order = coded.select((pl.col("answer") == pl.col("as_accepted")).all()).item()
    found: dict[str, dict[str, float | None]] = {}
    for name, measure in measures.items():
        plain = name.removesuffix(ACCEPTED)
        if name != plain and is_one_order:
            found[name] = found[plain]
            continue
        low, high = _interval(measure, by_question)
        of_clusters = None if by_demonstration is None else by_demonstration[:, clusters]
        low_d, high_d = _interval(measure, of_clusters)
        found[name] = {
            "value": _value(float(measure(np.ones((1, questions.height)))[0])),
            "low": low,
            "high": high,
            "low_demonstrations": low_d,
            "high_demonstrations": high_d,
        }
    yield from (about | {"measure": name} | values for name, values in found.items())


def _unanimous(answers: pl.DataFrame) -> Measure:
    n = answers.group_by("question").agg(n=pl.col("answer").n_unique()).sort("question")
    is_one = (n["n"].to_numpy() == 1).astype(np.float64)
    return lambda weights: weights @ is_one / weights.sum(axis=1)


def _of_answers(answers: pl.DataFrame, n_questions: int) -> Measure:
    """Unit: the question; value: the whole answer, whatever its length."""
    words = answers["labels"].cast(pl.List(pl.String)).list.join(",")
    question = answers["question"].to_numpy()
    ratings = Ratings(question, _codes(words), np.arange(n_questions), n_questions)
    return partial(nominal_alphas, ratings)


def _of_places(answers: pl.DataFrame, lengths: np.ndarray[Any, Any]) -> Measure:
    """Unit: an item of a question; value: its place. The mean of the lengths, by questions: the
    places of several lengths on one scale would look like agreement.
    """
    long = answers.select("question", "length", item="labels", place=_PLACES).explode(
        "item", "place"
    )
    parts: list[tuple[Ratings, Ints]] = []
    for (length,), rows in sorted(long.partition_by("length", as_dict=True).items()):
        of_length = np.flatnonzero(lengths == length)
        units = rows.select("question", "item").unique(maintain_order=True).with_row_index("unit")
        of = rows.join(units, on=["question", "item"], maintain_order="left")
        question_of = np.searchsorted(of_length, units["question"].to_numpy())
        unit, place = of["unit"].to_numpy().astype(np.int64), of["place"].to_numpy()
        parts.append((Ratings(unit, place, question_of, of_length.size), of_length))

    def measure(weights: Floats) -> Floats:
        total, n = np.zeros(len(weights)), np.zeros(len(weights))
        for ratings, of_length in parts:
            drawn = weights[:, of_length]
            alphas, n_drawn = ordinal_alphas(ratings, drawn), drawn.sum(axis=1)
            is_known = ~np.isnan(alphas)
            total[is_known] += (alphas * n_drawn)[is_known]
            n[is_known] += n_drawn[is_known]
        found: Floats = np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
        return found

    return measure


_PLACES = pl.int_ranges(pl.col("labels").list.len())


def _codes(words: pl.Series) -> np.ndarray[Any, np.dtype[np.int64]]:
    return words.rank("dense").to_numpy().astype(np.int64) - 1


@cache
def _drawn(n: int) -> Floats | None:
    """How often each resample has each of ``n``, (R, n); None where nothing would vary."""
    if n < 2:
        return None
    random = np.random.default_rng(seed_from("agreement", n))
    drawn = random.multinomial(n, np.full(n, 1 / n), N_RESAMPLES).astype(np.float64)
    drawn.flags.writeable = False
    return drawn


def _interval(measure: Measure, weights: Floats | None) -> tuple[float | None, float | None]:
    if weights is None:
        return None, None
    values = measure(weights)
    values = values[~np.isnan(values)]
    if not values.size:
        return None, None
    low, high = np.percentile(values, PERCENTILES)
    return float(low), float(high)


def _value(found: float) -> float | None:
    return None if np.isnan(found) else found
