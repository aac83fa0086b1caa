"""Checks a replay for contradictions before any stage builds on it.

All checks are joins and comparisons of columns: a replay of 100,000 frames and some thousand
intervals is checked in milliseconds.
"""

from collections.abc import Iterable

import polars as pl

from enact_assets.engine.errors import ExistenceError, IntervalError, ReplayError
from enact_assets.settings.classes import OMNIGIBSON, RECORDED
from enact_assets.settings.predicates import CATALOGUE, EXISTS, RELATED, TRANSITION

_OBJECT_KEY = ["demonstration", "object_name"]
_FACT_KEY = ["demonstration", "predicate", "subject", "object"]


def check_replay(
    demonstrations: pl.DataFrame,
    facts: pl.DataFrame,
    objects: pl.DataFrame,
    later_parents: pl.DataFrame | None = None,
) -> None:
    """Raise if the tables of one or several demonstrations contradict themselves.

    Without ``later_parents`` no object has other parents later on.

    Errors, each naming demonstration, fact, frames, how many rows are concerned and the first:

    - :class:`ReplayError`: a demonstration without frames, or listed twice; rows of a demonstration
      that is not listed; an object listed twice, with an unknown parent, or as its own parent;
      later parents of an unknown object, or from a frame on that is not in (0, n_frames); an
      unknown predicate, ``Transition`` as a fact (it follows from ``parents``), a wrong number of
      objects, a fact about an object and itself, a symmetric predicate in both directions.
    - :class:`IntervalError`: an interval that is empty or leaves [0, n_frames), or intervals of
      one fact that overlap or touch (intervals are maximal).
    - :class:`ExistenceError`: a fact about an object that is not in ``objects``, or holds at a
      frame at which one of its objects does not exist.

    A recorded demonstration says what its file says: any identifier is a predicate, of one object
    or two, in either direction or both; the two may be one, or not exist at the time (a state of
    one object still needs its record); parents may be categories. So may those of particle systems
    in a demonstration that OmniGibson played.
    """
    _check_demonstrations(demonstrations, facts, objects)
    names = demonstrations.filter(pl.col("source") == RECORDED)["demonstration"].to_list()
    is_recorded = pl.col("demonstration").is_in(names)
    _check_objects(objects)
    played = demonstrations.filter(pl.col("source") == OMNIGIBSON)["demonstration"].to_list()
    is_played = pl.col("demonstration").is_in(played)
    named = objects.filter(~is_recorded & ~(is_played & pl.col("is_particle_system")))
    if later_parents is not None and later_parents.height:
        _check_later_parents(demonstrations, objects, later_parents)
        named = pl.concat([named, later_parents.filter(~is_recorded)], how="diagonal")
    _check_parents(objects, named)
    _check_predicates(facts.filter(~is_recorded))
    _check_recorded_predicates(facts.filter(is_recorded))
    _check_intervals(demonstrations, facts)
    _check_objects_are_known(facts, objects)
    # A recorded pair may outlive its objects: the public release keeps it, and so do we.
    _check_existence(facts.filter(~is_recorded | pl.col("object").is_null()))


def _check_demonstrations(
    demonstrations: pl.DataFrame, facts: pl.DataFrame, objects: pl.DataFrame
) -> None:
    repeated = demonstrations.filter(pl.col("demonstration").is_duplicated())
    if repeated.height:
        raise ReplayError(
            f"demonstrations: {repeated.height} rows share a name, first "
            f"{repeated['demonstration'][0]!r}. A demonstration is one row."
        )
    empty = demonstrations.filter(pl.col("n_frames") < 1)
    if empty.height:
        name, n_frames = empty.select("demonstration", "n_frames").row(0)
        raise ReplayError(
            f"demonstration {name!r}: n_frames is {n_frames} ({empty.height} demonstrations have "
            "no frame). The recording is empty or was cut off: record it again."
        )
    for what, rows in (("facts", facts), ("objects", objects)):
        foreign = rows.join(demonstrations, on="demonstration", how="anti")
        if foreign.height:
            raise ReplayError(
                f"demonstration {foreign['demonstration'][0]!r}: {foreign.height} of {rows.height} "
                f"rows of {what} belong to a demonstration that is not in demonstrations "
                f"(known: {_listed(demonstrations['demonstration'])}). Add its row, or read one "
                "partition of each table."
            )


