"""The Hugging Face folder: what is in it, and what is refused."""

import errno
import hashlib
import json
import os
import re
from itertools import permutations
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from commands.harnesses.exported import exported

from enact_assets.cli import main
from enact_assets.commands.harnesses.card import METADATA
from enact_assets.commands.harnesses.folder import FolderExported
from enact_assets.commands.harnesses.question_rows import COLUMNS, text_and_pictures
from enact_assets.commands.harnesses.score_file import score_source
from enact_assets.commands.harnesses.vlmevalkit import write_vlmevalkit

from reference.asked_root import SYMBOLS, UNSHOWN


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> FolderExported:
    return exported(tmp_path_factory.mktemp("hf"))


def test_each_question_shows_what_models_are_shown(found: FolderExported) -> None:
    """Texts and pictures in the same order as `--form messages`, which tests compare with what is
    sent.
    """
    data = found.folder.parent / "root"
    messages = found.folder.parent / "m" / "messages.jsonl"
    options = ["--form", "messages", "--data", str(data)]
    assert main(["export", "state", str(messages), *options]) == 0
    lines = [json.loads(line) for line in messages.read_text().splitlines()]
    rows = pl.read_parquet(found.folder / METADATA).to_dicts()
    assert [row["question_id"] for row in rows] == [line["question_id"] for line in lines]
    for row, line in zip(rows, lines, strict=True):
        names = row["images_file_names"]
        parts = [
            {"text": part} if isinstance(part, str) else {"picture": names[part]}
            for part in text_and_pictures(row)
        ]
        assert parts == line["parts"]
        for name in names:
            png = (found.folder / name).read_bytes()
            assert hashlib.sha256(png).hexdigest() == Path(name).stem


def test_a_picture_is_there_once(found: FolderExported) -> None:
    shown = [name for names in found.rows["images_file_names"].to_list() for name in names]
    there = sorted(f"pictures/{p.name}" for p in (found.folder / "pictures").iterdir())
    assert there == sorted(set(shown))
    assert len(shown) > 2 * len(there)


def test_the_card_has_the_facts_of_this_set(found: FolderExported) -> None:
    card = (found.folder / "README.md").read_text()
    _, head, text = card.split("---\n", 2)
    assert yaml.safe_load(head)["license"] == "mit"
    assert f"# {yaml.safe_load(head)['pretty_name']}" in text
    assert f"{found.rows.height} questions over {found.facts.n_pictures} pictures" in text
    shown = sum(map(len, found.rows["images_file_names"])) / found.facts.n_pictures
    assert f"each picture is in {shown:.0f} questions on average" in text
    assert all(f"| `{name}` |" in text for name in COLUMNS)
    n_of = dict(found.rows.group_by("kind").len().iter_rows())
    chance = {row["kind"]: row for row in found.facts.chance.iter_rows(named=True)}
    assert {kind: row["n"] for kind, row in chance.items()} == n_of
    assert f"| {n_of['forward']} |" in text
    assert found.facts.content_sha in text
    described = json.loads((found.folder / "croissant.json").read_text())
    assert described["distribution"][0]["sha256"] == (
        hashlib.sha256((found.folder / METADATA).read_bytes()).hexdigest()
    )
    assert sum(name.startswith("rai:data") for name in described) >= 6


def test_the_card_has_chance_in_the_unit_of_its_own_scorer(found: FolderExported) -> None:
    """Researcher F3: right over steps, summed over every order of every question."""
    scorer: dict[str, Any] = {}
    exec(score_source(), scorer)  # noqa: S102 - ours
    right = dict.fromkeys(("forward", "inverse"), 0.0)
    steps = dict.fromkeys(right, 0)
    lengths = set()
    for row in found.rows.to_dicts():
        orders = [list(order) for order in permutations(range(1, row["length"]))]
        scores = [scorer["score_row"](str(order), row) for order in orders]
        right[row["kind"]] += sum(score["right"] for score in scores) / len(orders)
        steps[row["kind"]] += scores[0]["steps"]
        lengths.add(row["length"])
    assert len(lengths) > 1  # or a mean over questions would be the same
    card = (found.folder / "README.md").read_text()
    for kind, n in right.items():
        [line] = [line for line in card.splitlines() if line.startswith(f"| {kind} |")]
        assert line.endswith(f"| {n / steps[kind]:.4f} |")


def test_pictures_of_another_export_are_not_mixed_in(
    found: FolderExported, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(found.folder.parent / "root"), "--format", "hf"]
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / f"{'0' * 64}.png").write_bytes(b"of another export")
    assert main(["export", "state", str(tmp_path), *data]) == 2
    assert "1 pictures of another export" in capsys.readouterr().err
    assert not (tmp_path / METADATA).exists()


def test_questions_without_pictures_are_left_out_and_the_card_says_so(
    found: FolderExported, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(found.folder.parent / "root"), "--format", "hf"]
    assert main(["export", "state", str(tmp_path / "s"), "--variant", SYMBOLS, *data]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    n = int(re.search(r"(\d+) questions? left out", printed)[1])  # type: ignore[index]
    rows = pl.read_parquet(tmp_path / "s" / METADATA)
    assert rows.height == 6 - n
    assert n > 0
    assert UNSHOWN >= 0
    assert f"{n} question" in (tmp_path / "s" / "README.md").read_text()


def test_pictures_for_vlmevalkit_are_whole_where_the_disk_has_no_links(
    found: FolderExported, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killed export left half a copy, and the next one took it for the picture."""

    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, "no links")

    monkeypatch.setattr(os, "link", no_links)
    sources = sorted((found.folder / "pictures").iterdir())
    pictures = found.folder / "vlmevalkit" / "images" / "ENACT"
    pictures.mkdir(parents=True)
    (pictures / sources[0].name).write_bytes(sources[0].read_bytes()[:100])
    flushed = set()
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda f: flushed.add(os.fstat(f).st_ino) or sync(f))
    write_vlmevalkit(found)
    copies = [pictures / source.name for source in sources]
    assert [path.read_bytes() for path in copies] == [path.read_bytes() for path in sources]
    assert {path.stat().st_ino for path in (pictures, *copies)} <= flushed
