"""What the exact and fast core is to reach, row by row: work, target, measured.

CPU seconds unless a row says wall: the machine may be shared. Start-up (imports, kernels) is
printed apart and is in no row. "Best of n" is after a call that is not counted.
"""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl

from benchmarks import bench_report, bench_statistics
from benchmarks.bench_core import LENGTH, N_KEY_FRAMES, sparse_edges
from benchmarks.bench_scale import run_scale
from benchmarks.chains import PER_LENGTH, PROFILES, QUESTIONS
from benchmarks.evaluation_data import evaluation_set
from benchmarks.measuring import (
    HEADER,
    Row,
    best_of,
    cpu_seconds,
    in_fresh_process,
    megabytes,
    milliseconds,
)
from benchmarks.synthetic import N_FRAMES, generate
from enact_assets.demonstrations.pictures.render_pool import encode_png
from enact_assets.demonstrations.pictures.visibility import visibility_in_world
from enact_assets.demonstrations.replay.embedded import tables_of
from enact_assets.demonstrations.replay.recorded_export import write_recorded
from enact_assets.pipeline.steps.profiles import SEGMENT
from enact_assets.questions.asked.qa import write_questions
from enact_assets.questions.key_frames.deltas import DeltaIndex
from enact_assets.questions.key_frames.segment import segment
from enact_assets.questions.paths.counting import CountedPaths
from enact_assets.questions.paths.sampling import draw_ranks, sample_trajectories
from enact_assets.questions.paths.transition_graph import build_transition_graph
from enact_assets.results.errors.answer_comparison import AnswerComparer
from enact_assets.results.verification.evaluate import RELEASE_ANSWERS, evaluate
from enact_assets.results.verification.release_scores import ReleaseScorer
from enact_assets.settings.classes import Gating
from enact_assets.settings.predicates import STATE_PREDICATES
from enact_assets.settings.profile import PAPER
from enact_assets.settings.registry import BASELINE, load_registry

RECORDED_FRAMES, RECORDED_SEED = 12_000, 6
"""A recording of 107 MB."""
N_KEY_FRAMES_ASKED, N_ASKED = 45, 15
N_MODELS = 30
N_DRAWS = 1_000_000
N_SCALE, SCALE_GOAL, SCALE_GOAL_S = 40, 10_000, 3_600
N_PICTURES = 6
RELEASE_PICTURE_BYTES = 1.9e6
"""Stored per question by the release, the lower of two measurements."""


@dataclass(frozen=True)
class Options:
    """What may be chosen on the command line."""

    demonstrations: int = N_SCALE
    frames: int = N_FRAMES
    models: int = N_MODELS
    draws: int = N_DRAWS
    workers: int = 2


def recorded(_options: Options) -> Iterator[Row]:
    """Segmenting a recording from its file, and the same from tables."""
    replay = generate(RECORDED_SEED, RECORDED_FRAMES)
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder, "small.json"), Path(folder, "large.json")
        write_recorded(generate(0, 600), small)
        write_recorded(replay, large)
        size = large.stat().st_size
        runs = [in_fresh_process("recording", str(small), str(large)) for _ in range(3)]
    found = min(runs, key=lambda run: run["read_s"] + run["segment_s"])
    spent = found["read_s"] + found["segment_s"]
    yield Row(
        f"segment, {RECORDED_FRAMES:,} frames from {megabytes(size)} JSON, profile release",
        "0.8 CPU s, 300 MB",
        f"{spent:.2f} CPU s, {megabytes(found['peak_bytes'])}",
        spent <= 0.8 and found["peak_bytes"] <= 300e6,
        f"{found['n_key_frames']} key frames; best of 3 fresh processes, memory of the whole "
        "process",
    )
    tables = (replay.demonstrations, replay.facts, replay.objects)
    for name, gating in PROFILES.items():
        segment = SEGMENT.of(gating.profile)
        spent = best_of(20, partial(segment, *tables, gating, replay.later_parents))
        yield Row(
            f"segment, same replay from replay tables, profile {name}",
            "10 ms",
            milliseconds(spent),
            spent <= 0.010,
            f"{replay.facts.height} intervals, best of 20",
        )


