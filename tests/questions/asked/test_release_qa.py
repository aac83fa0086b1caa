"""Questions of profile ``release``: those of the public release, worded by us."""

import json
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from enact_assets.engine.errors import QuestionError, SettingsError, TrajectoryError
from enact_assets.questions.asked.official import (
    FIELDS,
    question_type,
    read_questions,
    write_questions_file,
)
from enact_assets.questions.asked.official_rows import in_official_order, official_questions
from enact_assets.questions.asked.release_qa import places_of, write_release_questions
from enact_assets.questions.asked.release_wording import release_sentence, release_text
from enact_assets.questions.asked.tables import Qa
from enact_assets.questions.key_frames.release_deltas import Entry
from enact_assets.questions.paths.release_draws import draws_of
from enact_assets.questions.paths.sampling import release_trajectories
from enact_assets.questions.paths.tables import Trajectories
from enact_assets.settings.classes import QuestionSettings
from enact_assets.settings.predicates import CATALOGUE, RELEASE_PREDICATES
from enact_assets.settings.profile import RELEASE, ReleaseRules

from reference.conformance import TASKS, expected
from reference.household import build_household
from reference.release_chain import ReleaseTask, failing_task, release_task

KINDS = ("forward", "inverse")
SETTINGS = QuestionSettings(trajectories_per_length=30)
RULES = ReleaseRules()


@cache
def trajectories_of(name: str) -> pl.DataFrame:
    task = release_task(name)
    frames, graph = task.segmented_frames, task.transition_graph
    return release_trajectories(frames, graph, task.index, RELEASE, 30)


@cache
def questions_of(name: str) -> pl.DataFrame:
    return written(release_task(name), trajectories_of(name))


def written(task: ReleaseTask, trajectories: pl.DataFrame, **changes: Any) -> pl.DataFrame:
    parts = (task.segmented_frames, trajectories, task.transition_graph)
    given = {"index": task.index, "settings": SETTINGS, "profile": RELEASE, **changes}
    return write_release_questions(*parts, **given)


@pytest.mark.parametrize("name", TASKS)
def test_recorded_questions_come_out_the_same(name: str) -> None:
    """Answers collected with the release can only be used if ids and references agree."""
    task, items = release_task(name), expected(name)["qa"]["items"]
    official = official_questions(questions_of(name), task.segmented_frames)
    found = {question.id: question for question in official}
    assert len(found) == len(official) == 8 * (30 + 25)
    assert len(items) == 200
    for item in items:
        question = found[item["id"]]
        assert question.type == item["type"]
        assert [int(frame_id) for frame_id in question.key_frame_ids] == item["key_frame_ids"]
        assert question.gt_answer == item["gt_answer"]
    assert {q["question_id"] for q in questions_of(name).iter_rows(named=True)} == set(found)


@pytest.mark.parametrize("name", TASKS)
def test_questions_stand_in_the_recorded_order(name: str) -> None:
    """The order decides which ones a run that stops early, or takes the first n, has seen."""
    frame_ids = release_task(name).segmented_frames.sort("key_frame")["frame_id"].to_numpy()
    found: dict[str, list[list[int]]] = {}
    for q in in_official_order(questions_of(name)).iter_rows(named=True):
        place = found.setdefault(f"{q['kind']}_{q['length']}", [])
        assert q["draw"] == len(place)
        place.append(frame_ids[q["key_frames"]].tolist())
    assert found == expected(name)["reference_sampled_sequences"]
    assert list(found) == [f"{kind}_{n}" for n in RELEASE.lengths for kind in KINDS]


@pytest.mark.parametrize("name", TASKS)
def test_texts_say_what_was_drawn_of_each_step(name: str) -> None:
    """A wording drawn and not used would shift what every later question says."""
    task = release_task(name)
    _, found = draws_of(task.segmented_frames, task.transition_graph, task.index, 30, RELEASE)
    rows = {(q["kind"], q["length"], q["draw"]): q for q in questions_of(name).to_dicts()}
    for drawn in found:
        for kind in KINDS:
            for place, draw in enumerate(drawn.of_kind(kind)):
                q = rows[kind, drawn.length, place]
                texts = []
                for step, wordings in zip(pairwise(draw.key_frames), draw.wordings, strict=True):
                    left, sentences = list(wordings), []
                    for entry in task.index.action_entries(*step):
                        number = 0 if entry[0] == "transition" else left.pop(0)
                        sentences.append(release_sentence(entry, number))
                    assert not left
                    texts.append(". ".join(sentences) + ".")
                    (n_sentences,) = task.index.n_sentences(np.array([step]))
                    assert texts[-1].count(".") == n_sentences
                    assert 1 <= n_sentences <= 5
                order = list(range(len(texts))) if kind == "forward" else list(draw.shown)
                assert q["actions"] == [texts[step] for step in order]


