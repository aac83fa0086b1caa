"""Sources for tests, importable in other processes: household demonstrations, some of them bad."""

import os
import signal
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from benchmarks.synthetic import SyntheticSource, demonstration_name, generate
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.engine.tables import table
from enact_assets.pipeline.bulk.chain import BulkSettings
from enact_assets.settings.classes import Gating, QuestionSettings
from enact_assets.settings.predicates import CONTACT_PREDICATES, STATE_PREDICATES
from enact_assets.settings.profile import PAPER, RELEASE

N_FRAMES = 2_600
SETTINGS = BulkSettings(
    Gating("contact", PAPER, CONTACT_PREDICATES), QuestionSettings(trajectories_per_length=4)
)
OTHER_SETTINGS = replace(SETTINGS, gating=Gating("state", PAPER, STATE_PREDICATES))
RELEASE_SETTINGS = replace(SETTINGS, gating=Gating("release", RELEASE, ()))


def good(*seeds: int) -> list[SyntheticSource]:
    return [SyntheticSource(seed, N_FRAMES) for seed in seeds]


@dataclass(frozen=True)
class BadSource:
    """A demonstration that cannot be made, in one way or another."""

    seed: int
    how: str

    @property
    def demonstration(self) -> str:
        return demonstration_name(self.seed)

    @property
    def identity(self) -> str:
        return f"{self.how} {self.seed}"

    def load(self) -> ReplayTables:
        if self.how == "raises":
            raise ZeroDivisionError("a slip of the code")
        if self.how == "disk":
            raise OSError(5, "Input/output error", "facts.parquet")
        tables = generate(self.seed, N_FRAMES)
        if self.how == "contradiction":
            return replace(tables, facts=tables.facts.with_columns(frame_to=pl.col("frame_from")))
        if self.how == "unheard of":
            return _with_juice_from_nothing(tables)
        assert self.how == "embedded"
        embedded = tables.demonstrations.with_columns(source=pl.lit("embedded"))
        return replace(tables, demonstrations=embedded)


def _with_juice_from_nothing(tables: ReplayTables) -> ReplayTables:
    """A liquid that appears with nothing it could have come from: the release raises on it."""
    juice = {"object_name": "juice", "category": "System", "parents": ["orange"]}
    exists = {"predicate": "Exists", "subject": "juice", "frame_from": 1_200, "frame_to": N_FRAMES}
    more = {"objects": juice | {"is_particle_system": True}, "facts": exists | {"object": None}}
    return replace(
        tables,
        **{
            name: pl.concat(
                [
                    rows := getattr(tables, name),
                    pl.DataFrame(
                        [row | {"demonstration": rows["demonstration"][0]}], schema=rows.schema
                    ),
                ]
            ).sort(table(name).key())
            for name, row in more.items()
        },
    )


@dataclass(frozen=True)
class DeadlySource:
    """Kills its process while it loads, unless ``cure`` exists."""

    seed: int
    cure: Path

    @property
    def demonstration(self) -> str:
        return demonstration_name(self.seed)

    @property
    def identity(self) -> str:
        return SyntheticSource(self.seed, N_FRAMES).identity

    def load(self) -> ReplayTables:
        if not self.cure.exists():
            os.kill(os.getpid(), signal.SIGKILL)
        return generate(self.seed, N_FRAMES)
