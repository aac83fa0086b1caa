"""The facts and objects of one demonstration as arrays for the kernels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from enact_assets.engine.errors import IntervalError
from enact_assets.questions.key_frames.families import Origin, resolve_parents
from enact_assets.questions.key_frames.segment_kernels import Lineage, Switches
from enact_assets.settings.arrays import Ints
from enact_assets.settings.predicates import EXISTS

FACT = ["predicate", "subject", "object"]


@dataclass(frozen=True)
class FactSwitches:
    """When each fact of one demonstration switches.

    ``facts`` has one row (predicate, subject, object) per fact: first the ``n_signature_facts``
    whose change makes a component, then existence. ``children[c]`` is the name of child c of
    ``lineage``.
    """

    facts: pl.DataFrame
    switches: Switches
    n_signature_facts: int
    children: list[str]
    lineage: Lineage

    @property
    def is_existence(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Per fact, whether it only says that an object exists: (n_facts,)."""
        return np.arange(self.facts.height) >= self.n_signature_facts


def find_switches(
    facts: pl.DataFrame,
    objects: pl.DataFrame,
    predicates: tuple[str, ...],
    n_frames: int,
    later_parents: pl.DataFrame | None = None,
) -> FactSwitches:
    """Switches of the facts of ``predicates`` and of existence in one demonstration.

    Errors: :class:`IntervalError` if the intervals of a fact overlap, touch, are empty or leave
    [0, n_frames): the kernels would count wrongly without a sign.
    """
    rows = (
        facts.lazy()
        .filter(pl.col("predicate").is_in([*predicates, EXISTS]))
        .with_columns(is_existence=pl.col("predicate") == EXISTS)
        .sort("is_existence", *FACT, "frame_from")
        .with_columns(fact=pl.struct(FACT).rle_id())
        .collect()
    )
    number = rows["fact"].to_numpy().astype(np.int64)
    check_intervals(rows, number, n_frames)
    is_first = np.ones(rows.height, np.bool_)
    is_first[1:] = number[1:] != number[:-1]
    starts = np.flatnonzero(is_first)
    names = rows.select(FACT)[starts]
    offsets = 2 * np.append(starts, rows.height)
    frames = rows.select("frame_from", "frame_to").to_numpy().ravel()
    n_signature_facts = int((names["predicate"] != EXISTS).sum())
    existing = names["subject"][n_signature_facts:].to_list()
    existence = {name: n_signature_facts + k for k, name in enumerate(existing)}
    children, lineage = _find_lineage(resolve_parents(objects, later_parents), existence)
    switches = Switches(offsets.astype(np.int64), frames.astype(np.int64))
    return FactSwitches(names, switches, n_signature_facts, children, lineage)


def check_intervals(rows: pl.DataFrame, number: Ints, n_frames: int) -> None:
    """``rows`` of facts, in order of their fact's ``number`` (n,) and of ``frame_from``.

    Errors: :class:`IntervalError` if the intervals of a fact overlap, touch, are empty or leave
    [0, n_frames).
    """
    frame_from, frame_to = rows["frame_from"].to_numpy(), rows["frame_to"].to_numpy()
    earliest = np.zeros(rows.height, np.int64)
    same_fact = number[1:] == number[:-1]
    earliest[1:][same_fact] = frame_to[:-1][same_fact] + 1
    is_bad = (frame_from < earliest) | (frame_from >= frame_to) | (frame_to > n_frames)
    if is_bad.any():
        first = rows.row(int(np.flatnonzero(is_bad)[0]), named=True)
        raise IntervalError(
            f"demonstration {first['demonstration']!r}: {int(is_bad.sum())} of {rows.height} "
            f"intervals are empty, leave the replay of {n_frames} frames, or touch another of "
            f"their fact, first {first['predicate']}({first['subject']}, {first['object']}) in "
            f"frames [{first['frame_from']}, {first['frame_to']}). Check the replay with "
            "replay.validation.check_replay."
        )


def _find_lineage(
    origins: Mapping[str, Sequence[Origin[str]]], existence: Mapping[str, int]
) -> tuple[list[str], Lineage]:
    """Children whose existence, a fact of this number, is recorded, and that of a parent is."""
    children: list[str] = []
    child: list[int] = []
    parent: list[int] = []
    times: list[tuple[int, int]] = []
    offsets, time_offsets = [0], [0]
    for name in sorted(origins.keys() & existence.keys()):
        links: dict[str, list[tuple[int, int]]] = {}
        for start, stop, parents in origins[name]:
            for known in (p for p in parents if p in existence):
                links.setdefault(known, []).append((start, stop))
        if links:
            children.append(name)
            child.append(existence[name])
            parent.extend(existence[p] for p in links)
            offsets.append(len(parent))
            for of_link in links.values():
                times.extend(of_link)
                time_offsets.append(len(times))
    arrays = [np.array(values, np.int64) for values in (child, offsets, parent, time_offsets)]
    arrays.append(np.array(times, np.int64).reshape(-1, 2))
    return children, Lineage(*arrays)
