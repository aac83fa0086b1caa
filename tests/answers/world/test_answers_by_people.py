"""Annotators answer questions of WorldPrediction on the page; their answers are scored."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest
from answers.people.page_server import Client, form_of, serving
from questions.world.asked_rooms import ASKED, SOURCE, STILLS, WORLD, asked_root

from enact_assets.answers.baselines.model_asker import ModelAsker
from enact_assets.answers.baselines.predict import answers_to, predictions_of
from enact_assets.answers.people.annotator_agreement import agreement
from enact_assets.answers.people.annotator_names import PERSON
from enact_assets.answers.people.answered import OTHER_VERSION, Answered
from enact_assets.answers.people.keeping import kept_by_two
from enact_assets.answers.people.plan_loading import load_plan
from enact_assets.answers.people.plans import k_each_plan
from enact_assets.answers.people.pooling import with_pooled_annotators
from enact_assets.answers.people.quality import question_quality, verified_answers
from enact_assets.answers.people.reasons import action_in_words
from enact_assets.answers.people.store import Store, Submission
from enact_assets.answers.people.variant_questions import shown_questions
from enact_assets.cli import main
from enact_assets.engine.errors import MissingPartitionError, PeopleError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.publishing.sql_files import released_columns, sql_folder
from enact_assets.questions.world.stored_pictures import stored_pictures
from enact_assets.results.statistics.models import compare_models
from enact_assets.results.verification.evaluate import PAPER_ANSWERS, evaluate
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.world import KINDS


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> DataRoot:
    return asked_root(tmp_path_factory.mktemp("rooms"))


@pytest.fixture
def store(root: DataRoot, tmp_path: Path) -> Store:
    """A pool of all questions, three answers to each; none is practice."""
    found = Store(str(tmp_path / "people.db"))
    shown = shown_questions(root, WORLD, kinds=KINDS)
    assert shown.n_without_pictures == 0
    load_plan(found, k_each_plan(shown.questions, 3, has_practice=False), WORLD)
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


def asked_of(root: DataRoot) -> pl.DataFrame:
    return Lake(root.lake).read("asked_questions", ASKED)


def evaluated(root: DataRoot, store: Store, monkeypatch: pytest.MonkeyPatch) -> pl.DataFrame:
    """Rows of ``evaluation`` of all annotators."""
    monkeypatch.setenv("ENACT_PEOPLE", store.database.url)
    asked, lake = asked_of(root), Lake(root.lake)
    ask = ModelAsker(root, ImageStore(root.images).read_png)
    shas = {key: sha for key, (sha, _, _) in stored_pictures(lake, WORLD).items()}
    rows = []
    for name in Answered(store.database.url).annotators():
        answers = answers_to(name, WORLD, asked, lambda *_key: None, shas, ask=ask)
        rows.append(evaluate(predictions_of(name, WORLD, answers), asked, {}, PAPER_ANSWERS))
    return pl.concat(rows)


def right_labels(root: DataRoot) -> dict[str, int]:
    questions = Lake(root.lake).read("world_questions", SOURCE)
    return {
        q: "ABCD".index(a) + 1 for q, a in questions.select("question_id", "answer").iter_rows()
    }


def test_two_persons_decide_and_the_third_measures(
    root: DataRoot, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = right_labels(root)
    kept, one, same, both, cannot, open_, *rest = sorted(right)
    wrong = {q: [k for k in (1, 2, 3, 4) if k != label] for q, label in right.items()}
    ada = right | {same: wrong[same][0], both: wrong[both][0], cannot: None}
    bert = {q: label for q, label in right.items() if q != open_}
    bert |= {one: wrong[one][0], same: wrong[same][0], both: wrong[both][1], cannot: None}
    answer_all(store, "Ada", ada)
    answer_all(store, "Bert", bert)
    answer_all(store, "Cleo", {kept: right[kept], rest[0]: wrong[rest[0]][0]})
    found, answers = evaluated(root, store, monkeypatch), Answered(store.database.url).table()
    accuracy = found.filter(model="person_1").select(pl.col("is_accepted").mean()).item()
    assert accuracy == pytest.approx(1 - 3 / len(right))
    filtered = old_filter(root, found, answers)
    outcomes = {kept: "kept", one: "one_wrong", same: "same_wrong", both: "both_wrong",
                cannot: "cannot_tell", open_: "undecided"}  # fmt: skip
    assert {q: filtered[q]["outcome"] for q in outcomes} == outcomes
    assert all(filtered[q]["outcome"] == "kept" for q in rest)
    assert [filtered[q]["is_kept"] for q in (kept, one, open_)] == [True, False, None]
    later = [(filtered[q]["n_later"], filtered[q]["n_later_solved"]) for q in (kept, rest[0], one)]
    assert later == [(1, 1), (1, 0), (0, 0)]
    by_two = kept_by_two(question_quality(answers, found))
    assert set(by_two["question_id"]) == {kept, *rest}
    whole = agreement(verified_answers(found, asked_of(root)), WORLD).filter(
        pl.col("kind").is_null(), pl.col("length").is_null(), annotators="all"
    )
    values = dict(whole.select("measure", "value").iter_rows())
    # Of all questions but `open_` and `cannot`, `one`, `both` and the one Cleo answered differ.
    assert values["unanimous"] == pytest.approx(1 - 3 / (len(right) - 2))
    assert 0.5 < values["alpha_answers"] < 1
    assert "alpha_places" not in values  # one option has no places


def old_filter(
    root: DataRoot, found: pl.DataFrame, answers: pl.DataFrame
) -> dict[str, dict[str, object]]:
    """Rows of the relation ``world_human_filter`` of version 0.2.0."""
    questions = Lake(root.lake).read("world_questions", SOURCE)
    tables = {"evaluation": found, "human_answers": answers, "world_questions": questions}
    with duckdb.connect() as connection:
        for name, rows in tables.items():
            connection.register("rows", rows.to_arrow())
            connection.execute(f"create table {name} as select * from rows")  # noqa: S608
        for name in ("world_human_evaluation", "world_human_filter"):
            connection.execute((sql_folder() / "marts" / f"{name}.sql").read_text("utf-8"))
        columns = connection.sql("select * from world_human_evaluation").columns
        assert columns == released_columns(sql_folder())["world_human_evaluation"][1]
        rows = connection.sql("select * from world_human_filter").pl()
    return {row["question_id"]: row for row in rows.to_dicts()}


def test_people_are_one_model_of_the_leaderboard(
    root: DataRoot, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = right_labels(root)
    answer_all(store, "Ada", dict(right))
    answer_all(store, "Bert", {q: label % 4 + 1 for q, label in right.items()})
    rows, pooled = with_pooled_annotators(evaluated(root, store, monkeypatch))
    assert pooled == ["people (2)"]
    assert rows["is_accepted"].mean() == 0.5
    assert rows.height == 2 * len(right)
    assert not rows.select("question_id", "repetition").is_duplicated().any()
    accuracies, _ = compare_models(rows, WORLD, references=pooled)
    whole = accuracies.filter(pl.col("length").is_null(), metric="task_accuracy")
    assert set(whole["accuracy"]) == {0.5}
    assert whole["n_scored"].sum() == len(right)


def test_answers_to_what_is_not_shown_any_more_do_not_count(
    root: DataRoot, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_all(store, "Ada", dict(right_labels(root)))
    other = asked_root(tmp_path / "other", stills=2)
    found = evaluated(other, store, monkeypatch)
    assert set(found["answer_status"]) == {"missing"}
    assert set(found["reason"]) == {OTHER_VERSION}


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
    candidates = Lake(root.lake).read("world_candidates", SOURCE)
    while (found := client.next()) != ("", ""):
        path, text = found
        row = store.assignment("person_1", path.rpartition("/")[2])
        n_clips = text.count("<video ")
        asked = questions.filter(question_id=row["question_id"]).row(0, named=True)
        shown = candidates.filter(question_id=row["question_id"])["pool"].n_unique()
        assert n_clips == shown
        assert (n_clips == 4) if row["kind"] == "wm_equivalent" else (n_clips > asked["length"])
        assert ("some of the clips" in text) == (row["kind"] == "pp_equivalent")
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
    assert seen == {"wm_equivalent", "pp_equivalent"}


def test_practice_is_four_clips_and_two_plans_with_reasons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reasons are told after an answer, for each option as it is numbered on the page; at the home
    page practice can be looked at again.
    """
    root = asked_root(tmp_path, plans_per_length=4)
    monkeypatch.setenv("ENACT_PEOPLE", str(tmp_path / "people.db"))
    plan = ["annotate", "plan", "--data", str(root.root), "--plan", "k_each"]
    assert main([*plan, "--world", "embedded"]) == 0
    assert "Before: 6 practice questions" in capsys.readouterr().out
    store, right = Store(str(tmp_path / "people.db")), right_labels(root)
    questions = Lake(root.lake).read("world_questions", SOURCE)
    candidates = Lake(root.lake).read("world_candidates", SOURCE)
    tasks: list[str] = []
    with serving(store, ImageStore(root.images), requests_per_s=1000.0) as port:
        client = Client(port, store.invite("Ada", PERSON)[1])
        while "<h1>Practice" in (found := client.next())[1]:
            path, text = found
            assert "Why</h2>" not in text
            assert client.get(path + "/feedback").status == 404
            told = client.get(client.post(path, form_of(text)).location).text
            row = store.assignment("person_1", path.rpartition("/")[2])
            shuffle, key = json.loads(row["shuffle"]), right[row["question_id"]]
            why = re.findall(r"<li><strong>\w+ (\d)</strong> is (right|wrong)\. (.*?)</li>", told)
            assert [number for number, _, _ in why] == ["1", "2", "3", "4"]
            of = candidates.filter(question_id=row["question_id"])
            classes = questions.filter(question_id=row["question_id"])["classes"].item()
            for label, (_, verdict, reason) in zip(shuffle, why, strict=True):
                assert (verdict == "right") == (label == key)
                named = of.filter(option="ABCD"[label - 1]).sort("place")
                said = [*map(action_in_words, named["category"])]
                if row["kind"] == "wm_equivalent":
                    assert f": {said[0]}." in reason
                elif label == key:
                    clips = zip(named["pool"], said, strict=True)
                    assert "; ".join(f"clip {n}, {words}" for n, words in clips) in reason
                else:
                    assert ("contradicts itself" in reason) == (classes[label - 1] == "internal")
                    assert ("does not lead to" in reason) == (classes[label - 1] == "final")
            tasks.append(row["kind"])
        home = client.get("/").text
        assert len(re.findall(r'href="/question/[^"]+/feedback"', home)) == 6
        asked = store.assignment("person_1", client.next()[0].rpartition("/")[2])
    assert Counter(tasks) == {"wm_equivalent": 4, "pp_equivalent": 2}
    with pytest.raises(PeopleError, match="practice only"):
        store.reasons(asked)


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
        (["--world", "embedded", "--condition", "same"], "asks no question of wm_same or pp_same"),
        (["--world", "embedded", "--kept", "solved"], "say --kept alone"),
        (["--world", "films"], "world:films"),
        (["--kept"], "needs the name of a question set"),
    ):
        assert main([*plan, *more]) != 0
        out = capsys.readouterr()
        assert told in " ".join((out.out + out.err).split())
    with pytest.raises(MissingPartitionError, match="question_quality"):
        shown_questions(root, WORLD, kept=WORLD)
