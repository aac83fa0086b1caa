"""Questions to train on: rows, shards and pictures, and what is never among them."""

import json
import re
import tarfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from commands.harnesses.exported import run_in

from enact_assets.cli import main
from enact_assets.commands.harnesses.rewards import task_rewards
from enact_assets.commands.training.rows import MARKERS, Difficulty
from enact_assets.commands.training.sets import (
    INSIDE,
    TARS,
    TrainingSource,
    TrainingWanted,
    fair_shares,
    training_source,
    write_training_set,
)
from enact_assets.engine.errors import OutputError, SettingsError
from enact_assets.engine.progress import Progress
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.splits import Split

from reference.training_root import NAMES, REGISTRY, write_training_root

WANTED = TrainingWanted(Split.TRAINING, 300, (3, 4, 5))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> DataRoot:
    return write_training_root(tmp_path_factory.mktemp("training"))


def source_of(
    root: DataRoot, wanted: TrainingWanted = WANTED, names: Sequence[str] = NAMES
) -> TrainingSource:
    return training_source(root, REGISTRY, REGISTRY.variant("baseline"), names, wanted)


def rows_of(folder: Path) -> pl.DataFrame:
    return pl.read_parquet(folder / "data" / "*.parquet")


@pytest.fixture(scope="module")
def written(root: DataRoot, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("set") / "train"
    done = write_training_set(source_of(root), folder=folder)
    assert (done.n_questions, done.n_lacking) == (300, 0)
    return folder


def test_rows_ask_and_score_as_the_verifier_does(written: Path) -> None:
    rows = rows_of(written)
    assert rows["question_id"].is_unique().all()
    assert rows["marker"].unique().to_list() == [MARKERS[Split.TRAINING]]
    found = rows.group_by("demonstration", "kind", "length").len()
    assert (found.height, found["len"].min(), found["len"].max()) == (12, 25, 25)
    for row in rows.iter_rows(named=True):
        places = [part for part in row["prompt"][0]["content"] if part["type"] == "image"]
        assert len(places) == len(row["images"]) == row["length"]
        assert all((written / name).is_file() for name in row["images"])
        said = row["completion"][0]["content"][0]["text"]
        assert json.loads(said) == row["answer"]
    answers = rows["completion"].to_list()
    columns = rows.select("kind", "answer", "fits").to_dict(as_series=False)
    assert task_rewards(completions=answers, **columns) == [1.0] * rows.height


def test_reasons_end_in_the_order_and_prompts_ask_for_them(root: DataRoot, tmp_path: Path) -> None:
    wanted = replace(WANTED, n_questions=60, has_reasons=True)
    write_training_set(source_of(root, wanted), folder=tmp_path)
    rows = rows_of(tmp_path)
    for row in rows.iter_rows(named=True):
        asked = "".join(part["text"] or "" for part in row["prompt"][0]["content"])
        assert "in a line of its own" in asked
        assert "nothing else" not in asked
        assert "no reasoning" not in asked
        assert "only:" not in asked
        *reasons, order = row["completion"][0]["content"][0]["text"].split("\n")
        assert json.loads(order) == row["answer"]
        actions = dict(re.findall(r"\[(Action \d+)\] (.+)", asked))
        for step, (reason, label) in enumerate(zip(reasons, row["answer"], strict=True), start=1):
            action = f"Action {step if row['kind'] == 'forward' else label}"
            shown = f"Next State {label if row['kind'] == 'forward' else step}"
            assert actions[action] in reason
            assert f"[{action}]" in reason
            assert shown in reason
    columns = rows.select("kind", "answer", "fits").to_dict(as_series=False)
    assert task_rewards(rows["completion"].to_list(), **columns) == [1.0] * rows.height


def test_shards_are_the_same_after_a_stop(root: DataRoot, written: Path, tmp_path: Path) -> None:
    class StoppedError(Exception):
        pass

    def stop(progress: Progress) -> None:
        raise StoppedError(progress.unit)

    with pytest.raises(StoppedError, match="demonstrations"):
        write_training_set(source_of(root), folder=tmp_path, on_progress=stop)
    (part,) = (tmp_path / ".parts").glob("*.parquet")
    before = part.stat().st_mtime_ns
    seen: list[int] = []

    def look(_progress: Progress) -> None:
        seen.extend(p.stat().st_mtime_ns for p in (tmp_path / ".parts").glob(part.name))

    done = write_training_set(source_of(root), folder=tmp_path, on_progress=look)
    assert set(seen) == {before}
    assert rows_of(tmp_path).equals(rows_of(written))
    again = write_training_set(source_of(root), folder=tmp_path)
    assert again == replace(done, folder=tmp_path)


@pytest.mark.slow
def test_rows_are_the_same_for_any_number_of_processes(
    root: DataRoot, written: Path, tmp_path: Path
) -> None:
    write_training_set(source_of(root), folder=tmp_path, workers=2)
    assert rows_of(tmp_path).equals(rows_of(written))


@pytest.mark.parametrize("pictures", [INSIDE, TARS])
def test_pictures_within_rows_are_those_of_files(
    root: DataRoot, written: Path, tmp_path: Path, pictures: str
) -> None:
    source = source_of(root, replace(WANTED, pictures=pictures))
    write_training_set(source, folder=tmp_path)
    assert not (tmp_path / "pictures").exists()
    held = {}
    if pictures == INSIDE:
        for row in rows_of(tmp_path).iter_rows(named=True):
            held[row["question_id"]] = [picture["bytes"] for picture in row["images"]]
    else:
        for path in (tmp_path / "data").glob("*.tar"):
            with tarfile.open(path) as tar:
                files = {m.name: tar.extractfile(m).read() for m in tar}  # type: ignore[union-attr]
            for name in (name for name in files if name.endswith(".json")):
                key = name.removesuffix(".json")
                count = sum(n.startswith(f"{key}.") for n in files) - 1
                held[key] = [files[f"{key}.{k}.png"] for k in range(count)]
    for row in rows_of(written).iter_rows(named=True):
        assert held[row["question_id"]] == [(written / f).read_bytes() for f in row["images"]]
    total = sum(len(content) for contents in held.values() for content in contents)
    assert total <= source.bytes_with_pictures() <= 2 * total


def test_difficulty_leaves_questions_out(root: DataRoot, written: Path, tmp_path: Path) -> None:
    easy = Difficulty(most_changes=6, least_gap_s=2.0)
    write_training_set(source_of(root, replace(WANTED, difficulty=easy)), folder=tmp_path)
    rows, whole = rows_of(tmp_path), rows_of(written)
    assert rows.height > 20
    assert rows["n_changes"].max() <= 6 < whole["n_changes"].max()  # type: ignore[operator]
    assert rows["least_gap_s"].min() >= 2.0 > whole["least_gap_s"].min()  # type: ignore[operator]


def test_a_demonstration_for_tests_is_refused_by_name(root: DataRoot) -> None:
    with pytest.raises(SettingsError, match="can_meat-7 is a demonstration for test, not for tra"):
        source_of(root, names=[*NAMES, "can_meat-7"])


def test_the_command_refuses_it_before_anything_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target, data = str(tmp_path / "set"), str(tmp_path / "data")
    of = ["--activity", "can_meat", "--seeds", "7", "--data", data]
    assert main(["export", "train", target, *of]) == 2
    assert "can_meat-7 is a demonstration for test" in capsys.readouterr().err
    for name, activity in (("train", "make_a_salad"), ("validation", "can_meat")):
        of = ["--activity", activity, "--held-out", "activities", "--data", data]
        assert main(["export", name, target, *of]) == 2
        assert f"{activity} is an activity that --held-out" in capsys.readouterr().err
    assert main(["export", "train", target, "--variant", "fisheye", "--data", data]) == 2
    assert "--variant is for exports of tests" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_two_demonstrations_of_one_world_are_refused(tmp_path: Path) -> None:
    root = write_training_root(tmp_path, world_sha="one")
    with pytest.raises(OutputError, match="can_meat-1000, can_meat-1001 are of one world"):
        source_of(root)


@pytest.mark.parametrize("name", ["mine.txt", "data/ledger/bought.jsonl", "pictures/mine.png"])
def test_a_folder_with_other_files_is_left_alone(root: DataRoot, tmp_path: Path, name: str) -> None:
    """Also where they are called as ours: a data root is called ``data``."""
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(OutputError, match="holds other files"):
        write_training_set(source_of(root), folder=tmp_path)
    assert (tmp_path / name).read_text() == "mine"


def test_a_finished_set_is_never_replaced(root: DataRoot, written: Path, tmp_path: Path) -> None:
    other = source_of(root, replace(WANTED, n_questions=100))
    with pytest.raises(OutputError, match="another set, which is finished"):
        write_training_set(other, folder=written)
    assert rows_of(written).height == 300
    (tmp_path / "training.json").write_text('{"files": []}')
    with pytest.raises(OutputError, match="not that of a training set"):
        write_training_set(other, folder=tmp_path)


def test_a_stopped_export_gives_way_to_another(root: DataRoot, tmp_path: Path) -> None:
    def stop(_progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_training_set(source_of(root), folder=tmp_path, on_progress=stop)
    write_training_set(source_of(root, replace(WANTED, n_questions=100)), folder=tmp_path)
    assert rows_of(tmp_path).height == 100


def test_both_kinds_are_about_the_same_trajectories(root: DataRoot, tmp_path: Path) -> None:
    easy = Difficulty(most_changes=8)
    write_training_set(source_of(root, replace(WANTED, difficulty=easy)), folder=tmp_path)
    rows = rows_of(tmp_path)
    shown = rows.with_columns(first=pl.col("images").list.first(), all=pl.col("images").list.sort())
    of_kinds = [
        sorted(map(repr, shown.filter(kind=kind).select("demonstration", "first", "all").rows()))
        for kind in ("forward", "inverse")
    ]
    assert len(of_kinds[0]) > 20
    assert of_kinds[0] == of_kinds[1]


def test_shares_are_even_and_what_lacks_is_given_by_others() -> None:
    assert fair_shares({"a": 10, "b": 2, "c": 10}, 12) == {"a": 5, "b": 2, "c": 5}
    assert fair_shares({"a": 1, "b": 2}, 12) == {"a": 1, "b": 2}


STREAMED = """
import json, sys
from datasets import load_dataset
from PIL import Image
folder = sys.argv[1]
rows = load_dataset(folder, split="train", streaming=True)
rows = rows.map(
    lambda row: {"images": [Image.open(f"{folder}/{name}") for name in row["images"]]}
)
shown = [[picture.size for picture in row["images"]]
         for row in rows.take(50)]
ids = [row["question_id"] for row in load_dataset(folder, split="train", streaming=True)]
print(json.dumps({"n_pictures": sum(map(len, shown)), "sizes": shown[0], "ids": ids}))
"""


@pytest.mark.slow
def test_datasets_streams_it(written: Path, tmp_path: Path) -> None:
    found = run_in("datasets", STREAMED, written, home=tmp_path)
    rows = rows_of(written)
    assert sorted(found["ids"]) == sorted(rows["question_id"])
    assert found["n_pictures"] == rows.head(50)["length"].sum()
    assert found["sizes"] == [[32, 32]] * rows["length"][0]


def test_a_data_root_of_tests_is_refused_before_anything_is_written(
    root: DataRoot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(path.name for path in root.root.iterdir())
    of = ["--activity", "can_meat", "--data", str(root.root)]
    assert main(["export", "validation", str(tmp_path / "set"), *of]) == 2
    said = capsys.readouterr().err
    assert "has demonstrations for training, first can_meat-1000. Leave --data out" in said
    assert sorted(path.name for path in root.root.iterdir()) == before
