"""Recordings in the exact layout of the official replays, with a number in every picture.

Scene graphs of frame ids 0 to N, all full, id 0 without what is seen; a video of N pictures, where
id k shows picture k, counted from 1. Nothing here was taken from the official files.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from reference.small_videos import Pixels, write_video

Graph = dict[str, Any]

CAMERA = "external_sensor1"
N_PICTURES = 1100
EVERY = 230
"""So many frames lie between two changes: the public release skips 200 after a key frame."""
BLOCK_PX, BITS = 16, 12
CUPS = tuple(f"cup_{k}" for k in range(4))


def numbered(number: int) -> Pixels:
    """A picture that says ``number`` in blocks of black and white, which no codec blurs."""
    bits = [number >> bit & 1 for bit in range(BITS)]
    blocks = np.array(bits, np.uint8).reshape(3, 4) * 200 + 20
    rows = np.repeat(np.repeat(blocks, BLOCK_PX, 0), BLOCK_PX, 1)
    return np.repeat(rows[:, :, None], 3, 2)


def number_in(pixels: Pixels) -> int:
    """The number that :func:`numbered` wrote into a picture."""
    blocks = pixels.mean(2).reshape(3, BLOCK_PX, 4, BLOCK_PX).mean((1, 3)).ravel()
    return sum(1 << bit for bit, level in enumerate(blocks) if level > 120)


def graph_at(frame_id: int) -> Graph:
    """One cup after the other is put from the table into the sink, 100 frames after it was taken;
    things are seen from id 1 on, some of them now and then.
    """
    step, within = divmod(max(0, frame_id - 100), EVERY)
    edges = []
    for k, cup in enumerate(CUPS):
        if k < step:
            edges.append({"from": cup, "to": "sink_1", "states": ["Inside"]})
        elif k == step and within >= EVERY // 2:
            edges.append({"from": "robot_r1", "to": cup, "states": ["RightGrasping"]})
        else:
            edges.append({"from": cup, "to": "table_1", "states": ["OnTop", "Touching"]})
    is_open = step % 2 == 1
    nodes: list[dict[str, Any]] = [
        {"name": "robot_r1", "category": "agent", "states": []},
        {"name": "table_1", "category": "breakfast_table", "states": []},
        {"name": "sink_1", "category": "sink", "states": ["ToggledOn"] if is_open else []},
        *({"name": cup, "category": "cup", "states": []} for cup in CUPS),
    ]
    for k, node in enumerate(nodes):
        is_seen = frame_id > 0 and (frame_id // 300 + k) % 5 > 0
        box = [40 + k, 1, 2, 20, 30, 48, 64]
        node["visibility"] = {CAMERA: box} if is_seen else {}
    return {"nodes": nodes, "edges": edges, "type": "full"}


def write_replay(
    folder: Path, n_pictures: int = N_PICTURES, n_lacking: int = 1, first_seen: int = 1
) -> Path:
    """``scene_graph_0.json`` of ids 0 to N and ``external_sensor1.mp4`` of ``n_pictures``; the
    replay has ``n_lacking`` frames more than the video. With a ``first_seen`` of 0 things are seen
    at id 0 too, as in a replay of another writer.
    """
    folder.mkdir(parents=True)
    graphs = {str(k): graph_at(k) for k in range(n_pictures + n_lacking)}
    if first_seen == 0:
        graphs["0"] = graph_at(1)
    (folder / "scene_graph_0.json").write_text(json.dumps(graphs))
    write_video(folder / f"{CAMERA}.mp4", map(numbered, range(1, n_pictures + 1)), b_frames=2)
    return folder
