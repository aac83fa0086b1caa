"""Hand-made demonstrations: things are taken from a cabinet and a shelf and laid on tables.

Nothing is simulated: each step of a plan takes ten frames, at whose end its facts change, and every
change is seen.
"""

import numpy as np
import polars as pl

from enact_assets.answers.world.captions import SceneTables
from enact_assets.demonstrations.replay.tables import Actions, Facts, Objects
from enact_assets.engine.ids import seed_from
from enact_assets.questions.world.action_labels import category_of
from enact_assets.questions.world.embedded_questions import Recorded
from enact_assets.questions.world.tables import ActionStates

FRAMES = 10
THINGS = {
    "plate_1": "cabinet",
    "plate_2": "cabinet",
    "cup": "shelf",
    "bowl": "shelf",
    "fork": "sideboard",
}
MORE = {"mug": "shelf", "jar": "shelf", "spoon": "sideboard", "knife": "sideboard"}
"""Things of rooms in which something is packed: half of them go to the table."""
FIXTURES = ("cabinet", "shelf", "sideboard", "table", "stove")
Fact = tuple[str, str, str | None]


def plan_of(name: str) -> list[tuple[str, tuple[str, ...]]]:
    """Steps of one demonstration: verbs and objects."""
    rng = np.random.default_rng(seed_from(name))
    goal = "table" if name.startswith(("tidy", "pack")) else "stove"
    moves = [[("grasp", (thing, THINGS[thing])), ("place", (thing, goal))]
             for thing in ("cup", "bowl", "fork")]  # fmt: skip
    kept = [("grasp", ("plate_1", "cabinet")), ("place", ("plate_1", goal)),
            ("grasp", ("plate_2", "cabinet")), ("place", ("plate_2", goal))]  # fmt: skip
    parts = [*moves, [("open", ("cabinet",)), *kept, ("close", ("cabinet",))]]
    if name.startswith("pack"):
        parts += [[("grasp", (thing, place)), ("place", (thing, ("table", "stove")[k % 2]))]
                  for k, (thing, place) in enumerate(MORE.items())]  # fmt: skip
    order = rng.permutation(len(parts))
    steps = [step for k in order for step in parts[k]]
    return [*steps[:4], ("together", ()), *steps[4:]]


def changes_of(verb: str, objects: tuple[str, ...]) -> tuple[list[Fact], list[Fact]]:
    """Facts that a step ends, and that it begins."""
    if verb == "grasp":
        thing, place = objects
        return [("OnTop", thing, place)], [("RightGrasping", "robot", thing)]
    if verb == "place":
        thing, place = objects
        return [("RightGrasping", "robot", thing)], [("OnTop", thing, place)]
    if verb == "open":
        return [], [("Open", *objects, None)]
    return ([("Open", *objects, None)], []) if verb == "close" else ([], [])


def tidied(asked: tuple[str, ...], environments: tuple[str, ...]) -> Recorded:
    """Tables of demonstrations; those of the same number are in the same environment."""
    parts = [_recorded(name, is_asked=name in asked) for name in (*asked, *environments)]
    return Recorded(*(pl.concat([p[k] for p in parts]) for k in range(4)))


def _recorded(name: str, *, is_asked: bool) -> tuple[pl.DataFrame, ...]:
    steps = plan_of(name)
    things = THINGS | MORE if name.startswith("pack") else THINGS
    kinds = {t: t.partition("_")[0] for t in things} | {f: f for f in FIXTURES} | {"robot": "robot"}
    holding: dict[Fact, int] = {("OnTop", t, p): 0 for t, p in things.items()}
    facts, actions, states = [], [], []
    room = f"room {name.rpartition('-')[2]}"
    for number, (verb, objects) in enumerate(steps, 1):
        begins = FRAMES * (number - 1)
        ended, begun = changes_of(verb, objects)
        facts += [_fact(name, fact, holding.pop(fact), begins + 5) for fact in ended]
        holding |= dict.fromkeys(begun, begins + 5)
        common = {"demonstration": name, "action": number, "environment": room}
        common |= {"frame_from": begins, "frame_to": begins + FRAMES}
        actions.append({**common, "verb": verb, "arguments": list(objects)})
        has_clip = verb != "together"
        states.append(
            {
                **common,
                "gating": "state",
                "category": category_of(verb, objects, kinds),
                "key_frame_before": number - 1,
                "key_frame_after": number,
                "changes": sorted(
                    [f"-{_text(f, kinds)}" for f in ended] + [f"+{_text(f, kinds)}" for f in begun]
                ),
                "has_clip": has_clip,
                "is_askable": has_clip and is_asked,
                "reason": None if has_clip else "together",
                "plan_lengths": [n for n in range(3, 11) if number + n - 1 <= len(steps)],
            }
        )
    n_frames = FRAMES * len(steps)
    facts += [_fact(name, fact, begins, n_frames) for fact, begins in holding.items()]
    objects_rows = [
        {
            "demonstration": name,
            "object_name": o,
            "category": c,
            "parents": [],
            "is_particle_system": False,
        }
        for o, c in kinds.items()
    ]
    return (
        ActionStates.build(states),
        Actions.build(actions),
        Facts.build(facts),
        Objects.build(objects_rows),
    )


def _fact(name: str, fact: Fact, begins: int, ends: int) -> dict[str, object]:
    names = dict(zip(("predicate", "subject", "object"), fact, strict=True))
    return {"demonstration": name, **names, "frame_from": begins, "frame_to": ends}


def _text(fact: Fact, kinds: dict[str, str]) -> str:
    objects = [kinds[o] for o in fact[1:] if o is not None]
    return f"{fact[0]}({', '.join(objects)})"


def scenes_of(recorded: Recorded) -> SceneTables:
    """What holds at each key frame of these demonstrations, with their objects and actions."""
    last_of = dict(recorded.states.group_by("demonstration").agg(pl.len()).iter_rows())
    rows = [
        {"demonstration": d, "key_frame": k, "predicate": p, "subject": s, "object": o}
        for d, p, s, o, begins, ends in recorded.facts.select(
            "demonstration", "predicate", "subject", "object", "frame_from", "frame_to"
        ).iter_rows()
        for last in [last_of[d]]
        for k in range(
            -(-begins // FRAMES), last + 1 if ends == last * FRAMES else -(-ends // FRAMES)
        )
    ]
    return SceneTables(pl.DataFrame(rows), recorded.objects, recorded.actions)
