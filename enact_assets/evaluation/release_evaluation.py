"""Answers of a partition scored as the public release does: the table ``evaluation``."""

from collections.abc import Mapping, Sequence
from itertools import accumulate, chain

import polars as pl

from enact_assets.contracts.errors import EvaluationError
from enact_assets.evaluation.evaluation_tables import Evaluation
from enact_assets.evaluation.release_changes import ReleaseDeltas, SharedChanges
from enact_assets.evaluation.release_parsing import FAILED, read_release_answer
from enact_assets.evaluation.release_verification import ReleaseQuestion, ReleaseVerifier

_MAX_LABEL = 2**63 - 1
_SCORES = ("is_exact", "is_semantic", "is_accepted", "n_steps_passed", "pairwise_accuracy")


def evaluate_release(asked: pl.DataFrame, indexes: Mapping[str, object]) -> pl.DataFrame:
    """Verdicts on ``asked``, predictions beside their questions (see ``evaluate.py``).

    The release counts neither an answer it cannot read nor a row on which it raises: both are
    unparsed, with the reason and without scores. ``answer`` holds labels up to 64 bits; larger
    ones, which label nothing, stand as the largest. Source: definitions.md R14
    and R15. Errors: :class:`EvaluationError` for an index that was built by another profile.
    """
    names = asked.get_column("demonstration").unique().sort()
    changes = {name: _shared(name, indexes[name]) for name in names}
    columns = asked.select("demonstration", "kind", "key_frames", "reference")
    questions = [ReleaseQuestion(*row) for row in columns.iter_rows()]
    raw = asked.get_column("raw_answer")
    read = [
        read_release_answer(answer, len(question.answer))
        for answer, question in zip(raw, questions, strict=True)
    ]
    found = ReleaseVerifier(questions, changes).verify([labels for labels, _ in read])
    is_missing = raw.is_null()
    is_parsed = ~(is_missing | pl.Series(found.is_failed, dtype=pl.Boolean))
    contract = Evaluation
    rows = asked.with_columns(
        answer_status=pl.when(is_missing)
        .then(pl.lit("missing"))
        .when(is_parsed)
        .then(pl.lit("parsed"))
        .otherwise(pl.lit("unparsed")),
        reason=pl.when(is_missing)
        .then(pl.coalesce("error", pl.lit("no_answer")))
        .when(~is_parsed)
        .then(pl.Series([reason or FAILED for _, reason in read], dtype=pl.String)),
        answer=_storable([labels for labels, _ in read]),
        is_exact=pl.Series(found.is_exact),
        is_semantic=pl.Series(found.is_semantic),
        is_accepted=pl.Series(found.is_accepted),
        n_steps=pl.col("length") - 1,
        n_steps_passed=pl.Series(found.n_passed),
        pairwise_accuracy=pl.Series(found.pairwise_accuracy),
    ).with_columns(
        pl.when(is_parsed).then(pl.col(name)).alias(name) for name in ("answer", *_SCORES)
    )
    return contract.check(rows.select(list(contract.schema())))


def _shared(demonstration: str, index: object) -> SharedChanges:
    if not isinstance(index, ReleaseDeltas):
        raise EvaluationError(
            f"{demonstration}: profile release needs an index of changes that knows where the "
            f"release fails, not a {type(index).__name__}; build it with the same profile"
        )
    return SharedChanges(index)


def _storable(answers: Sequence[list[int] | None]) -> pl.Series:
    """Labels as the table holds them; what has none has an empty list here."""
    import pyarrow as pa

    flat = list(chain.from_iterable(labels or () for labels in answers))
    try:
        values = pa.array(flat, pa.int64())
    except OverflowError:
        values = pa.array([min(label, _MAX_LABEL) for label in flat], pa.int64())
    lengths = [len(labels or ()) for labels in answers]
    lists = pa.LargeListArray.from_arrays(pa.array([0, *accumulate(lengths)], pa.int64()), values)
    return pl.Series(lists, dtype=pl.List(pl.Int64))
