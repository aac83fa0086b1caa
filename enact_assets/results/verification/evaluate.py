"""All answers of a partition parsed and verified: the table ``evaluation``."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.engine.errors import EvaluationError
from enact_assets.questions.asked.choices import read_letter
from enact_assets.questions.asked.parsing import Labels, Reader, read_answer
from enact_assets.questions.asked.release_parsing import FAILED, read_both, read_release_answer
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.results.verification.shared_changes import SharedChanges
from enact_assets.results.verification.tables import Evaluation
from enact_assets.results.verification.verify import Verdicts, Verifier, VerifierQuestion
from enact_assets.settings.world import KINDS, LETTERS

_QUESTION = (
    "question_id",
    "demonstration",
    "gating",
    "kind",
    "length",
    "key_frames",
    "action_components",
    "reference",
)
_ANSWER = ("model", "variant", "question_id", "repetition", "raw_answer", "error", "stop")
_MAX_LABEL = 2**63 - 1
NO_REPLAY = "no_replay"
"""Why an answer is compared with the reference alone."""


@dataclass(frozen=True)
class AnswerRules:
    """How a profile reads answers, and what it makes of those that name no order."""

    read: Reader
    is_unparsed_wrong: bool
    """Whether an answer that cannot be parsed has scores, all of them zero."""
    has_own_actions: bool
    """Whether actions say their own components; otherwise they say what shows of their steps."""
    heeds_stop: bool
    """Whether refusals are never read as an order, and cut answers only as a whole one."""
    either_rule_aligns: bool
    """See :class:`Verifier`."""


PAPER_ANSWERS = AnswerRules(
    read_answer,
    is_unparsed_wrong=True,
    has_own_actions=True,
    heeds_stop=True,
    either_rule_aligns=False,
)
RELEASE_ANSWERS = AnswerRules(
    read_release_answer,
    is_unparsed_wrong=False,
    has_own_actions=False,
    heeds_stop=False,
    either_rule_aligns=True,
)


def evaluate(
    predictions: pl.DataFrame,
    questions: pl.DataFrame,
    indexes: Mapping[str, ComponentIndex | None],
    rules: AnswerRules,
) -> pl.DataFrame:
    """Parse and verify ``predictions``: one row of ``evaluation`` for each of them, but those to
    unlabelled questions, whose ``answer`` is empty: they are never scored.

    ``questions`` are rows of ``qa``, ``indexes`` the changes of their demonstrations. Missing
    answers have null in every score. Under the paper's rules unparsed ones are wrong (accepted
    false, pairwise accuracy 0); a list with too few labels is parsed, not accepted, and credited
    with the steps that can be matched in order. Refusals are unparsed, and so are cut answers
    without a whole order. Under those of the release unparsed ones have no
    scores, and neither have rows on which the release raises. ``answer`` holds labels up to 64
    bits; larger ones, which label nothing, become the largest. Every answer has a second reading,
    the release's, which is scored by the same rules: labels that are no order are unparsed in it.
    Source: paper A.3.2, definitions.md 6, R14 and R15.

    Questions of WorldPrediction are read and compared by :func:`evaluate_choices`.
    Without a replay (None in ``indexes``) the steps that an order passes are unknown: an answer
    with an order is accepted if that is the reference, and has no other scores.
    Errors: :class:`EvaluationError` for a prediction without its question, a question without its
    index, a question given twice, or, under the paper's rules, one that does not fit its index.
    """
    is_choice = pl.col("kind").is_in(KINDS)
    choices, orders = questions.filter(is_choice), questions.filter(~is_choice)
    if choices.height:
        ids = choices.select("question_id")
        chosen = evaluate_choices(predictions.join(ids, on="question_id", how="semi"), choices)
        rest = predictions.join(ids, on="question_id", how="anti")
        if rest.height:
            chosen = pl.concat([chosen, evaluate(rest, orders, indexes, rules)])
        return Evaluation.arranged(chosen)
    asked = _asked(predictions, questions).filter(pl.col("reference").list.len() > 0)
    has_actions = pl.lit(rules.has_own_actions) & (pl.col("kind") == "inverse")
    actions = pl.when(has_actions).then("action_components")
    columns = asked.select("demonstration", "kind", "key_frames", "reference", actions)
    parts = [VerifierQuestion(*row) for row in columns.iter_rows()]
    raw = asked.get_column("raw_answer")
    n_steps = [len(part.answer) for part in parts]
    stops = asked.get_column("stop") if rules.heeds_stop else None
    read, released = read_both(raw, n_steps, rules.read, stops)
    changes = {name: SharedChanges(index) for name, index in indexes.items() if index is not None}
    unknown = [name for name, index in indexes.items() if index is None]
    has_replay = ~asked.get_column("demonstration").is_in(unknown)
    verifiable = np.flatnonzero(has_replay.to_numpy())
    verifier = Verifier(
        [parts[k] for k in verifiable], changes, either_rule_aligns=rules.either_rule_aligns
    )

    def judged(orders: Sequence[Labels | None]) -> Verdicts:
        return _of_all(
            verifier.verify([orders[k] for k in verifiable.tolist()]), verifiable, parts, orders
        )

    found = judged([labels for labels, _ in read])
    has_failed = pl.Series(found.is_failed, dtype=pl.Boolean)
    if rules.is_unparsed_wrong:
        has_labels = pl.Series([labels is not None for labels, _ in read], dtype=pl.Boolean)
        _check_verified(asked.filter(has_failed & has_labels))
    is_missing = raw.is_null()
    is_parsed = ~(is_missing | has_failed)
    is_scored = ~is_missing if rules.is_unparsed_wrong else is_parsed
    scores = {"is_exact": found.is_exact, "is_accepted": found.is_accepted}
    by_rule = {
        "is_semantic": found.is_semantic,
        "n_steps_passed": found.n_passed,
        "pairwise_accuracy": found.pairwise_accuracy,
    }
    is_ruled = is_scored & has_replay
    reasons = pl.Series([reason for _, reason in read], dtype=pl.String)
    is_accepted, share = _as_released(found, [labels for labels, _ in read], released, judged)
    rows = asked.with_columns(
        answer_status=pl.when(is_missing)
        .then(pl.lit("missing"))
        .when(is_parsed)
        .then(pl.lit("parsed"))
        .otherwise(pl.lit("unparsed")),
        reason=pl.when(is_missing)
        .then(pl.coalesce("error", pl.lit("no_answer")))
        .when(is_parsed)
        .then(reasons)
        .otherwise(reasons.fill_null(FAILED)),
        answer=pl.when(is_parsed).then(_storable([labels for labels, _ in read])),
        n_steps=pl.col("length") - 1,
        **{name: pl.when(is_scored).then(pl.Series(values)) for name, values in scores.items()},
        **{name: pl.when(is_ruled).then(pl.Series(values)) for name, values in by_rule.items()},
        release_answer=pl.when(~is_missing).then(_storable([labels for labels, _ in released])),
        is_accepted_as_release=pl.when(is_scored).then(pl.Series(is_accepted)),
        pairwise_accuracy_as_release=pl.when(is_ruled).then(pl.Series(share)),
        unverified=pl.when(~has_replay).then(pl.lit(NO_REPLAY)),
    )
    return Evaluation.arranged(rows.select(list(Evaluation.schema())))


def evaluate_choices(predictions: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    """The same for questions that name one of four options: an answer is one step. One that cannot
    be read is wrong; a missing one has no score.

    Errors: :class:`EvaluationError` as :func:`evaluate`.
    """
    asked = _asked(predictions, questions)
    read = [
        (None, None) if text is None else read_letter(text, stop)
        for text, stop in asked.select("raw_answer", "stop").iter_rows()
    ]
    labels = [None if letter is None else [LETTERS.index(letter) + 1] for letter, _ in read]
    reasons = pl.Series([reason for _, reason in read], dtype=pl.String)
    is_missing = pl.col("raw_answer").is_null()
    is_right = pl.when(~is_missing).then(pl.col("answer").eq_missing(pl.col("reference")))
    rows = asked.with_columns(answer=pl.Series(labels, dtype=pl.List(pl.Int64))).with_columns(
        answer_status=pl.when(pl.col("raw_answer").is_null())
        .then(pl.lit("missing"))
        .when(pl.col("answer").is_null())
        .then(pl.lit("unparsed"))
        .otherwise(pl.lit("parsed")),
        reason=pl.when(is_missing)
        .then(pl.coalesce("error", pl.lit("no_answer")))
        .otherwise(reasons),
        is_exact=is_right,
        is_semantic=is_right,
        is_accepted=is_right,
        n_steps=pl.lit(1, pl.Int64),
        n_steps_passed=is_right.cast(pl.Int64),
        pairwise_accuracy=is_right.cast(pl.Float64),
        release_answer="answer",
        is_accepted_as_release=is_right,
        pairwise_accuracy_as_release=is_right.cast(pl.Float64),
        unverified=pl.lit(None, pl.String),
    )
    return Evaluation.arranged(rows.select(list(Evaluation.schema())))


def _as_released(
    found: Verdicts,
    orders: Sequence[Labels | None],
    released: Sequence[tuple[Labels | None, bool]],
    judged: Callable[[Sequence[Labels | None]], Verdicts],
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Whether answers are accepted, and their pairwise accuracy, as the release reads them.

    ``found`` are the verdicts on ``orders``, which hold where both readings are the same.
    """
    both = list(zip(orders, released, strict=True))
    is_other = np.array([order != labels for order, (labels, _) in both], np.bool_)
    other = judged([a if is_order and a != order else None for order, (a, is_order) in both])
    is_accepted = np.where(is_other, other.is_accepted & ~other.is_failed, found.is_accepted)
    share = np.where(other.is_failed, 0.0, other.pairwise_accuracy)
    return is_accepted, np.where(is_other, share, found.pairwise_accuracy)


