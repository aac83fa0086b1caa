"""Answers compared with true changes: ``compared_steps`` and ``compared_components``.

Compared are the changes of each step of the questions of one demonstration and kind, component by
component. Source of the categories: paper 3.5 and C.1 (algorithm 3), definitions.md 7.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.engine.errors import EvaluationError
from enact_assets.questions.key_frames.bit_sets import n_words_of, sets_of
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.results.errors.comparison_kernels import (
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
    ComponentKeys,
    compare_sets,
)
from enact_assets.results.errors.tables import ComparedComponents, ComparedSteps
from enact_assets.results.verification.order_counts_kernels import are_subsets
from enact_assets.results.verification.shared_changes import KnownChanges, SharedChanges
from enact_assets.results.verification.step_arrays import (
    number_actions,
    padded,
    parse_actions,
    step_pairs,
)
from enact_assets.settings.arrays import Bools, Ints, Words
from enact_assets.settings.components import Component, mirrored_text
from enact_assets.settings.predicates import OTHER_HAND, predicate

_QUESTION = (
    *("question_id", "demonstration", "kind", "key_frames", "shown_key_frames"),
    "action_components",
)
_ANSWER = ("model", "variant", "question_id", "repetition", "demonstration")

OUTCOMES = (
    "matched",
    "polarity_inversion",
    "predicate_substitution",
    "entity_substitution",
    "omission",
    "hallucination",
)
"""Outcomes in the order of their codes in the kernels; all but the first are errors.

