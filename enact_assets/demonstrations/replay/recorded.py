"""The recorded source: replays in the layout of the public release -> replay tables.

Source: definitions.md R2. Every frame has the complete graph that the release reconstructs
from it; what differs from the frame before becomes the ends of intervals. Tables count frames by
position, ``frame_id_runs`` keeps the ids.

Frames are taken in the order of their ids, as the release does, in whichever the file has them.
In a recording of differences, what is seen is as old as the record it comes from: a change of
``visibility`` alone is not written between full frames.

Ambiguous recordings are refused: differing records of one object or pair in one frame, a repeated
frame id, a category that changes within the recording.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from enact_assets.demonstrations.recordings.folders import CAMERA, SEGMENTED_FILES
from enact_assets.demonstrations.replay.frame_order import frames_by_id
from enact_assets.demonstrations.replay.frame_stream import FrameStream, OrderError, RawFrame
from enact_assets.demonstrations.replay.result import ReplayTables, columns_of, described, rows_of
from enact_assets.demonstrations.replay.tables import Facts, LaterParents, Objects, Observability
from enact_assets.demonstrations.replay.timeline import Timeline
from enact_assets.engine.errors import LakeError, RecordingError
from enact_assets.engine.lake.lake import check_partition_value
from enact_assets.engine.progress import OnProgress, unheard
from enact_assets.settings.classes import RECORDED
from enact_assets.settings.frame_ids import FrameIds
from enact_assets.settings.predicates import EXISTS

FRAME_RATE_HZ = 30.0
NO_RATE_HZ = 0.0
"""Of key frames without the frames between: they follow each other at no pace."""
PARTICLE_SYSTEM = "System"
"""Category of particle systems."""

_BOX = ("pixels", "x_min_px", "y_min_px", "x_max_px", "y_max_px", "height_px", "width_px")


@dataclass(frozen=True)
class RecordedTables(ReplayTables):
    """Replay tables of a recording. ``has_differences`` says whether it has frames that are
    written as differences to the one before.
    """

    has_differences: bool = False


def read_recorded(
    path: Path,
    demonstration: str,
    *,
    activity: str | None = None,
    camera: str = CAMERA,
    is_stored: bool = True,
    on_progress: OnProgress = unheard,
) -> RecordedTables:
    """The recording in the file ``path`` as replay tables under the name ``demonstration``.

    The file is JSON, compressed by gzip if its name ends in ``.gz``; a few of its frames are in
    memory at a time. ``activity`` is the name without its number unless it is given. What cameras
    other than ``camera`` see is not kept. If it is not to be ``is_stored`` in a data root, any text
    can be its name. ``on_progress`` gets bytes. A file of segmented activities is recognised by its
    name: its frames are key frames, and have no rate.

    Errors: :class:`RecordingError` names file, frame id and field, what is wrong with it and what
    was expected, if the file cannot be read or is not a recording in this layout.
    """
    if is_stored:
        try:
            check_partition_value(demonstration, f"recording {path}")
        except LakeError as error:
            raise RecordingError(str(error)) from None
    try:
        with FrameStream(path, on_progress) as stream:
            timeline = _timeline(stream, camera)
        sha = stream.sha
    except OrderError:
        with frames_by_id(path) as (stream, sha):
            timeline = _timeline(stream, camera)
    later_parents = [
        (name, frame, parents)
        for name, kind in timeline.kinds.items()
        for frame, parents in kind.parents[1:]
    ]
    return RecordedTables(
        described(
            demonstration,
            source=RECORDED,
            activity=activity or activity_of(demonstration),
            n_frames=stream.n_frames,
            frame_rate_hz=NO_RATE_HZ if path.name in SEGMENTED_FILES else FRAME_RATE_HZ,
            world_sha=sha,
            frame_id_runs=list(FrameIds.of(stream.ids).runs),
        ),
        columns_of(Facts, demonstration, _facts(timeline)),
        rows_of(Objects, demonstration, _objects(timeline)),
        _observability(demonstration, timeline),
        later_parents=rows_of(LaterParents, demonstration, later_parents),
        has_differences=timeline.has_differences,
    )


def sees_nothing_first(path: Path) -> bool:
    """Whether ``CAMERA`` sees nothing in the first frame of the recording ``path``, as in official
    replays. Only that frame is read if it has id 0. Errors: as :func:`read_recorded`.
    """
    with FrameStream(path) as stream:
        raw = stream.next_frame()
        if raw is None or raw.place.frame_id == 0:
            return raw is not None and _sees_nothing(raw)
    with frames_by_id(path) as (stream, _):
        raw = stream.next_frame()
        return raw is not None and _sees_nothing(raw)


def _sees_nothing(raw: RawFrame) -> bool:
    timeline = Timeline(CAMERA)
    timeline.take(0, raw)
    timeline.finish(1)
    return not any(map(len, timeline.sight_rows))


def _timeline(stream: FrameStream, camera: str) -> Timeline:
    """All frames of ``stream``, taken."""
    timeline = Timeline(camera)
    while (raw := stream.next_frame()) is not None:
        pattern = timeline.take(stream.n_frames - 1, raw)
        if pattern is not None:
            timeline.sight_rows += stream.follow(pattern, timeline.sight)
    if not stream.n_frames:
        raise stream.place.error("it contains no frame; the recording was cut off or never began")
    timeline.finish(stream.n_frames)
    return timeline


def activity_of(demonstration: str) -> str:
    """Its name without the number at its end: ``tidy_kitchen_2101`` -> ``tidy_kitchen``."""
    return re.sub(r"[-_.]+\d+$", "", demonstration)


def _facts(timeline: Timeline) -> dict[str, list[Any]]:
    """Columns of ``facts``, of which there may be millions."""
    facts = timeline.facts
    named = ("predicate", "subject", "object")
    return {
        **{name: [fact[k] for fact, _, _ in facts] for k, name in enumerate(named)},
        "frame_from": [start for _, start, _ in facts],
        "frame_to": [stop for _, _, stop in facts],
    }


def _objects(timeline: Timeline) -> list[tuple[Any, ...]]:
    """Rows of ``objects``."""
    # What came and went within one frame of differences never was there, and a name that is only
    # ever an end of an edge has no record, hence no category.
    used = {name for (_, *names), _, _ in timeline.facts for name in names}
    nodes = {subject for (predicate, subject, _), _, _ in timeline.facts if predicate == EXISTS}
    names = [name for name in timeline.objects if name in used]
    of = timeline.kinds
    kinds = [(of[n].category, of[n].parents[0][1]) if n in nodes else ("", None) for n in names]
    return [
        (name, category, parents, category == PARTICLE_SYSTEM)
        for name, (category, parents) in zip(names, kinds, strict=True)
    ]


def _observability(demonstration: str, timeline: Timeline) -> pl.DataFrame:
    sight = np.concatenate(timeline.sight_rows)
    timeline.sight_rows.clear()
    # Rows of one object ascend already. In the order of the key, the contract sorts them for free.
    names = sorted(timeline.objects)
    rank = np.empty(len(names), np.int16 if len(names) < 2**15 else np.int64)
    rank[[timeline.objects[name] for name in names]] = np.arange(len(names))
    ranks = rank[sight[:, 0]]
    order = np.argsort(ranks, kind="stable")
    columns = {
        "object_name": pl.Series(names, dtype=pl.String).gather(ranks[order]),
        **{
            name: pl.Series(sight[order, k], dtype=pl.Int64)
            for k, name in enumerate(("frame_from", "frame_to", *_BOX), start=1)
        },
    }
    del sight, ranks, order  # the contract takes as much memory again
    return columns_of(Observability, demonstration, columns, camera=timeline.camera)
