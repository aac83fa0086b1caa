"""The embedded source: demonstrations simulated on demand, named ``<activity>-<seed>``."""

import re
from functools import lru_cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.demonstrations.behavior.definitions import DEFINED
from enact_assets.demonstrations.replay.result import (
    ReplayTables,
    columns_of,
    described,
    rows_of,
)
from enact_assets.demonstrations.replay.tables import Actions, Facts, Objects, States
from enact_assets.engine.errors import ReplayError, UnknownNameError, entry_named
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.settings.classes import EMBEDDED
from enact_assets.settings.splits import RESERVED_SEEDS, Split, split_of
from enact_assets.simulator.activities import ACTIVITIES
from enact_assets.simulator.activities.base import Activity
from enact_assets.simulator.shapes.world import World
from enact_assets.simulator.simulate import carry_out, world_of
from enact_assets.simulator.simulation.recording import Recording

_NAME = re.compile(r"(.+)-(\d+)")


def activity_of(name: str) -> Activity:
    """The activity called ``name``, which BEHAVIOR may define.

    Errors: :class:`UnknownNameError`, :class:`ActivityError` if it cannot be loaded.
    """
    if name.startswith(DEFINED):
        # Only here: it loads the whole planner, and most who ask for names need none of it.
        from enact_assets.demonstrations.behavior.translated import defined_activity

        return defined_activity(name)
    return entry_named(ACTIVITIES, name, "activity", "See: enact-assets activities")


def parse_demonstration(name: str) -> tuple[str, int]:
    """``"setting_the_table-0"`` -> ``("setting_the_table", 0)``.

    Errors: :class:`UnknownNameError` if the name has another form or its activity is unknown.
    """
    found = _NAME.fullmatch(name)
    example = f"{min(ACTIVITIES)}-0"
    if found is None or str(int(found[2])) != found[2]:
        raise UnknownNameError.of(
            "embedded demonstration",
            name,
            (f"{activity}-<seed>" for activity in ACTIVITIES),
            f"A name is an activity, a hyphen and a seed without leading zeros, like {example!r}.",
        )
    if found[1] not in ACTIVITIES and not found[1].startswith(DEFINED):
        raise UnknownNameError.of(
            "activity",
            found[1],
            ACTIVITIES,
            f"Demonstration {name!r} should read like {example!r}.",
        )
    return found[1], int(found[2])


def split_of_demonstration(name: str, source: str) -> Split:
    """The split of a demonstration of ``source``. Errors: as :func:`parse_demonstration`."""
    return split_of(source, parse_demonstration(name)[1] if source == EMBEDDED else None)


def check_may_be_asked(name: str) -> None:
    """Refuse a demonstration that reference models are trained on.

    Errors: :class:`UnknownNameError` for it, and as :func:`parse_demonstration`.
    """
    activity, seed = parse_demonstration(name)
    if split_of(EMBEDDED, seed) is Split.REFERENCE:
        first, last = RESERVED_SEEDS[0], RESERVED_SEEDS[-1]
        raise UnknownNameError(
            f"demonstration {name!r}: seeds {first} to {last} are reserved, because reference "
            f"models are trained on them. Name another seed, for example {activity}-"
            f"{RESERVED_SEEDS.stop}."
        )


def replay_embedded(name: str, on_progress: OnProgress = unheard) -> ReplayTables:
    """Simulate the demonstration called ``name``; ``on_progress`` gets simulated seconds.

    Errors: :class:`UnknownNameError` for the name, :class:`SimulationError` if it fails.
    """
    activity, seed = parse_demonstration(name)

    def simulated(seconds: float) -> None:
        on_progress(Progress(seconds, unit="s simulated"))

    return tables_of(name, carry_out(activity_of(activity), seed, simulated))


def tables_of(name: str, recording: Recording) -> ReplayTables:
    """A recording as replay tables under the demonstration name ``name``.

    Errors: :class:`TableContractError` if a table breaks its contract.
    """
    world, n = recording.world, recording.n_frames
    facts = [(f.predicate, f.subject, f.object, f.frame_from, f.frame_to) for f in recording.facts]
    objects = [
        (thing.name, thing.category, list(thing.parents), thing.is_particles)
        for thing in world.objects
    ]
    environment = f"{recording.activity}, {recording.environment}"
    actions = [
        (number, done.verb, list(done.objects), done.frame_from, done.frame_to, environment)
        for number, done in enumerate(recording.performed, 1)
    ]
    states = {
        "frame": np.arange(n, dtype=np.int64),
        "qpos": _lists(recording.qpos),
        "mocap_pos": _lists(recording.mocap_pos.reshape(n, -1)),
        "mocap_quat": _lists(recording.mocap_quat.reshape(n, -1)),
        "appearance": _lists(recording.appearance),
    }
    return ReplayTables(
        described(
            name,
            source=EMBEDDED,
            activity=recording.activity,
            seed=recording.seed,
            n_frames=n,
            frame_rate_hz=recording.frame_rate_hz,
            world_sha=world.sha,
            attempts=recording.attempts,
            replaced=[f"{ours}: {synset}" for ours, synset in recording.stands_for],
        ),
        rows_of(Facts, name, facts),
        rows_of(Objects, name, objects),
        states=columns_of(States, name, states),
        actions=rows_of(Actions, name, actions),
    )


def _lists(values: NDArray[np.float64]) -> pl.Series:
    """Rows of a (t, k) array as lists of Float32."""
    if values.shape[1] == 0:
        return pl.Series([[]] * len(values), dtype=pl.List(pl.Float32))
    rows = pl.Series(np.ascontiguousarray(values, dtype=np.float32))
    return rows.cast(pl.List(pl.Float32))


def embedded_world(demonstrations: pl.DataFrame) -> World:
    """The world one embedded demonstration was recorded in, rebuilt.

    Errors: :class:`ReplayError` if the table has not exactly one row, if the demonstration is not
    embedded, or if it was recorded in another version of the world.
    """
    if demonstrations.height != 1:
        raise ReplayError(f"expected one demonstration, the table has {demonstrations.height} rows")
    row = demonstrations.row(0, named=True)
    name = row["demonstration"]
    if row["source"] != EMBEDDED:
        raise ReplayError(
            f"{name}: source is {row['source']!r}; only embedded ones can be rendered"
        )
    return _rebuilt(name, row["world_sha"])


@lru_cache(maxsize=2)  # Steps ask one after the other for that of one demonstration.
def _rebuilt(name: str, sha: str) -> World:
    activity, seed = parse_demonstration(name)
    found = activity_of(activity)
    world = world_of(found, seed)
    for attempt in range(2, found.attempts + 1):
        if world.sha != sha:
            world = world_of(found, seed, attempt)
    if world.sha != sha:
        raise ReplayError(
            f"{name}: recorded in another version of the world (recorded {sha[:12]}, "
            f"now {world.sha[:12]}): materialize replays again"
        )
    return world
