"""Annotators answer questions of WorldPrediction on the page; their answers are scored."""

import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from answers.people.page_server import Client, form_of, serving
from questions.world.asked_rooms import SOURCE, STILLS, asked_root

from enact_assets.answers.people.annotator_names import PERSON
from enact_assets.answers.people.answered import Answered
from enact_assets.answers.people.plan_loading import load_plan
from enact_assets.answers.people.plans import k_each_plan
from enact_assets.answers.people.store import Store, Submission
from enact_assets.answers.world.answers_by_people import (
    evaluate_annotators,
    human_agreement_of,
    human_filter,
    versions_now,
)
from enact_assets.answers.world.content import asked_under, shown_world_questions, stored_pictures
from enact_assets.cli import main
from enact_assets.engine.errors import MissingPartitionError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.world.items import items_of
from enact_assets.questions.world.tables import WorldEvaluation
from enact_assets.results.world.evaluation import compare_world_models, with_annotators
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.world import EQUIVALENT

UNDER = asked_under("embedded")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> DataRoot:
    return asked_root(tmp_path_factory.mktemp("rooms"))


@pytest.fixture
def store(root: DataRoot, tmp_path: Path) -> Store:
    """A pool of all questions, three answers to each; none is practice."""
    found = Store(str(tmp_path / "people.db"))
    shown = shown_world_questions(root, "embedded", EQUIVALENT)
    assert shown.n_without_pictures == 0
    load_plan(found, k_each_plan(shown.questions, 3, has_practice=False), UNDER)
    return found


def answer_all(store: Store, name: str, chosen: dict[str, int | None]) -> None:
    """``chosen`` are labels by question, None for "cannot tell"; others are not answered."""
    person = store.annotator(store.invite(name, PERSON)[1])
    assert person is not None
    for number in range(1000):
        store.draw(person)
        open_ = [r for r in store.assignments(person.id) if r["revision"] is None]
        mine = [r for r in open_ if r["question_id"] in chosen]
        if not mine:
            return
        for row in mine:
            label = chosen[row["question_id"]]
            given = (None, "unseen") if label is None else ([label], None)
            store.save(row, Submission(f"{person.id} {number} {row['id']}", *given, "", 1500))
    raise AssertionError(name)


def evaluated(root: DataRoot, store: Store) -> pl.DataFrame:
    lake = Lake(root.lake)
    questions = lake.read("world_questions", SOURCE)
    pictures, _ = stored_pictures(root, "embedded")
    items = items_of(questions, lake.read("world_candidates", SOURCE))
    versions = versions_now(items, pictures, "embedded")
    answers = Answered(store.database.url).table()
    return evaluate_annotators(answers, questions, versions, "embedded")


def right_labels(root: DataRoot) -> dict[str, int]:
    questions = Lake(root.lake).read("world_questions", SOURCE)
    return {
        q: "ABCD".index(a) + 1 for q, a in questions.select("question_id", "answer").iter_rows()
    }


def test_two_persons_decide_and_the_third_measures(root: DataRoot, store: Store) -> None:
    right = right_labels(root)
    kept, one, same, both, cannot, open_, *rest = sorted(right)
    wrong = {q: [k for k in (1, 2, 3, 4) if k != label] for q, label in right.items()}
    ada = right | {same: wrong[same][0], both: wrong[both][0], cannot: None}
    bert = {q: label for q, label in right.items() if q != open_}
    bert |= {one: wrong[one][0], same: wrong[same][0], both: wrong[both][1], cannot: None}
    answer_all(store, "Ada", ada)
    answer_all(store, "Bert", bert)
    answer_all(store, "Cleo", {kept: right[kept], rest[0]: wrong[rest[0]][0]})
    found = evaluated(root, store)
    names = ["person_1", "person_2", "person_3"]
    assert found["annotator"].unique().sort().to_list() == names
    accuracy = found.filter(annotator="person_1").select(pl.col("is_correct").mean()).item()
    assert accuracy == pytest.approx(1 - 3 / len(right))
    filtered = {r["question_id"]: r for r in human_filter(found, "embedded").to_dicts()}
    outcomes = {kept: "kept", one: "one_wrong", same: "same_wrong", both: "both_wrong",
                cannot: "cannot_tell", open_: "undecided"}  # fmt: skip
    assert {q: filtered[q]["outcome"] for q in outcomes} == outcomes
    assert all(filtered[q]["outcome"] == "kept" for q in rest)
    assert [filtered[q]["is_kept"] for q in (kept, one, open_)] == [True, False, None]
    later = [(filtered[q]["n_later"], filtered[q]["n_later_solved"]) for q in (kept, rest[0], one)]
    assert later == [(1, 1), (1, 0), (0, 0)]
    whole = human_agreement_of(found, "embedded").filter(
        pl.col("task").is_null(), pl.col("length").is_null(), annotators="all"
    )
    values = dict(whole.select("measure", "value").iter_rows())
    # Of all questions but `open_` and `cannot`, `one`, `both` and the one Cleo answered differ.
    assert values["unanimous"] == pytest.approx(1 - 3 / (len(right) - 2))
    assert 0.5 < values["alpha_answers"] < 1


