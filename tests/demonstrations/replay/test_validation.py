"""Every contradiction a replay can hold is named: where, what, how many, what to do."""

import polars as pl
import pytest

from enact_assets.demonstrations.replay.tables import LaterParents
from enact_assets.demonstrations.replay.validation import check_replay
from enact_assets.engine.errors import ExistenceError, IntervalError, ReplayError

from reference.builders import build_demonstrations, build_facts, build_objects

N_FRAMES = 100
OBJECTS = (
    ("robot", "agent"),
    ("table", "table"),
    ("cup", "cup"),
    ("melon", "melon"),
    ("half", "half_melon", ["melon"]),
)
EXISTENCE = (
    *(("Exists", name, None, [(0, N_FRAMES)]) for name in ("robot", "table", "cup")),
    ("Exists", "melon", None, [(0, 50)]),
    ("Exists", "half", None, [(50, 70), (80, N_FRAMES)]),
)
VALID = (
    *EXISTENCE,
    ("OnTop", "melon", "table", [(0, 20), (30, 50)]),
    ("OnTop", "half", "table", [(50, 70), (85, N_FRAMES)]),
    ("Touching", "cup", "table", [(0, N_FRAMES)]),
    ("Open", "cup", None, [(99, 100)]),
)


def check(*facts: tuple[str, str, str | None, list[tuple[int, int]]]) -> None:
    """A valid replay with more facts."""
    check_replay(
        build_demonstrations(N_FRAMES), build_facts(*VALID, *facts), build_objects(*OBJECTS)
    )


def test_a_consistent_replay_passes() -> None:
    """Existence in two pieces, facts up to the very edges, and no fact at all."""
    check()
    check_replay(build_demonstrations(1), build_facts(), build_objects())


def test_several_demonstrations_are_checked_side_by_side() -> None:
    """The same names in another demonstration are other objects with other lives."""
    other = "try-1"
    demonstrations = pl.concat([build_demonstrations(N_FRAMES), build_demonstrations(10, other)])
    facts = build_facts(("Exists", "cup", None, [(0, 10)]), ("Open", "cup", None, [(0, 10)]))
    facts = facts.with_columns(demonstration=pl.lit(other))
    objects = pl.concat(
        [build_objects(*OBJECTS), build_objects(("cup", "cup"), demonstration=other)]
    )
    check_replay(demonstrations, pl.concat([build_facts(*VALID), facts]), objects)
    late = facts.with_columns(frame_to=pl.lit(11, pl.Int64))
    with pytest.raises(IntervalError, match=r"'try-1'.*frames \[0, 10\)"):
        check_replay(demonstrations, pl.concat([build_facts(*VALID), late]), objects)