def _check_objects(objects: pl.DataFrame) -> None:
    repeated = objects.filter(pl.struct(_OBJECT_KEY).is_duplicated())
    if repeated.height:
        name, first = repeated.select(_OBJECT_KEY).row(0)
        raise ReplayError(
            f"demonstration {name!r}: {repeated.height} of {objects.height} objects share a name, "
            f"first {first!r}. Names are unique in a demonstration: number them."
        )


def _check_later_parents(
    demonstrations: pl.DataFrame, objects: pl.DataFrame, later: pl.DataFrame
) -> None:
    unknown = later.join(objects, on=_OBJECT_KEY, how="anti", maintain_order="left")
    if unknown.height:
        name, first = unknown.select(_OBJECT_KEY).row(0)
        raise ReplayError(
            f"demonstration {name!r}: {unknown.height} of {later.height} rows of later_parents are "
            f"about objects that are not in objects, first {first!r}. Add a row to objects."
        )
    rows = later.join(demonstrations, on="demonstration", maintain_order="left")
    outside = rows.filter(~pl.col("frame_from").is_between(1, pl.col("n_frames") - 1))
    if outside.height:
        name, first, frame, n_frames = outside.select(*_OBJECT_KEY, "frame_from", "n_frames").row(0)
        raise ReplayError(
            f"demonstration {name!r}: {outside.height} of {rows.height} rows of later_parents "
            f"start outside frames 1 to {n_frames - 1}, first {first!r} at frame {frame}. "
            "Parents from the first frame on belong in objects."
        )


def _check_parents(objects: pl.DataFrame, named: pl.DataFrame) -> None:
    links = named.explode("parents", empty_as_null=False).filter(pl.col("parents").is_not_null())
    own = links.filter(pl.col("parents") == pl.col("object_name"))
    if own.height:
        name, first = own.select(_OBJECT_KEY).row(0)
        raise ReplayError(
            f"demonstration {name!r}: {own.height} objects are their own parent, first {first!r}. "
            "parents are the objects this one came from."
        )
    unknown = links.join(
        objects,
        left_on=["demonstration", "parents"],
        right_on=_OBJECT_KEY,
        how="anti",
        maintain_order="left",
    )
    if unknown.height:
        name, first, parent = unknown.select(*_OBJECT_KEY, "parents").row(0)
        raise ReplayError(
            f"demonstration {name!r}: {unknown.height} of {links.height} parents are not in "
            f"objects, first {parent!r} of {first!r}. Add the parent, or drop it from parents."
        )


def _check_predicates(facts: pl.DataFrame) -> None:
    recorded = [name for name in CATALOGUE if name != TRANSITION]
    unknown = facts.filter(~pl.col("predicate").is_in(recorded))
    if unknown.height:
        raise ReplayError(
            f"{_where(unknown)}: {unknown.height} of {facts.height} facts have a predicate that "
            f"cannot be recorded, first {unknown['predicate'][0]!r} "
            f"(known: {', '.join(recorded)}). Add it to settings/predicates.py; "
            "transitions follow from parents and are no facts."
        )
    unary = [name for name in recorded if CATALOGUE[name].arity == 1]
    wrong = facts.filter(pl.col("predicate").is_in(unary) != pl.col("object").is_null())
    if wrong.height:
        arity = CATALOGUE[wrong["predicate"][0]].arity
        raise ReplayError(
            f"{_where(wrong)}: {wrong.height} of {facts.height} facts have the wrong number of "
            f"objects; {wrong['predicate'][0]} takes {arity}. Leave object empty for one object, "
            "fill it for two."
        )
    own = facts.filter(pl.col("subject") == pl.col("object"))
    if own.height:
        raise ReplayError(
            f"{_where(own)}: {own.height} of {facts.height} facts relate an object to itself. Drop "
            "them."
        )
    symmetric = [name for name in recorded if CATALOGUE[name].is_symmetric]
    pairs = facts.filter(pl.col("predicate").is_in(symmetric))
    both = pairs.join(
        pairs.select(_FACT_KEY).unique(),
        left_on=_FACT_KEY,
        right_on=["demonstration", "predicate", "object", "subject"],
        how="semi",
        maintain_order="left",
    )
    if both.height:
        raise ReplayError(
            f"{_where(both)}: {both.height} of {pairs.height} facts of symmetric predicates are "
            "stored in both directions. Store one: the object whose name sorts first as subject."
        )


