"""What learned references answer, beside chance, shortcuts and halves of the same training.

Questions are drawn as those of the registry, ten trajectories of each length; pictures are rendered
at the size that is trained on, which costs a quarter of those of 512 px and changes no accuracy by
more than half a point. Intervals are those of `model_accuracies`, over demonstrations.
"""

import re
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets import ModelProtocol
from enact_assets.answers.baselines.learned_names import FACT_READER, LEARNED, TRANSFER
from enact_assets.answers.baselines.predict import answers_to, predictions_of
from enact_assets.answers.learned.fitting import learn
from enact_assets.answers.learned.models import learned_model
from enact_assets.answers.learned.training import key_frame_pictures, training_statistics_of
from enact_assets.demonstrations.pictures.recorded_states import key_frame_states
from enact_assets.demonstrations.pictures.visibility import visibility_in_world
from enact_assets.demonstrations.replay.embedded import (
    embedded_world,
    replay_embedded,
)
from enact_assets.engine.errors import SimulationError
from enact_assets.pipeline.steps.profiles import ANSWERS
from enact_assets.questions.asked.qa import write_questions
from enact_assets.questions.asked.shuffles import shuffled_labels
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.questions.key_frames.deltas import DeltaIndex
from enact_assets.questions.key_frames.segment import segment
from enact_assets.questions.paths.ambiguous import find_edges
from enact_assets.questions.paths.sampling import sample_trajectories
from enact_assets.results.statistics.models import compare_models
from enact_assets.results.verification.evaluate import evaluate
from enact_assets.settings.ambiguities import HAND_NEAR
from enact_assets.settings.classes import EMBEDDED
from enact_assets.settings.registry import load_registry
from enact_assets.settings.splits import RESERVED_SEEDS

ACTIVITIES = ("picking_up_toys", "setting_the_table")
SEEDS = (0, 1, 2)
PER_LENGTH, DRAWN = 10, 30
OTHERS = ("random", "pixel_continuity", "text_prior")
READERS = (FACT_READER, TRANSFER)
"""Those that look at every picture by itself."""
HALVES = {"actions": "prompt", "pictures": "shown_key_frames"}
"""Half of a question -> the column that it is in."""
ACTION = re.compile(r"^(\[Action \d+\] ).+$", re.MULTILINE)


@dataclass(frozen=True)
class Asked:
    """Questions about one demonstration, its pictures (n, 128, 128, 3) and its true changes.

    ``hidden`` are steps, by their key frames, after which a hand hides a share of what it let go of
    or is about to take.
    """

    demonstration: str
    questions: pl.DataFrame
    pictures: NDArray[np.uint8]
    index: ComponentIndex
    hidden: Mapping[tuple[int, int], float]


def asked_about(demonstration: str, *, size_px: int) -> Asked:
    """Questions about ``demonstration`` under the baseline, with pictures of ``size_px``."""
    registry = load_registry()
    gating, replay = registry.gating("state"), replay_embedded(demonstration)
    cut = segment(replay.demonstrations, replay.facts, replay.objects, gating)
    frames, world = cut.segmented_frames, embedded_world(replay.demonstrations)
    camera = registry.variant("baseline").camera
    seen = visibility_in_world(world, replay.states, replay.objects, frames, camera)
    profile = gating.profile_of("embedded")
    tables = cut.scene_graphs, seen, replay.objects
    index = DeltaIndex.from_tables(*tables, profile, frames.height)
    graph, _, ambiguous = find_edges(cut, seen, replay.objects, index, gating, EMBEDDED)
    seed = registry.questions.seed
    drawn = sample_trajectories(frames, graph, profile, DRAWN, seed)
    written = write_questions(drawn, graph, registry.questions)
    questions = written.filter(pl.col("draw") < PER_LENGTH).with_columns(
        source=pl.lit(EMBEDDED), told_components="action_components"
    )
    states = key_frame_states(world, replay.states, frames)
    pictures = key_frame_pictures(world, states, size_px=size_px)
    near = ambiguous.filter(ambiguity=HAND_NEAR).sort("share")
    steps = near.select("key_frame_from", "key_frame_to", "share").iter_rows()
    return Asked(demonstration, questions, pictures, index, {(a, b): s for a, b, s in steps})


def evaluated(
    model: str, asked: Asked, learned: ModelProtocol | None = None, *, name: str = ""
) -> pl.DataFrame:
    """Rows of ``evaluation``, the model called ``name``."""
    name_of = asked.demonstration
    # Models know pictures by their hash, over all demonstrations.
    shas = {(name_of, k): f"{name_of} {k}" for k in range(len(asked.pictures))}
    answers = answers_to(
        model, "baseline", asked.questions, lambda _, k: asked.pictures[k], shas, learned=learned
    )
    found = predictions_of(name or model, "baseline", answers)
    rules = ANSWERS.of(load_registry().gating("state").profile)
    return evaluate(found, asked.questions, {asked.demonstration: asked.index}, rules)


def with_other(asked: Asked, half: str) -> Asked:
    """``half`` of each question is that of another one of its kind and length, in random order.

    In its own order it would show how the activity goes on, which training knows too.
    """
    parts = []
    for rows in asked.questions.partition_by("kind", "length", maintain_order=True):
        others = rows[[(k + 1) % rows.height for k in range(rows.height)]].iter_rows(named=True)
        drawn = [_shuffled(other, half) for other in others]
        parts.append(rows.with_columns(pl.Series(HALVES[half], drawn, rows.schema[HALVES[half]])))
    return replace(asked, questions=pl.concat(parts))