def questions(_options: Options) -> Iterator[Row]:
    """Questions of one demonstration."""
    for name, n_frames in (("release", 20_000), ("paper", 12_500)):
        asked = (name, N_KEY_FRAMES_ASKED, n_frames, N_ASKED)
        found = in_fresh_process("questions", *map(str, asked), POLARS_MAX_THREADS="1")
        spent = found["median_s"]
        yield Row(
            f"questions, {N_KEY_FRAMES_ASKED} key frames, all lengths, both kinds, {PER_LENGTH} "
            f"each, profile {name}",
            "40 ms",
            milliseconds(spent),
            spent <= 0.040,
            f"from graphs and masks of its key frames to {found['n_questions']} rows of qa; median "
            f"of {N_ASKED} demonstrations, each made once, on one polars thread as in bulk workers",
        )


def verification(options: Options) -> Iterator[Row]:
    """Answers of one model, and of many."""
    asked = evaluation_set()
    answers = [asked.answers(model) for model in range(options.models)]

    def score(models: list[list[str]]) -> None:
        scorer = ReleaseScorer(asked.questions, asked.evidence())
        for given in models:
            scorer.score(given)

    spent = best_of(3, lambda: score(answers[:1]))
    yield Row(
        f"verify {len(asked.questions):,} questions of one model",
        "0.3 s",
        f"{spent:.2f} s",
        spent <= 0.3,
        f"{len(asked.tasks)} demonstrations, changes computed within; best of 3",
    )
    spent = cpu_seconds(lambda: score(answers))
    yield Row(f"the same of {len(answers)} models", "6 s", f"{spent:.1f} s", spent <= 6.0)


def errors(options: Options) -> Iterator[Row]:
    """Answers of many models from what they said to the tables of scores and of errors."""
    asked = evaluation_set()
    questions, indexes = asked.asked(), asked.indexes()
    predictions = [asked.predictions(questions, model) for model in range(options.models)]

    def analyse(models: list[pl.DataFrame]) -> int:
        comparer = AnswerComparer(questions, indexes)
        n_components = 0
        for given in models:
            scores = evaluate(given, questions, indexes, RELEASE_ANSWERS)
            n_components += comparer.compare(scores).components.height
        return n_components

    n_components = analyse(predictions[:1]) * len(predictions)
    spent = cpu_seconds(lambda: analyse(predictions))
    yield Row(
        f"{len(predictions)} models x {len(asked.questions):,} questions: parse, verify, errors, "
        "handedness",
        "20 s",
        f"{spent:.1f} s",
        spent <= 20.0,
        f"checked rows of evaluation, compared_steps and compared_components, about "
        f"{n_components / 1e6:.0f} million of these",
    )


def report(options: Options) -> Iterator[Row]:
    """The page about all answers, and its figures."""
    yield from bench_report.rows(options.models)


def counting(options: Options) -> Iterator[Row]:
    """Exact path counts and draws on a graph whose total passes 2^64."""
    edges = sparse_edges(N_KEY_FRAMES, N_KEY_FRAMES)
    counts = CountedPaths.of(N_KEY_FRAMES, edges, LENGTH)
    spent = best_of(3, lambda: CountedPaths.of(N_KEY_FRAMES, edges, LENGTH))
    total = counts.total(LENGTH)
    yield Row(
        f"DP, {N_KEY_FRAMES:,} key frames, L = {LENGTH}, exact",
        "0.5 s",
        f"{spent:.2f} s",
        spent <= 0.5,
        f"{len(edges):,} edges, total {float(total):.2e}; best of 3",
    )
    counts.unrank(LENGTH, draw_ranks(total, 10, 0))
    spent = cpu_seconds(lambda: counts.unrank(LENGTH, draw_ranks(total, options.draws, 0)))
    yield Row(
        f"draw {options.draws:,} distinct trajectories of length {LENGTH}",
        "5 s",
        f"{spent:.1f} s",
        spent <= 5.0,
        "of the same graph, one core",
    )


