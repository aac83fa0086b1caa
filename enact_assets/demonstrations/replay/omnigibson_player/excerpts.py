"""Excerpts: files in the layout of the installed OmniGibson, with parts of one demonstration.

The playback wrapper loads all states of an episode into memory, so a long demonstration is played
in parts, each an episode of the excerpt. A part begins with the scene file and the first state;
objects that came or went until its first frame come or go with that one. Rows of ``state`` hold
only objects that are awake: to play a part, one must know where the others are.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py

from enact_assets.demonstrations.replay.omnigibson_player.demonstration_file import (
    INIT_METADATA,
    PER_ACTION,
    PER_STATE,
    ROWS_AT_ONCE,
    DemonstrationFile,
)
from enact_assets.demonstrations.replay.omnigibson_player.installed import Installed
from enact_assets.demonstrations.replay.omnigibson_player.raw_metadata import Change


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
