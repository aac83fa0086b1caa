"""Small valid replay tables from literals, for tests of any stage."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl

from enact_assets.demonstrations.pictures.tables import Visibility
from enact_assets.demonstrations.replay.tables import Demonstrations, Facts, LaterParents, Objects
from enact_assets.questions.key_frames.tables import SceneGraphs, SegmentedFrames
from enact_assets.questions.paths.tables import TransitionGraph
from enact_assets.settings.frame_ids import FrameIds

DEMONSTRATION = "try-0"
GATING = "state"


def build_demonstrations(
    n_frames: int, demonstration: str = DEMONSTRATION, **others: object
) -> pl.DataFrame:
    """One row; ``others`` are values of columns that matter to the test."""
    row = {
        "demonstration": demonstration,
        "source": "embedded",
        "activity": demonstration.partition("-")[0],
        "seed": 0,
        "n_frames": n_frames,
        "frame_rate_hz": 30.0,
        "world_sha": "none",
        "frame_id_runs": [0, 0],
        **others,
    }
    return Demonstrations.build([row])


def build_recorded(demonstration: str, ids: Sequence[int], **others: object) -> pl.DataFrame:
    """The row of a recording whose frames have these ``ids``, of the activity of its name."""
    runs = list(FrameIds.of(np.array(ids, np.int64)).runs)
    of_file = {"source": "recorded", "activity": demonstration, "seed": None}
    of_file |= {"frame_id_runs": runs, **others}
    return build_demonstrations(len(ids), demonstration, **of_file)


def build_facts(
    *facts: tuple[str, str, str | None, Sequence[tuple[int, int]]],
    demonstration: str = DEMONSTRATION,
) -> pl.DataFrame:
    """Rows from (predicate, subject, object, [(from, to), ...]), unchecked on purpose."""
    rows = [
        (demonstration, predicate, subject, other, start, stop)
        for predicate, subject, other, intervals in facts
        for start, stop in intervals
    ]
    return pl.DataFrame(rows, schema=Facts.schema(), orient="row")


def build_objects(
    *objects: tuple[str, str] | tuple[str, str, Iterable[str]], demonstration: str = DEMONSTRATION
) -> pl.DataFrame:
    """Rows from (name, category[, parents]), unchecked on purpose."""
    rows = [
        (demonstration, name, category, list(*parents), False)
        for name, category, *parents in objects
    ]
    return pl.DataFrame(rows, schema=Objects.schema(), orient="row")


def build_later_parents(
    *rows: tuple[str, int, Iterable[str]], demonstration: str = DEMONSTRATION
) -> pl.DataFrame:
    """Rows from (name, first frame, parents), unchecked on purpose."""
    values = [(demonstration, name, frame, list(parents)) for name, frame, parents in rows]
    return pl.DataFrame(values, schema=LaterParents.schema(), orient="row")


def build_scene_graphs(
    graphs: Sequence[Iterable[tuple[str, str, str | None]]],
) -> pl.DataFrame:
    """One set of facts (predicate, subject, object) per key frame, existence included."""
    rows = [
        (DEMONSTRATION, GATING, k, predicate, subject, other)
        for k, graph in enumerate(graphs)
        for predicate, subject, other in graph
    ]
    rows_table = pl.DataFrame(rows, schema=SceneGraphs.schema(), orient="row")
    return SceneGraphs.check(rows_table)


def build_visibility(fractions: Sequence[dict[str, float]]) -> pl.DataFrame:
    """Share of the picture per object, one mapping per key frame."""
    box = {"x_min_px": 0, "y_min_px": 0, "x_max_px": 0, "y_max_px": 0}
    rows: list[dict[str, Any]] = [
        {
            "demonstration": DEMONSTRATION,
            "gating": GATING,
            "key_frame": k,
            "frame": 100 * k,
            "object_name": name,
            "pixels": 1,
            "fraction": fraction,
            **box,
        }
        for k, shown in enumerate(fractions)
        for name, fraction in shown.items()
    ]
    return Visibility.build(rows)


def build_segmented_frames(frames: int | Iterable[int], **others: object) -> pl.DataFrame:
    """Key frames at ``frames``, or so many at 0, 100, 200, ...; their changes do not matter here.

    ``others`` are values of columns that matter to the test.
    """
    found = range(0, 100 * frames, 100) if isinstance(frames, int) else frames
    rows = [
        {
            "demonstration": DEMONSTRATION,
            "gating": GATING,
            "key_frame": k,
            "frame": frame,
            "frame_id": frame,
            "change_frame": frame - 20 if k else None,
            "similarity": 0.0 if k > 1 else None,
            "changes": ["+Open(fridge)"] if k else [],
            **others,
        }
        for k, frame in enumerate(found)
    ]
    return SegmentedFrames.build(rows)


def build_transition_graph(edges: Iterable[tuple[int, int]]) -> pl.DataFrame:
    rows = [
        {
            "demonstration": DEMONSTRATION,
            "gating": GATING,
            "key_frame_from": i,
            "key_frame_to": j,
            "n_changes": 1,
            "changes": ["+Open(fridge)"],
        }
        for i, j in edges
    ]
    return TransitionGraph.build(rows)
