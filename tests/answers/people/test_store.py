"""Answers are kept for good: revisions, leases, plans, changed questions, broken databases."""

import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from answers.people.made_questions import order_question, questions
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.answers.people.annotator_names import PERSON, SOLVER
from enact_assets.answers.people.answered import NOT_YET, OTHER_VERSION, Answered
from enact_assets.answers.people.content import ShownQuestion
from enact_assets.answers.people.database import Database
from enact_assets.answers.people.plan_loading import load_plan
from enact_assets.answers.people.plans import Assigned, k_each_plan, paper_plan
from enact_assets.answers.people.store import BATCH, LEASE_S, Annotator, Store, Submission
from enact_assets.answers.people.tables import HumanAnswers
from enact_assets.engine.errors import PeopleError, UnknownNameError

from reference.servers import postgres

MEDIA = [(f"{k:064d}", 64, 64) for k in range(10)]


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    with postgres() as url:
        yield url


class Clock:
    now = 1.8e9

    def __call__(self) -> float:
        return self.now


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "sqlite":
        yield Store(str(tmp_path / "people.db"), Clock())
        return
    url = request.getfixturevalue("postgres_url")
    names = "answers", "assignments", "reasons", "keys", "questions", "annotators"
    Database(url).write(lambda run: [run(f"drop table if exists people_{n}") for n in names])
    found = Store(url, Clock())
    yield found
    found.database.close()


def invited(store: Store, n: int, role: str = PERSON, quota: int = 500) -> list[Annotator]:
    tokens = [store.invite(f"Person <b>{k}</b>", role, quota)[1] for k in range(n)]
    return [found for token in tokens if (found := store.annotator(token)) is not None]


def answer(store: Store, annotator: Annotator, id_: str = "", **sent: object):
    row = store.due(annotator)
    if row is None:
        return None
    given = {"answer": [1], "reason": None, "comment": "", "active_ms": 1500} | sent
    store.save(row, Submission(id_ or f"{annotator.id} {row['id']}", **given))
    return row


def test_a_form_sent_twice_is_one_answer_and_a_change_is_a_revision(store: Store) -> None:
    (annotator,) = invited(store, 1)
    load_plan(store, k_each_plan(questions(MEDIA), 1), "baseline")
    row = answer(store, annotator, "first", answer=[2, 1])
    for id_, order in (("first", [2, 1]), ("second", [1, 2]), ("second", [2, 1])):
        store.save(row, Submission(id_, order, None, "", 10))
    store.save(row, Submission("third", None, "unseen", "too dark", 10))
    kept = store.assignment(annotator.id, row["id"])
    assert (kept["revision"], kept["answer"], kept["reason"]) == (2, None, "unseen")
    assert store.assignment(invited(store, 1)[0].id, row["id"]) is None


