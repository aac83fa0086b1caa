"""The command that an import prints makes what came in, and nothing else."""

from pathlib import Path

import pytest
from official_files import write_inputs

from enact_assets.contracts.registry import DEFAULT_REGISTRY
from enact_assets.data_root.paths import DataRoot
from enact_assets.official.importing import import_paths
from enact_assets.questions.official import (
    OfficialQuestion,
    image_paths,
    official_id,
    question_type,
    write_questions_file,
)

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
