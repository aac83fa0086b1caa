"""Answers compared with true changes: ``compared_steps`` and ``compared_components``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.contracts.errors import EvaluationError
from enact_assets.contracts.predicates import predicate
from enact_assets.error_analysis.categories import OUTCOMES
from enact_assets.error_analysis.changes import AskedSteps
from enact_assets.error_analysis.comparison_kernels import (
    HAND_COLUMNS,
    HANDS,
    MATCHED,
    N_HALLUCINATED,
    N_HANDS,
    N_MISSING,
    N_OUTCOMES,
    N_PREDICTED,
    N_REFERENCE,
    Comparison,
    Ints,
)
from enact_assets.error_analysis.error_tables import ComparedComponents, ComparedSteps
from enact_assets.evaluation.shared_changes import SharedChanges
from enact_assets.segmentation.component_index import ComponentIndex

_QUESTION = (
    *("question_id", "demonstration", "kind", "key_frames", "shown_key_frames"),
    "action_components",
)
_ANSWER = ("model", "variant", "question_id", "repetition", "demonstration")

COUNTS: Mapping[str, int] = {
    "n_reference": N_REFERENCE,
    "n_predicted": N_PREDICTED,
    "n_matched": N_OUTCOMES + MATCHED,
    "n_missing": N_MISSING,
    "n_hallucinated": N_HALLUCINATED,
    **{
        f"n_{outcome}s": N_OUTCOMES + code
        for code, outcome in enumerate(OUTCOMES)
        if code != MATCHED
    },
    **{
        f"n_{hand}_{what}": N_HANDS + HAND_COLUMNS * number + column
        for number, hand in enumerate(HANDS)
        for column, what in enumerate(("reference", "predicted", "matched", "mixed"))
    },
}
"""Column of ``compared_steps`` -> column of what the kernel counts."""


@dataclass(frozen=True)
class Compared:
    """Both tables, of the answers that could be compared."""

    steps: pl.DataFrame
    components: pl.DataFrame


class AnswerComparer:
    """Questions, against which the answers of any number of models are compared.

    ``questions`` are rows of ``qa`` or ``asked_questions``, ``indexes`` the changes of their
    demonstrations. Changes are computed once and kept: share it between models, not threads.
    Errors: :class:`EvaluationError` for a question without its index, or given twice.
    """

    def __init__(self, questions: pl.DataFrame, indexes: Mapping[str, ComponentIndex]) -> None:
        asked = questions.select(_QUESTION)
        if asked["question_id"].is_duplicated().any():
            first = asked.filter(pl.col("question_id").is_duplicated()).item(0, "question_id")
            raise EvaluationError(f"questions: {first} is given more than once")
        absent = sorted(set(asked["demonstration"]) - set(indexes))
        if absent:
            raise EvaluationError(
                f"{len(absent)} demonstrations have no index of changes, first {absent[0]}; "
                "materialize their scene_graphs and visibility"
            )
        changes = {name: SharedChanges(index) for name, index in indexes.items()}
        self._groups: list[AskedSteps] = []
        places = []
        for (name, kind), rows in asked.partition_by(
            "demonstration", "kind", as_dict=True, maintain_order=True
        ).items():
            group = AskedSteps(str(kind), rows.to_dicts(), changes[str(name)])
            places.append(
                rows.select("question_id")
                .with_row_index("row")
                .with_columns(
                    group=pl.lit(len(self._groups), pl.Int64), row=pl.col("row").cast(pl.Int64)
                )
            )
            self._groups.append(group)
        self._places = pl.concat(places) if places else pl.DataFrame(schema=_PLACES)
        vocabularies = [group.components for group in self._groups]
        self._first = np.cumsum([0, *map(len, vocabularies)])
        components = [component for found in vocabularies for component in found]
        names = [c.predicate for c in components]
        self._texts = pl.Series([str(c) for c in components], dtype=pl.String)
        self._predicates = pl.Series(names, dtype=pl.String)
        classes = {name: predicate(name).semantic_class for name in set(names)}
        self._classes = pl.Series([classes[name] for name in names], dtype=pl.String)

    def compare(self, evaluation: pl.DataFrame) -> Compared:
        """Compare what was parsed: rows of ``evaluation``, of any number of models.

        An order is compared if it has one shown label for each step. Others, and answers that are
        unparsed or missing, have no rows: they say nothing of any step. Source: paper C.1,
        algorithm 2, which discards answers of another length. Errors: :class:`EvaluationError` for
        an answer without its question.
        """
        answers, places, orders = self._orders(evaluation)
        found: list[tuple[int, Ints, Ints, Comparison, NDArray[np.bool_]]] = []
        for number, at in enumerate(_members(places["group"].to_numpy(), len(self._groups))):
            if at.size:
                n_steps = int((orders[at] > 0).sum(axis=1).max())
                given = np.ascontiguousarray(orders[at, :n_steps])
                group = self._groups[number]
                is_compared, compared, passes = group.compare(places["row"].to_numpy()[at], given)
                lengths = (given > 0).sum(axis=1)[is_compared]
                found.append((number, at[is_compared], lengths, compared, passes))
        return self._tables(answers, found)

    def _orders(self, evaluation: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame, Ints]:
        """Answers to compare, their places among the groups, and their labels filled with -1."""
        parsed = evaluation.filter(pl.col("answer_status") == "parsed")
        answers = parsed.filter(
            (pl.col("answer").list.len() == pl.col("n_steps"))
            & (pl.col("answer").list.min() >= 1)
            & (pl.col("answer").list.max() <= pl.col("n_steps"))
        ).select(*_ANSWER, "n_steps", "is_exact", "answer")
        places = answers.select("question_id").join(
            self._places, on="question_id", how="left", maintain_order="left"
        )
        unknown = places.filter(pl.col("group").is_null())
        if unknown.height:
            raise EvaluationError(
                f"{unknown.height} of {answers.height} answers are to questions that are not "
                f"given, first {unknown.item(0, 'question_id')}; materialize evaluation again"
            )
        n_steps = answers["n_steps"].to_numpy()
        orders = np.full((answers.height, int(n_steps.max(initial=0))), -1, np.int64)
        labels = answers["answer"].explode().drop_nulls().to_numpy()
        orders[np.arange(orders.shape[1]) < n_steps[:, None]] = labels
        return answers, places, orders

    def _tables(
        self,
        answers: pl.DataFrame,
        found: Sequence[tuple[int, Ints, Ints, Comparison, NDArray[np.bool_]]],
    ) -> Compared:
        of_answer, step, counts, passes = [], [], [], []
        of_step, place, outcomes = [], [], []
        reference: list[Ints] = []
        predicted: list[Ints] = []
        n_steps = 0
        for number, at, lengths, compared, passed in found:
            of_answer.append(np.repeat(at, lengths))
            step.append(_counted(lengths))
            counts.append(compared.counts)
            passes.append(passed)
            sizes = np.diff(compared.offsets)
            of_step.append(n_steps + np.repeat(np.arange(sizes.size), sizes))
            place.append(_counted(sizes))
            outcomes.append(compared.outcomes)
            for into, sides in ((reference, compared.reference), (predicted, compared.predicted)):
                into.append(np.where(sides >= 0, sides + self._first[number], -1))
            n_steps += sizes.size
        if not found:
            return Compared(ComparedSteps.empty(), ComparedComponents.empty())
        rows = answers.select(*_ANSWER, "is_exact")[np.concatenate(of_answer)].with_columns(
            step=pl.Series(np.concatenate(step))
        )
        all_counts = np.concatenate(counts)
        steps = rows.with_columns(
            # An order that is right to the letter passes, whatever the rule says of its steps.
            is_passed=pl.Series(np.concatenate(passes)) | pl.col("is_exact"),
            **{name: pl.Series(all_counts[:, column]) for name, column in COUNTS.items()},
        ).drop("is_exact")
        true, said = (_gatherable(sides) for sides in (reference, predicted))
        named = true.fill_null(said)
        components = rows.drop("is_exact")[np.concatenate(of_step)].with_columns(
            place=pl.Series(np.concatenate(place)),
            outcome=pl.Series(OUTCOMES).gather(pl.Series(np.concatenate(outcomes))),
            reference=self._texts.gather(true),
            predicted=self._texts.gather(said),
            predicate=self._predicates.gather(named),
            semantic_class=self._classes.gather(named),
        )
        return Compared(ComparedSteps.arranged(steps), ComparedComponents.arranged(components))


def compare_answers(
    evaluation: pl.DataFrame, questions: pl.DataFrame, indexes: Mapping[str, ComponentIndex]
) -> Compared:
    """``compared_steps`` and ``compared_components`` of one partition of ``evaluation``.

    Errors: as :class:`AnswerComparer`.
    """
    return AnswerComparer(questions, indexes).compare(evaluation)


_PLACES = {"row": pl.Int64, "question_id": pl.String, "group": pl.Int64}


def _members(groups: Ints, n: int) -> list[Ints]:
    """Places of each of ``n`` groups, ascending."""
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.searchsorted(groups[order], np.arange(1, n)))


def _counted(sizes: Ints) -> Ints:
    """1 to size, for each size."""
    ends = np.cumsum(sizes)
    return np.arange(1, int(ends[-1] if sizes.size else 0) + 1) - np.repeat(ends - sizes, sizes)


def _gatherable(sides: Sequence[Ints]) -> pl.Series:
    """Component numbers, null for none."""
    flat = pl.Series(np.concatenate(sides))
    return flat.set(flat < 0, None)
