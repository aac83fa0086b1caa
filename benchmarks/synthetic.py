"""Generated demonstrations: replay tables like those of a recorded household, from a seed.

About 40 objects, 42 relations and 55 facts hold at any time; something changes every eight
seconds; the camera turns in 15 % of the frames, and every mask in view with it.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.household_play import Play, play
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.tables import Demonstrations, Objects, States
from enact_assets.engine.ids import content_sha
from enact_assets.settings.frame_ids import COUNTED_FROM_0

VERSION = 1
"""Raise when other tables come out of the same seed."""
N_FRAMES = 20_000
FRAME_RATE_HZ = 30.0
ACTIVITY = "synthetic_household"
CAMERA = "external_sensor1"
PICTURE_PX = 512
FOCAL_PX = 215.0
SHARE_TURNING = 0.15
WIDTH_OF_ROOM = 1.1
"""Furniture stands this far to the left and right of the middle, in radians."""
HELD_AT = 0.15
"""What the robot holds stays at this angle in its picture, in radians."""
_FACT = ["predicate", "subject", "object", "frame_from"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def demonstration_name(seed: int) -> str:
    """Name of the demonstration of ``seed``; names sort like seeds below 100,000."""
    return f"{ACTIVITY}-{seed:05d}"


@dataclass(frozen=True)
class SyntheticSource:
    """A demonstration to be generated, as a source of the bulk path."""

    seed: int
    n_frames: int = N_FRAMES

    @property
    def demonstration(self) -> str:
        """Its name."""
        return demonstration_name(self.seed)

    @property
    def identity(self) -> str:
        """What decides its tables."""
        return content_sha(["synthetic", VERSION, self.seed, self.n_frames])

    def load(self) -> ReplayTables:
        """Generate the tables."""
        return generate(self.seed, self.n_frames)


def generate(seed: int, n_frames: int = N_FRAMES) -> ReplayTables:
    """Replay tables of the household of ``seed``: the same on every machine."""
    name = demonstration_name(seed)
    found = play(seed, n_frames)
    demonstrations = Demonstrations.build(
        [
            {
                "demonstration": name,
                "source": "recorded",
                "activity": ACTIVITY,
                "seed": seed,
                "n_frames": n_frames,
                "frame_rate_hz": FRAME_RATE_HZ,
                "world_sha": content_sha(["synthetic", VERSION, seed, n_frames]),
                "frame_id_runs": list(COUNTED_FROM_0),
            }
        ]
    )
    names = sorted(found.categories)
    objects = pl.DataFrame(
        {
            "demonstration": [name] * len(names),
            "object_name": names,
            "category": [found.categories[n] for n in names],
            "parents": [found.parents.get(n) for n in names],
            "is_particle_system": [found.categories[n] == "System" for n in names],
        },
        schema=Objects.schema(),
    )
    facts = (
        pl.DataFrame(
            {
                "predicate": [i.fact[0] for i in found.intervals],
                "subject": [i.fact[1] for i in found.intervals],
                "object": pl.Series([i.fact[2] for i in found.intervals], dtype=pl.String),
                "frame_from": [i.frame_from for i in found.intervals],
                "frame_to": [i.frame_to for i in found.intervals],
            }
        )
        .sort(_FACT)
        .select(pl.lit(name).alias("demonstration"), pl.all())
    )
    seen = _observability(found, names, seed, n_frames)
    return ReplayTables(
        demonstrations,
        facts,
        objects,
        seen.select(pl.lit(name).alias("demonstration"), pl.all()),
        States.empty(),
    )


def _observability(found: Play, names: list[str], seed: int, n_frames: int) -> pl.DataFrame:
    """What the camera sees of each object, in maximal intervals of frames."""
    random = np.random.default_rng([seed, n_frames, 1])
    angles = dict.fromkeys(found.furniture, 0.0)
    spots = np.linspace(-WIDTH_OF_ROOM, WIDTH_OF_ROOM, len(found.furniture))
    for name, angle in zip(found.furniture, random.permutation(spots).tolist(), strict=True):
        angles[name] = angle
    turns = _turns(found, angles, random, n_frames)
    at, is_hidden = _directions(found, names, turns, angles, random)
    boxes, is_seen = _boxes(at, is_hidden, random)
    differs = (boxes[1:] != boxes[:-1]).any(axis=2)
    begins = is_seen.copy()
    begins[1:] &= differs | ~is_seen[:-1]
    ends = is_seen.copy()
    ends[:-1] &= differs | ~is_seen[1:]
    thing, first = np.nonzero(begins.T)
    last = np.nonzero(ends.T)[1]
    of = boxes[first, thing]
    starts = np.append(turns[0], n_frames)
    return pl.DataFrame(
        {
            "camera": pl.repeat(CAMERA, thing.size, eager=True),
            "object_name": pl.Series(names).gather(thing),
            "frame_from": starts[first],
            "frame_to": starts[last + 1],
            "pixels": of[:, 0],
            "x_min_px": of[:, 1],
            "y_min_px": of[:, 2],
            "x_max_px": of[:, 3],
            "y_max_px": of[:, 4],
            "height_px": np.full(thing.size, PICTURE_PX),
            "width_px": np.full(thing.size, PICTURE_PX),
        }
    )


def _turns(
    found: Play, angles: dict[str, float], random: np.random.Generator, n_frames: int
) -> tuple[Ints, Floats]:
    """Frames at which something may look different, and where the camera then looks (radians).

    The head turns towards each event before it happens, so that it is seen.
    """
    n_turning = int(SHARE_TURNING * n_frames / len(found.events))
    yaw = np.zeros(n_frames)
    is_turning = np.zeros(n_frames, np.bool_)
    before = 0.0
    for frame, place in found.events:
        start, end = max(1, frame - n_turning - 20), frame - 20
        after = angles[place] + float(random.normal(0.0, 0.15))
        share = np.arange(1, end - start + 1) / (end - start)
        yaw[start:end] = before + (after - before) * share**2 * (3 - 2 * share)
        yaw[end:] = after
        is_turning[start:end] = True
        before = after
    is_turning[0] = True
    is_turning[[move.frame for move in found.moves]] = True
    frames = np.flatnonzero(is_turning)
    return frames, yaw[frames]


def _directions(
    found: Play,
    names: list[str],
    turns: tuple[Ints, Floats],
    angles: dict[str, float],
    random: np.random.Generator,
) -> tuple[Floats, Bools]:
    """Angle of every object in the picture (frames, objects), and whether something hides it."""
    frames, yaws = turns
    column = {name: k for k, name in enumerate(names)}
    at = np.full((frames.size, len(names)), HELD_AT)
    is_hidden = np.zeros(at.shape, np.bool_)
    for name, angle in angles.items():
        at[:, column[name]] = angle - yaws
    for name in set(found.parents):
        is_hidden[:, column[name]] = True
    for move in found.moves:
        k, since = column[move.thing], int(np.searchsorted(frames, move.frame))
        is_hidden[since:, k] = move.is_hidden
        if move.place is None:
            at[since:, k] = HELD_AT
        else:
            at[since:, k] = angles[move.place] + float(random.normal(0.0, 0.1)) - yaws[since:]
    gone = {parent: child for child, parents in found.parents.items() for parent in parents}
    for parent, child in sorted(gone.items()):
        moved = min(move.frame for move in found.moves if move.thing == child)
        is_hidden[int(np.searchsorted(frames, moved)) :, column[parent]] = True
    return at, is_hidden


def _boxes(at: Floats, is_hidden: Bools, random: np.random.Generator) -> tuple[Ints, Bools]:
    """Pixels and box (x and y from and to, inclusive) of each mask, and whether there is one."""
    n_objects = at.shape[1]
    half = random.uniform(2.0, 45.0, size=n_objects)
    middle_y = random.uniform(120.0, 400.0, size=n_objects)
    is_ahead = np.abs(at) < 1.3
    middle_x = PICTURE_PX / 2 + FOCAL_PX * np.tan(np.where(is_ahead, at, 0.0))
    x_min = np.maximum(np.rint(middle_x - half), 0).astype(np.int64)
    x_max = np.minimum(np.rint(middle_x + half), PICTURE_PX - 1).astype(np.int64)
    y_min = np.broadcast_to(np.rint(middle_y - half).astype(np.int64), at.shape)
    y_max = np.broadcast_to(np.rint(middle_y + half).astype(np.int64), at.shape)
    pixels = np.rint(0.7 * (x_max - x_min + 1) * (y_max - y_min + 1)).astype(np.int64)
    is_seen = is_ahead & ~is_hidden & (x_max >= x_min) & (pixels >= 1)
    return np.stack([pixels, x_min, y_min, x_max, y_max], axis=2), is_seen