@pytest.mark.parametrize("name", TASKS)
def test_the_answer_names_what_is_shown_for_each_step(name: str) -> None:
    """Checked on the rows alone, without the draws they came from."""
    changes = {
        (i, j): listed
        for i, j, listed in release_task(name)
        .transition_graph.select("key_frame_from", "key_frame_to", "changes")
        .iter_rows()
    }
    n_identity = 0
    for q in questions_of(name).iter_rows(named=True):
        n = q["length"] - 1
        assert sorted(q["answer"]) == list(range(1, n + 1))
        n_identity += q["answer"] == sorted(q["answer"])
        for step, (pair, label) in enumerate(
            zip(pairwise(q["key_frames"]), q["answer"], strict=True)
        ):
            if q["kind"] == "forward":
                assert q["shown_key_frames"][label] == pair[1]
                assert q["action_components"][step] == changes[pair]
            else:
                assert q["shown_key_frames"] == q["key_frames"]
                assert q["action_components"][label - 1] == changes[pair]
        for k, text in enumerate(q["actions"], start=1):
            assert f"\n[Action {k}] {text}\n" in q["prompt"]
        assert f"[Action {n + 1}]" not in q["prompt"].split("# Actions")[1]
        assert f"Python list of {n} integers and nothing else" in q["prompt"]
    assert n_identity > 0


def test_of_equal_texts_the_first_gets_the_first_label_left() -> None:
    """Two actions with one text have two right answers; the release lists this one."""
    assert places_of(["a", "b", "a", "a"], ["a", "a", "b", "a"]) == [1, 3, 2, 4]
    assert places_of(["x", "y"], ["y", "x"]) == [2, 1]


def all_entries() -> list[Entry]:
    """Every state of the release added to and removed from objects and pairs, and transitions."""
    labels = ("mug", "hand towels", "robot r1", "tomato sauce", "cooked")
    entries: list[Entry] = []
    for state, operation in product(RELEASE_PREDICATES, ("add", "remove")):
        entries += [(operation, "node", state, s, None) for s in labels]
        entries += [(operation, "edge", state, s, o) for s, o in product(labels, labels)]
    for s, o in product((*labels, "egg and mug", "salt & pepper and mug"), (*labels, None)):
        entries.append(("transition", "transition", "Cooked" if o is None else "Transition", s, o))
    return entries


def n_wordings(entry: Entry) -> int:
    return {"add": RULES.added_wordings, "remove": RULES.removed_wordings, "transition": 1}[
        entry[0]
    ]


def test_every_state_has_the_number_of_wordings_that_is_drawn_from() -> None:
    """Two wordings alike would make two draws one; one too few would stop a demonstration."""
    assert len(RELEASE_PREDICATES) == 26
    meaning: dict[str, Entry] = {}
    for entry in all_entries():
        sentences = [release_sentence(entry, k) for k in range(n_wordings(entry))]
        assert len(set(sentences)) == n_wordings(entry)
        for sentence in sentences:
            assert meaning.setdefault(sentence, entry) == entry, sentence
            assert sentence == sentence.capitalize()
            assert not set("{}_.") & set(sentence)
            assert "  " not in sentence
            assert "None" not in sentence


@pytest.mark.parametrize(
    ("entry", "wording", "text"),
    [
        (("add", "edge", "OnTop", "mug", "table"), 0, "The mug is now on top of the table"),
        (("add", "edge", "Covered", "hand towels", "dust"), 1, None),
        (("add", "node", "Open", "fridge", None), 2, "The fridge ends up open"),
        (("add", "node", "Frozen", "chips", None), 3, "The chips are frozen from now on"),
        (
            ("remove", "edge", "LeftGrasping", "robot r1", "mug"),
            0,
            "The robot r1 is no longer gripping the mug with the left hand",
        ),
        (("remove", "node", "Cooked", "egg", None), 1, "The egg is not cooked any more"),
        (
            ("transition", "transition", "Transition", "egg and flour", "dough"),
            0,
            "The egg and the flour have turned into the dough",
        ),
        (
            ("transition", "transition", "Cooked", "diced apple", None),
            0,
            "The diced apple has turned into something cooked",
        ),
    ],
)
def test_sentences_read_as_written_here(entry: Entry, wording: int, text: str | None) -> None:
    """Literal sentences: grammar is not checked by any property."""
    text = text or "The hand towels have come to be covered with dust"
    assert release_sentence(entry, wording) == text


