"""Imported question files: ``<root>/question_files/<name>.jsonl``."""

from pathlib import Path

from enact_assets.engine.lake.lake import check_partition_value
from enact_assets.engine.system.atomic import is_temporary
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import Registry, load_registry

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
    """The registry limited to a data root: gatings and variants of question files that were not
    imported are left out. Errors: :class:`SettingsError`.
    """
    return load_registry().with_questions(question_file_names(root.question_files))
