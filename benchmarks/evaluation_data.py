"""A question set of the size of the published one, on generated demonstrations, with answers."""

from dataclasses import dataclass
from functools import cache
from itertools import count, islice, pairwise, product
from typing import Any

import numpy as np
import polars as pl

from benchmarks.synthetic import generate
from enact_assets.demonstrations.pictures.observed import visibility_from_observability
from enact_assets.engine.ids import seed_from
from enact_assets.questions.asked.official import (
    OfficialQuestion,
    official_id,
    parse_type,
    question_type,
)
from enact_assets.questions.asked.shuffles import shuffled_labels
from enact_assets.questions.asked.templates import KINDS, Kind
from enact_assets.questions.key_frames.release import segment_release
from enact_assets.questions.key_frames.release_deltas import ReleaseDeltaIndex
from enact_assets.questions.paths.counting import CountedPaths
from enact_assets.questions.paths.sampling import draw_ranks
from enact_assets.results.verification.task_evidence import Evidence
from enact_assets.settings.classes import Gating
from enact_assets.settings.profile import RELEASE
from enact_assets.settings.registry import BASELINE

N_DEMONSTRATIONS = 29
N_QUESTIONS = 8_972
"""Size of the published question set, and of how many demonstrations it is about."""
N_FRAMES = 20_000
"""About 45 key frames."""


@dataclass(frozen=True)
class EvaluationTask:
    """One generated demonstration: changes between its key frames, and how these are called."""

    name: str
    deltas: ReleaseDeltaIndex
    frame_ids: tuple[int, ...]

    def evidence(self) -> Evidence:
        """What verifies its questions; nothing is computed yet."""
        return Evidence.of(self.deltas, self.frame_ids)


@dataclass(frozen=True)
class EvaluationSet:
    """Questions of all lengths and both kinds, spread evenly over the tasks."""

    tasks: tuple[EvaluationTask, ...]
    questions: tuple[OfficialQuestion, ...]

    def evidence(self) -> dict[str, Evidence]:
        """Fresh evidence of all tasks."""
        return {task.name: task.evidence() for task in self.tasks}

    def asked(self) -> pl.DataFrame:
        """The questions as rows of ``qa``, as far as evaluation and error analysis read them."""
        told = {task.name: _ActionTexts(task) for task in self.tasks}
        return pl.DataFrame([told[q.task_name].asked(q) for q in self.questions])

    def indexes(self) -> dict[str, ReleaseDeltaIndex]:
        """The changes of all tasks."""
        return {task.name: task.deltas for task in self.tasks}

    def predictions(self, asked: pl.DataFrame, model: int) -> pl.DataFrame:
        """The answers of ``model`` as rows of ``predictions``."""
        return asked.select(
            "question_id",
            model=pl.lit(f"model {model}"),
            variant=pl.lit(BASELINE),
            raw_answer=pl.Series(self.answers(model)),
            repetition=pl.lit(0, pl.Int64),
            error=pl.lit(None, pl.String),
            stop=pl.lit(None, pl.String),
        )

    def answers(self, model: int) -> list[str]:
        """What the model numbered ``model`` says: texts as models write them.

        Of ten answers six are an order in a sentence, two the right one, one has a label too many
        and one no list; one in a hundred refuses.
        """
        random = np.random.default_rng(seed_from("answers", model))
        styles = random.choice(5, len(self.questions), p=(0.59, 0.2, 0.1, 0.1, 0.01))
        orders = [random.permutation(len(q.gt_answer)) + 1 for q in self.questions]
        return [
            _say(int(style), order.tolist(), question.gt_answer)
            for style, order, question in zip(styles, orders, self.questions, strict=True)
        ]


@cache
def evaluation_set(
    n_demonstrations: int = N_DEMONSTRATIONS,
    n_questions: int = N_QUESTIONS,
    n_frames: int = N_FRAMES,
) -> EvaluationSet:
    """The question set: the same on every machine.

    Seeds count from 0; a demonstration with too few trajectories to choose from is passed over.
    """
    found = ((task, _count(task)) for task in (_task(seed, n_frames) for seed in count()))
    strata = list(product(RELEASE.lengths, KINDS, range(n_demonstrations)))
    n_each, n_more = divmod(n_questions, len(strata))
    tasks = list(
        islice(
            ((t, c) for t, c in found if min(map(c.total, RELEASE.lengths)) > n_each),
            n_demonstrations,
        )
    )
    questions = [
        question
        for k, (length, kind, at) in enumerate(strata)
        for question in _questions(*tasks[at], kind, length, n_each + (k < n_more))
    ]
    return EvaluationSet(tuple(task for task, _ in tasks), tuple(questions))


def _count(task: EvaluationTask) -> CountedPaths:
    pairs, _ = task.deltas.edges()
    return CountedPaths.of(task.deltas.n_key_frames, pairs, RELEASE.max_length)


def _task(seed: int, n_frames: int) -> EvaluationTask:
    replay = generate(seed, n_frames)
    segmented = segment_release(
        replay.demonstrations, replay.facts, replay.objects, Gating("release", RELEASE, ())
    )
    frames = segmented.segmented_frames
    visibility = visibility_from_observability(replay.observability, frames)
    graphs = segmented.scene_graphs
    deltas = ReleaseDeltaIndex.from_tables(graphs, visibility, replay.objects, RELEASE)
    name = str(replay.demonstrations["demonstration"][0])
    return EvaluationTask(name, deltas, tuple(frames["frame_id"]))


def _questions(
    task: EvaluationTask, counts: CountedPaths, kind: Kind, length: int, n: int
) -> list[OfficialQuestion]:
    ranks = draw_ranks(counts.total(length), n, seed_from(task.name, kind, length))
    name = question_type(kind, length)
    questions = []
    for path in counts.unrank(length, ranks).tolist():
        ids = [str(task.frame_ids[k]) for k in path]
        key = official_id(task.name, name, ids)
        gold = shuffled_labels(length - 1, key)
        questions.append(OfficialQuestion(key, name, task.name, ids, [], "", [], gold))
    return questions


class _ActionTexts:
    """What the actions of one task tell, each step's once."""

    def __init__(self, task: EvaluationTask) -> None:
        pairs = np.argwhere(np.tri(len(task.frame_ids), k=-1, dtype=np.bool_).T)
        texts = task.deltas.texts(task.deltas.visible_bits(pairs)).to_list()
        self._told = dict(zip(map(tuple, pairs.tolist()), texts, strict=True))
        self._place = {str(frame): k for k, frame in enumerate(task.frame_ids)}

    def asked(self, question: OfficialQuestion) -> dict[str, Any]:
        kind, length = parse_type(question.type)
        frames = [self._place[frame] for frame in question.key_frame_ids]
        steps = [self._told[pair] for pair in pairwise(frames)]
        shown = [question.gt_answer.index(label) for label in range(1, length)]
        is_forward = kind == "forward"
        return {
            "question_id": question.id,
            "demonstration": question.task_name,
            "gating": "release",
            "kind": kind,
            "length": length,
            "key_frames": frames,
            "shown_key_frames": [frames[0], *(frames[step + 1] for step in shown)]
            if is_forward
            else frames,
            "action_components": steps if is_forward else [steps[step] for step in shown],
            "answer": question.gt_answer,
        }


def _say(style: int, order: list[int], gold: list[int]) -> str:
    match style:
        case 0:
            return f"Looking at the pictures, I think the order is {order}."
        case 1:
            return str(gold)
        case 2:
            return f"```python\n{[*order, order[0]]}\n```"
        case 3:
            return "I choose " + ", then ".join(map(str, order))
    return "I cannot tell from these pictures."