def test_wordings_and_changes_must_be_of_one_number() -> None:
    """Draws of another pair of key frames would word it all the same."""
    entries: list[Entry] = [
        ("add", "node", "Open", "fridge", None),
        ("transition", "transition", "Transition", "apple", "half apple"),
        ("remove", "node", "ToggledOn", "lamp", None),
    ]
    text = "The fridge ends up open. The apple has turned into the half apple. "
    assert release_text(entries, (2, 1)) == text + "The lamp is not switched on any more."
    for wordings in ((), (1,), (1, 1, 1)):
        with pytest.raises(QuestionError, match=f"{len(wordings)} wordings were drawn for 2"):
            release_text(entries, wordings)
    with pytest.raises(QuestionError, match="0 wordings were drawn for 0"):
        release_text([], ())
    with pytest.raises(QuestionError, match="no wording for state 'Contact'"):
        release_sentence(("add", "edge", "Contact", "mug", "table"))


def test_every_known_state_is_worded_as_what_it_is() -> None:
    """A state of pairs that is worded as one of single objects loses half of what it says."""
    for name in RELEASE_PREDICATES:
        pair = release_sentence(("add", "edge", name, "mug", "vase"))
        assert "vase" in pair
        is_unary = CATALOGUE[name].arity == 1
        assert ("with regard to" in pair) == is_unary
        assert ("something" in release_sentence(("add", "node", name, "mug", None))) != is_unary


def test_official_questions_are_written_and_read_back(tmp_path: Path) -> None:
    """What is exported must pass our own reader, and list pictures as they are shown."""
    task = release_task(TASKS[0])
    qa = in_official_order(questions_of(TASKS[0]))
    questions = official_questions(qa, task.segmented_frames)
    write_questions_file(tmp_path / "qa.jsonl", questions)
    back = read_questions(tmp_path / "qa.jsonl")
    assert all(question.as_found is None for question in back)
    for question, read, row in zip(questions, back, qa.iter_rows(named=True), strict=True):
        assert all(getattr(question, name) == getattr(read, name) for name in FIELDS)
        assert question.question == row["prompt"]
        assert len(question.images) == len(row["shown_key_frames"])
    first = json.loads((tmp_path / "qa.jsonl").read_text().splitlines()[0])
    type_ = question_type("forward", 3)
    assert list(first) == list(FIELDS)
    assert first["images"][1] == f"QA/images/{type_}/{TASKS[0]}/{first['id']}_next_state_1.png"
    with pytest.raises(QuestionError, match="shows key frame"):
        official_questions(qa, task.segmented_frames.head(3))


def test_a_failing_change_leaves_the_demonstration_without_questions() -> None:
    """As in the release; the paper's profile has no such failure."""
    task = failing_task()
    assert written(task, Trajectories.empty()).equals(Qa.empty())


def test_questions_need_the_trajectories_key_frames_and_changes_they_are_drawn_from() -> None:
    """Questions about trajectories of other settings would be worded by the wrong draws."""
    name = TASKS[0]
    task, trajectories = release_task(name), trajectories_of(name)
    fewer = QuestionSettings(trajectories_per_length=5)
    with pytest.raises(QuestionError, match="trajectories are in the table or among those drawn"):
        written(task, trajectories, settings=fewer)
    for index in (None, build_household(3).index):
        with pytest.raises(TrajectoryError, match="give an index of its own class"):
            written(task, trajectories, index=index)
    with pytest.raises(SettingsError, match="expected wording 'natural', found 'emoji'"):
        written(task, trajectories, settings=QuestionSettings(wording="emoji"))


def test_a_template_of_ones_own_is_used(tmp_path: Path) -> None:
    """The release has one prompt; users of the profile may have theirs."""
    task = release_task(TASKS[0])
    for kind in KINDS:
        (tmp_path / f"{kind}.txt").write_text(f"{kind} {{n_steps}}\n{{actions}}\n")
    rows = written(task, trajectories_of(TASKS[0]), template_folder=tmp_path)
    for kind, length, prompt in rows.select("kind", "length", "prompt").iter_rows():
        assert prompt.startswith(f"{kind} {length - 1}\n[Action 1] ")