def test_people_are_one_model_of_the_leaderboard(root: DataRoot, store: Store) -> None:
    right = right_labels(root)
    answer_all(store, "Ada", dict(right))
    answer_all(store, "Bert", {q: label % 4 + 1 for q, label in right.items()})
    baselines = evaluated(root, store).filter(annotator="person_1").drop("annotator", "role")
    named = baselines.with_columns(world_model=pl.lit("oracle"))
    rows = with_annotators(named.select(list(WorldEvaluation.schema())), evaluated(root, store))
    of_people = rows.filter(world_model="people (2)")
    assert set(rows["world_model"]) == {"oracle", "people (2)"}
    assert of_people["is_correct"].mean() == 0.5
    assert of_people.height == 2 * len(right)
    assert not of_people.select("question_id", "repetition").is_duplicated().any()
    of_oracle = rows.filter(world_model="oracle").select(list(WorldEvaluation.schema()))
    accuracies, _ = compare_world_models(of_oracle, "embedded", [], evaluated(root, store))
    whole = accuracies.filter(pl.col("length").is_null(), world_model="people (2)")
    assert set(whole["accuracy"]) == {0.5}
    assert whole["n_scored"].sum() == 2 * len(right)


def test_answers_to_what_is_not_shown_any_more_do_not_count(root: DataRoot, store: Store) -> None:
    answer_all(store, "Ada", dict(right_labels(root)))
    lake, answers = Lake(root.lake), Answered(store.database.url).table()
    questions = lake.read("world_questions", SOURCE)
    versions = dict(answers.select("question_id", "version").iter_rows())
    changed = next(iter(versions))
    found = evaluate_annotators(answers, questions, versions | {changed: "other"}, "embedded")
    assert found.height == answers.height - 1
    assert changed not in found["question_id"]
    assert evaluate_annotators(answers, questions, versions, "captaincook4d").is_empty()


@pytest.fixture
def port(root: DataRoot, store: Store) -> Iterator[int]:
    with serving(store, ImageStore(root.images), requests_per_s=1000.0) as found:
        yield found


def test_the_page_shows_clips_as_films_and_stills(root: DataRoot, store: Store, port: int) -> None:
    """And nothing that says which is right, or what anything is called."""
    client = Client(port, store.invite("Ada", PERSON)[1])
    assert "Ways to choose" in client.get("/").text
    assert "Ways to put things in place" not in client.get("/").text
    seen = set()
    questions = Lake(root.lake).read("world_questions", SOURCE)
    while (found := client.next()) != ("", ""):
        path, text = found
        row = store.assignment("person_1", path.rpartition("/")[2])
        n_clips = text.count("<video ")
        asked = questions.filter(question_id=row["question_id"]).row(0, named=True)
        assert n_clips == (4 if row["kind"] == "wm" else asked["length"])
        assert text.count("<img src=") == 2 + STILLS * n_clips
        assert len(re.findall(r'type="radio" name="choice"', text)) == 4
        for hidden in (row["question_id"], "tidy", "plate", "cup", "grasp", asked["recording"]):
            assert hidden not in text
        seen.add(row["kind"])
        films = re.findall(r'<video src="([^"]+)"', text)
        assert len(set(films)) == n_clips
        reply = client.get(films[0])
        assert (reply.status, reply.headers["content-type"]) == (200, "video/mp4")
        assert client.get("/film/" + row["id"] + "/1").status == 404  # a state is no clip
        assert client.post(path, form_of(text)).location == "/next"
    assert seen == {"wm", "pp"}


def test_the_command_plans_questions_of_worldprediction(
    root: DataRoot,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("ENACT_PEOPLE", str(tmp_path / "people.db"))
    plan = ["annotate", "plan", "--data", str(root.root), "--plan", "k_each"]
    n = len(right_labels(root))
    assert main([*plan, "--world", "embedded"]) == 0
    said = capsys.readouterr().out
    assert f"A pool of {n - n // 4} questions, 2 answers to each" in said
    assert f"Before: {n // 4} practice questions" in said
    for more, told in (
        (["--world", "embedded", "--condition", "same"], "asks nothing under condition 'same'"),
        (["--world", "embedded", "--kept", "solved"], "say --kept alone"),
        (["--world", "films"], "no world_questions of 'films'"),
        (["--kept"], "needs the name of a question set"),
    ):
        assert main([*plan, *more]) != 0
        out = capsys.readouterr()
        assert told in " ".join((out.out + out.err).split())
    with pytest.raises(MissingPartitionError, match="world_human_filter"):
        shown_world_questions(root, "embedded", EQUIVALENT, is_kept=True)
