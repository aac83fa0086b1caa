"""``enact-assets segment``: recorded replays -> key frames, in the release's file layout.

Scene graphs of key frames, and the differences between them, are in the release's JSON form.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl

from enact_assets.commands.release.evidence import gating_of
from enact_assets.commands.release.layout import (
    SEGMENTED_FILE,
    Task,
    find_tasks,
    output_file,
    refuse_overlap,
)
from enact_assets.commands.release.outcomes import Summary
from enact_assets.commands.release.pictures import pictures_left_out, write_picture
from enact_assets.commands.release.prospects import remarks, segmented
from enact_assets.demonstrations.pictures.observed import visibility_from_observability
from enact_assets.demonstrations.pictures.recorded_pictures import (
    picture_file,
    read_pictures,
)
from enact_assets.demonstrations.recordings.folders import CAMERA
from enact_assets.demonstrations.replay.parents import Parents, parents_over_time
from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.validation import check_replay
from enact_assets.engine.errors import EnactError
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.engine.system.atomic import replacing
from enact_assets.questions.key_frames.landed import SegmentedTables
from enact_assets.settings.predicates import EXISTS, RELATED
from enact_assets.settings.profile import Profile

Graph = dict[str, list[dict[str, Any]]]


def graphs_of(replay: ReplayTables, tables: SegmentedTables) -> list[Graph]:
    """The scene graph of each key frame: nodes and edges sorted by name, states sorted.

    Source: definitions.md R2.
    """
    frames, observability = tables.segmented_frames.sort("key_frame"), replay.observability
    visibility = visibility_from_observability(observability, frames)
    sizes = observability.select("height_px", "width_px").unique(maintain_order=True)
    picture_px = sizes.row(0) if sizes.height else (0, 0)
    category = dict(replay.objects.select("object_name", "category").iter_rows())
    parents = parents_over_time(replay.objects, replay.later_parents)
    facts = tables.scene_graphs.partition_by("key_frame", as_dict=True)
    seen = visibility.partition_by("key_frame", as_dict=True)
    return [
        _graph(
            facts.get((k,), tables.scene_graphs.clear()),
            seen.get((k,), visibility.clear()),
            {name: (category[name], _latest(of, frame)) for name, of in parents.items()},
            picture_px,
        )
        for k, frame in frames.select("key_frame", "frame").iter_rows()
    ]


def _latest(of: Sequence[tuple[int, Parents]], frame: int) -> Parents:
    """The parents that an object has at ``frame``."""
    return next(parents for start, parents in reversed(of) if start <= frame)


def as_official(frame_ids: list[int], graphs: list[Graph]) -> dict[str, Any]:
    """Frame id -> record: the first graph in full, each later one as a diff to the one before."""
    records: dict[str, Any] = {}
    before: Graph | None = None
    for frame_id, graph in zip(frame_ids, graphs, strict=True):
        if before is None:
            records[str(frame_id)] = {**graph, "type": "full"}
        else:
            records[str(frame_id)] = {"type": "diff", **difference(before, graph)}
        before = graph
    return records


def difference(before: Graph, after: Graph) -> dict[str, Graph]:
    """Nodes and edges to add, remove and update between two graphs (definitions.md R2).

    An object is also updated if only its visibility changed, which the public release leaves out,
    so that the graphs can be read back. The release reads nothing of them but their ids.
    """
    parts: dict[str, Graph] = {
        name: {"nodes": [], "edges": []} for name in ("add", "remove", "update")
    }
    for what, key in (("nodes", ("name",)), ("edges", ("from", "to"))):
        old = {tuple(record[k] for k in key): record for record in before[what]}
        new = {tuple(record[k] for k in key): record for record in after[what]}
        parts["add"][what] = [record for name, record in new.items() if name not in old]
        parts["remove"][what] = [record for name, record in old.items() if name not in new]
        parts["update"][what] = [
            record for name, record in new.items() if name in old and old[name] != record
        ]
    return parts


def _graph(
    facts: pl.DataFrame,
    seen: pl.DataFrame,
    about: Mapping[str, tuple[str, Parents]],
    picture_px: tuple[int, int],
) -> Graph:
    boxes = {
        row["object_name"]: [
            row["pixels"],
            row["x_min_px"],
            row["y_min_px"],
            row["x_max_px"],
            row["y_max_px"],
            *picture_px,
        ]
        for row in seen.iter_rows(named=True)
    }
    nodes: dict[str, list[str]] = {}
    edges: dict[tuple[str, str], list[str]] = {}
    for predicate, subject, other in facts.select("predicate", "subject", "object").iter_rows():
        if predicate == EXISTS:
            nodes.setdefault(subject, [])
        elif other is None:
            nodes.setdefault(subject, []).append(predicate)
        else:
            states = edges.setdefault((subject, other), [])
            if predicate != RELATED:
                states.append(predicate)
    return {
        "nodes": [
            {
                "name": name,
                "category": about[name][0],
                "states": sorted(states),
                "visibility": {CAMERA: boxes[name]} if name in boxes else {},
                **({} if about[name][1] is None else {"parent": about[name][1]}),
            }
            for name, states in sorted(nodes.items())
        ],
        "edges": [
            {"from": subject, "to": other, "states": sorted(states)}
            for (subject, other), states in sorted(edges.items())
        ],
    }


def segment_folder(
    input_root: Path,
    output_root: Path,
    profile: Profile,
    *,
    is_dry_run: bool = False,
    on_progress: OnProgress = unheard,
) -> Summary:
    """Key frames of every task below ``input_root``, or of the task in it, written below
    ``output_root``.

    A task that fails is listed in the summary and writes nothing; the others continue. Pictures of
    key frames are copied if the recording has them, else counted as missing. Nothing is written
    outside ``output_root``. A dry run reads and segments, and writes nothing.

    Errors: :class:`RecordingError` if there is no task at all, :class:`OutputError` if a task would
    be written into its own folder.
    """
    summary = Summary(is_dry_run=is_dry_run)
    tasks = find_tasks(input_root, summary, may_be_task=True)
    refuse_overlap(output_root, [input_root])
    for task in tasks:
        refuse_overlap(output_root / task.name, [task.folder])
    sizes = [task.file.stat().st_size for task in tasks]
    in_all, before = sum(sizes), 0
    for task, size in zip(tasks, sizes, strict=True):
        # The number of bytes may be that before decompression.
        def read(
            progress: Progress, *, task: Task = task, before: int = before, size: int = size
        ) -> None:
            on_progress(Progress(before + progress.share * size, in_all, text=task.name))

        with summary.attempt(task.name) as outcome:
            replay = read_recorded(task.file, task.name, is_stored=False, on_progress=read)
            recorded = replay.demonstrations, replay.facts, replay.objects
            check_replay(*recorded, replay.later_parents)
            gating = gating_of(profile)
            tables = segmented(replay, gating)
            frames = tables.segmented_frames
            outcome.numbers["frames"] = replay.demonstrations.item(0, "n_frames")
            outcome.numbers["key frames"] = frames.height
            unreadable: list[str] = []
            n_pictures = _write(
                task, output_root, replay, tables, unreadable, is_dry_run=is_dry_run
            )
            if unreadable:
                summary.notes.append(f"{task.name}: {pictures_left_out(unreadable)}")
            outcome.numbers["pictures"] = n_pictures
            outcome.numbers["without picture"] = frames.height - n_pictures
            for remark in remarks(replay, [gating], {gating.name: frames.height}).others:
                summary.notes.append(f"{remark.kind}: {task.name}: {remark.text}")
        before += size
        on_progress(Progress(before, in_all, text=task.name))
    return summary


def _write(
    task: Task,
    output_root: Path,
    replay: ReplayTables,
    tables: SegmentedTables,
    unreadable: list[str],
    *,
    is_dry_run: bool,
) -> int:
    """Write one task's pictures and then its key frames; returns how many have a picture.

    ``unreadable`` receives messages about files that are not pictures.
    If that fails, new pictures are removed again.
    """
    frames = tables.segmented_frames.sort("key_frame")
    ids = {int(frame): int(i) for frame, i in frames.select("frame", "frame_id").iter_rows()}
    n_frames, runs = replay.demonstrations.select("n_frames", "frame_id_runs").row(0)
    n_pictures, new = 0, list[Path]()
    try:
        found = read_pictures(
            task.folder,
            ids,
            n_frames,
            frame_id_runs=runs,
            on_unreadable=lambda _, reason: unreadable.append(reason),
        )
        for frame, png in found:
            n_pictures += 1
            if is_dry_run:
                continue
            name = picture_file(Path(task.name), ids[frame])
            path = output_file(output_root, *name.parts)
            if write_picture(path, png):
                new.append(path)
        if not is_dry_run:
            content = json.dumps(as_official(list(ids.values()), graphs_of(replay, tables)))
            with replacing(output_file(output_root, task.name, SEGMENTED_FILE)) as temporary:
                temporary.write_text(content, encoding="utf-8")
    except EnactError:
        _take_away(new)
        raise
    return n_pictures


def _take_away(pictures: Sequence[Path]) -> None:
    """Remove pictures, and their folders if nothing else is in them."""
    for path in pictures:
        with suppress(OSError):
            path.unlink()
    for folder in [folder for path in pictures[:1] for folder in list(path.parents)[:2]]:
        with suppress(OSError):
            folder.rmdir()
