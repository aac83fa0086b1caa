"""The three activities of the garage: they reach their goals, change what they say, and differ."""

import functools

import pytest
from simulator import room_pieces
from simulator.simulated import cases, changed_predicates, key_frames, recorded

from enact_assets.settings.registry import CameraSettings
from enact_assets.simulator.activities.base import HEAD_PITCH_RAD, Episode
from enact_assets.simulator.rooms import garage
from enact_assets.simulator.shapes.world import WorldState
from enact_assets.simulator.simulate import find_activity, random_draws
from enact_assets.simulator.skills.executor import Executor
from enact_assets.simulator.stage.stage_builder import StageBuilder
from enact_assets.simulator.things.thing_rows import CATALOGUE
from enact_assets.simulator.view.masks import mask_sizes, object_masks

CLAIMED = {
    "outfit_a_basic_toolbox": {"Inside", "OnTop", "Under", "Open"},
    "doing_laundry": {"Inside", "OnTop", "Under", "Open", "ToggledOn", "Contains"},
    "cleaning_garage": {"Inside", "OnTop", "Open", "ToggledOn", "Contains", "Covered"},
}
HANDS = {"LeftGrasping", "RightGrasping"}


@functools.cache
def episode(activity: str, seed: int) -> Episode:
    """One drawn version, not simulated."""
    return find_activity(activity).build(random_draws(activity, seed))


@pytest.mark.parametrize(("activity", "seed"), cases(CLAIMED))
def test_a_garage_activity_reaches_its_goal_with_the_changes_it_claims(
    activity: str, seed: int
) -> None:
    """A predicate that never changes at a key frame is never asked about."""
    recording = recorded(activity, seed)
    assert len(recording.goal) >= 6
    assert 60 <= recording.n_frames / recording.frame_rate_hz <= 180
    assert 14 <= len(key_frames(activity, seed)) - 1 <= 30
    assert changed_predicates(activity, seed) == CLAIMED[activity] | HANDS


@pytest.mark.slow
def test_two_hands_carry_the_laundry_basket_and_nothing_is_spilled() -> None:
    """Grasped by one hand, or tipped over on the way, it would still end on the table."""
    recording = recorded("doing_laundry", 0)
    held = {
        f.predicate: (f.frame_from, f.frame_to)
        for f in recording.facts
        if f.predicate in HANDS and f.object == "laundry_basket"
    }
    assert held["LeftGrasping"] == held["RightGrasping"]
    start, stop = held["LeftGrasping"]
    inside = [
        f for f in recording.facts if f.predicate == "Inside" and f.object == "laundry_basket"
    ]
    carried = [f for f in inside if f.frame_from <= start and f.frame_to >= stop]
    assert len(carried) == 3


@pytest.mark.slow
def test_dirt_goes_from_one_place_after_the_other_and_stays_on_the_wiper() -> None:
    """Wiped off both at once, or for good, it could not be seen in both pictures of a question."""
    facts = recorded("cleaning_garage", 0).facts
    ends = {
        f.subject: f.frame_to for f in facts if f.predicate == "Covered" and f.object != "paint"
    }
    assert {"workbench", "sink"} < set(ends)
    assert ends["workbench"] != ends["sink"]
    wiper = next(name for name in ends if name not in ("workbench", "sink"))
    assert ends[wiper] == recorded("cleaning_garage", 0).n_frames


@pytest.mark.parametrize("activity", sorted(CLAIMED))
def test_seeds_of_a_garage_activity_differ_in_side_style_things_and_order(activity: str) -> None:
    """Seeds that differ by jitter only make one demonstration of many."""
    drawn = [episode(activity, seed) for seed in range(8)]
    middles = {e.stage.fixtures["shelf"].origin[0] > 0 for e in drawn}
    assert middles == {False, True}
    walls = {e.stage.world.surfaces["room.back_below"] for e in drawn}
    assert len(walls) >= 3
    kinds = {tuple(sorted(t.category for t in e.stage.things.values())) for e in drawn}
    assert len(kinds) >= 4
    orders = {tuple(type(step).__name__ for step in e.plan) for e in drawn}
    assert len(orders) >= 2


def test_everything_in_the_garage_is_large_enough_to_be_told_apart() -> None:
    """Below 25 px at 512 px a hammer and a wrench look the same."""
    themes = ("tools", "supplies", "rubbish", "laundry")
    kinds = [k for theme in themes for k in CATALOGUE.kinds_of(theme) if k != "laundry_basket"]
    size_px, n_shown = 256, 4
    for start in range(0, len(kinds), n_shown):
        stage = StageBuilder()
        stage.furnish(room_pieces.add_workbench(stage.scene, garage.STYLES[0]))
        shown = kinds[start : start + n_shown]
        for k, kind in enumerate(shown):
            # So near to each other some push, but in the first frame they all stand.
            stage.put(kind, kind, (0.5, 0.1, 0.1), "workbench", (-0.33 + 0.22 * k, 0.08))
        built = stage.finish(HEAD_PITCH_RAD)
        log = Executor(built, "a full bench").physics.log
        state = WorldState(log.qpos[0], log.mocap_pos[0], log.mocap_quat[0], log.appearance[0])
        sizes = mask_sizes(object_masks(built.world, state, CameraSettings(), size_px))
        seen = {built.world.objects[k].name: size for k, size in sizes.items()}
        for kind in shown:
            size = seen[kind]
            across = max(size.x_max - size.x_min, size.y_max - size.y_min) + 1
            assert across * 512 / size_px >= 25, kind
