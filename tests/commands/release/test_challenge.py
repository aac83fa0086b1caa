"""An unlabelled split goes from its file to an entry: asked, never scored."""

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from official_files import png

from enact_assets.cli import main
from enact_assets.questions.asked.official import image_paths, official_id, question_type

TASKS = ("kitchen_1", "garage_2", "bedroom_3")
NAME = "enact_ordering_test"
N_QUESTIONS = 60
ACTIONS = ("The kettle is now open", "The cup is now inside the sink", "The lamp is now on")


def question(number: int) -> dict[str, Any]:
    """Of both kinds and two lengths in turn, without its answer, as held-out splits are."""
    task, kind = TASKS[number % 3], ("forward", "inverse")[number % 2]
    length = 3 + number // 2 % 2
    ids = [str(59 + 211 * k + number) for k in range(length)]
    type_ = question_type(kind, length, is_published=True)
    name = official_id(task, type_, ids)
    actions = "\n".join(f"[Action {k}] {ACTIONS[k - 1]}." for k in range(1, length))
    return {
        "id": name,
        "type": type_,
        "task_name": task,
        "key_frame_ids": ids,
        "images": image_paths(name, type_, task, length),
        "question": f"Order what you see.\n{actions}\nAnswer with a list.",
        "options": [],
    }


def write_split(folder: Path, questions: list[dict[str, Any]], name: str = NAME) -> Path:
    """A question file in a folder of the Challenge, with a picture for each place."""
    file = folder / "QA_test" / f"{name}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(q) + "\n" for q in questions))
    for number, image in enumerate(image for q in questions for image in q["images"]):
        path = file.parent / image
        path.parent.mkdir(parents=True, exist_ok=True)
        pixels = np.random.default_rng(number).integers(0, 255, (24, 24, 3), np.uint8)
        path.write_bytes(png(pixels))
    return file


@pytest.fixture(scope="module")
def entered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A data root after the three commands of docs/challenge.md, and the entry."""
    folder = tmp_path_factory.mktemp("challenge")
    split = write_split(folder, [question(number) for number in range(N_QUESTIONS)])
    root, entry = folder / "data", folder / "entry.jsonl"
    data = ("--data", str(root))
    assert main(["import", str(split), *data]) == 0
    asked = ("--variant", "official", "--model", "random", "--model", "oracle")
    assert main(["materialize", *asked, "--workers", "1", *data]) == 0
    form = ("--form", "challenge", "--model", "random")
    assert main(["export", NAME, str(entry), *form, *data]) == 0
    return root, entry


@pytest.mark.slow
def test_an_entry_answers_every_question_of_the_file_in_its_order(
    entered: tuple[Path, Path],
) -> None:
    _, entry = entered
    lines = [json.loads(line) for line in entry.read_text().splitlines()]
    expected = [question(number) for number in range(N_QUESTIONS)]
    assert [line["id"] for line in lines] == [q["id"] for q in expected]
    assert {tuple(line) for line in lines} == {("id", "answer")}
    for line, asked in zip(lines, expected, strict=True):
        n_steps = len(asked["images"]) - 1
        assert sorted(line["answer"]) == list(range(1, n_steps + 1))


@pytest.mark.slow
def test_unlabelled_questions_are_asked_and_never_scored(entered: tuple[Path, Path]) -> None:
    root, _ = entered
    with duckdb.connect(str(root / "enact.duckdb"), read_only=True) as warehouse:
        asked = warehouse.execute(
            "select count(*) from predictions where model = 'random'"
        ).fetchone()
        scored = warehouse.execute("select count(*) from evaluation").fetchone()
        board = warehouse.execute("select count(*) from leaderboard").fetchone()
        rows = warehouse.execute(
            "select split, n_questions, n_unlabelled, n_scored, task_accuracy, pairwise_accuracy "
            "from accuracy_by_split where model = 'random' and kind is null"
        ).fetchall()
        known = warehouse.execute(
            "select distinct raw_answer from predictions where model = 'oracle'"
        ).fetchall()
    assert (asked, scored, board) == ((N_QUESTIONS,), (0,), (0,))
    assert rows == [("test", N_QUESTIONS, N_QUESTIONS, 0, None, None)]
    assert known == [("[]",)]


@pytest.mark.slow
def test_checks_in_sql_hold_of_unlabelled_questions(entered: tuple[Path, Path]) -> None:
    root, _ = entered
    with duckdb.connect(str(root / "enact.duckdb"), read_only=True) as warehouse:
        for file in sorted((Path(__file__).parents[3] / "sql" / "checks").glob("*.sql")):
            assert warehouse.execute(file.read_text()).fetchall() == [], file.name
