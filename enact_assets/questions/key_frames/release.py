"""Segmented frames under profile ``release``: what the public release saves, quirks included.

Source: definitions.md R3 to R5. Frames are positions; where the rules count ids, the
recording's own are used. The quirks, each with a test:

- The first key frame is frame 59, whatever it shows; a shorter replay ends the release with an
  IndexError. Frame 60 and the last frame are never compared.
- The transient filter anchors its windows at every fifth frame, so pulses of 5 to 8 frames are
  removed or kept depending on where they start, and objects that flicker are counted repeatedly.
- A change sets a *candidate*, which stays armed when the change is undone. What is saved is the
  first dissimilar frame at least 10 ids later; if none comes, the candidate itself at the end.
- Two frames that differ in repeated records only end the release with an AssertionError. It
  compares states as lists whose order depends on hashes, so it may or may not fail where an object
  has two states or more; here states are sets, and such a frame always ends the demonstration.
- Key frames are found on filtered facts, but ``scene_graphs`` and ``changes`` are about what was
  recorded: later stages of the release read the recording again (definitions.md R5).

The filter works on records. A record is what one frame lists under one key, an object or an ordered
pair of objects: a set of states. Which states an object has matters here, its category does not:
the filter gives a restored node the category, parents and visibility of another one (definitions.md
R3), unseen later.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl

from enact_assets.engine.errors import ReplayError
from enact_assets.questions.key_frames.given_key_frames import given, is_given
from enact_assets.questions.key_frames.held_facts import changes_at, facts_at
from enact_assets.questions.key_frames.landed import (
    KeyFrames,
    SegmentedTables,
    land,
    only_demonstration,
)
from enact_assets.questions.key_frames.release_record_kernels import (
    MAX_STATES,
    FilterRules,
    Intervals,
    Records,
    filter_transients,
    join_facts,
)
from enact_assets.questions.key_frames.release_search_kernels import (
    KeyFrameSearch,
    SearchRules,
    find_key_frames,
)
from enact_assets.questions.key_frames.switches import FACT, check_intervals
from enact_assets.settings.arrays import Ints
from enact_assets.settings.classes import Gating
from enact_assets.settings.frame_ids import FrameIds
from enact_assets.settings.predicates import EXISTS, RELATED
from enact_assets.settings.profile import ReleaseRules


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


def segment_release(
    demonstrations: pl.DataFrame,
    facts: pl.DataFrame,
    objects: pl.DataFrame,
    gating: Gating,
    later_parents: pl.DataFrame | None = None,
) -> SegmentedTables:
    """Key frames of one demonstration and the recorded scene graph at each of them.

    ``change_frame`` is the candidate a key frame was saved for, ``similarity`` that of the key
    frame with the one before, ``changes`` what the recording says, not the filter. Where all
    frames are key frames, :func:`given` has them.

    Errors: :class:`ReplayError` where the release aborts (see above), if not exactly one
    demonstration is given, if a table is of another one, or if an object has more than 64 states;
    :class:`IntervalError` if the intervals of a fact overlap; :class:`SettingsError` for a gating
    of another profile.
    """
    rules = gating.profile.release_constants
    only_demonstration(demonstrations, objects=objects, later_parents=later_parents)
    if is_given(demonstrations):
        return given(demonstrations, facts, objects, gating, later_parents)
    found, _ = trace_release(demonstrations, facts, rules)
    similarities = found.similarities[found.frames]
    similarities[0] = -1.0
    return land(
        demonstrations,
        gating,
        KeyFrames(found.frames, found.armed_by, similarities),
        changes_at(facts, objects, found.frames, later_parents),
        facts_at(facts, found.frames),
    )


def trace_release(
    demonstrations: pl.DataFrame, facts: pl.DataFrame, rules: ReleaseRules
) -> tuple[KeyFrameSearch, RecordHistory]:
    """The key frames of one demonstration, with all that was found on the way, and its filtered
    records; errors as :func:`segment_release`.
    """
    name, n_frames = only_demonstration(demonstrations, facts=facts)
    if n_frames <= rules.first_key_frame:
        raise ReplayError(
            f"demonstration {name!r}: {n_frames} frames, but profile 'release' always takes frame "
            f"{rules.first_key_frame} as its first key frame. The public release ends with an "
            f"IndexError below {rules.first_key_frame + 1} frames and writes nothing. Leave the "
            "demonstration out, or segment it with profile 'paper'."
        )
    ids = FrameIds(tuple(demonstrations["frame_id_runs"][0])).at(np.arange(n_frames))
    records = filter_records(recorded_history(facts, n_frames), n_frames, rules)
    order = np.argsort(records.runs.frames, kind="stable")
    constants = SearchRules(
        rules.first_key_frame,
        rules.first_compared,
        rules.max_similarity,
        rules.min_gap_ids,
        rules.settle_ids,
    )
    found = find_key_frames(records.runs, order, ids, constants)
    if found.aborted_at >= 0:
        frame, key_frame = found.aborted_at, int(found.frames[-1])
        raise ReplayError(
            f"demonstration {name!r}: frame {frame} (id {ids[frame]}) has a similarity of "
            f"{found.similarities[frame]:.4f} with key frame {key_frame} (id {ids[key_frame]}), "
            "but the two differ only in how often the transient filter repeated the records of "
            f"{_repeated(records, frame, key_frame)}. The public release ends with an "
            "AssertionError here and writes nothing. Mend the frames in which they are missing, or "
            "segment with profile 'paper'."
        )
    return found, records


def _repeated(records: RecordHistory, *frames: int) -> str:
    """Names of the objects that one of ``frames`` lists more than once."""
    names: set[str] = set()
    for frame in frames:
        nodes = [record.subject for record in records.at(frame) if record.object is None]
        names.update(name for name in nodes if nodes.count(name) > 1)
    return ", ".join(sorted(names))
