"""A household played out in symbols: key frames, graphs and trajectories without any physics."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import polars as pl

from enact_assets.demonstrations.pictures.tables import Visibility
from enact_assets.demonstrations.replay.tables import Objects
from enact_assets.engine.ids import seed_from, short_id
from enact_assets.questions.asked.by_variant import ask_questions
from enact_assets.questions.asked.qa import write_questions
from enact_assets.questions.key_frames.deltas import DeltaIndex
from enact_assets.questions.key_frames.tables import SceneGraphs
from enact_assets.questions.paths.tables import Trajectories, TransitionGraph
from enact_assets.settings.profile import PAPER
from enact_assets.settings.registry import QuestionSettings, Variant

Fact = tuple[str, str, str | None]
T = TypeVar("T")

SURFACES = ("counter", "table", "shelf")
CONTAINERS = ("fridge", "cabinet")
THINGS = {
    "mug_1": "mug",
    "mug_2": "mug",
    "plate_1": "plate",
    "milk_1": "milk_carton",
    "apple_1": "apple",
    "knife_1": "carving_knife",
}
HALVES = {"apple_half_1": "half_apple", "apple_half_2": "half_apple"}
HANDS = ("RightGrasping", "LeftGrasping")


class Chance:
    """Seeded draws by content."""

    def __init__(self, *content: object) -> None:
        self.generator = np.random.default_rng(seed_from(*content))

    def choice(self, options: Sequence[T]) -> T:
        return options[int(self.generator.integers(len(options)))]

    def random(self) -> float:
        return float(self.generator.random())


@dataclass(frozen=True)
class Household:
    """The tables of one demonstration and what follows from them."""

    demonstration: str
    scene_graphs: pl.DataFrame
    visibility: pl.DataFrame
    objects: pl.DataFrame
    index: DeltaIndex
    transition_graph: pl.DataFrame
    trajectories: pl.DataFrame
    qa: pl.DataFrame

    @property
    def asked(self) -> pl.DataFrame:
        """All questions as the baseline asks them."""
        return asked_as_written(self.qa)


def all_chosen(qa: pl.DataFrame) -> pl.DataFrame:
    """All questions of ``qa`` as if they were chosen: with the columns of ``question_set``."""
    return qa.with_columns(
        place=pl.lit(1, pl.Int64),
        question_set="gating",
        in_probe_set=True,
        source=pl.lit("embedded"),
        evidence_sha=pl.lit("none"),
    )


def asked_as_written(qa: pl.DataFrame, variant: str = "baseline") -> pl.DataFrame:
    """All questions of ``qa``, word for word, as rows of ``asked_questions``."""
    return ask_questions(all_chosen(qa), qa, Variant(variant, "state"), QuestionSettings())


def play(seed: int, n_key_frames: int) -> list[set[Fact]]:
    """Facts at each key frame; a robot that takes, puts, opens, closes, switches and slices."""
    chance = Chance("play", seed)
    place: dict[str, Fact] = {thing: ("OnTop", thing, chance.choice(SURFACES)) for thing in THINGS}
    hands: dict[str, str | None] = dict.fromkeys(HANDS)
    states: set[Fact] = set()
    frames = []
    while len(frames) < n_key_frames:
        facts: set[Fact] = {*place.values(), *states}
        facts |= {(hand, "robot", held) for hand, held in hands.items() if held}
        facts |= {("Exists", x, None) for x in place}
        facts |= {("Exists", x, None) for x in (*SURFACES, *CONTAINERS, "burner", "robot")}
        facts |= {("Exists", held, None) for held in hands.values() if held}
        if not frames or facts != frames[-1]:
            frames.append(facts)
        hand = chance.choice(HANDS)
        held = hands[hand]
        move = chance.choice(("hand", "hand", "hand", "door", "switch", "slice"))
        if move == "hand" and held is not None:
            open_ones = [c for c in CONTAINERS if ("Open", c, None) in states]
            target = chance.choice([*SURFACES, *open_ones])
            place[held] = ("Inside" if target in CONTAINERS else "OnTop", held, target)
            hands[hand] = None
        elif move == "hand":
            reachable = [
                x
                for x, (name, _, where) in place.items()
                if name == "OnTop" or ("Open", where, None) in states
            ]
            if reachable:
                thing = chance.choice(reachable)
                del place[thing]
                hands[hand] = thing
        elif move == "door":
            states ^= {("Open", chance.choice(CONTAINERS), None)}
        elif move == "switch":
            states ^= {("ToggledOn", "burner", None)}
        elif "apple_1" in place and len(frames) > 3:
            name, _, where = place.pop("apple_1")
            place |= {half: (name, half, where) for half in HALVES}
    return frames


def build_household(
    seed: int,
    n_key_frames: int = 24,
    trajectories_per_length: int = 3,
    lengths: range = PAPER.lengths,
    visible_share: float = 0.85,
    *,
    activity: str = "household",
) -> Household:
    """A demonstration of ``n_key_frames``, with questions of all ``lengths``."""
    demonstration = f"{activity}-{seed}"
    keys = {"demonstration": demonstration, "gating": "state"}
    frames = play(seed, n_key_frames)
    categories = {
        "robot": "agent",
        "burner": "burner",
        **{x: x for x in (*SURFACES, *CONTAINERS)},
        **THINGS,
        **HALVES,
    }
    chance = Chance("visible", seed)
    scene_graphs = SceneGraphs.build(
        [
            {**keys, "key_frame": k, "predicate": p, "subject": s, "object": o}
            for k, facts in enumerate(frames)
            for p, s, o in facts
        ]
    )
    box = dict.fromkeys(("x_min_px", "y_min_px", "x_max_px", "y_max_px"), 0)
    visibility = Visibility.build(
        [
            {**keys, "key_frame": k, "frame": 30 * k, "object_name": x, "pixels": 9}
            | {"fraction": 0.01, **box}
            for k in range(len(frames))
            for x in categories
            if chance.random() < visible_share
        ]
    )
    objects = Objects.build(
        [
            {
                "demonstration": demonstration,
                "object_name": name,
                "category": category,
                "parents": ["apple_1"] if name in HALVES else [],
                "is_particle_system": False,
            }
            for name, category in categories.items()
        ]
    )
    index = DeltaIndex.from_tables(scene_graphs, visibility, objects, PAPER)
    pairs, n_changes = index.edges()
    texts = index.texts(index.visible_bits(pairs)).to_list()
    graph = TransitionGraph.build(
        [
            {
                **keys,
                "key_frame_from": int(i),
                "key_frame_to": int(j),
                "n_changes": int(n),
                "changes": changes,
            }
            for (i, j), n, changes in zip(pairs, n_changes, texts, strict=True)
        ]
    )
    trajectories = _walk(keys, pairs, trajectories_per_length, lengths, seed)
    qa = write_questions(trajectories, graph, QuestionSettings())
    return Household(
        demonstration, scene_graphs, visibility, objects, index, graph, trajectories, qa
    )


def _walk(
    keys: dict[str, str], pairs: np.ndarray, per_length: int, lengths: range, seed: int
) -> pl.DataFrame:
    """Random walks along the edges; not the uniform sample, but all valid."""
    onward: dict[int, list[int]] = {}
    for i, j in pairs.tolist():
        onward.setdefault(i, []).append(j)
    chance = Chance("walk", seed)
    found: dict[tuple[int, ...], None] = {}
    for length in lengths:
        n_found = 0
        for _ in range(per_length * 50):
            walk = [chance.choice(sorted(onward))]
            while len(walk) < length and walk[-1] in onward:
                # Short steps first, so that long walks do not run out of key frames.
                walk.append(chance.choice(onward[walk[-1]][:4]))
            if len(walk) == length and tuple(walk) not in found and n_found < per_length:
                found[tuple(walk)] = None
                n_found += 1
    return Trajectories.build(
        [
            {
                **keys,
                "trajectory_id": short_id(keys["demonstration"], list(walk)),
                "length": len(walk),
                "rank": str(rank),
                "key_frames": list(walk),
                "frames": [30 * k for k in walk],
            }
            for rank, walk in enumerate(found)
        ]
    )
