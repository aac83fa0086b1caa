"""Small real inputs: recordings of a few kilobytes with pictures, and registries for them.

A recorded household in which one thing after another goes from the table to the shelf. Everything
about it is trivial but the path it takes through the pipeline.
"""

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import yaml
from PIL import Image

from benchmarks.chains import QuestionWork
from enact_assets.demonstrations.pictures.recorded_pictures import picture_file
from enact_assets.demonstrations.recordings.folders import CAMERA, SCENE_GRAPH_FILES
from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.demonstrations.replay.recorded_export import write_recorded
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.tables import Demonstrations, States
from enact_assets.engine.ids import content_sha
from enact_assets.engine.tables import table
from enact_assets.questions.key_frames.deltas import DeltaIndex
from enact_assets.questions.paths.counting import count_paths
from enact_assets.questions.paths.sampling import sample_trajectories
from enact_assets.questions.paths.transition_graph import (
    build_transition_graph,
    measure_edited_objects,
)
from enact_assets.settings.classes import RECORDED
from enact_assets.settings.frame_ids import COUNTED_FROM_0
from enact_assets.settings.predicates import EXISTS
from enact_assets.settings.registry import DEFAULT_REGISTRY, load_registry

N_MOVES = 8
FRAMES_PER_MOVE = 80
PICTURE_PX = 64
BOX_PX = 16
CHAIN = ("replays", "segmentation", "visibility", "visible_changes", "path_counts", "trajectories")
"""Six steps of a recorded demonstration; they land twelve tables."""
FURNITURE = ("shelf", "table")
SMALL_RENDERER = {"path_depth": 2, "samples": 1, "size_px": PICTURE_PX}
SMALL_QUESTIONS = {
    "trajectories_per_length": 4,
    "question_set_per_stratum": 20,
    "probe_set_per_stratum": 2,
}


def tiny_replay(name: str, n_moves: int = N_MOVES, *, has_contacts: bool = False) -> ReplayTables:
    """A replay in which ``n_moves`` things are moved; the order depends on ``name``.

    With ``has_contacts`` another thing begins to touch the table between any two moves, which makes
    key frames under a gating that counts contacts.
    """
    things = [f"cup_{k}" for k in range(n_moves)]
    seed = int(content_sha(["tiny", name])[:8], 16)
    order = np.random.default_rng(seed).permutation(n_moves).tolist()
    n_frames = FRAMES_PER_MOVE * (n_moves + 1)
    facts: list[tuple[str, str, str | None, int, int]] = [
        (EXISTS, thing, None, 0, n_frames) for thing in (*FURNITURE, *things)
    ]
    for k, which in enumerate(order, 1):
        moved = k * FRAMES_PER_MOVE
        facts.append(("OnTop", things[which], "table", 0, moved))
        facts.append(("OnTop", things[which], "shelf", moved, n_frames))
    if has_contacts:
        first = FRAMES_PER_MOVE // 2
        for k, thing in enumerate(things):
            facts.append(("Touching", thing, "table", first + k * FRAMES_PER_MOVE, n_frames))
    sights = [
        [CAMERA, thing, 0, n_frames, BOX_PX**2, 0, 0, BOX_PX - 1, BOX_PX - 1] + [PICTURE_PX] * 2
        for thing in (*FURNITURE, *things)
    ]
    objects = [(thing, thing.split("_")[0], None, False) for thing in (*FURNITURE, *things)]
    row: dict[str, Any] = {
        "demonstration": name,
        "source": RECORDED,
        "activity": "moving_cups",
        "seed": None,
        "n_frames": n_frames,
        "frame_rate_hz": 30.0,
        "world_sha": content_sha(["tiny", name, n_moves]),
        "frame_id_runs": list(COUNTED_FROM_0),
    }
    return ReplayTables(
        Demonstrations.build([row]),
        _rows("facts", name, facts),
        _rows("objects", name, objects),
        _rows("observability", name, sights),
        States.empty(),
    )


