"""A question with its answers, by either id, and lists of questions, on a lake made by hand."""

from collections.abc import Mapping
from functools import cache

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from results.browse.world_rows import N_STILLS, WORLD_VARIANT, add_world
from sql.tiny_lake import BOIL, TABLE, Relations, Rows, answer, tiny_rows

from enact_assets.answers.baselines.references import REFERENCES
from enact_assets.engine.errors import UnknownNameError
from enact_assets.questions.asked.official_rows import official_questions
from enact_assets.questions.asked.tables import Qa
from enact_assets.questions.key_frames.tables import SegmentedFrames
from enact_assets.results.browse.answers_shown import (
    FILTERS,
    MISSING,
    OUTCOMES,
    RIGHT,
    UNPARSED,
    UNREAD,
    WRONG,
    alike,
)
from enact_assets.results.browse.boards import read_board
from enact_assets.results.browse.demonstrations import list_demonstrations, read_demonstration
from enact_assets.results.browse.question_lists import (
    Wanted,
    choices,
    list_questions,
    place_in_list,
)
from enact_assets.results.browse.questions_shown import Question, read_question
from enact_assets.results.published import Ask, default_variant

tiny = cache(tiny_rows)
READ = "question_ids answers key_frames leaderboard compared_steps compared_components"


def asking(relations: Relations) -> Ask:
    connection = relations.connection_for(READ)

    def ask(sql: str, values: Mapping[str, object] | None = None, /) -> pl.DataFrame:
        return connection.sql(sql, params=dict(values or {})).pl()

    return ask


@pytest.fixture(scope="module")
def ask() -> Ask:
    return asking(Relations(tiny()))


@cache
def many_rows() -> Rows:
    """A third model beside, whose answers were refused, declined and cut."""
    rows = tiny_rows()
    for question, reason in (("f1", "refused"), ("f2", "declined"), ("f3", "cut")):
        answer(rows, "shy", "baseline", question, raw="No.", stop=reason)
    answer(rows, "shy", "baseline", "i1", parsed=[1, 2, 3], passed=0)
    answer(rows, "shy", "aperture_80", "f1", raw="No.", stop="refused")
    return rows


@pytest.fixture(scope="module")
def ask_many() -> Ask:
    return asking(Relations(many_rows()))


def passes(row, outcome: str | None) -> bool:
    if outcome in UNREAD:
        return (row["answer_status"], row["reason"]) == ("unparsed", outcome)
    return outcome in {None, outcome_of(row)}


def outcome_of(row) -> str:
    if row["answer_status"] != "parsed":
        return {"missing": MISSING, "unparsed": UNPARSED}[row["answer_status"]]
    return RIGHT if row["is_accepted"] else WRONG


def test_ids_of_files_lead_to_the_same_questions(ask: Ask) -> None:
    """Those that are exported, computed in SQL and by the code that exports."""
    segmented = SegmentedFrames.build(tiny()["segmented_frames"])
    exported = official_questions(Qa.build(tiny()["qa"]), segmented)
    ids = dict(ask("select question_id, official_id from question_ids").iter_rows())
    built = Qa.build(tiny()["qa"])["question_id"]
    assert ids == {id_: q.id for id_, q in zip(built, exported, strict=True)}
    for id_, official_id in ids.items():
        assert read_question(ask, official_id) == read_question(ask, id_)
        assert read_question(ask, id_).official_id == official_id


def test_steps_say_what_the_right_answer_names(ask: Ask) -> None:
    """Forward, labels are pictures; inverse, they are actions, which are shuffled."""
    forward, inverse = read_question(ask, "f3"), read_question(ask, "i1")
    assert forward.reference == (2, 3, 1)
    assert [s.shown_as for s in forward.steps] == ["Next State 2", "Next State 3", "Next State 1"]
    # A picture that the answer names is the one at which the step ends.
    for step in forward.steps:
        assert forward.pictures[step.label].key_frame == step.key_frames[1]
    assert [s.happened[0] for s in forward.steps] == [s.happened[0] for s in inverse.steps]
    assert inverse.steps[0].happened == ("+Open(fridge)",)
    for step in inverse.steps:
        assert step.action == step.shown_as == inverse.actions[step.label - 1]
    assert [shown.name for shown in inverse.pictures][:2] == ["Current State", "Next State 1"]
    assert [shown.key_frame for shown in inverse.pictures] == [0, 1, 2, 3]


