"""Compiles every kernel, so that no container does: `deploy/Dockerfile` runs it once.

One demonstration goes through the graph, then through the public release's files. What neither
calls is called on arrays of a few numbers. A test holds what this compiles against all kernels.
"""

import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from enact_assets.answers.baselines.order_kernels import violations
from enact_assets.answers.baselines.text_prior import ActionRules
from enact_assets.answers.learned.precedence_kernels import likeliest_order
from enact_assets.answers.world.oepp import fit_mlp
from enact_assets.cli import main
from enact_assets.demonstrations.replay.embedded import replay_embedded
from enact_assets.demonstrations.replay.recorded_export import FLAVOURS, write_recorded
from enact_assets.questions.paths.counting import CountedPaths
from enact_assets.questions.world.annotated_questions import flawless_plans
from enact_assets.questions.world.tables import AnnotatedActions
from enact_assets.results.verification.order_counts_kernels import count_orders_by_step

DEMONSTRATION = "picking_up_toys-0"
BASELINES = ("random", "pixel_continuity", "text_prior")


def run(*arguments: object) -> None:
    """A command of `enact-assets`. Errors: ``SystemExit`` if it fails."""
    if code := main([str(argument) for argument in arguments]):
        raise SystemExit(code)


def through_the_graph(root: Path) -> None:
    """From the simulation to the errors of each answer."""
    asked = [option for name in BASELINES for option in ("--model", name)]
    run(
        *("materialize", "--data", root, "--demonstration", DEMONSTRATION, "--variant", "baseline"),
        *(*asked, "--asset", "error_analysis", "--asset", "question_orders"),
    )


def through_the_release(root: Path) -> None:
    """The same as a recording: read, segmented, asked about, as the public release does."""
    tables = replay_embedded(DEMONSTRATION)
    for flavour in FLAVOURS:
        recording = root / flavour / DEMONSTRATION / "scene_graph_0.json"
        write_recorded(tables, recording, flavour=flavour)
        for profile in ("release", "paper"):
            to = root / f"{flavour}_{profile}"
            run("segment", root / flavour, to, "--profile", profile)
            run("qa", to, root / flavour, to / "qa.jsonl", "--profile", profile, "--no-pictures")


def on_small_arrays() -> None:
    """What only some models and questions call."""
    paths = CountedPaths.of(3, np.array([(0, 1), (0, 2), (1, 2)]), 3)
    paths.rank(3, paths.enumerate(3))
    paths.backtrack_with_uniforms(3, np.zeros((1, 3)))
    count_orders_by_step(np.zeros((3, 3), np.bool_))
    violations(ActionRules([["+Open(a)"], ["-Open(a)"]]).masks(), np.array([[0, 1]]))
    likeliest_order(np.zeros((2, 2)))
    fit_mlp(np.zeros((4, 8)), np.zeros((4, 2)))
    step = {name: "a" for name, of in AnnotatedActions.schema().items() if of == pl.String}
    row = step | {"action": 1, "start_s": 0.0, "end_s": 1.0, "has_error": False, "is_askable": True}
    flawless_plans(pl.DataFrame([row | {"reason": None}], schema=AnnotatedActions.schema()), [1])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        through_the_graph(Path(folder, "data"))
        through_the_release(Path(folder, "files"))
    on_small_arrays()