def _of_all(
    found: Verdicts,
    rows: NDArray[np.int64],
    parts: Sequence[VerifierQuestion],
    orders: Sequence[Labels | None],
) -> Verdicts:
    """Verdicts on all answers from those on ``rows``; of the others only ``is_exact`` is known."""
    if len(rows) == len(parts):
        return found
    n = len(parts)
    whole = Verdicts(
        is_failed=np.array([labels is None for labels in orders], np.bool_),
        is_exact=np.array(
            [labels == part.answer for labels, part in zip(orders, parts, strict=True)], np.bool_
        ),
        is_semantic=np.zeros(n, np.bool_),
        n_passed=np.zeros(n, np.int64),
        n_of=np.ones(n, np.int64),
        is_unexplained=np.zeros(n, np.bool_),
    )
    for field in dataclasses.fields(Verdicts):
        getattr(whole, field.name)[rows] = getattr(found, field.name)
    return whole


def _check_verified(failed: pl.DataFrame) -> None:
    """Raise :class:`EvaluationError` if there are questions that could not be verified."""
    if failed.height:
        raise EvaluationError(
            f"{failed.height} answers are to questions that do not fit the key frames of their "
            f"demonstration, first {failed.item(0, 'question_id')} of "
            f"{failed.item(0, 'demonstration')}: questions and scene graphs are of different "
            "demonstrations or versions. Materialize them again."
        )