def test_an_answer_is_compared_step_by_step(ask: Ask) -> None:
    question = read_question(ask, "f3")
    right, wrong = question.answers
    assert (right.model, right.outcome, wrong.model, wrong.outcome) == (
        *("oracle", RIGHT),
        *("guesser", WRONG),
    )
    assert wrong.order == (2, 1, 3)
    assert [step.is_passed for step in wrong.steps] == [True, False, False]
    # 0 1 3 2 for 0 1 2 3: the cup is on the table before it was taken.
    assert wrong.steps[0].errors == ()
    assert wrong.steps[1].happened == ("+RightGrasping(robot, cup)",)
    assert set(wrong.steps[1].said) == {"+OnTop(cup, table)", "-LeftGrasping(robot, cup)"}
    assert {error.text for error in wrong.steps[2].errors} == {
        "-OnTop(cup, table) instead of +OnTop(cup, table)",
        "+RightGrasping(robot, cup) instead of -RightGrasping(robot, cup)",
    }


def test_steps_without_a_replay_are_compared_with_the_right_order() -> None:
    rows = tiny_rows()
    for row in rows["evaluation"]:
        row |= {"unverified": "no_replay", "n_steps_passed": None, "pairwise_accuracy": None}
    rows["compared_steps"] = rows["compared_components"] = []
    question = read_question(asking(Relations(rows)), "i1")
    (wrong,) = (a for a in question.answers if a.outcome == WRONG)
    assert wrong.verdict.startswith("Not the published order; steps were not compared")
    assert {step.is_passed for step in wrong.steps} == {None}
    assert (wrong.order, question.reference) == ((1, 2, 3), (3, 1, 2))
    found = [[question.is_in_place(n, label) for label in (1, 2, 3)] for n in (1, 2, 3, 4)]
    assert found == [[False, False, True], [True, False, False], [False, True, False], [False] * 3]


def test_a_question_that_no_variant_asks_is_named() -> None:
    rows = tiny_rows()
    rows["asked_questions"] = [r for r in rows["asked_questions"] if r["question_id"] != "f2"]
    ask = asking(Relations(rows))
    with pytest.raises(UnknownNameError, match=r"with the id 'f2'\. It exists, but"):
        read_question(ask, "f2")
    with pytest.raises(UnknownNameError, match=r"the id 'nix'\. Relation asked_q"):
        read_question(ask, "nix")


def test_answers_without_an_order_say_why(ask: Ask) -> None:
    (unread,) = (a for a in read_question(ask, "f2").answers if a.model == "guesser")
    assert (unread.outcome, unread.words, unread.order) == (UNPARSED, "I would rather not.", None)
    (absent,) = (a for a in read_question(ask, "f4").answers if a.model == "guesser")
    assert (absent.outcome, absent.words, absent.error) == (MISSING, None, "the service was down")


def test_equal_orders_are_shown_together() -> None:
    rows = tiny_rows()
    answer(rows, "parrot", "baseline", "f3", parsed=[2, 1, 3], passed=1)
    answer(rows, "mute", "baseline", "f3")
    answer(rows, "deaf", "baseline", "f3")
    groups = alike(read_question(asking(Relations(rows)), "f3").answers)
    named = [tuple(a.model for a in group) for group in groups]
    assert named == [("oracle",), ("guesser", "parrot"), ("deaf",), ("mute",)]


def test_a_question_is_shown_as_a_variant_asks_it(ask: Ask) -> None:
    found = read_question(ask, "f1", "aperture_80")
    assert found.variants == ("baseline", "aperture_80")
    assert read_question(ask, "f1").variant == "baseline"
    shas = {
        row["key_frame"]: row["image_sha"]
        for row in tiny()["frame_images"]
        if (row["demonstration"], row["variant"]) == (TABLE, "aperture_80")
    }
    assert [p.sha for p in found.pictures] == [shas[p.key_frame] for p in found.pictures]
    with pytest.raises(UnknownNameError, match=r"'aperture_80' \(known: baseline\)"):
        read_question(ask, "f2", "aperture_80")
    with pytest.raises(UnknownNameError, match="no variant asks a question with the id 'nix'"):
        read_question(ask, "nix")


