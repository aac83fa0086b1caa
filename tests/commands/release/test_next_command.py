"""The command that an import prints makes what came in, and nothing else."""

from pathlib import Path

import pytest
from official_files import write_inputs

from enact_assets.commands.release.importing import import_paths
from enact_assets.engine.errors import SettingsError
from enact_assets.pipeline.root.scope import Scope, read_scope, write_scope
from enact_assets.questions.asked.official import (
    OfficialQuestion,
    image_paths,
    official_id,
    question_type,
    write_questions_file,
)
from enact_assets.settings.paths import SCOPE_FILE, DataRoot
from enact_assets.settings.registry import DEFAULT_REGISTRY

TASK = "synth_set_table_2212"


def command_after(root: DataRoot, path: Path) -> str:
    return import_paths([path], root).notes[-1].split("`")[1].removesuffix(f" --data {root.root}")


def test_it_names_the_variants_that_ask_about_what_came_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = DataRoot(tmp_path / "data")
    write_inputs(tmp_path / "replayed", (TASK,))
    ids = ["59", "270", "481"]
    kind = question_type("forward", 3, is_published=True)
    name = official_id("task_1", kind, ids)
    images = image_paths(name, kind, "task_1", 3)
    question = OfficialQuestion(name, kind, "task_1", ids, images, "Which?", [], [2, 1])
    write_questions_file(tmp_path / "published.jsonl", [question])
    replay = tmp_path / "replayed" / TASK
    assert command_after(root, replay) == "enact-assets materialize --variant recorded"
    command = command_after(root, tmp_path / "published.jsonl")
    assert command == "enact-assets materialize --variant official"
    # Imported questions are asked about recordings too.
    both = "enact-assets materialize --variant recorded --variant official"
    assert command_after(root, replay) == both
    registry = DEFAULT_REGISTRY.read_text().replace("sources: [embedded]", "sources: [recorded]")
    (tmp_path / "registry.yaml").write_text(registry)
    monkeypatch.setenv("ENACT_REGISTRY", str(tmp_path / "registry.yaml"))
    assert command_after(root, replay) == "enact-assets materialize"


def test_an_import_puts_its_variants_in_scope_and_nothing_else(tmp_path: Path) -> None:
    write_inputs(tmp_path / "replayed", (TASK,))
    replay = tmp_path / "replayed" / TASK
    new, used = DataRoot(tmp_path / "new"), DataRoot(tmp_path / "used")
    assert import_paths([replay], new).is_success
    recorded = frozenset({"recorded"})
    assert read_scope(new.root) == Scope({"demonstration": frozenset(), "variant": recorded})
    fisheye = {"variant": frozenset({"fisheye"})}
    write_scope(used.root, Scope(fisheye))
    assert import_paths([replay], used).is_success
    assert read_scope(used.root) == Scope({"variant": fisheye["variant"] | recorded})


def test_nothing_is_imported_where_the_scope_is_damaged(tmp_path: Path) -> None:
    """What came in was not in scope, and no message named it."""
    write_inputs(tmp_path / "replayed", (TASK,))
    root = DataRoot(tmp_path / "data")
    root.root.mkdir()
    (root.root / SCOPE_FILE).write_text("variants: 3\n")
    with pytest.raises(SettingsError, match=SCOPE_FILE):
        import_paths([tmp_path / "replayed" / TASK], root)
    assert not root.recordings.exists()
