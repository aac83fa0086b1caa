"""Leaving frames out: the objects and systems that are there must be those of the whole."""

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

NAMES = ("apple", "half_apple", "knife")


@pytest.fixture(scope="module")
def excerpt_transitions() -> Any:
    """The player's modules need h5py, the small one will do."""
    site = str(Path(__file__).with_name("omnigibson_fake") / "h5py_site")
    had = "h5py" in sys.modules
    sys.path.insert(0, site)
    try:
        from enact_assets.demonstrations.replay.omnigibson_player.excerpts import (
            excerpt_transitions,
        )
    finally:
        sys.path.remove(site)
        if not had:
            sys.modules.pop("h5py", None)
    return excerpt_transitions


@st.composite
def histories(draw: st.DrawFn) -> tuple[int, dict[int, Any], list[int]]:
    """Frames in all, transitions that can happen, and frames that are wanted."""
    n_frames = draw(st.integers(1, 12))
    there: dict[str, set[str]] = {"objects": {"apple"}, "systems": set()}
    transitions: dict[int, Any] = {}
    for step in range(n_frames - 1):
        change: dict[str, Any] = {k: {"add": [], "remove": []} for k in there}
        for kind, present in there.items():
            for name in draw(st.sets(st.sampled_from(NAMES), max_size=2)):
                if name in present:
                    change[kind]["remove"].append(name)
                else:
                    info = {"args": {"name": name}, "made": step}
                    change[kind]["add"].append(info if kind == "objects" else name)
                present ^= {name}
        if any(c[o] for c in change.values() for o in c):
            transitions[step] = change
    wanted = draw(st.sets(st.integers(0, n_frames - 1), min_size=1))
    return n_frames, transitions, sorted(wanted)


def apply(there: dict[str, set[str]], change: Any, objects_first: str = "add") -> None:
    """As the playback wrapper: nothing is added twice, nothing removed that is not there."""
    for kind, present in there.items():
        if kind == "objects" and objects_first == "remove":
            for name in change[kind]["remove"]:
                present.remove(name)
            change = {**change, kind: {"add": change[kind]["add"], "remove": []}}
        for info in change[kind]["add"]:
            name = info if isinstance(info, str) else info["args"]["name"]
            assert name not in present
            present.add(name)
        for name in change[kind]["remove"]:
            present.remove(name)


@pytest.mark.slow
@given(histories(), st.sampled_from(["add", "remove"]))
def test_an_excerpt_has_at_each_frame_what_the_whole_has(
    excerpt_transitions: Any, history: tuple[int, dict[int, Any], list[int]], objects_first: str
) -> None:
    n_frames, transitions, wanted = history
    there: dict[str, set[str]] = {"objects": {"apple"}, "systems": set()}
    expected = [{k: set(v) for k, v in there.items()}]
    for step in range(n_frames - 1):
        if step in transitions:
            apply(there, transitions[step])
        expected.append({k: set(v) for k, v in there.items()})
    there = {"objects": {"apple"}, "systems": set()}
    excerpt = excerpt_transitions(transitions, wanted, objects_first=objects_first)
    assert set(excerpt) <= {str(place) for place in range(len(wanted))}
    for place, frame in enumerate(wanted):
        if str(place) in excerpt:
            apply(there, excerpt[str(place)], objects_first)
        assert there == expected[frame]


def test_what_is_replaced_in_one_step_is_replaced_where_objects_go_first(
    excerpt_transitions: Any,
) -> None:
    new = {"args": {"name": "apple"}, "made": 3}
    change = {"objects": {"add": [new], "remove": ["apple"]}, "systems": {"add": [], "remove": []}}
    kept = excerpt_transitions({3: change}, [4], objects_first="remove")
    assert kept == {"0": change}
    assert excerpt_transitions({3: change}, [4], objects_first="add") == {}
