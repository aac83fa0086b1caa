"""What is made comes from what it should, and heat from where it should."""

import numpy as np
import pytest
from simulator.simulated import recorded

from enact_assets.simulator.simulation.facts import Fact
from enact_assets.simulator.simulation.recording import Recording


def _facts(recording: Recording, predicate: str, *names: str) -> list[Fact]:
    """Facts of a predicate whose subject and object begin with ``names``, earliest first."""
    found = [
        f
        for f in recording.facts
        if f.predicate == predicate
        and all(
            (n or "").startswith(name)
            for n, name in zip((f.subject, f.object), names, strict=False)
        )
    ]
    return sorted(found, key=lambda f: f.frame_from)


@pytest.mark.slow
def test_a_salad_is_what_was_cut_and_stirred() -> None:
    """A salad that is there before its parents are gone would be made of nothing."""
    recording = recorded("make_a_salad", 0)
    born = next(f for f in _facts(recording, "Exists", "salad") if f.subject == "salad").frame_from
    assert born > 0
    parents = next(o for o in recording.world.objects if o.name == "salad").parents
    assert "lettuce" in parents
    assert any(name.startswith("diced_") for name in parents)
    for name in parents:
        assert [f.frame_to for f in _facts(recording, "Exists", name)] == [born]
        inside = _facts(recording, "Inside", name, "salad_bowl")
        assert inside
        assert inside[-1].frame_to == born
    (dressed,) = _facts(recording, "Covered", "salad")
    assert born < dressed.frame_from
    assert dressed.frame_to == recording.n_frames


@pytest.mark.slow
def test_a_steak_browns_on_the_lit_stove_only() -> None:
    """Heat that comes from anywhere, or a cue that does not follow it, would show a lie."""
    recording = recorded("make_a_steak", 0)
    (lit,) = _facts(recording, "ToggledOn", "stove")
    (cooked,) = _facts(recording, "Cooked", "steak")
    (in_pan,) = _facts(recording, "Inside", "steak", "frying_pan")
    assert max(lit.frame_from, in_pan.frame_from) < cooked.frame_from < lit.frame_to
    cue = next(k for k, c in enumerate(recording.world.cues) if c.object_name == "steak")
    browned = np.flatnonzero(recording.appearance[:, cue] > 0.5)
    assert browned[0] == cooked.frame_from
    assert browned[-1] == recording.n_frames - 1


@pytest.mark.slow
def test_lemonade_is_poured_into_cups_when_it_is_mixed() -> None:
    """Lemonade from a pitcher that still holds water, or a cup filled before it was stirred."""
    recording = recorded("make_lemonade", 0)
    (mixed,) = _facts(recording, "Contains", "pitcher", "lemonade")
    for part in ("water", "sugar"):
        (held,) = _facts(recording, "Contains", "pitcher", part)
        assert held.frame_to == mixed.frame_from
    cups = {f.subject: f for f in _facts(recording, "Contains") if f.object == "lemonade"}
    assert len(cups) >= 2
    assert all(f.frame_from > mixed.frame_from for name, f in cups.items() if name != "pitcher")
    assert all(f.frame_to == recording.n_frames for f in cups.values())