ACTIVITY = {name: name.rpartition("-")[0] for name in (TABLE, BOIL)}
WISHES = st.builds(
    Wanted,
    st.sampled_from(["baseline", "aperture_80"]),
    st.sampled_from([None, *ACTIVITY.values()]),
    st.sampled_from([None, *ACTIVITY]),
    st.sampled_from([None, "forward", "inverse"]),
    st.sampled_from([None, 3, 4]),
    st.sampled_from([None, "guesser", "oracle", "shy"]),
    st.sampled_from([None, *FILTERS]),
    st.sampled_from([None, "guesser", "oracle", "shy"]),
    st.sampled_from([None, *FILTERS]),
    st.booleans(),
)


@given(WISHES)
@example(Wanted(model="guesser"))
@example(Wanted(outcome=WRONG))
@example(Wanted(length=3))
@example(Wanted(model="oracle", outcome=RIGHT, other="guesser", other_outcome=WRONG))
@example(Wanted(outcome=RIGHT, has_references=False))
def test_a_list_has_what_is_wanted_on_its_pages(ask_many: Ask, wanted: Wanted) -> None:
    """Beside a loop over all rows; each question knows its place and its neighbours."""

    def answered(model: str | None, outcome: str | None) -> set[str]:
        return {
            row["question_id"]
            for row in many_rows()["evaluation"]
            if row["variant"] == wanted.variant
            and model in {None, row["model"]}
            and passes(row, outcome)
            and (model is not None or wanted.has_references or row["model"] not in REFERENCES)
        }

    wishes = ((wanted.model, wanted.outcome), (wanted.other, wanted.other_outcome))
    expected = {
        row["question_id"]
        for row in tiny()["asked_questions"]
        if row["variant"] == wanted.variant
        and wanted.activity in {None, ACTIVITY[row["demonstration"]]}
        and wanted.demonstration in {None, row["demonstration"]}
        and wanted.kind in {None, row["kind"]}
        and wanted.length in {None, row["length"]}
        and all(w == (None, None) or row["question_id"] in answered(*w) for w in wishes)
    }
    first = list_questions(ask_many, wanted, 1, rows=2)
    pages = [list_questions(ask_many, wanted, k, rows=2) for k in range(1, first.n_pages + 1)]
    found = [row.question_id for page in pages for row in page.rows]
    assert sorted(found) == sorted(expected)
    assert first.n_questions == len(expected)
    for number, (before, id_, after) in enumerate(
        zip([None, *found], found, [*found[1:], None], strict=False), start=1
    ):
        there = place_in_list(ask_many, wanted, id_)
        assert there is not None
        assert (there.number, there.n_questions) == (number, len(found))
        assert (there.previous, there.next) == (before, after)
    absent = {row["question_id"] for row in tiny()["qa"]} - expected
    assert all(place_in_list(ask_many, wanted, id_) is None for id_ in absent)


def test_a_list_without_references_counts_models_alone(ask_many: Ask) -> None:
    rows = list_questions(ask_many, Wanted(has_references=False)).rows
    assert {row.question_id: row.n_models for row in rows} == {
        **dict.fromkeys(("f1", "f2", "f3", "i1"), 2),
        "f4": 1,
    }
    assert "oracle" in {r.model for r in read_board(ask_many, "baseline")}
    named = {r.model for r in read_board(ask_many, "baseline", has_references=False)}
    assert named == {"guesser", "shy"}
    there = choices(ask_many, "baseline")
    assert (there.ranked, there.references) == (("guesser", "shy"), ("oracle",))


def test_pictures_before_and_after_a_step(ask: Ask) -> None:
    """Forward the order decides, inverse the place."""

    def frames(question: Question, order: tuple[int, ...]) -> list[list[int | None]]:
        pairs = (question.between(order, k + 1) for k in range(len(order)))
        return [[shown.key_frame for shown in pair or ()] for pair in pairs]

    forward, inverse = read_question(ask, "f3"), read_question(ask, "i1")
    for question in (forward, inverse):
        assert frames(question, question.reference) == [[0, 1], [1, 2], [2, 3]]
    # f3 shows key frames 3, 1, 2 as 1, 2, 3.
    assert frames(forward, (1, 2, 3)) == [[0, 3], [3, 1], [1, 2]]
    assert frames(inverse, (1, 2, 3)) == [[0, 1], [1, 2], [2, 3]]
    assert forward.between((9,), 1) is None


