"""Baselines that read labels and no pictures: they use knowledge of orders, rules and frequencies.
Each answers all questions at once: id of the question -> letter.

Those that choose a plan by its order of labels give scores (n, 4), higher is better, for the four
plans of n questions of one length.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.answers.baselines.order_kernels import violations
from enact_assets.answers.baselines.text_prior import ActionRules
from enact_assets.answers.world.oepp import (
    Fit,
    fit_mlp,
    fit_ridge,
    fit_transformer,
    oepp_scores,
)
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.engine.tables import Of
from enact_assets.questions.world.observed_orders import OrderCounts
from enact_assets.questions.world.plan_options import PlanOptions, chosen_letters, plan_options
from enact_assets.questions.world.tables import ActionStates, AnnotatedActions, TrainingPlans
from enact_assets.settings.arrays import Floats, Ints

Letters = dict[str, str]
KNOWN: dict[str, pl.DataType | type[pl.DataType]] = {
    "recording": pl.String,
    "action": pl.Int64,
    "category": pl.String,
    "duration": pl.Float64,
    "changes": pl.List(pl.String),
    "person": pl.String,
}
"""Columns of :attr:`LabelMaterial.known`."""


SMOOTHING = 0.1
"""Added to every count of a bigram."""


def medoid_scores(pool: Ints) -> Floats:
    """Minus the total number of pairs of clips that are in another order, or not both there, in a
    plan than in the other three.

    Shape: (n, 4, length), numbers of clips from 1 -> (n, 4). It reads no label: if wrong plans are
    made from the right one by few changes, the right one lies in their midst.
    """
    n_clips = int(pool.max(initial=0))
    places = np.full((*pool.shape[:2], n_clips), np.nan)  # of each clip, in each plan
    np.put_along_axis(places, pool - 1, np.arange(pool.shape[2], dtype=float)[None, None], axis=2)
    one, two = np.triu_indices(n_clips, 1)
    order = np.nan_to_num(np.sign(places[:, :, one] - places[:, :, two]))
    differs = order[:, :, None, :] != order[:, None, :, :]
    return np.asarray(-differs.sum(axis=(2, 3)), np.float64)


def markov_scores(counts: OrderCounts, plans: Ints) -> Floats:
    """Log probability of each plan, given its first action, by bigrams with 0.1 added.

    Shape: (n, 4, length), numbers of categories, -1 for one never seen -> (n, 4).
    """
    follows = np.pad(counts.follows, (0, 1))  # -1 is the last, which nothing follows
    n_categories = len(counts.number)
    seen = follows.sum(axis=1, keepdims=True)
    log = np.log((follows + SMOOTHING) / (seen + SMOOTHING * n_categories))
    return np.asarray(log[plans[:, :, :-1], plans[:, :, 1:]].sum(axis=2))


def precedence_scores(counts: OrderCounts, plans: Ints) -> Floats:
    """Sum over pairs of log (n_ab + 1) / (n_ab + n_ba + 2), n_ab plans in which a came before b.

    Shape: as :func:`markov_scores`.
    """
    precedes = np.pad(counts.precedes, (0, 1))
    log = np.log((precedes + 1) / (precedes + precedes.T + 2))
    earlier, later = np.triu_indices(plans.shape[2], 1)
    return np.asarray(log[plans[:, :, earlier], plans[:, :, later]].sum(axis=2))


def rule_scores(changes: Sequence[Sequence[Sequence[str]]], pool: Ints) -> Floats:
    """Minus the rules of ``text_prior`` that each plan breaks, by weight.

    ``changes`` has, for each question and clip of its pool, the changes of its action as text.
    Shape: n lists of one list per clip, (n, 4, length) -> (n, 4).
    """
    scores = np.zeros(pool.shape[:2])
    for k, (actions, orders) in enumerate(zip(changes, pool, strict=True)):
        scores[k] = -violations(ActionRules(actions).masks(), np.ascontiguousarray(orders - 1))
    return scores


def prior_choice(
    options: Mapping[str, tuple[str, int, str]],
    frequency: Mapping[str, int],
    duration: Mapping[tuple[str, int], float],
) -> str:
    """The letter whose clip shows the most frequent category, of these the longest clip.

    ``options``: letter -> recording, action, category. Ties are broken by the clip and never by the
    question: in a set of four questions about the same clips it is right exactly once.
    """

    def rank(letter: str) -> tuple[float, float, str, int]:
        recording, action, category = options[letter]
        long = duration.get((recording, action), 0.0)
        return frequency.get(category, 0), long, recording, action

    return max(options, key=rank)


def known_of(
    states: Of[ActionStates] | None, annotated: Of[AnnotatedActions] | None
) -> pl.DataFrame:
    """Known actions of one source, as :data:`KNOWN`: embedded ones with durations in frames, or
    those of a step file, in s.

    An embedded action without visible changes has those of the first of its category that has some:
    what is visible in environments is never measured.
    """
    none = pl.lit(None)
    if states is not None:
        seen = states.filter(pl.col("changes").list.len() > 0).sort("demonstration", "action")
        of_category = seen.group_by("category").agg(pl.col("changes").first().alias("usual"))
        found = states.join(of_category, on="category", how="left").select(
            pl.col("demonstration").alias("recording"),
            *("action", "category"),
            (pl.col("frame_to") - pl.col("frame_from")).alias("duration"),
            pl.when(pl.col("changes").list.len() > 0)
            .then("changes")
            .otherwise(pl.col("usual").fill_null([]))
            .alias("changes"),
            none.alias("person"),
        )
    elif annotated is not None:
        found = annotated.select(
            *("recording", "action", "category"),
            (pl.col("end_s") - pl.col("start_s")).alias("duration"),
            none.alias("changes"),
            "person",
        )
    else:
        found = pl.DataFrame(schema=KNOWN)
    return found.cast(KNOWN).sort("recording", "action")  # type: ignore[arg-type]


@dataclass(frozen=True)
class LabelMaterial:
    """What these baselines read: questions, candidates, ``known`` actions of all recordings, and
    ``training`` plans, those of the person whom a question shows left out. ``on_progress`` is
    called for each model that is trained.
    """

    questions: pl.DataFrame
    candidates: pl.DataFrame
    known: pl.DataFrame
    training: Of[TrainingPlans]
    on_progress: OnProgress = unheard

    @cached_property
    def options(self) -> list[PlanOptions]:
        """Plans of all ``pp`` questions, by length."""
        return list(plan_options(self.questions, self.candidates))

    @cached_property
    def learned(self) -> list[tuple[str | None, list[str]]]:
        """Who carried out each of the ``training`` plans, and its categories."""
        rows = self.training.sort("plan", "action").group_by("plan", maintain_order=True)
        return rows.agg(pl.col("person").first(), "category").drop("plan").rows()

    def by_person(self) -> Iterator[tuple[PlanOptions, list[list[str]]]]:
        """Questions of one length about one person, and the plans of all others."""
        person_of = dict(self.known.select("recording", "person").unique().iter_rows())
        people = sorted({person_of.get(r) or "" for o in self.options for r in o.recordings})
        for person in people:
            others = [labels for who, labels in self.learned if who is None or who != person]
            for options in self.options:
                own = [r for r in options.recordings if (person_of.get(r) or "") == person]
                if own:
                    yield options.of_recordings(own), others

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        """Recording -> categories of its actions, in order."""
        rows = self.known.group_by("recording", maintain_order=True).agg("category")
        return dict(rows.iter_rows())

    def done(self, options: PlanOptions) -> list[tuple[frozenset[str], frozenset[str]]]:
        """Actions in each question's recording before its first state, and between its states."""
        shown = zip(options.recordings, options.first_action, options.done, strict=True)
        return [
            (frozenset(self.labels[recording][: first - 1]), between)
            for recording, first, between in shown
        ]


