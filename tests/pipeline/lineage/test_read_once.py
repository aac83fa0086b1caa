"""Data files of the package: what runs is what was hashed as code (faults N2).

Files of recordings are read in threads, with progress, and each once."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from enact_assets.engine.code_versions import DATA
from enact_assets.engine.lake.catalogue import Catalogue
from enact_assets.engine.steps import STEPS
from enact_assets.pipeline.lineage import known_contents
from enact_assets.pipeline.lineage.code import WHOLE_ROOTS, code_versions, step_roots
from enact_assets.pipeline.lineage.known_contents import KnownContents

ROOT = Path(__file__).parents[3]
OPENING = {"open", "read_bytes", "read_text", "FileSystemLoader", "PackageLoader"}
PLAYER = "enact_assets.demonstrations.replay.omnigibson_runs"
"""Finds a program beside it, and opens the files of demonstrations."""
# One file of CaptainCook4D is hashed with the others though nothing reads it.
RUN = """
import json, sys
from pathlib import Path

from enact_assets.answers.models.catalogue import load_catalogue
from enact_assets.engine.code_versions import DATA_SUFFIXES
from enact_assets.engine.publishing.sql_files import packaged_sql
from enact_assets.engine.tables import TABLES
from enact_assets.pipeline.lineage.code import code_version
from enact_assets.results.faithfulness.claims import load_claims
from enact_assets.results.paper.results import published_table
from enact_assets.questions.asked.templates import KINDS, load_template
from enact_assets.results.report.page import render
from enact_assets.simulator.activities import SHIPPED
from enact_assets.simulator.activities.declared.declaration import read_declaration
from enact_assets.simulator.rooms.furniture import FURNITURE
from enact_assets.simulator.things.thing_rows import CATALOGUE
from enact_assets.questions.world.step_files import annotations_in, read_step_file
from enact_assets.questions.world.step_files import step_file_version

folder, order = Path(sys.argv[1]), sys.argv[2:]
films = folder / "films"
(films / "captaincook4d").mkdir(parents=True, exist_ok=True)
found = {}
for what in order:
    if what == "hash":
        found[what] = {a: code_version(a) for a in [*TABLES, "warehouse", "report"]}
    elif what == "use":
        tables = [t for name, t in TABLES.items() if name.startswith("published_")]
        step_file = read_step_file(annotations_in(films / "captaincook4d"), "captaincook4d")
        found[what] = [
            len(tables),
            *(published_table(table).write_csv() for table in tables),
            *map(load_template, KINDS),
            *(file.text for file in packaged_sql()),
            render([], "title"),
            len(load_claims()),
            step_file.steps.write_csv(),
            step_file_version(films, "captaincook4d"),
            sorted(load_catalogue(films).models),
            CATALOGUE.themes,
            FURNITURE.themes,
            [repr(read_declaration(path)) for path in SHIPPED.values()],
        ]
    else:
        for path in [*folder.glob("enact_assets/**/*"), *folder.glob("sql/**/*")]:
            if path.suffix in DATA_SUFFIXES and path.name != "activity_step_description.csv":
                path.write_bytes(b"edited")
print(json.dumps(found))
"""


def modules_with_data() -> set[str]:
    versions = code_versions()
    roots = [symbol for step in STEPS.values() for symbol in step_roots(step)]
    reached = versions.reached([*roots, *WHOLE_ROOTS.values()])
    return {symbol.module for symbol in reached if symbol.name.startswith(DATA)}


def test_no_step_opens_a_data_file_of_the_package_by_itself() -> None:
    """It might be another one than was hashed."""
    modules = modules_with_data()
    assert PLAYER in modules
    for module in modules - {PLAYER}:
        path = ROOT / f"{module.replace('.', '/')}.py"
        if not path.exists():
            path = path.with_suffix("") / "__init__.py"
        names = {
            node.attr
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Attribute)
        }
        assert not names & OPENING, f"{module}: read data files by file_bytes()"


def run(folder: Path, *order: str) -> dict[str, Any]:
    """In a process of its own, with a copy of the package."""
    for name in ("enact_assets", "sql"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    found = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", RUN, str(folder), *order],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(json.loads(found.stdout))


@pytest.mark.slow
def test_data_files_are_used_as_they_were_hashed_whatever_is_edited(tmp_path: Path) -> None:
    wanted = run(tmp_path / "undisturbed", "hash", "use")
    assert wanted["use"][0] == 13
    assert run(tmp_path / "used later", "hash", "edit", "use") == wanted
    assert run(tmp_path / "hashed later", "use", "edit", "hash") == wanted
    assert run(tmp_path / "edited before", "edit", "hash")["hash"] != wanted["hash"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(known_contents, "NOT_SETTLED_NS", 0)
    paths = [tmp_path / f"{k}.png" for k in range(20)]
    for k, path in enumerate(paths):
        path.write_bytes(bytes([k]) * (k + 1))
    return [str(path) for path in paths]


def test_what_is_gathered_is_read_once_with_progress(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first plan read every byte in one thread and said nothing."""
    plain = KnownContents()
    expected = [plain.sha(path, [path]) for path in files]
    catalogue = Catalogue(tmp_path / "catalogue.db", "here")
    contents, shares = KnownContents(catalogue), list[float]()
    contents.recall_all()
    with contents.gathering():
        assert {contents.sha(path, [path]) for path in files} == {""}
    assert contents.n_wanted == len(files)
    contents.read_wanted(shares.append)
    assert (len(shares), shares[-1], shares) == (len(files), 1.0, sorted(shares))
    monkeypatch.setattr(known_contents, "_sha", None)
    assert [contents.sha(path, [path]) for path in files] == expected
    contents.keep()
    again = KnownContents(catalogue)
    again.recall_all()
    with again.gathering():
        assert [again.sha(path, [path]) for path in files] == expected
    assert again.n_wanted == 0


def test_what_changes_after_it_was_gathered_is_read_again(files: list[str]) -> None:
    contents = KnownContents()
    with contents.gathering():
        contents.sha("a", files[:1])
    contents.read_wanted(lambda _: None)
    Path(files[0]).write_bytes(b"another content")
    assert contents.sha("a", files[:1]) == KnownContents().sha("a", files[:1])