def test_the_first_wrong_step_is_known(ask: Ask) -> None:
    question = read_question(ask, "f3")
    right, wrong = question.answers
    assert [question.first_wrong([a]) for a in (right, wrong)] == [None, 2]
    assert question.first_wrong([right, wrong]) == 2
    rows = tiny_rows()
    rows["compared_steps"] = rows["compared_components"] = []
    bare = read_question(asking(Relations(rows)), "f3")  # right is 2, 3, 1 and given 2, 1, 3
    assert [bare.first_wrong([a]) for a in bare.answers] == [None, 2]


def test_options_of_worldprediction_are_shown_by_their_clips() -> None:
    rows = tiny_rows()
    add_world(rows)
    ask = asking(Relations(rows))
    wm, pp = (read_question(ask, name, WORLD_VARIANT) for name in ("wm-1", "pp-1"))
    assert [shown.name for shown in wm.option(2)] == [f"Clip B, {k + 1}" for k in range(N_STILLS)]
    assert [shown.name for shown in pp.option(2)] == ["Clip 2, 2", "Clip 1, 2"]
    assert all(shown.sha is not None for shown in (*wm.option(4), *pp.option(4)))
    assert (wm.choice(2), pp.choice(2)) == ("Clip B", "B: 2 1")
    assert wm.first_wrong(wm.answers) is None  # it has no steps
    assert [a.outcome for a in wm.answers] == [RIGHT, WRONG, UNPARSED]
    cut = list_questions(ask, Wanted(WORLD_VARIANT, model="shy", outcome="cut"))
    assert {row.question_id for row in cut.rows} == {"wm-1", "pp-1"}
    split = Wanted(WORLD_VARIANT, None, None, None, None, "oracle", RIGHT, "guesser", WRONG)
    assert {row.question_id for row in list_questions(ask, split).rows} == {"wm-1", "pp-1"}


def test_what_can_be_chosen(ask: Ask) -> None:
    there = choices(ask, "aperture_80")
    assert there.variants == ("baseline", "aperture_80")
    assert there.demonstrations == (BOIL, TABLE)
    assert (there.lengths, there.kinds, there.models) == ((3,), ("forward",), ("guesser",))
    assert choices(ask, "nix").variants == ("baseline", "aperture_80")


def test_pages_open_with_a_variant_that_has_questions(ask: Ask) -> None:
    """Recordings and imported questions are asked under variants of their own."""
    assert default_variant(ask) == "baseline"
    rows = tiny_rows()
    rows["asked_questions"] = [r for r in rows["asked_questions"] if r["variant"] != "baseline"]
    assert default_variant(asking(Relations(rows))) == "aperture_80"
    listed = list_demonstrations(asking(Relations(rows)))
    assert [(r.variant, r.n_asked) for r in listed] == [("aperture_80", 1), ("aperture_80", 1)]
    rows["asked_questions"] = []
    assert default_variant(asking(Relations(rows))) == "baseline"
    assert [(r.variant, r.n_asked) for r in list_demonstrations(asking(Relations(rows)))] == [
        *((None, 0), (None, 0)),
    ]


def test_a_list_names_models_that_are_not_right(ask: Ask) -> None:
    rows = {row.question_id: row for row in list_questions(ask, Wanted()).rows}
    assert rows["f1"].wrong == ()
    assert {id_: row.wrong for id_, row in rows.items() if row.wrong} == dict.fromkeys(
        ("f2", "f3", "f4", "i1"), ("guesser",)
    )
    # Nobody but the guesser was asked about the other variant.
    assert [row.n_models for row in list_questions(ask, Wanted("aperture_80")).rows] == [1, 1]
    assert list_questions(ask, Wanted(), 99, rows=2).number == 3


def test_the_board_counts_every_answer_once(ask: Ask, ask_many: Ask) -> None:
    for variant in ("baseline", "aperture_80"):
        found = read_board(ask_many, variant)
        board = {(r.kind, r.model): [r.of(o) for o in FILTERS] for r in found}
        rows = [row for row in many_rows()["evaluation"] if row["variant"] == variant]
        assert all(r.n_answers == sum(r.of(o) for o in OUTCOMES) for r in found)
        assert board == {
            key: [
                sum((r["kind"], r["model"]) == key and passes(r, o) for r in rows) for o in FILTERS
            ]
            for key in {(r["kind"], r["model"]) for r in rows}
        }
    assert [r.model for r in read_board(ask, "baseline")] == ["oracle", "guesser"] * 2
    # Also of a variant that the relation leaderboard does not hold.
    assert ask("from leaderboard_details where variant = 'aperture_80'").is_empty()
    accuracies = ask("""
        select accuracy from model_accuracies
        where variant = 'aperture_80' and length is null order by metric""")["accuracy"]
    [of_variant] = [r for r in read_board(ask, "aperture_80") if r.task_accuracy is not None]
    assert [of_variant.pairwise_accuracy, of_variant.task_accuracy] == accuracies.to_list()