Scores = Callable[[OrderCounts, NDArray[np.int64]], NDArray[np.float64]]


def candidate_prior(material: LabelMaterial) -> Letters:
    """``wm``: the clip of the most frequent category, of these the longest."""
    known = material.known
    frequency = dict(known.group_by("category").len().iter_rows())
    duration = {(r, a): s for r, a, s in known.select("recording", "action", "duration").rows()}
    asked = material.questions.filter(task="wm").select("question_id")
    columns = "question_id", "option", "recording", "action", "category"
    shown: dict[str, dict[str, tuple[str, int, str]]] = {}
    for question_id, letter, *clip in (
        material.candidates.join(asked, on="question_id", how="semi").select(columns).iter_rows()
    ):
        shown.setdefault(question_id, {})[letter] = (clip[0], clip[1], clip[2])
    return {q: prior_choice(options, frequency, duration) for q, options in shown.items()}


def medoid(material: LabelMaterial) -> Letters:
    """``pp``: the plan that differs least from the other three."""
    found: Letters = {}
    for options in material.options:
        found |= chosen_letters("medoid", options.ids, medoid_scores(options.pool))
    return found


def plan_rules(material: LabelMaterial) -> Letters:
    """``pp``: the plan that breaks the fewest rules of ``text_prior``, by the visible changes of
    the actions that its clips show. No answer where they are not known.
    """
    rows = material.known.select("recording", "action", "changes").iter_rows()
    changes = {(recording, action): texts for recording, action, texts in rows}
    shown = material.candidates.unique(["question_id", "pool"]).sort("question_id", "pool")
    clips = shown.group_by("question_id", maintain_order=True).agg(
        pl.struct("recording", "action").alias("clips")
    )
    pools = dict(clips.iter_rows())
    found: Letters = {}
    for options in material.options:
        known = [[changes.get(tuple(c.values())) for c in pools[q]] for q in options.ids]
        at = [k for k, texts in enumerate(known) if None not in texts]
        texts = [[t for t in known[k] if t is not None] for k in at]
        ids = [options.ids[k] for k in at]
        if ids:
            found |= chosen_letters("plan_rules", ids, rule_scores(texts, options.pool[at]))
    return found


