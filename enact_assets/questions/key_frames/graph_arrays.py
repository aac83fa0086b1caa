"""Scene graphs and masks of one demonstration's key frames: checked, and as arrays."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from enact_assets.engine.errors import ReplayError
from enact_assets.questions.key_frames.bit_sets import pack
from enact_assets.questions.key_frames.switches import FACT
from enact_assets.settings.arrays import Bools, Ints, Words
from enact_assets.settings.predicates import EXISTS


def check_key_frame_tables(
    scene_graphs: pl.DataFrame,
    visibility: pl.DataFrame,
    objects: pl.DataFrame,
    later_parents: pl.DataFrame | None = None,
) -> None:
    """Raise :class:`ReplayError` unless the tables describe one demonstration and gating.

    All objects that other tables name have to be in ``objects``, once.
    """
    parts = [t.select("demonstration", "gating") for t in (scene_graphs, visibility)]
    partitions = pl.concat(parts).unique().sort("demonstration", "gating").rows()
    demonstrations = {p[0] for p in partitions} | set(objects["demonstration"].unique())
    if later_parents is not None:
        demonstrations |= set(later_parents["demonstration"].unique())
    if len(partitions) > 1 or len(demonstrations) > 1:
        raise ReplayError(
            f"scene_graphs and visibility of {len(partitions)} partitions {partitions[:3]} and "
            f"tables of {len(demonstrations)} demonstrations {sorted(demonstrations)[:3]} were "
            "given together; an index is of one demonstration and gating."
        )
    known = set(objects["object_name"])
    if len(known) != objects.height:
        raise ReplayError(
            f"objects: {objects.height - len(known)} of {objects.height} rows repeat a name. "
            "Check the replay with replay.validation.check_replay."
        )
    used = {
        "scene_graphs.subject": scene_graphs["subject"],
        "scene_graphs.object": scene_graphs["object"].drop_nulls(),
        "visibility.object_name": visibility["object_name"],
    }
    if later_parents is not None:
        used["later_parents.object_name"] = later_parents["object_name"]
    for column, names in used.items():
        unknown = sorted(set(names.unique()) - known)
        if unknown:
            raise ReplayError(
                f"{column}: {len(unknown)} names are not in objects, first {unknown[0]!r}. "
                "Materialize replay and segmentation of this demonstration again."
            )


def count_named_key_frames(scene_graphs: pl.DataFrame, visibility: pl.DataFrame) -> int:
    """Key frames up to the last one that a row is about."""
    last = [t["key_frame"].max() for t in (scene_graphs, visibility) if t.height]
    return 1 + max((int(k) for k in last), default=-1)  # type: ignore[arg-type]  # integers


def object_numbers(names: pl.Series, number: Mapping[str, int]) -> Ints:
    """Object numbers of ``names``; null has the number after the last."""
    return names.replace_strict(
        list(number), list(number.values()), default=len(number), return_dtype=pl.Int64
    ).to_numpy()


def existence_of(scene_graphs: pl.DataFrame, number: Mapping[str, int], n_key_frames: int) -> Bools:
    """Which object exists at which key frame: (n_key_frames, objects)."""
    return _marked(
        scene_graphs.filter(pl.col("predicate") == EXISTS), "subject", number, n_key_frames
    )


def sight_of(shown: pl.DataFrame, number: Mapping[str, int], n_key_frames: int) -> Bools:
    """Which object has a row in ``shown``, rows of visibility: (n_key_frames, objects)."""
    return _marked(shown, "object_name", number, n_key_frames)


def _marked(rows: pl.DataFrame, column: str, number: Mapping[str, int], n_key_frames: int) -> Bools:
    marks = np.zeros((n_key_frames, len(number)), np.bool_)
    marks[rows["key_frame"].to_numpy(), object_numbers(rows[column], number)] = True
    return marks


def number_facts(
    scene_graphs: pl.DataFrame, other_than: Sequence[str], n_key_frames: int
) -> tuple[pl.DataFrame, Words]:
    """The distinct facts, sorted, and those of each key frame as a bit set.

    Facts of the predicates ``other_than`` are left out. Returns (predicate, subject, object) and
    (n_key_frames, words).
    """
    rows = (
        scene_graphs.filter(~pl.col("predicate").is_in(list(other_than)))
        .sort(FACT)
        .with_columns(fact=pl.struct(FACT).rle_id().cast(pl.Int64))
    )
    facts = rows.unique("fact", keep="first", maintain_order=True).select(FACT)
    holds = np.zeros((n_key_frames, facts.height), np.bool_)
    holds[rows["key_frame"].to_numpy(), rows["fact"].to_numpy()] = True
    return facts, pack(holds)


def number_by_value(values: Sequence[object]) -> Ints:
    """The same number for equal values, numbered by first appearance."""
    seen: dict[object, int] = {}
    return np.array([seen.setdefault(value, len(seen)) for value in values], np.int64)