def test_a_demonstration_is_its_key_frames(ask: Ask) -> None:
    found = read_demonstration(ask, TABLE)
    assert (found.gating, found.variant) == ("state", "baseline")
    assert [k.changes for k in found.key_frames] == [
        *((), ("+Open(fridge)",), ("+RightGrasping(robot, cup)",)),
        ("+OnTop(cup, table)", "-RightGrasping(robot, cup)"),
    ]
    other = read_demonstration(ask, TABLE, "aperture_80")
    assert found.views == other.views == (("state", "baseline"), ("state", "aperture_80"))
    assert {p.sha for p in found.pictures}.isdisjoint(p.sha for p in other.pictures)
    with pytest.raises(UnknownNameError, match=f"variant with pictures of {TABLE} 'fisheye'"):
        read_demonstration(ask, TABLE, "fisheye")
    with pytest.raises(UnknownNameError, match=f"known: {BOIL}, {TABLE}"):
        read_demonstration(ask, "fold-0")
    listed = list_demonstrations(ask)
    assert [(r.demonstration, r.n_key_frames, r.n_asked) for r in listed] == [
        (BOIL, 3, 1),
        (TABLE, 4, 4),
    ]


def test_a_demonstration_is_shown_as_questions_show_it() -> None:
    """Not under the baseline if another variant asks about it, nor under a gating of no use."""
    rows = tiny_rows()
    rows["asked_questions"] = [r for r in rows["asked_questions"] if r["variant"] != "baseline"]
    rows["segmented_frames"] += [{**r, "gating": "contact"} for r in rows["segmented_frames"]]
    found = read_demonstration(asking(Relations(rows)), TABLE)
    assert (found.gating, found.variant) == ("state", "aperture_80")
    assert found.gatings == ("state", "contact")
    assert found.views == (("state", "aperture_80"), ("state", "baseline"))
    rows["frame_images"] = []
    ask = asking(Relations(rows))
    found = read_demonstration(ask, TABLE)
    assert (found.gating, found.variant, found.views) == ("state", "aperture_80", ())
    assert read_demonstration(ask, TABLE, gating="contact").gating == "contact"


def test_without_a_replay_it_is_unknown_what_changed() -> None:
    """Imported questions may show a frame at several places, each with a number of its own."""
    rows = tiny_rows()
    for row in rows["demonstrations"]:
        row |= {"source": "questions", "frame_rate_hz": 0.0}
    for row in rows["segmented_frames"]:
        row["changes"] = []
        row["frame"] = row["frame_id"] = 20 if row["key_frame"] < 2 else 50 + row["key_frame"]
    rows["frame_images"] = [r for r in rows["frame_images"] if r["key_frame"] > 0]
    ask = asking(Relations(rows))
    found = read_demonstration(ask, TABLE)
    assert (found.seconds, found.has_replay) == (None, False)
    assert [(k.name, k.frame, k.time_s, k.changes) for k in found.key_frames] == [
        *(("0-1", 20, None, None), ("2", 52, None, None), ("3", 53, None, None)),
    ]
    assert found.key_frames[0].picture.sha is not None
    listed = {row.demonstration: row for row in list_demonstrations(ask)}
    assert (listed[TABLE].seconds, listed[TABLE].n_key_frames) == (None, 3)


def test_pictures_that_are_gone_are_no_error() -> None:
    rows = tiny_rows()
    rows["frame_images"] = [r for r in rows["frame_images"] if r["key_frame"] != 2]
    bare = asking(Relations(rows))
    assert [p.sha is None for p in read_question(bare, "i1").pictures] == [
        False,
        False,
        True,
        False,
    ]
    assert [p.sha is None for p in read_demonstration(bare, TABLE).pictures][2] is True
    rows["frame_images"] = []
    bare = asking(Relations(rows))
    assert all(p.sha is None for p in read_question(bare, "i1").pictures)
    assert read_demonstration(bare, TABLE).views == ()
    assert len(read_demonstration(bare, TABLE).key_frames) == 4