def _shuffled(question: Mapping[str, Any], half: str) -> object:
    """Pictures or prompt of ``question``, pictures or actions in an order that says nothing."""
    n = int(question["length"]) - (half == "actions")
    order = [k - 1 for k in shuffled_labels(n, "swapped", question["question_id"])]
    if half == "pictures":
        return [question["shown_key_frames"][k] for k in order]
    texts = iter([question["actions"][k] for k in order])
    return ACTION.sub(lambda found: f"{found[1]}{next(texts)}", question["prompt"])


def trained(statistics: pl.DataFrame, models: Sequence[str] = LEARNED) -> dict[str, ModelProtocol]:
    """Learned models from rows of ``training_statistics``."""
    return {name: learned_model(name, *learn(name, statistics)) for name in models}


def main(
    activities: Sequence[str],
    seeds: Sequence[int],
    keep: Path,
    *,
    n_training: int,
    workers: int,
) -> None:
    """Print accuracies of every reference, and of the reader with swapped halves.

    All learn from the first ``n_training`` of the reserved seeds. Training statistics stay in
    folder ``keep``, a file per demonstration; those that are there are taken as they are.
    """
    begun = time.monotonic()
    keep.mkdir(parents=True, exist_ok=True)
    taken = product(activities, RESERVED_SEEDS[:n_training])
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        files = list(pool.map(partial(_kept, keep), taken))
    parts = [pl.read_parquet(file) for file in files if file is not None]
    statistics = pl.concat(parts)
    n = len(parts)
    print(
        f"training: {time.monotonic() - begun:.0f} s, {n} demonstrations, {statistics.height} "
        "pictures, mirror images among them",
        flush=True,
    )
    models = trained(statistics)
    begun = time.monotonic()
    found, placed = [], []
    taught = [m for m in LEARNED if m != TRANSFER or len(activities) > 1]
    names = [f"{activity}-{seed}" for activity, seed in product(activities, seeds)]
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        for asked in pool.map(partial(asked_about, size_px=128), names):
            found += [evaluated(model, asked) for model in OTHERS]
            of_taught = {m: evaluated(m, asked, models[m]) for m in taught}
            found += of_taught.values()
            placed += [pictures_placed(of_taught[m], asked) for m in READERS if m in of_taught]
            for half in HALVES:
                called = f"{FACT_READER}, {half} of another question"
                other = with_other(asked, half)
                found.append(evaluated(FACT_READER, other, models[FACT_READER], name=called))
    print(f"questions: {time.monotonic() - begun:.0f} s", flush=True)
    print_accuracies(pl.concat(found))
    print_hidden(pl.concat(placed))


def pictures_placed(evaluation: pl.DataFrame, asked: Asked) -> pl.DataFrame:
    """Per model and picture of a forward question: whether it was put where the reference has it,
    and the share of a thing that a hand hides in it, 0 if none.
    """
    truth = {row["question_id"]: row for row in asked.questions.iter_rows(named=True)}
    rows = []
    answered = evaluation.filter(kind="forward", answer_status="parsed")
    answered = answered.filter(pl.col("reason").is_null())
    for model, question_id, answer in answered.select("model", "question_id", "answer").rows():
        question = truth[question_id]
        steps = pairwise(question["key_frames"])
        rows += [
            (model, len(answer), asked.hidden.get(step, 0.0), given == right)
            for step, given, right in zip(steps, answer, question["answer"], strict=True)
        ]
    schema = ("model", "n_steps", "share", "is_right")
    return pl.DataFrame(rows, schema, orient="row")


def print_hidden(placed: pl.DataFrame) -> None:
    """A table: how many pictures are at their place where a hand hides nothing, less than half and
    more, over questions of equal lengths (each length counts as often as it has hidden things).
    """
    print("\n| model | a hand hides | pictures | at their place % | others % | difference |")
    print("|---|---|---:|---:|---:|---:|")
    plain = placed.filter(pl.col("share") == 0)
    for (model,), rows in placed.group_by("model", maintain_order=True):
        for name, low, high in (("up to half", 0.0, 0.5), ("more", 0.5, 1.0)):
            some = rows.filter(pl.col("share").is_between(low, high, closed="right"))
            others = plain.filter(model=model).group_by("n_steps").agg(pl.col("is_right").mean())
            beside = some.join(others, on="n_steps", suffix="_others")
            means = (pl.col("is_right").mean(), pl.col("is_right_others").mean())
            right, other = beside.select(means).row(0)
            if right is not None:
                cells = f"{100 * right:.1f} | {100 * other:.1f} | {100 * (right - other):+.1f}"
                print(f"| {model} | {name} | {some.height:,} | {cells} |")


def _kept(keep: Path, taken: tuple[str, int]) -> Path | None:
    """File with training statistics of a seed of an activity, made if it is not there."""
    activity, seed = taken
    file = keep / f"{activity}-{seed}.parquet"
    try:
        if not file.exists():
            training_statistics_of(activity, [seed]).write_parquet(file)
    except SimulationError as error:
        print(f"not trained on: {error}", flush=True)
        return None
    return file


def print_accuracies(evaluation: pl.DataFrame) -> None:
    """A table: per model and kind accuracies in percent with their 95 % intervals."""
    found, _ = compare_models(evaluation, "baseline")
    of_all = found.filter(pl.col("length").is_null())
    print("| model | kind | metric | accuracy % | 95 % interval |\n|---|---|---|---:|---:|")
    columns = ("model", "kind", "metric", "accuracy", "low", "high")
    for *names, accuracy, low, high in of_all.select(columns).sort(columns[:3]).iter_rows():
        interval = "" if low is None else f"{100 * low:.1f} to {100 * high:.1f}"
        print(f"| {' | '.join(names)} | {100 * accuracy:.1f} | {interval} |")