*Matched*: the component is in both. The next three pair one that is missing with one that is made
up: *polarity inversion* (same predicate and objects, + for - or - for +), *predicate substitution*
(same objects and sign), *entity substitution* (same predicate and sign). What finds no partner is
an *omission* (true and not said) or a *hallucination* (said and not true).
"""

HAND_OF: Mapping[str, int] = {
    "LeftGrasping": HANDS.index("left"),
    "RightGrasping": HANDS.index("right"),
}
"""Predicate -> its hand. Grasping, which only recordings have, has no hand."""


def component_keys(components: Sequence[Component]) -> ComponentKeys:
    """Arrays about ``components`` for the kernels, in the same order.

    Two components may be paired in a category if their keys for it are equal. Signs are + and -: a
    transition is never inverted. One object or two are different things to say of it (edge and node
    components in the paper), so entities are not substituted across.
    """
    polarity = [
        (c.predicate, c.subject, c.object) if c.operation in ("add", "remove") else None
        for c in components
    ]
    return ComponentKeys(
        _numbered(polarity),
        _numbered([(c.operation, c.subject, c.object) for c in components]),
        _numbered([(c.operation, c.predicate, c.object is None) for c in components]),
        np.array([HAND_OF.get(c.predicate, -1) for c in components], np.int64),
    )


def _numbered(keys: Sequence[object]) -> Ints:
    """Equal numbers for equal keys; -1 for None."""
    numbers: dict[object, int] = {}
    return np.array(
        [-1 if key is None else numbers.setdefault(key, len(numbers)) for key in keys], np.int64
    )


class PossibleSteps(NamedTuple):
    """Steps that orders of one question of n steps may take."""

    step: Ints
    """From 0, (m,)."""
    before: Ints
    after: Ints
    """Image before and after it, or the action; labels, (m,)."""
    raises: Bools
    """Pairs of images that no compared order may take, (n + 1, n + 1)."""
    passes: Bools
    """Whether it passes the rule of verification, (m,)."""
    counts: Ints
    """Columns of :data:`COUNTS`, (m, N_COLUMNS)."""


def possible_steps(n: int, *, has_images: bool) -> tuple[Ints, Ints, Ints]:
    """Step, label before and label after of all steps that orders of ``n`` labels may take; of
    actions nothing comes before, 0.
    """
    labels = np.arange(1, n + 1)
    first = np.zeros(n, np.int64), np.zeros(n, np.int64), labels
    if not has_images:
        return np.repeat(np.arange(n), n), np.zeros(n * n, np.int64), np.tile(labels, n)
    before, after = (each.ravel() for each in np.meshgrid(labels, labels, indexing="ij"))
    before, after = before[before != after], after[before != after]
    later = np.repeat(np.arange(1, n), before.size), np.tile(before, n - 1), np.tile(after, n - 1)
    step, before, after = (np.concatenate(both) for both in zip(first, later, strict=True))
    return step, before, after


class AskedSteps:
    """Questions of one demonstration and kind, against which orders are compared.

    The true step is its *visible* change on both kinds. An order of images says of a step the
    visible change between its two images, an order of actions what the action tells (its true
    components, whatever noise made of them). ``components`` is the vocabulary: that of the index,
    sorted by text, then components of actions that are part of no change.
    """

    def __init__(
        self, kind: str, questions: Sequence[Mapping[str, Any]], changes: SharedChanges
    ) -> None:
        self._is_forward = kind == "forward"
        self._changes = changes
        self._key_frames = padded([q["key_frames"] for q in questions])
        known = tuple(changes.index.components)
        if self._is_forward:
            self._shown = padded([q["shown_key_frames"] for q in questions])
            foreign: tuple[Component, ...] = ()
        else:
            actions, self._shown = number_actions([q["action_components"] for q in questions])
            said = parse_actions(actions)
            foreign = tuple(sorted({c for a in said for c in a} - set(known), key=str))
        self.components = known + foreign
        self._keys = component_keys(self.components)
        self._n_words = n_words_of(len(self.components))
        if not self._is_forward:
            number = {component: k for k, component in enumerate(self.components)}
            elements = [number[c] for action in said for c in action]
            offsets = np.cumsum([0, *map(len, said)])
            self._actions = sets_of(
                np.array(elements, np.int64), offsets.astype(np.int64), self._n_words
            )

    def compare(self, rows: Ints, orders: Ints) -> tuple[Bools, Comparison, Bools]:
        """Compare ``orders`` of the questions ``rows``, label by label.

        Shape: rows (n,), orders (n, width), labels from 1 that each question shows, filled up with
        -1. Returns which orders could be compared (n,), and of these all steps, one after the
        other: the comparison, and whether each passes the rule of verification. What cannot be
        compared leads over a pair of key frames on which the release raises.
        """
        is_step = orders > 0
        key_frames = self._key_frames[rows][:, : orders.shape[1] + 1]
        reference = step_pairs(key_frames, is_step)
        if self._is_forward:
            first = key_frames[:, :1]
            later = np.take_along_axis(self._shown[rows], np.maximum(orders, 0), axis=1)
            predicted = step_pairs(np.concatenate([first, later], axis=1), is_step)
            known = self._changes.at(np.concatenate([reference, predicted]))
            raises = known.visible_fails[tuple(reference.T)] | known.full_fails[tuple(predicted.T)]
        else:
            shown = np.take_along_axis(self._shown[rows], np.maximum(orders - 1, 0), axis=1)
            chosen = shown[is_step]
            known = self._changes.at(reference)
            raises = known.visible_fails[tuple(reference.T)] | known.full_fails[tuple(reference.T)]
        is_compared = np.ones(len(rows), np.bool_)
        is_compared[np.repeat(np.arange(len(rows)), is_step.sum(axis=1))[raises]] = False
        is_kept = np.repeat(is_compared, is_step.sum(axis=1))
        true = known.rows[tuple(reference.T)][is_kept]
        said = (known.rows[tuple(predicted.T)] if self._is_forward else chosen)[is_kept]
        return is_compared, *self._compared(known, true, said)

    def possible(self, row: int) -> PossibleSteps | None:
        """All steps that orders of question ``row`` may take; None if no order can be compared.

        Orders of images lead from the current state, 0, over images 1..n, one of actions may have
        any of them, 1..n, at each step.
        """
        key_frames = self._key_frames[row]
        key_frames = key_frames[key_frames >= 0]
        n = key_frames.size - 1
        true = np.stack([key_frames[:-1], key_frames[1:]], axis=1)
        step, before, after = possible_steps(n, has_images=self._is_forward)
        raises = np.zeros((n + 1, n + 1), np.bool_)
        if self._is_forward:
            images = self._shown[row][: n + 1]
            taken = np.stack([images[before], images[after]], axis=1)
            known = self._changes.at(np.concatenate([true, taken]))
            raises[before, after] = known.full_fails[tuple(taken.T)]
            never = known.visible_fails[tuple(true.T)]
        else:
            known = self._changes.at(true)
            never = known.visible_fails[tuple(true.T)] | known.full_fails[tuple(true.T)]
        if never.any():
            return None
        said = known.rows[tuple(taken.T)] if self._is_forward else self._shown[row][after - 1]
        compared, passes = self._compared(known, known.rows[tuple(true.T)][step], said)
        return PossibleSteps(step, before, after, raises, passes, compared.counts)

    def _compared(self, known: KnownChanges, true: Ints, said: Ints) -> tuple[Comparison, Bools]:
        """Steps (n,) by rows of their true changes and of what is said of them: the comparison, and
        whether each passes the rule of verification.
        """
        visible, full = self._widened(known.visible), self._widened(known.full)
        if self._is_forward:
            passes = are_subsets(visible, true, full, said)
            return compare_sets(visible, true, visible, said, self._keys), passes
        passes = are_subsets(self._actions, said, full, true)
        return compare_sets(visible, true, self._actions, said, self._keys), passes

    def _widened(self, bits: Words) -> Words:
        """Sets over the vocabulary of the index as sets over ours, which begins with it."""
        n_more = self._n_words - bits.shape[1]
        return np.pad(bits, ((0, 0), (0, n_more))) if n_more else bits


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


def with_other_hand(rows: pl.DataFrame, prefix: str = "") -> pl.DataFrame:
    """``rows`` with the columns ``n_left_...`` and ``n_right_...`` in each other's place."""
    sides = [f"{prefix}n_{hand}_" for hand in HANDS]
    return rows.with_columns(
        pl.col(theirs + name.removeprefix(mine)).alias(name)
        for mine, theirs in (sides, sides[::-1])
        for name in rows.columns
        if name.startswith(mine)
    )


@dataclass(frozen=True)
class Compared:
    """Both tables, of the answers that could be compared."""

    steps: pl.DataFrame
    components: pl.DataFrame

    def mirrored(self) -> "Compared":
        """The same as the mirror image of each scene shows it: of the other hand."""
        hands = pl.col("predicate").replace(OTHER_HAND)
        texts = (
            pl.col(side).map_elements(mirrored_text, return_dtype=pl.String)
            for side in ("reference", "predicted")
        )
        return Compared(
            ComparedSteps.arranged(with_other_hand(self.steps)),
            ComparedComponents.arranged(self.components.with_columns(*texts, hands)),
        )


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

        An order is compared if it has one shown label for each step. Other orders, and answers that
        are unparsed or missing, have no rows. Source: paper C.1, algorithm 2, which discards
        answers of another length. Errors: :class:`EvaluationError` for an answer without its
        question.
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
