"""The player on four versions of OmniGibson: ``omnigibson_fakes.py`` makes one fake of each.

Fakes prove names and flow only. The numbers are those of the acceptance points of the issue's
specification.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from omnigibson_fakes import OVERLAYS
from omnigibson_worlds import LAYOUTS, Machine, World
from PIL import Image

from enact_assets.replay.omnigibson import playback_request
from enact_assets.replay.omnigibson_runs import Player

pytestmark = pytest.mark.slow

PROFILES = list(OVERLAYS)
Machines = Callable[[str], Machine]
SCRIPT = World(
    90,
    {"apple": "apple", "table": "table", "fridge": "fridge", "knife": "carving_knife"},
    {
        ("OnTop", "apple", "table"): range(40),
        ("Open", "fridge", None): [*range(10, 30), 70],
        ("Touching", "knife", "apple"): range(38, 41),
        ("Hidden", "fridge", None): range(50, 60),
        ("Grasping:right", "robot_r1", "knife"): range(20, 75),
        ("OnTop", "half_apple_0", "table"): range(41, 62),
        ("Particles", "diced__apple", None): range(62, 90),
        ("Covered", "table", "diced__apple"): range(63, 90),
    },
    added={40: {"half_apple_0": "half_apple", "half_apple_1": "half_apple"}},
    removed={40: ["apple"], 61: ["half_apple_0"]},
    systems_added={61: ["diced__apple"]},
    asleep={"fridge": range(31, 69), "table": range(5, 90)},
)


def played(machine: Machine, world: World, **given: Any) -> Path:
    """The folder of what was played of ``world``."""
    request = playback_request("d", machine.demonstration(world), machine.root / "p", **given)
    folder = Path(request.output)
    if request.frames is None:
        found = folder / "replay.jsonl"
    else:
        found = folder / f"pictures/{request.frames[-1]:06d}.png"
    Player().run(request, found.is_file, lambda _done, _total: None)
    return folder


def facts_of(folder: Path) -> list[dict[str, Any]]:
    """What was written, but for what names the file and the version."""
    lines = [json.loads(line) for line in (folder / "replay.jsonl").read_text().splitlines()]
    return [
        {k: v for k, v in one.items() if k not in ("source_sha", "omnigibson")} for one in lines
    ]


def test_1_the_same_script_gives_the_same_facts_boxes_and_pictures(machines: Machines) -> None:
    facts, pictures = {}, {}
    for profile in PROFILES:
        machine = machines(profile)
        metadata = machine.data_set / "systems/diced__apple/metadata.json"
        metadata.parent.mkdir(parents=True)
        metadata.write_text('{"type": "macro_physical_particle"}')
        facts[profile] = facts_of(played(machine, SCRIPT))
        folder = played(machine, SCRIPT, frames=(3, 41, 88))
        pictures[profile] = {p.name: p.read_bytes() for p in (folder / "pictures").glob("*.png")}
    assert len(facts["1.1.1"]) > 30
    assert len(pictures["1.1.1"]) == 3
    for profile in PROFILES:
        assert facts[profile] == facts["1.1.1"], profile
        assert pictures[profile] == pictures["1.1.1"], profile


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("size", [7, 33, 1000])
def test_5_frame_numbers_reach_the_watcher_unshifted(
    machines: Machines, profile: str, size: int
) -> None:
    """States of the fake carry their frame number, which its camera logs and shows."""
    machine = machines(profile)
    world = replace(SCRIPT, systems_added={}, facts={("Open", "fridge", None): range(45, 90)})
    played(machine, world, chunk_frames=size)
    assert [seen["frame"] for seen in machine.seen()] == list(range(90))
    frames = (0, 1, 39, 40, 41, 42, 89)
    folder = played(machine, world, chunk_frames=size, frames=frames)
    for frame in frames:
        with Image.open(folder / f"pictures/{frame:06d}.png") as picture:
            assert picture.getpixel((0, 0))[0] == frame
    seen = machine.seen()[90:]
    assert [bool(s["holding"]) for s in seen] == [False] * 6 + [True]
    assert LAYOUTS[profile].is_as_many == (profile == "3.9")
