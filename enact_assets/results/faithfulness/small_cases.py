"""Definitions of the paper on inputs that a reader can check: what claims compute.

Scene graphs are lists of facts as text (``Open(fridge)``). Every object is in all of them and
visible, unless a case says otherwise; its label is its name without a number behind ``_``.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from enact_assets.answers.people.alpha import Ratings, nominal_alphas, ordinal_alphas
from enact_assets.demonstrations.pictures.tables import Visibility
from enact_assets.demonstrations.replay.tables import Demonstrations, Facts, Objects
from enact_assets.questions.asked.natural import PHRASINGS
from enact_assets.questions.asked.noise import Vocabulary, perturb
from enact_assets.questions.asked.parsing import read_answer
from enact_assets.questions.asked.wording import word_actions
from enact_assets.questions.key_frames.bit_sets import n_words_of, sets_of
from enact_assets.questions.key_frames.deltas import DeltaIndex
from enact_assets.questions.key_frames.segment import segment
from enact_assets.questions.key_frames.tables import SceneGraphs
from enact_assets.questions.paths.counting import CountedPaths
from enact_assets.results.errors.answer_comparison import COUNTS, component_keys
from enact_assets.results.errors.comparison_kernels import compare_sets
from enact_assets.results.statistics.clusters import ClusterSums, welch
from enact_assets.results.verification.order_counts_kernels import longest_alignment
from enact_assets.results.verification.shared_changes import SharedChanges
from enact_assets.results.verification.verify import Verifier, VerifierQuestion
from enact_assets.settings.classes import EMBEDDED, Gating, NoiseSettings
from enact_assets.settings.components import Component
from enact_assets.settings.predicates import (
    CATALOGUE,
    CONTACT_PREDICATES,
    EXISTS,
    STATE_PREDICATES,
    TRANSITION,
)
from enact_assets.settings.profile import PAPER

Graphs = Sequence[Sequence[str]]
"""Facts that hold at each key frame."""

_NAMED = {"demonstration": "small-0"}
_HERE = {**_NAMED, "gating": "state"}


def differences(
    graphs: Graphs, unseen: Graphs = (), parents: Mapping[str, Sequence[str]] | None = None
) -> dict[str, list[str]]:
    """Components of the change from the first to the last of ``graphs``: ``full`` and ``visible``.

    ``unseen`` are names of invisible objects, per graph; ``parents`` of objects that appear.
    """
    index = _index(graphs, unseen, parents or {})
    visible, full, _ = index.changes(np.array([[0, len(graphs) - 1]]))
    return {
        name: sorted(str(c) for k, c in enumerate(index.components) if _has(words[0], k))
        for name, words in (("full", full), ("visible", visible))
    }


def n_edges(graphs: Graphs) -> int:
    """How many pairs of ``graphs`` may follow each other in a trajectory."""
    return len(_index(graphs, (), {}).edges()[0])


def verdict(kind: str, graphs: Graphs, answer: Sequence[int], unseen: Graphs = ()) -> list[Any]:
    """Of an ``answer`` to the question about ``graphs`` whose labels are shown in the true order:
    whether it is exact, whether it is semantic, steps that pass, and steps.
    """
    n = len(graphs) - 1
    question = VerifierQuestion("small-0", kind, list(range(n + 1)), list(range(1, n + 1)))
    changes = {"small-0": SharedChanges(_index(graphs, unseen, {}))}
    found = Verifier([question], changes, either_rule_aligns=False).verify([list(answer)])
    fields = found.is_exact, found.is_semantic, found.n_passed, found.n_of
    return [field[0].item() for field in fields]


def _index(graphs: Graphs, unseen: Graphs, parents: Mapping[str, Sequence[str]]) -> DeltaIndex:
    facts = [[Component.parse(f"+{text}") for text in graph] for graph in graphs]
    names = {name for graph in facts for fact in graph for name in (fact.subject, fact.object)}
    names = {*names, *parents, *(p for of in parents.values() for p in of)} - {None}
    has_existence = any(fact.predicate == EXISTS for graph in facts for fact in graph)
    rows: list[dict[str, Any]] = []
    seen: list[dict[str, Any]] = []
    box = dict.fromkeys(("x_min_px", "y_min_px", "x_max_px", "y_max_px"), 0)
    for k, graph in enumerate(facts):
        there = {f.subject for f in graph if f.predicate == EXISTS} if has_existence else names
        held = [(f.predicate, f.subject, f.object) for f in graph if f.predicate != EXISTS]
        held += [(EXISTS, str(name), None) for name in there]
        for predicate, subject, other in held:
            fact = {"predicate": predicate, "subject": subject, "object": other}
            rows.append({**_HERE, "key_frame": k, **fact})
        hidden = set(unseen[k]) if k < len(unseen) else set()
        for name in there - hidden:
            sight = {"object_name": name, "pixels": 1000, "fraction": 0.01}
            seen.append({**_HERE, "key_frame": k, "frame": 100 * k, **sight, **box})
    objects = _objects(names, parents)
    return DeltaIndex.from_tables(
        SceneGraphs.build(rows), Visibility.build(seen), objects, PAPER, len(graphs)
    )


def _objects(names: set[Any], parents: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    return Objects.build(
        [
            {
                **_NAMED,
                "object_name": name,
                "category": name.rpartition("_")[0] or name,
                "parents": list(parents.get(name, ())),
                "is_particle_system": False,
            }
            for name in sorted(names)
        ]
    )


def _has(words: Any, k: int) -> bool:
    return bool(int(words[k // 64]) >> (k % 64) & 1)


def key_frames(
    facts: Mapping[str, Sequence[Sequence[int]]],
    n_frames: int,
    constants: Mapping[str, Any] | None = None,
) -> list[list[Any]]:
    """Key frames of a replay of ``n_frames`` frames: frame, frame of the change, similarity.

    ``facts`` gives the frames at which each holds, from and to (exclusive); ``constants`` replace
    those of profile ``paper``.
    """
    profile = dataclasses.replace(PAPER, **(constants or {}))
    parsed = {text: Component.parse(f"+{text}") for text in facts}
    names = {n for c in parsed.values() for n in (c.subject, c.object) if n is not None}
    held = [
        (component.predicate, component.subject, component.object, start, stop)
        for text, component in parsed.items()
        for start, stop in facts[text]
    ]
    held += [(EXISTS, name, None, 0, n_frames) for name in sorted(names)]
    columns = ("predicate", "subject", "object", "frame_from", "frame_to")
    demonstration = {
        **_NAMED,
        "source": EMBEDDED,
        "activity": "small",
        "seed": 0,
        "n_frames": n_frames,
        "frame_rate_hz": 30.0,
        "world_sha": "none",
        "frame_id_runs": [0, 0],
    }
    found = segment(
        Demonstrations.build([demonstration]),
        Facts.build([{**_NAMED, **dict(zip(columns, row, strict=True))} for row in held]),
        _objects(names, {}),
        Gating("state", profile, STATE_PREDICATES),
    ).segmented_frames
    return [list(row) for row in found.select("frame", "change_frame", "similarity").iter_rows()]


def complete_paths(n_key_frames: int, length: int) -> int:
    """Trajectories of ``length`` where every key frame may follow every earlier one."""
    return _complete(n_key_frames, length).total(length)


def _complete(n_key_frames: int, length: int) -> CountedPaths:
    edges = [(i, j) for j in range(n_key_frames) for i in range(j)]
    return CountedPaths.of(n_key_frames, np.array(edges), length)


def paths_ending(n_key_frames: int, edges: Sequence[Sequence[int]], length: int) -> list[int]:
    """Trajectories of ``length`` along ``edges`` that end at each key frame."""
    return CountedPaths.of(n_key_frames, np.array(edges), length).ending(length)


def backtracked(n_key_frames: int, edges: Sequence[Sequence[int]], length: int) -> list[int]:
    """How often weighted backtracking draws each trajectory, the rarest and the most frequent one.

    The draws go through a grid of numbers from [0, 1), so equal chances are equal counts.
    """
    counts = CountedPaths.of(n_key_frames, np.array(edges), length)
    n = 12
    grid = (np.arange(n) + 0.5) / n
    uniforms = np.stack(np.meshgrid(*[grid] * length, indexing="ij"), axis=-1).reshape(-1, length)
    drawn = counts.backtrack_with_uniforms(length, uniforms)
    numbers = np.unique(drawn, axis=0, return_counts=True)[1]
    return [len(numbers), int(numbers.min()), int(numbers.max())]


def distinct_ranks(n_key_frames: int, length: int) -> list[int]:
    """Trajectories of all ranks of :func:`complete_paths`: how many, and how many differ."""
    counts = _complete(n_key_frames, length)
    found = counts.unrank(length, range(counts.total(length)))
    return [len(found), len(np.unique(found, axis=0))]


def aligned(allowed: Sequence[Sequence[int]]) -> int:
    """Steps credited to a list of another length; rows are true steps, columns those of the list,
    1 where the rule of the kind is kept.
    """
    return int(longest_alignment(np.array(allowed, np.bool_)))


def read(text: str, n_steps: int) -> list[Any]:
    """Labels of an answer, and what is wrong with it."""
    return list(read_answer(text, n_steps))


def errors(true: Sequence[str], said: Sequence[str]) -> dict[str, int]:
    """Counts of one step that are not zero: outcomes of its components, and what each hand has."""
    vocabulary = sorted({Component.parse(text) for text in (*true, *said)}, key=str)
    number = {component: k for k, component in enumerate(vocabulary)}
    sides = [[number[Component.parse(text)] for text in of] for of in (true, said)]
    offsets = np.cumsum([0, *map(len, sides)]).astype(np.int64)
    elements = np.array([k for of in sides for k in of], np.int64)
    words = sets_of(elements, offsets, n_words_of(len(vocabulary)))
    row = np.array([0]), np.array([1])
    counts = compare_sets(words, row[0], words, row[1], component_keys(vocabulary)).counts[0]
    return {name: int(counts[column]) for name, column in COUNTS.items() if counts[column]}


def semantic_classes(predicates: Sequence[str]) -> dict[str, str]:
    """Semantic class of each predicate."""
    return {name: CATALOGUE[name].semantic_class for name in predicates}


def classes_of_table_6() -> list[str]:
    """Predicates whose change makes a key frame: facts, and transitions."""
    return sorted((*STATE_PREDICATES, TRANSITION))


def added_by_contact() -> list[str]:
    """Predicates that gating ``contact`` looks at and ``state`` does not."""
    return sorted(set(CONTACT_PREDICATES) - set(STATE_PREDICATES))


def pooled(passed: Sequence[int], steps: Sequence[int]) -> list[float]:
    """Pairwise accuracy of questions: steps over steps, and the mean over questions."""
    shares = np.array(passed)[:, None] / np.array(steps)[:, None]
    clusters = np.arange(len(steps))
    by_steps = ClusterSums.of(shares, clusters, np.array(steps)).means()
    return [float(by_steps[0]), float(ClusterSums.of(shares, clusters).means()[0])]


def clustered_error(groups: Sequence[Sequence[float]]) -> float:
    """Standard error of the mean score, clustered by group (CR2)."""
    scores = np.concatenate([np.array(of, np.float64) for of in groups])
    clusters = np.repeat(np.arange(len(groups)), [len(of) for of in groups])
    return float(ClusterSums.of(scores[:, None], clusters).standard_errors()[0])


def welch_test(first: Sequence[float], second: Sequence[float]) -> list[float | None]:
    """Standard error of the difference of means, and the two-tailed p-value."""
    return list(welch(np.array(first, np.float64), np.array(second, np.float64)))


def alpha(answers: Sequence[Sequence[int]], level: str) -> float:
    """Krippendorff's alpha of ``answers``, those of each question in a row, at level ``nominal`` or
    ``ordinal``.
    """
    unit = np.repeat(np.arange(len(answers)), [len(of) for of in answers])
    value = np.array([answer for of in answers for answer in of])
    ratings = Ratings(unit, value, np.arange(len(answers)), len(answers))
    measure = {"nominal": nominal_alphas, "ordinal": ordinal_alphas}[level]
    return float(measure(ratings, np.ones((1, len(answers))))[0])


def worded(components: Sequence[str], wording: str) -> list[str]:
    """Sentences of an action, in the ``wording`` of a variant."""
    return word_actions([components], "small", wording=wording)


def n_phrasings() -> list[int]:
    """How many phrasings a change of a predicate of table 6 has: the fewest and the most."""
    known = {*STATE_PREDICATES, TRANSITION}
    numbers = [len(texts) for (_, predicate), texts in PHRASINGS.items() if predicate in known]
    return [min(numbers), max(numbers)]


def perturbed(components: Sequence[str], rate: float, seeds: Sequence[int]) -> list[int]:
    """How many of the ``components`` of one step noise of this ``rate`` changes, per seed."""
    words = Vocabulary(("cup", "fridge", "table", "tray"), ("water",), STATE_PREDICATES)
    return [
        perturb([components], "small", NoiseSettings(rate=rate, seed=seed), words)[1]
        for seed in seeds
    ]
