import polars as pl

from enact_assets.demonstrations.replay.tables import Actions, Objects
from enact_assets.questions.key_frames.tables import SegmentedFrames
from enact_assets.questions.world.action_labels import category_of, label_of, without_hands
from enact_assets.questions.world.action_states import action_states
from enact_assets.questions.world.clips import clip_frames, clip_requests, wanted_clips_of
from enact_assets.settings.components import Component
from enact_assets.settings.registry import load_registry
from enact_assets.settings.world import ClipSettings

STEPS = [
    ("grasp", ["cup_1", "shelf"], 0, 30),
    ("place", ["cup_1", "table"], 35, 60),
    ("wait", [], 65, 90),
    ("press", ["oven"], 95, 120),
]
CHANGED = [None, 20, 50, 55, 110]
"""Frame at which the change of each key frame began."""


def tables():
    common = {"demonstration": "d-0"}
    actions = [
        {**common, "action": k, "verb": v, "arguments": o, "frame_from": a, "frame_to": b,
         "environment": "d, kitchen 1"}
        for k, (v, o, a, b) in enumerate(STEPS, 1)
    ]  # fmt: skip
    kinds = {"cup_1": "cup", "shelf": "shelf", "table": "table", "oven": "oven"}
    objects = [
        {**common, "object_name": o, "category": c, "parents": [], "is_particle_system": False}
        for o, c in kinds.items()
    ]
    frames = [
        {**common, "gating": "state", "key_frame": k, "frame": (f or 0) + 4,
         "frame_id": (f or 0) + 4,
         "change_frame": f, "changes": []}
        for k, f in enumerate(CHANGED)
    ]  # fmt: skip
    return Actions.build(actions), Objects.build(objects), SegmentedFrames.build(frames)


def visible(i, j):
    """One component per key frame between the two, but none of the last."""
    return frozenset(
        Component("add", "OnTop", f"thing {k}", "table") for k in range(i + 1, min(j, 3) + 1)
    )


def found(**more):
    return action_states(*tables(), visible, lengths=(2, 3, 4), max_changes=1, **more)


def test_key_frames_before_and_after():
    rows = found()
    assert rows["category"].to_list() == [
        "grasp(cup, shelf)",
        "place(cup, table)",
        "wait()",
        "press(oven)",
    ]
    pairs = rows.select("key_frame_before", "key_frame_after").rows()
    # Before the next step, not at the end of this one: changes may come late.
    assert pairs == [(0, 1), (1, 3), (3, 3), (3, 4)]


def test_reasons_say_why_an_action_is_not_asked_about():
    rows = found()
    assert rows["is_askable"].to_list() == [True, False, False, False]
    reasons = rows["reason"].to_list()
    assert reasons[0] is None
    assert "2 visible changes" in reasons[1]
    assert "wait shows no single action" in reasons[2]
    assert "sees no change" in reasons[3]
    assert rows["has_clip"].to_list() == [True, True, False, True]
    environment = found(is_environment=True)
    assert not environment["is_askable"].any()
    assert environment["has_clip"].to_list() == rows["has_clip"].to_list()


def test_plans_begin_where_their_whole_change_is_seen():
    assert found()["plan_lengths"].to_list() == [[2, 3, 4], [2, 3], [], []]


def test_no_actions_no_states():
    actions, objects, frames = tables()
    none = action_states(actions.clear(), objects, frames, visible, lengths=(3,), max_changes=5)
    assert none.is_empty()
    none = action_states(actions, objects, frames.clear(), visible, lengths=(3,), max_changes=5)
    assert none.is_empty()


def test_labels_and_their_parts():
    assert label_of(category_of("pour", ["jug", "cup_1"], {"cup_1": "cup"})) == (
        "pour",
        "jug",
        "cup",
    )
    assert label_of("open(fridge)") == ("open", "fridge", "")
    changes = without_hands(["+LeftGrasping(robot, cup)", "-OnTop(cup, table)"])
    assert changes == {"+Grasping(robot, cup)", "-OnTop(cup, table)"}


def test_clips_show_first_and_last_frame_and_some_between():
    assert clip_frames(10, 41, 4) == [10, 20, 30, 40]
    assert clip_frames(10, 12, 4) == [10, 11]
    assert clip_frames(10, 11, 4) == [10]


def test_only_clips_of_candidates_are_wanted_once_per_camera():
    candidates = pl.DataFrame(
        {
            "recording": ["d-0", "d-0", "d-0", "other-0"],
            "action": [1, 1, 2, 1],
            "view": ["baseline", "view", "baseline", "baseline"],
        }
    )
    settings = ClipSettings(frames=3, size_px=64)
    wanted = wanted_clips_of("d-0", candidates, tables()[0], settings)
    assert wanted.group_by("view", "action").len().sort("view", "action").rows() == [
        ("baseline", 1, 3), ("baseline", 2, 3), ("view", 1, 3)
    ]  # fmt: skip
    baseline = load_registry().variant("baseline")
    asked = {
        view: (variant, rows) for view, variant, rows in clip_requests(wanted, baseline, settings)
    }
    assert {v: rows.height for v, (_, rows) in asked.items()} == {"baseline": 6, "view": 3}
    assert asked["baseline"][0].camera == baseline.camera
    assert asked["view"][0].camera == settings.view
    assert all(variant.renderer.size_px == 64 for variant, _ in asked.values())