def _rows(name: str, demonstration: str, rows: Iterable[Iterable[Any]]) -> pl.DataFrame:
    contract = table(name)
    of_demonstration = [
        dict(zip(contract.schema(), (demonstration, *row), strict=True)) for row in rows
    ]
    return contract.build(of_demonstration)


def write_tiny_recording(
    folder: Path,
    name: str,
    n_moves: int = N_MOVES,
    *,
    has_pictures: bool = True,
    has_contacts: bool = False,
) -> Path:
    """``<folder>/<name>``: scene graphs, and a PNG of every frame; returns it."""
    place = folder / name
    place.mkdir(parents=True)
    replay = tiny_replay(name, n_moves, has_contacts=has_contacts)
    write_recorded(replay, place / SCENE_GRAPH_FILES[0], flavour="diff")
    for frame in range(replay.demonstrations.item(0, "n_frames") if has_pictures else 0):
        path = picture_file(place, frame)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(_picture(name, frame))
    return place


def _picture(name: str, frame: int) -> bytes:
    """A PNG of its own for every frame that one can tell apart."""
    random = np.random.default_rng([int(content_sha(["picture", name])[:8], 16), frame])
    tile = PICTURE_PX // 4
    pixels = np.kron(random.integers(0, 255, (4, 4, 3)), np.ones((tile, tile, 1))).astype(np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def chain_by_hand(recording: Path) -> pl.DataFrame:
    """What the steps of ``CHAIN`` compute, without lake, lineage and Dagster: the trajectories."""
    replay = read_recorded(recording / SCENE_GRAPH_FILES[0], recording.name)
    work = QuestionWork.of(replay, load_registry().gating("state"))
    profile, graphs, frames = work.gating.profile, work.scene_graphs, work.segmented_frames
    seen, objects = work.visibility, replay.objects
    index = DeltaIndex.from_tables(graphs, seen, objects, profile, frames.height)
    graph = build_transition_graph(frames, index)
    measure_edited_objects(graph, seen, index)
    count_paths(frames, graph, profile)
    per_length = int(SMALL_QUESTIONS["trajectories_per_length"])
    return sample_trajectories(frames, graph, profile, per_length, 0)


def write_small_registry(
    path: Path,
    *,
    demonstrations: Iterable[str] = (),
    variants: Iterable[str] = ("baseline", "aperture_80", "contact"),
    models: Iterable[str] = ("oracle", "pixel_continuity"),
    **changes: Mapping[str, Any],
) -> Path:
    """The real registry with tiny pictures, few questions and the names given; returns ``path``."""
    entries = yaml.safe_load(DEFAULT_REGISTRY.read_text(encoding="utf-8"))
    entries.pop("demo", None)
    del entries["variants"]["baseline"]["sources"]
    entries["variants"] = {name: entries["variants"][name] for name in variants}
    gatings = {variant["gating"] for variant in entries["variants"].values() if "gating" in variant}
    entries["gatings"] = {name: entries["gatings"][name] for name in sorted(gatings)}
    entries["variants"]["baseline"]["renderer"] = SMALL_RENDERER
    entries["questions"] |= SMALL_QUESTIONS
    entries["demonstrations"] = list(demonstrations)
    entries["models"] = list(models)
    entries |= changes
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(entries), encoding="utf-8")
    return path


def write_default_registry(
    path: Path, *, demonstrations: Iterable[str], camera_of: str | None = None
) -> Path:
    """The real registry with other demonstrations; the camera of one variant changed if told."""
    entries = yaml.safe_load(DEFAULT_REGISTRY.read_text(encoding="utf-8"))
    entries.pop("demo", None)
    entries["demonstrations"] = list(demonstrations)
    if camera_of is not None:
        entries["variants"][camera_of]["camera"] = {"height_offset_m": 0.123}
    path.write_text(yaml.safe_dump(entries), encoding="utf-8")
    return path