def _check_recorded_predicates(facts: pl.DataFrame) -> None:
    wrong = facts.filter(
        ~pl.col("predicate").str.contains(r"^[A-Za-z_][A-Za-z0-9_]*$")
        | (pl.col("predicate") == TRANSITION)
    )
    if wrong.height:
        raise ReplayError(
            f"{_where(wrong)}: {wrong.height} of {facts.height} facts have a predicate that is "
            f"not a state name, first {wrong['predicate'][0]!r}. State names are identifiers; "
            "transitions follow from parents and are no facts."
        )
    arity = facts.filter(
        ((pl.col("predicate") == EXISTS) & pl.col("object").is_not_null())
        | ((pl.col("predicate") == RELATED) & pl.col("object").is_null())
    )
    if arity.height:
        raise ReplayError(
            f"{_where(arity)}: {arity.height} of {facts.height} facts have the wrong number of "
            f"objects; {EXISTS} takes 1, {RELATED} takes 2."
        )


def _check_intervals(demonstrations: pl.DataFrame, facts: pl.DataFrame) -> None:
    rows = facts.join(
        demonstrations.select("demonstration", "n_frames"),
        on="demonstration",
        maintain_order="left",
    )
    empty = rows.filter(pl.col("frame_to") <= pl.col("frame_from"))
    if empty.height:
        raise IntervalError(
            f"{_where(empty)}: {empty.height} of {rows.height} intervals end at or before their "
            "start. Intervals are half open: a fact that holds at frame 7 only is [7, 8)."
        )
    outside = rows.filter((pl.col("frame_from") < 0) | (pl.col("frame_to") > pl.col("n_frames")))
    if outside.height:
        raise IntervalError(
            f"{_where(outside)}: {outside.height} of {rows.height} intervals leave the replay, "
            f"which has frames [0, {outside['n_frames'][0]}). Cut the interval, or correct "
            "n_frames."
        )
    later = rows.sort(*_FACT_KEY, "frame_from", "frame_to").with_columns(
        before=pl.col("frame_to").cum_max().shift(1).over(_FACT_KEY)
    )
    meeting = later.filter(pl.col("frame_from") <= pl.col("before"))
    if meeting.height:
        raise IntervalError(
            f"{_where(meeting)}: {meeting.height} of {rows.height} intervals overlap or touch an "
            f"earlier one of their fact, which ends at frame {meeting['before'][0]}. Intervals are "
            "maximal: merge them."
        )


def _uses(facts: pl.DataFrame) -> pl.DataFrame:
    """Facts with the objects they are about as ``used``, one per row."""
    subjects = facts.with_columns(used=pl.col("subject"))
    others = facts.filter(pl.col("object").is_not_null()).with_columns(used=pl.col("object"))
    return pl.concat([subjects, others])


def _check_objects_are_known(facts: pl.DataFrame, objects: pl.DataFrame) -> None:
    uses = _uses(facts)
    unknown = uses.join(
        objects,
        left_on=["demonstration", "used"],
        right_on=_OBJECT_KEY,
        how="anti",
        maintain_order="left",
    )
    if unknown.height:
        raise ExistenceError(
            f"{_where(unknown)}: {unknown['used'][0]!r} is not in objects ({unknown.height} "
            f"uses of {unknown['used'].n_unique()} unknown objects). Add a row to objects."
        )


def _check_existence(facts: pl.DataFrame) -> None:
    uses = _uses(facts)
    existence = facts.filter(pl.col("predicate") == EXISTS).select(
        "demonstration", used="subject", exists_from="frame_from", exists_to="frame_to"
    )
    # The last interval of existence that starts no later than the fact must hold all of it.
    covered = (
        uses.filter(pl.col("predicate") != EXISTS)
        .sort("frame_from", maintain_order=True)
        .join_asof(
            existence.sort("exists_from"),
            left_on="frame_from",
            right_on="exists_from",
            by=["demonstration", "used"],
            strategy="backward",
            check_sortedness=False,
        )
    )
    absent = covered.filter(
        pl.col("exists_to").is_null() | (pl.col("exists_to") < pl.col("frame_to"))
    )
    if absent.height:
        raise ExistenceError(
            f"{_where(absent)}: {absent['used'][0]!r} does not exist throughout these frames "
            f"({absent.height} of {covered.height} uses of an object). Record {EXISTS} for it, or "
            "cut the fact."
        )


def _where(rows: pl.DataFrame) -> str:
    """Demonstration, fact and frames of the first row."""
    row = rows.row(0, named=True)
    inner = row["subject"] if row["object"] is None else f"{row['subject']}, {row['object']}"
    return (
        f"demonstration {row['demonstration']!r}, fact {row['predicate']}({inner}) in frames "
        f"[{row['frame_from']}, {row['frame_to']})"
    )


def _listed(names: Iterable[str]) -> str:
    """At most five names in a message."""
    names = sorted(names)
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
