"""Hugging Face `datasets` and `mlcroissant` read an exported folder, offline."""

from pathlib import Path

import pytest
from commands.harnesses.exported import exported, pixels_sha, run_in

pytestmark = pytest.mark.slow

LOAD = """
import hashlib, io, json, sys, pathlib
from datasets import load_dataset
found = {}
for streaming in (False, True):
    rows = list(load_dataset(sys.argv[1], split="test", streaming=streaming))
    found[str(streaming)] = [
        {"question_id": r["question_id"], "answer": r["answer"],
         "sizes": [i.size for i in r["images"]],
         "pixels": [hashlib.sha256(i.convert("RGB").tobytes()).hexdigest() for i in r["images"]]}
        for r in rows
    ]
print(json.dumps(found))
"""
DESCRIBED = """
import json, sys
import mlcroissant
path = sys.argv[1] + "/croissant.json"
data = mlcroissant.Dataset(jsonld=path)
issues = data.metadata.ctx.issues
rows = [
    {"question_id": r["questions/question_id"].decode(),
     "answer": [int(k) for k in r["questions/answer"]],
     "fits": r["questions/fits"].decode()}
    for r in data.records("questions")
]
pictures = [
    [r["pictures/path"].decode(), list(r["pictures/image"].size)] for r in data.records("pictures")
]
print(json.dumps([sorted(issues.errors), sorted(issues.warnings), rows, pictures]))
"""


def test_load_dataset_shows_images(tmp_path: Path) -> None:
    found = exported(tmp_path)
    for rows in run_in("datasets", LOAD, found.folder, home=tmp_path).values():
        assert [row["question_id"] for row in rows] == found.rows["question_id"].to_list()
        assert [row["answer"] for row in rows] == found.rows["answer"].to_list()
        for row, names in zip(rows, found.rows["images_file_names"], strict=True):
            for name, size, pixels in zip(names, row["sizes"], row["pixels"], strict=True):
                assert tuple(size) == (32, 32)
                assert pixels_sha(found.folder / name) == pixels


def test_mlcroissant_validates_it_and_reads_records(tmp_path: Path) -> None:
    found = exported(tmp_path)
    errors, warnings, rows, pictures = run_in("datasets", DESCRIBED, found.folder, home=tmp_path)
    assert errors == []
    assert warnings == []
    columns = ("question_id", "answer", "fits")
    assert rows == found.rows.select(columns).to_dicts()
    there = {f"pictures/{path.name}" for path in (found.folder / "pictures").iterdir()}
    assert {name for name, _ in pictures} == there
    assert {tuple(size) for _, size in pictures} == {(32, 32)}