def _storable(answers: Sequence[Labels | None]) -> pl.Series:
    """Labels as the table holds them; an answer without labels has an empty list here."""
    import pyarrow as pa

    flat = list(chain.from_iterable(labels or () for labels in answers))
    try:
        values = pa.array(flat, pa.int64())
    except OverflowError:
        values = pa.array([min(label, _MAX_LABEL) for label in flat], pa.int64())
    lengths = [len(labels or ()) for labels in answers]
    lists = pa.LargeListArray.from_arrays(pa.array([0, *accumulate(lengths)], pa.int64()), values)
    return pl.Series(lists, dtype=pl.List(pl.Int64))


def _asked(predictions: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    """Each prediction beside its question, whose answer is called ``reference`` here."""
    known = questions.rename({"answer": "reference"}).select(_QUESTION)
    if known.get_column("question_id").is_duplicated().any():
        first = known.filter(pl.col("question_id").is_duplicated()).item(0, "question_id")
        raise EvaluationError(f"questions: {first} is given more than once")
    asked = predictions.select(_ANSWER).join(
        known, on="question_id", how="left", maintain_order="left"
    )
    unknown = asked.filter(pl.col("demonstration").is_null())
    if unknown.height:
        raise EvaluationError(
            f"{unknown.height} of {asked.height} predictions answer questions that are not given, "
            f"first {unknown.item(0, 'question_id')} of {unknown.item(0, 'model')} under "
            f"{unknown.item(0, 'variant')}; materialize predictions again from these questions"
        )
    return asked