def test_two_tabs_at_once_are_two_revisions(store: Store) -> None:
    (annotator,) = invited(store, 1)
    load_plan(store, k_each_plan(questions(MEDIA), 1), "baseline")
    row = store.due(annotator)

    def send(k: int) -> None:
        store.save(row, Submission(f"tab {k}", [1, 2], None, "", 10))
        store.database.close()

    threads = [threading.Thread(target=send, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.assignment(annotator.id, row["id"])["revision"] == 7


def test_each_question_of_a_pool_is_answered_by_k_of_a_role(store: Store) -> None:
    of_pool = questions(MEDIA)
    load_plan(store, k_each_plan(of_pool, 2), "baseline")
    people, solvers = invited(store, 3), invited(store, 1, SOLVER)
    n_real = len(of_pool) - 4  # practice
    counted: Counter[str] = Counter()
    is_left = True
    while is_left:
        rows = [answer(store, annotator) for annotator in people]
        is_left = any(rows)
        counted.update(row["version"] for row in rows if row and not row["is_practice"])
    assert set(counted.values()) == {2}
    assert len(counted) == n_real
    assert answer(store, solvers[0]) is not None
    mixed = Answered(store.database.url).table()
    HumanAnswers.check(mixed)
    assert set(mixed["role"]) == {PERSON, SOLVER}
    assert mixed.filter(role=PERSON, is_last=True).height == 2 * n_real


def test_a_lease_that_ran_out_goes_to_others_and_a_late_answer_is_kept(store: Store) -> None:
    load_plan(store, k_each_plan(questions(MEDIA, 12), 1), "baseline")
    slow, quick = invited(store, 2)
    while (late := store.due(slow))["is_practice"]:
        answer(store, slow)
    while store.due(quick) is not None and store.due(quick)["is_practice"]:
        answer(store, quick)
    assert store.due(quick) is None  # slow holds all that are left
    assert len(store.assignments(slow.id)) <= BATCH + 4
    store._now.now += LEASE_S + 1
    assert store.due(quick)["version"] == late["version"]
    store.save(late, Submission("late", [1, 2], None, "", 10))
    assert store.assignment(slow.id, late["id"])["revision"] == 0
    store._now.now -= 10 * LEASE_S  # clocks jump
    assert answer(store, quick) is not None


def test_another_plan_takes_no_answered_question_for_practice(store: Store) -> None:
    """The answers to it would not count any more."""
    several = [order_question("forward", k, 2, MEDIA) for k in range(12)]
    load_plan(store, k_each_plan(several, 1), "baseline")
    first, second = invited(store, 2)
    while answer(store, first) is not None:
        pass
    table = Answered(store.database.url).table()
    n_practice = len(store.assignments(first.id)) - table.height
    assert n_practice == 3
    load_plan(store, k_each_plan(several[:8], 2, has_practice=False), "baseline")
    load_plan(store, k_each_plan(several[:4], 2), "baseline")
    again = Answered(store.database.url).table().filter(annotator=first.id)
    assert set(again["version"]) == set(table["version"])
    load_plan(store, k_each_plan(several[:8], 2, has_practice=False), "baseline")
    rows = []
    while (row := answer(store, second)) is not None:
        rows.append(row["version"])
    assert set(rows) >= {q.version for q in several[:8]} & set(table["version"])


def test_a_quota_ends_an_annotator(store: Store) -> None:
    load_plan(store, k_each_plan(questions(MEDIA), 1), "baseline")
    (annotator,) = invited(store, 1, quota=3)
    n = 0
    while (row := answer(store, annotator)) is not None:
        n += not row["is_practice"]
    assert n == 3


def test_the_paper_plan_has_a_common_set_and_parts_of_ones_own() -> None:
    several = [
        order_question(kind, 1000 * length + k, length - 1, MEDIA)
        for kind in ("forward", "inverse")
        for length in (3, 6)
        for k in range(99)
    ]
    names = ["person_1", "person_2", "person_3"]
    plan = paper_plan(several, names, 0)
    parts = [{q.version for q in plan.of_annotator[name]} for name in names]
    common = set.intersection(*parts)
    assert len(common) == 15 * 4
    assert len(plan.practice) == 4
    assert not common & {q.version for q in plan.practice}
    assert len(set.union(*parts)) == len(several) - 4
    assert sum(map(len, parts)) == len(several) - 4 + 2 * len(common)
    for name in names:
        own = [q for q in plan.of_annotator[name] if q.version not in common]
        strata = Counter((q.kind, q.length) for q in own)
        assert max(strata.values()) - min(strata.values()) <= 2
        demonstrations = Counter(q.demonstration for q in own)
        assert max(demonstrations.values()) - min(demonstrations.values()) <= 4
    first = [q.version in common for q in plan.of_annotator["person_1"]]
    assert 5 < sum(first[: len(first) // 2]) < 55  # mixed in
    assert plan == paper_plan(several, names, 0)


def test_the_same_plan_again_changes_nothing_and_a_changed_question_is_another(
    store: Store,
) -> None:
    people = invited(store, 2)
    names = [annotator.id for annotator in people]
    first = [order_question("forward", k, 2, MEDIA) for k in range(12)]
    assert load_plan(store, paper_plan(first, names, 0, overlap=2), "baseline") == 0
    while (row := answer(store, people[0]))["is_practice"]:
        pass
    open_row = store.due(people[0])
    before = store.assignments(names[0])
    assert load_plan(store, paper_plan(first, names, 0, overlap=2), "baseline") == 0
    assert store.assignments(names[0]) == before
    other = [*MEDIA[:2], ("f" * 64, 64, 64), *MEDIA[3:]]
    rebuilt = [order_question("forward", k, 2, other) for k in range(12)]
    assert load_plan(store, paper_plan(rebuilt, names, 0, overlap=2), "baseline") > 0
    store.save(open_row, Submission("from the page left open", [2, 1], None, "", 10))
    kept = store.assignment(names[0], open_row["id"])
    assert kept["version"] == open_row["version"]
    assert kept["version"] not in {q.version for q in rebuilt}
    table = Answered(store.database.url).table().filter(annotator=names[0])
    assert {row["version"], open_row["version"]} == set(
        table.filter(table["revision"].is_not_null())["version"]
    )


def test_the_graph_counts_an_answer_to_what_is_shown_now(store: Store) -> None:
    from answers.people.made_questions import order_row

    from enact_assets.answers.models.messages import Message, Picture, Text

    (annotator,) = invited(store, 1)
    several = [order_question("inverse", k, 2, MEDIA) for k in range(3)]
    load_plan(store, paper_plan(several, [annotator.id], 0), "baseline")
    row = answer(store, annotator, answer=[2, 1], active_ms=2500)

    def message(id_: str, shas: list[str]) -> Message:
        names = ("Current State", "Next State 1", "Next State 2")
        named = zip(names, shas, strict=True)
        parts = [part for name, sha in named for part in (Text(f"[{name}]"), Picture(sha))]
        prompt = order_row("inverse", int(id_.rpartition("_")[2]), 2)["prompt"]
        return Message(id_, (*parts, Text(prompt)))

    shas = [sha for sha, _, _ in MEDIA[:3]]
    answered = Answered(store.database.url)
    messages = [message(q.question_id, shas) for q in several]
    given = answered.given(annotator.id, "baseline", messages)
    right = given.pop(row["question_id"])
    assert (right.text, right.error, right.seconds) == ("[2, 1]", None, 2.5)
    assert {found.error for found in given.values()} == {NOT_YET}
    changed = [message(row["question_id"], ["e" * 64, *shas[1:]])]
    assert answered.given(annotator.id, "baseline", changed)[row["question_id"]].error == (
        OTHER_VERSION
    )
    assert answered.given(annotator.id, "aperture_80", messages) == {}
    assert answered.has(annotator.id)
    assert not answered.has("person_9")


def test_versions_change_with_answers_alone(store: Store) -> None:
    people = invited(store, 2)
    load_plan(store, paper_plan(questions(MEDIA), [p.id for p in people], 0, overlap=1), "baseline")
    answered = Answered(store.database.url)
    before = [answered.version(p.id) for p in people]
    while answer(store, people[0])["is_practice"]:
        pass
    after = [answered.version(p.id) for p in people]
    assert before[0] != after[0]
    assert before[1] == after[1]


def test_keys_are_for_practice(store: Store) -> None:
    (annotator,) = invited(store, 1)
    load_plan(store, k_each_plan(questions(MEDIA), 1), "baseline")
    row = store.due(annotator)
    assert row["is_practice"]
    assert len(store.key(row)[0]) == row["length"] - 1
    while (row := store.due(annotator))["is_practice"]:
        answer(store, annotator)
    with pytest.raises(PeopleError, match="practice only"):
        store.key(row)


def test_links(store: Store) -> None:
    id_, token = store.invite("<script>", SOLVER)
    assert id_ == "solver_1"
    assert store.annotator(token).label == "<script>"
    other = store.new_token(id_)
    assert store.annotator(token) is None
    assert store.annotator(other).id == id_
    with pytest.raises(UnknownNameError, match="solver_2"):
        store.new_token("solver_2")
    with pytest.raises(UnknownNameError, match="robot"):
        store.invite("x", "robot")


def test_a_full_disk_loses_nothing_that_was_kept(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "people.db"))
    (annotator,) = invited(store, 1)
    load_plan(store, k_each_plan(questions(MEDIA), 1), "baseline")
    row = store.due(annotator)
    store.save(row, Submission("kept", [1, 2], None, "", 10))
    connection = store.database._connection()
    (n_pages,) = connection.execute("pragma page_count").fetchone()
    connection.execute(f"pragma max_page_count = {n_pages}")

    def fill() -> None:
        for k in range(9):
            store.save(row, Submission(f"{k}", None, "other", "x" * 9000, 10))

    with pytest.raises(PeopleError, match=r"full.*Free some space"):
        fill()
    connection.execute("pragma max_page_count = 1000000")
    store.save(row, Submission("again", [2, 1], None, "", 10))
    with sqlite3.connect(tmp_path / "people.db") as found:
        assert found.execute("pragma integrity_check").fetchone() == ("ok",)


@pytest.mark.slow
def test_a_broken_connection_to_postgres_is_opened_again(postgres_url: str) -> None:
    store = Store(postgres_url)
    n = len(store.annotators())
    store.database._connection()
    killer = Database(postgres_url)
    killer.write(
        lambda run: run(
            "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()"
        )
    )
    assert len(store.annotators()) == n
    with pytest.raises(PeopleError, match=r"//127\.0\.0\.1"):
        Store("postgresql://enact:secret@127.0.0.1:1/postgres")
    for database in (store.database, killer):
        database.close()


def test_no_database_is_no_annotators(tmp_path: Path) -> None:
    answered = Answered(str(tmp_path / "people.db"))
    assert answered.annotators() == []
    assert answered.table().is_empty()
    assert not list(tmp_path.iterdir())


def asked(kind: str, length: int, n: int, n_demonstrations: int) -> list[ShownQuestion]:
    """Questions of one stratum, about demonstrations in turn."""
    return [
        ShownQuestion(
            f"{kind}_{length}_{k}", "baseline", "order", kind, length,
            f"clip_{k % n_demonstrations}", {}, (), ((1, 2),), "0" * 64,
        )
        for k in range(n)
    ]  # fmt: skip


def own_parts(plan: Assigned) -> list[list[ShownQuestion]]:
    """What each annotator is assigned besides what all are."""
    n = Counter(question.version for part in plan.of_annotator.values() for question in part)
    of = plan.of_annotator
    return [[q for q in part if len(of) == 1 or n[q.version] < len(of)] for part in of.values()]


def spread(counts: list[int]) -> int:
    return max(counts) - min(counts)


@given(
    n_annotators=st.integers(1, 6),
    n_demonstrations=st.integers(1, 30),
    sizes=st.lists(st.integers(0, 90), min_size=1, max_size=5),
    overlap=st.sampled_from([None, 0, 1, 7]),
)
def test_parts_differ_by_at_most_one(
    n_annotators: int, n_demonstrations: int, sizes: list[int], overlap: int | None
) -> None:
    """public K4: one film and two annotators gave one of them everything."""
    questions = [
        question
        for length, n in enumerate(sizes, start=3)
        for question in asked("forward", length, n, n_demonstrations)
    ]
    names = [f"person_{k}" for k in range(1, n_annotators + 1)]
    plan = paper_plan(questions, names, 0, overlap)
    parts = own_parts(plan)
    assert spread([len(part) for part in plan.of_annotator.values()]) <= 1
    for length in range(3, 3 + len(sizes)):
        assert spread([sum(q.length == length for q in part) for part in parts]) <= 1
    # Nobody is left with other demonstrations than everybody else.
    for k in range(n_demonstrations):
        of = [sum(q.demonstration == f"clip_{k}" for q in part) for part in parts]
        assert spread(of) <= 2 + len(sizes)
    everything = {q.version for q in (*plan.practice, *(q for part in parts for q in part))}
    shared = {q.version for q in next(iter(plan.of_annotator.values()))}
    assert everything | shared == {q.version for q in questions}