@pytest.mark.parametrize(
    ("fact", "error", "message"),
    [
        (
            ("Atop", "cup", "table", [(3, 4)]),
            ReplayError,
            r"'try-0', fact Atop\(cup, table\) in frames \[3, 4\): 1 of 13 .*known: RightGrasping",
        ),
        (("Transition", "melon", "half", [(50, 51)]), ReplayError, "cannot be recorded"),
        (("Open", "cup", "table", [(3, 4)]), ReplayError, r"1 of 13 .*Open takes 1"),
        (("OnTop", "cup", None, [(3, 4)]), ReplayError, r"OnTop\(cup\).*OnTop takes 2"),
        (
            ("OnTop", "cup", "cup", [(3, 4)]),
            ReplayError,
            "1 of 13 facts relate an object to itself",
        ),
        (
            ("Touching", "table", "cup", [(3, 4)]),
            ReplayError,
            r"Touching\(cup, table\).*2 of 2 facts of symmetric predicates",
        ),
        (
            ("ToggledOn", "cup", None, [(3, 3)]),
            IntervalError,
            r"ToggledOn\(cup\) in frames \[3, 3\): 1 of 13 intervals end at or before",
        ),
        (("ToggledOn", "cup", None, [(5, 3)]), IntervalError, "end at or before"),
        (("ToggledOn", "cup", None, [(-1, 3)]), IntervalError, r"leave the replay.*\[0, 100\)"),
        (
            ("ToggledOn", "cup", None, [(9, 101)]),
            IntervalError,
            "1 of 13 intervals leave the replay",
        ),
        (
            ("ToggledOn", "cup", None, [(9, 20), (20, 30)]),
            IntervalError,
            r"\[20, 30\): 1 of 14 intervals overlap or touch .* ends at frame 20",
        ),
        (
            ("ToggledOn", "cup", None, [(9, 60), (15, 20), (30, 40)]),
            IntervalError,
            r"\[15, 20\): 2 of 15 intervals overlap",
        ),
        (
            ("ToggledOn", "kettle", None, [(3, 4)]),
            ExistenceError,
            r"ToggledOn\(kettle\).*'kettle' is not in objects \(1 uses of 1 unknown",
        ),
        (("Inside", "cup", "kettle", [(3, 4)]), ExistenceError, "'kettle' is not in objects"),
        (
            ("Inside", "cup", "melon", [(49, 51)]),
            ExistenceError,
            r"\[49, 51\): 'melon' does not exist throughout .*\(1 of \d+ uses",
        ),
        (("Inside", "half", "cup", [(49, 60)]), ExistenceError, "'half' does not exist"),
        (("Inside", "half", "cup", [(60, 90)]), ExistenceError, "'half' does not exist"),
        (("Inside", "half", "cup", [(72, 75)]), ExistenceError, "'half' does not exist"),
    ],
)
def test_a_fact_that_contradicts_the_replay_is_named(
    fact: tuple[str, str, str | None, list[tuple[int, int]]],
    error: type[ReplayError],
    message: str,
) -> None:
    """Whatever slips through here becomes a wrong key frame far downstream."""
    with pytest.raises(error, match=message):
        check(fact)


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (("cup", "mug"), "2 of 6 objects share a name, first 'cup'"),
        (("soup", "soup", ["leek"]), "1 of 2 parents are not in objects, first 'leek' of 'soup'"),
        (("soup", "soup", ["soup"]), "1 objects are their own parent, first 'soup'"),
    ],
)
def test_objects_that_contradict_each_other_are_named(
    extra: tuple[str, str] | tuple[str, str, list[str]], message: str
) -> None:
    """Transitions are read from parents, labels from names."""
    with pytest.raises(ReplayError, match=message):
        check_replay(
            build_demonstrations(N_FRAMES), build_facts(*VALID), build_objects(*OBJECTS, extra)
        )


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("soup", 5, []), "1 of 1 rows of later_parents are about .* not in objects, first 'soup'"),
        (("cup", 0, []), "1 of 1 rows of later_parents start outside frames 1 to 99, .*at frame 0"),
        (("cup", N_FRAMES, []), "first 'cup' at frame 100"),
        (("cup", 5, ["leek"]), "1 of 2 parents are not in objects, first 'leek' of 'cup'"),
        (("cup", 99, ["cup"]), "1 objects are their own parent, first 'cup'"),
    ],
)
def test_later_parents_that_contradict_the_objects_are_named(
    row: tuple[str, int, list[str]], message: str
) -> None:
    """They make transitions like the first ones. Those of a recording may be categories."""
    later = pl.DataFrame([("try-0", *row)], schema=LaterParents.schema(), orient="row")
    replay = build_demonstrations(N_FRAMES), build_facts(*VALID), build_objects(*OBJECTS)
    with pytest.raises(ReplayError, match=message):
        check_replay(*replay, later)
    if row[2]:
        check_replay(recorded(replay[0]), *replay[1:], later)


def test_demonstrations_that_are_empty_repeated_or_unknown_are_named() -> None:
    """A recording cut off at the start must not pass as one in which nothing happens."""
    facts, objects = build_facts(*VALID), build_objects(*OBJECTS)
    with pytest.raises(ReplayError, match=r"'try-0': n_frames is 0 \(1 demonstrations"):
        check_replay(build_demonstrations(0), facts, objects)
    with pytest.raises(ReplayError, match="2 rows share a name, first 'try-0'"):
        check_replay(pl.concat([build_demonstrations(9)] * 2), facts, objects)
    other = build_demonstrations(N_FRAMES, "other-0")
    with pytest.raises(ReplayError, match=r"'try-0': 12 of 12 rows of facts .*known: other-0"):
        check_replay(other, facts, objects)
    with pytest.raises(ReplayError, match="5 of 5 rows of objects belong"):
        check_replay(other, facts.clear(), objects)


