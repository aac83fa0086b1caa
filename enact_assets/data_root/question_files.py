"""Imported question files: ``<root>/question_files/<name>.jsonl``."""

from pathlib import Path

from enact_assets.contracts.registry import Registry, load_registry
from enact_assets.data_root.paths import DataRoot
from enact_assets.data_root.scope import scoped_registry
from enact_assets.engine.lake.lake import check_partition_value
from enact_assets.system.atomic import is_temporary

SUFFIX = ".jsonl"


def question_file(folder: Path, name: str) -> Path:
    """Path of the file called ``name``. Errors: :class:`LakeError` for another name."""
    return folder / (check_partition_value(name, "question file") + SUFFIX)


def question_file_names(folder: Path) -> list[str]:
    """Names of the files that are there, sorted."""
    if not folder.is_dir():
        return []
    return sorted(p.stem for p in folder.glob(f"*{SUFFIX}") if p.is_file() and not is_temporary(p))


def registry_in(root: DataRoot) -> Registry:
    """What there is to make in a data root: the registry within its scope, without gatings and
    variants of question files that were not imported. Errors: :class:`SettingsError`.
    """
    return scoped_registry(root.root).with_questions(question_file_names(root.question_files))


def registry_known_in(root: DataRoot) -> Registry:
    """What could be made in a data root: :func:`registry_in` with names outside the scope too.

    Errors: :class:`SettingsError`.
    """
    return load_registry().with_questions(question_file_names(root.question_files))
