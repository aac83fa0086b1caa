"""A long demonstration in chunks, each an episode of a file in the installed OmniGibson's layout.

The playback wrapper loads all states of an episode into memory. A row of ``state`` is not complete:
``DataCollectionWrapper`` dumps objects that are awake only, and what the row leaves out stays where
it was. So every frame is played, in order, whether somebody looks at it or not. A chunk begins with
the scene file and the first state; objects that came or went until its first frame come or go with
that one, and it gets the complete state of the simulator as the chunk before it left it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from enact_assets.demonstrations.replay.omnigibson_player.demonstration_file import (
    INIT_METADATA,
    PER_ACTION,
    PER_STATE,
    ROWS_AT_ONCE,
    Change,
    DemonstrationFile,
)
from enact_assets.demonstrations.replay.omnigibson_player.installed import Installed

WARM_UP_FRAMES = 30
"""Played again before a chunk goes on: grasps follow from the grippers' recent actions."""


@dataclass(frozen=True)
class Chunk:
    """Frames ``played``, of which those from ``first_new`` on were not played before.

    After frame ``restore_after`` the kept complete state is loaded; after ``keep_after`` it is kept
    for the next chunk. None: the chunk begins with the demonstration, or is the last.
    """

    played: range
    first_new: int
    restore_after: int | None
    keep_after: int | None


def chunks_of(n_frames: int, size: int, warm_up: int = WARM_UP_FRAMES) -> list[Chunk]:
    """Chunks of ``size`` new frames, of frames 0 to ``n_frames`` - 1.

    A chunk begins ``warm_up`` + 1 frames early, at a frame the one before plays too: there the
    state is handed on. Where that would be before frame 1, the scene file is complete by itself.
    """
    starts = range(0, n_frames, size)
    begins = [max(start - warm_up - 1, 0) for start in starts]
    nexts = [*begins[1:], 0]
    return [
        Chunk(range(begin, min(start + size, n_frames)), start, begin or None, following or None)
        for start, begin, following in zip(starts, begins, nexts, strict=True)
    ]


def write_excerpt(
    source: DemonstrationFile,
    episode: int,
    chunks: Sequence[Sequence[int]],
    path: Path,
    installed: Installed,
) -> None:
    """Write ``path`` with one episode per chunk of successive frames; each is played back as so
    many steps of the environment, after ``installed.lead_in_steps``.

    All versions load the first state before they step. Then those before 3.8 (``one_more``) let
    objects come and go by transition i, load state i + 1, and step with action i; later ones load
    state i, step with action i, and let objects come and go. So with the first state in front of
    the frames, transitions have the same numbers in both; only the later ones also step with it.
    A frame is stepped with the action that led to it. Cameras of the robot are left out: nothing
    would use their pictures.
    """
    import h5py

    group, transitions = source.group(episode), source.transitions(episode)
    config = json.loads(json.dumps(source.config))
    config.setdefault("env", {})["automatic_reset"] = False  # it would restart the scene
    config.setdefault("robots", [])
    scene = json.loads(json.dumps(source.scene_file))
    for info in scene.get("objects_info", {}).get("init_info", {}).values():
        if "obs_modalities" in info.get("args", {}):
            info["args"]["obs_modalities"] = []
    with h5py.File(path, "w") as file:
        data = file.create_group("data")
        data.attrs["config"] = json.dumps(config)
        data.attrs["scene_file"] = json.dumps(scene)
        data.attrs["n_episodes"] = len(chunks)
        for k, frames in enumerate(chunks):
            demo = data.create_group(f"demo_{k}")
            stepped = [*[0] * installed.lead_in_steps, *frames]
            _copy(group, demo, PER_STATE, [0, *frames])
            _copy(group, demo, PER_ACTION, [max(frame - 1, 0) for frame in stepped])
            changes = excerpt_transitions(
                transitions, frames, objects_first=installed.transitions_first
            )
            demo.attrs["transitions"] = json.dumps(changes)
            if INIT_METADATA in group:
                metadata = demo.create_group(INIT_METADATA)
                for name, values in group[INIT_METADATA].items():
                    metadata.create_dataset(name, data=values[()])


def excerpt_transitions(
    transitions: Mapping[int, Change], frames: Sequence[int], *, objects_first: str
) -> dict[str, Change]:
    """What comes and goes before each of ``frames``, by its place among them.

    ``transitions`` are keyed by step; step i leads to frame i + 1. ``objects_first`` is ``add`` or
    ``remove``: which of them the wrapper does first with objects; systems are always added first.
    What came and went in between is left out. What went and came again is replaced if the wrapper
    removes first; otherwise it stays, since two objects of one name cannot be there.
    """
    found: dict[str, Change] = {}
    done = 0
    for place, frame in enumerate(frames):
        steps = [step for step in sorted(transitions) if done <= step < frame]
        net = _net([transitions[step] for step in steps], objects_first)
        if net is not None:
            found[str(place)] = net
        done = max(done, frame)
    return found


def _net(changes: Sequence[Change], objects_first: str) -> Change | None:
    net: Change = {}
    for kind in ("systems", "objects"):
        order = ("remove", "add")
        if kind == "systems" or objects_first == "add":
            order = ("add", "remove")
        first: dict[str, str] = {}
        last: dict[str, tuple[str, Any]] = {}
        for change in changes:
            for operation in order:
                for info in change.get(kind, {}).get(operation, []):
                    name = _name(info)
                    first.setdefault(name, operation)
                    last[name] = (operation, info)
        net[kind] = {
            operation: [i for n, (o, i) in last.items() if o == operation == first[n]]
            for operation in ("add", "remove")
        }
        if order[0] == "remove":
            replaced = [n for n, (o, _) in last.items() if (first[n], o) == order]
            net[kind]["remove"] += replaced
            net[kind]["add"] += [last[n][1] for n in replaced]
    is_empty = not any(net[kind][o] for kind in net for o in ("add", "remove"))
    return None if is_empty else net


def _name(info: Any) -> str:
    return str(info["args"]["name"]) if isinstance(info, dict) else str(info)


def _copy(group: Any, to: Any, names: Sequence[str], rows: Sequence[int]) -> None:
    for name in names:
        given = group[name]
        copy = to.create_dataset(name, shape=(len(rows), *given.shape[1:]), dtype=given.dtype)
        for start in range(0, len(rows), ROWS_AT_ONCE):
            part = rows[start : start + ROWS_AT_ONCE]
            low, high = min(part), max(part) + 1
            if high - low <= 4 * ROWS_AT_ONCE:
                block = given[low:high][[row - low for row in part]]
                copy[start : start + len(part)] = block
            else:  # far apart: one by one, or the gaps would be read too
                for k, row in enumerate(part):
                    copy[start + k] = given[row]