def recorded(demonstrations: pl.DataFrame) -> pl.DataFrame:
    return demonstrations.with_columns(source=pl.lit("recorded"))


RECORDED_OBJECTS = (("cup", "cup"), ("soup", "System", ["leek", "soup"]), ("nobody", ""))
RECORDED_FACTS = (
    ("Exists", "cup", None, [(0, 50)]),
    ("Open", "cup", None, [(0, 50)]),
    ("of_no_catalogue_7", "cup", None, [(3, 5)]),
    ("Open", "cup", "soup", [(0, N_FRAMES)]),
    ("OnTop", "cup", "cup", [(0, N_FRAMES)]),
    ("Touching", "cup", "nobody", [(0, N_FRAMES)]),
    ("Touching", "nobody", "cup", [(20, 30)]),
    ("Related", "soup", "nobody", [(0, 1)]),
)


def check_recorded(*facts: tuple[str, str, str | None, list[tuple[int, int]]]) -> None:
    check_replay(
        recorded(build_demonstrations(N_FRAMES)),
        build_facts(*RECORDED_FACTS, *facts),
        build_objects(*RECORDED_OBJECTS),
    )


def test_a_recording_may_say_what_the_simulator_never_would() -> None:
    """Edges without their nodes, unknown states, an object on itself: the release keeps them."""
    check_recorded()


@pytest.mark.parametrize(
    ("fact", "error", "message"),
    [
        (
            ("on fire", "cup", None, [(3, 4)]),
            ReplayError,
            "1 of 9 .*not a state name, first 'on fire'",
        ),
        (("", "cup", None, [(3, 4)]), ReplayError, "not a state name, first ''"),
        (("Open\n", "cup", None, [(3, 4)]), ReplayError, "not a state name"),
        (("Transition", "cup", "soup", [(3, 4)]), ReplayError, "not a state name"),
        (("Exists", "cup", "soup", [(3, 4)]), ReplayError, "Exists takes 1, Related takes 2"),
        (("Related", "cup", None, [(3, 4)]), ReplayError, "wrong number of objects"),
        (("Open", "cup", None, [(40, 60)]), IntervalError, "overlap or touch"),
        (("OnTop", "cup", "soup", [(99, 101)]), IntervalError, "leave the replay"),
        (("OnTop", "cup", "lid", [(3, 4)]), ExistenceError, "'lid' is not in objects"),
        (
            ("Cooked", "cup", None, [(40, 60)]),
            ExistenceError,
            r"Cooked\(cup\).*'cup' does not exist",
        ),
    ],
)
def test_a_recording_that_contradicts_itself_is_named(
    fact: tuple[str, str, str | None, list[tuple[int, int]]],
    error: type[ReplayError],
    message: str,
) -> None:
    """What no file in the official layout can say is a fault of ours."""
    with pytest.raises(error, match=message):
        check_recorded(fact)


def test_the_freedom_of_a_recording_is_not_that_of_its_neighbour() -> None:
    """Several demonstrations may be checked at once; each by the rules of its source."""
    demonstrations = pl.concat(
        [recorded(build_demonstrations(N_FRAMES)), build_demonstrations(N_FRAMES, "own-1")]
    )
    facts = pl.concat(
        [
            build_facts(*RECORDED_FACTS),
            build_facts(*VALID).with_columns(demonstration=pl.lit("own-1")),
        ]
    )
    objects = pl.concat(
        [build_objects(*RECORDED_OBJECTS), build_objects(*OBJECTS, demonstration="own-1")]
    )
    check_replay(demonstrations, facts, objects)
    free = facts.filter(pl.col("predicate") == "of_no_catalogue_7")
    strict = free.with_columns(demonstration=pl.lit("own-1"))
    with pytest.raises(ReplayError, match=r"'own-1', fact of_no_catalogue_7.*cannot be recorded"):
        check_replay(demonstrations, pl.concat([facts, strict]), objects)