def by_orders(name: str, scores: Scores) -> Callable[[LabelMaterial], Letters]:
    """``pp``: the plan with the best ``scores`` under the orders of the training plans."""

    def answers(material: LabelMaterial) -> Letters:
        found: Letters = {}
        for options, plans in material.by_person():
            counts = OrderCounts.of(plans, sorted({label for plan in plans for label in plan}))
            shape = options.pool.shape
            numbers = counts.numbers(options.categories.reshape(-1, shape[2]).tolist()).reshape(
                shape
            )
            found |= chosen_letters(name, options.ids, scores(counts, numbers))
        return found

    return answers


OEPP: Mapping[str, Fit] = {
    "oepp_ridge": fit_ridge,
    "oepp_mlp": fit_mlp,
    "oepp_transformer": fit_transformer,
}


def by_oepp(name: str) -> Callable[[LabelMaterial], Letters]:
    """``pp``: the plan nearest to the predicted label vectors, by one of :data:`OEPP`."""

    def answers(material: LabelMaterial) -> Letters:
        found: Letters = {}
        asked = list(material.by_person())
        for k, (options, plans) in enumerate(asked):
            material.on_progress(Progress(k, len(asked), "models of a person and a length", name))
            done = material.done(options)
            scores = oepp_scores(OEPP[name], plans, done, options.categories)
            found |= chosen_letters(name, options.ids, scores)
        return found

    return answers


LABEL_MODELS: Mapping[str, Callable[[LabelMaterial], Letters]] = {
    "candidate_prior": candidate_prior,
    "medoid": medoid,
    "plan_rules": plan_rules,
    "markov": by_orders("markov", markov_scores),
    "precedence": by_orders("precedence", precedence_scores),
    **{name: by_oepp(name) for name in OEPP},
}
"""Name -> what answers all questions of a source."""
