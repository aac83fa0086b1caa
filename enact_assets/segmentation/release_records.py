"""Facts as records, the way the public release keeps them, before and after its transient filter.

A record is what one frame lists under one key, an object or an ordered pair of objects: a set of
states. Which states an object has matters here, its category does not: the filter gives a restored
node the category, parents and visibility of another one (definitions.md R3), unseen later.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.contracts.errors import ReplayError
from enact_assets.contracts.predicates import EXISTS, RELATED
from enact_assets.contracts.profile import ReleaseRules
from enact_assets.segmentation.release_record_kernels import (
    MAX_STATES,
    FilterRules,
    Intervals,
    Records,
    filter_transients,
    join_facts,
)
from enact_assets.segmentation.switches import FACT, check_intervals

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Record:
    """One record of one frame. ``object`` is None for a node; ``states`` are sorted."""

    subject: str
    object: str | None
    states: tuple[str, ...]


@dataclass(frozen=True)
class RecordHistory:
    """All records of one demonstration over time, as runs of frames with equal records.

    Key k of ``runs`` is row k of ``keys`` (subject, object), and bit b of its masks is
    ``states[k][b]``.
    """

    keys: pl.DataFrame
    states: list[list[str]]
    runs: Records

    def at(self, frame: int) -> list[Record]:
        """The records of ``frame``, repetitions included, by key: nodes before edges per name."""
        found = []
        runs = self.runs
        for k, (subject, other) in enumerate(self.keys.iter_rows()):
            frames = runs.frames[runs.offsets[k] : runs.offsets[k + 1]]
            run = runs.offsets[k] + int(np.searchsorted(frames, frame, side="right")) - 1
            if run < runs.offsets[k]:
                continue
            for mask in runs.masks[runs.first[run] : runs.first[run + 1]].tolist():
                names = (name for b, name in enumerate(self.states[k]) if mask >> b & 1)
                found.append(Record(subject, other, tuple(names)))
        return found


def recorded_history(facts: pl.DataFrame, n_frames: int) -> RecordHistory:
    """Records of one demonstration from its ``facts``.

    A record exists while any fact of its key holds; ``Exists`` (of an object) and ``Related`` (of
    a pair) say nothing else. Any other predicate is a state, whether the catalogue has it or not.

    Errors: :class:`IntervalError` if the intervals of a fact overlap, touch, are empty or leave the
    replay; :class:`ReplayError` if an object or a pair has more than 64 different states.
    """
    rows = (
        facts.select("demonstration", *FACT, "frame_from", "frame_to")
        .sort("subject", "object", "predicate", "frame_from", nulls_last=False)
        .with_columns(
            key=pl.struct("subject", "object").rle_id(),
            fact=pl.struct(FACT).rle_id(),
            is_marker=pl.col("predicate")
            == pl.when(pl.col("object").is_null()).then(pl.lit(EXISTS)).otherwise(pl.lit(RELATED)),
        )
    )
    fact = rows["fact"].to_numpy().astype(np.int64)
    check_intervals(rows, fact, n_frames)
    key = rows["key"].to_numpy().astype(np.int64)
    first_of_fact = _starts(fact)
    is_state = ~rows["is_marker"].to_numpy()[first_of_fact]
    key_of_fact = key[first_of_fact]
    # States are numbered within their key; markers have no number.
    n_before = np.cumsum(is_state) - is_state
    first_of_key = _starts(key_of_fact)
    bit_of_fact = n_before - n_before[first_of_key][key_of_fact]
    states: list[list[str]] = [[] for _ in range(first_of_key.size)]
    state_rows = first_of_fact[is_state]
    names = rows["predicate"].gather(state_rows).to_list()
    for k, name in zip(key_of_fact[is_state].tolist(), names, strict=True):
        states[k].append(name)
    keys = rows.select("subject", "object")[first_of_fact[first_of_key]]
    _check_states(keys, states, rows)
    bit_of_fact[~is_state] = -1
    start = rows["frame_from"].to_numpy().astype(np.int64)
    stop = rows["frame_to"].to_numpy().astype(np.int64)
    intervals = Intervals(key, bit_of_fact[fact], start, stop)
    span = n_frames + 1
    order = np.argsort(np.concatenate([key * span + start, key * span + stop]), kind="stable")
    return RecordHistory(keys, states, join_facts(intervals, order, len(states), n_frames))


def filter_records(history: RecordHistory, n_frames: int, rules: ReleaseRules) -> RecordHistory:
    """What the transient filter of the release makes of ``history`` (definitions.md R3).

    A state that holds, or fails to hold, for up to 4 frames is always mended, for up to 8 frames
    if it starts right after an anchor. An object that is missing for as long is restored, at times
    more than once: repeated records count repeatedly in the similarity of frames.
    """
    is_node = history.keys["object"].is_null().to_numpy()
    constants = FilterRules(n_frames, rules.window_stride, rules.min_window, rules.max_window)
    runs = filter_transients(history.runs, is_node, constants)
    return RecordHistory(history.keys, history.states, runs)


def _starts(numbers: Ints) -> Ints:
    """Where ascending ``numbers`` change, the start included."""
    is_start = np.ones(numbers.size, np.bool_)
    is_start[1:] = numbers[1:] != numbers[:-1]
    return np.flatnonzero(is_start)


def _check_states(keys: pl.DataFrame, states: list[list[str]], rows: pl.DataFrame) -> None:
    crowded = [k for k, names in enumerate(states) if len(names) > MAX_STATES]
    if crowded:
        subject, other = keys.row(crowded[0])
        raise ReplayError(
            f"demonstration {rows.item(0, 'demonstration')!r}: {len(crowded)} of {len(states)} "
            f"objects and pairs have more than {MAX_STATES} different states, first "
            f"{subject if other is None else (subject, other)} with {len(states[crowded[0]])}. "
            f"Profile 'release' takes {MAX_STATES} at most; segment with profile 'paper', or leave "
            "out states that are no states."
        )