def pictures(_options: Options) -> Iterator[Row]:
    """Bytes stored for the pictures of a question."""
    from enact_assets.simulator.rendering.renderer import Renderer
    from enact_assets.simulator.simulate import simulate

    variant = load_registry().variant(BASELINE)
    name = "setting_the_table-0"
    recording = simulate("setting_the_table", 0)
    replay = tables_of(name, recording)
    found = segment(
        replay.demonstrations,
        replay.facts,
        replay.objects,
        Gating("state", PAPER, STATE_PREDICATES),
    )
    frames, graphs = found.segmented_frames, found.scene_graphs
    seen = visibility_in_world(
        recording.world, replay.states, replay.objects, frames, variant.camera, size_px=128
    )
    index = DeltaIndex.from_tables(graphs, seen, replay.objects, PAPER, frames.height)
    graph = build_transition_graph(frames, index)
    drawn = sample_trajectories(frames, graph, PAPER, PER_LENGTH, 0)
    qa = write_questions(drawn, graph, QUESTIONS)
    shown = qa.select(pl.col("key_frames").explode().n_unique()).item()
    renderer = Renderer(recording.world, variant)
    chosen = frames.gather_every(max(1, frames.height // N_PICTURES))["frame"].to_list()
    sizes = [len(encode_png(renderer.render(recording.state(frame)))) for frame in chosen]
    size = sum(sizes) / len(sizes)
    per_question = size * shown / qa.height
    yield Row(
        "stored picture bytes per question at 512 px",
        f"{RELEASE_PICTURE_BYTES / 20 / 1e3:.0f} kB (1/20)",
        f"{per_question / 1e3:.0f} kB (1/{RELEASE_PICTURE_BYTES / per_question:.0f})",
        per_question <= RELEASE_PICTURE_BYTES / 20,
        f"{name}: each of {shown} pictures stored once for {qa.height} questions; mean of "
        f"{len(sizes)} pictures, {size / 1e3:.0f} kB",
    )


def scale(options: Options) -> Iterator[Row]:
    """All stages over many demonstrations; 10,000 are run by ``python -m benchmarks scale``."""
    for name in PROFILES:
        with tempfile.TemporaryDirectory() as folder:
            done = run_scale(
                options.demonstrations,
                Path(folder, "bulk"),
                name,
                n_frames=options.frames,
                workers=options.workers,
            )
        n = done.summary.n_made
        minutes = done.stages_s / n * SCALE_GOAL / 2 / 60
        yield Row(
            f"{SCALE_GOAL:,} synthetic demonstrations of {options.frames:,} frames: tables -> "
            f"questions (16 x {PER_LENGTH}), profile {name}",
            "60 min on 2 cores, 4 GB",
            f"about {minutes:.0f} min, {megabytes(done.summary.peak_bytes)}",
            2 * minutes * 60 <= 2 * SCALE_GOAL_S and done.summary.peak_bytes <= 4e9,
            f"estimated from {n}: {milliseconds(done.stages_s / n)} CPU each, files written "
            f"included, generating ({milliseconds(done.load_s / n)}) not",
        )


def statistics(options: Options) -> Iterator[Row]:
    """Models beside each other, and probes."""
    yield from bench_statistics.rows(options.models)


PARTS: dict[str, Callable[[Options], Iterator[Row]]] = {
    "recorded": recorded,
    "questions": questions,
    "verification": verification,
    "errors": errors,
    "statistics": statistics,
    "report": report,
    "counting": counting,
    "pictures": pictures,
    "scale": scale,
}


def main(parts: list[str] | None = None, options: Options | None = None) -> bool:
    """Print the table; whether every row is reached."""
    started = in_fresh_process("start")
    print(
        f"imports {started['imports_s']:.2f} CPU s, kernels loaded from the cache "
        f"{started['kernels_s']:.2f} CPU s\n"
    )
    print(HEADER, flush=True)
    is_reached = True
    for name in parts or PARTS:
        for row in PARTS[name](options or Options()):
            print(row.as_text(), flush=True)
            is_reached = is_reached and row.is_reached
    return is_reached


def compile_anew() -> None:
    """Print how long the kernels take to compile, in an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        found = in_fresh_process("start", NUMBA_CACHE_DIR=folder)
    print(f"kernels compiled anew: {found['kernels_s']:.1f} CPU s")
