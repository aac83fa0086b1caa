"""An exported question set, and interpreters of other tools to read it with."""

import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from enact_assets.commands.harnesses.folder import FolderExported, export_folder
from enact_assets.commands.harnesses.score_file import score_source
from enact_assets.settings.registry import load_registry

from reference.asked_root import write_asked_root, write_evidence

ROOT = Path(__file__).parents[3]

VLMEVALKIT_STARTS = """
import json, os, sys
from importlib.machinery import ModuleSpec
from unittest.mock import MagicMock
try:
    import torchvision
except ImportError:  # it has no build for PyTorch without CUDA; other data sets import it
    from transformers import AutoModel, AutoProcessor, AutoTokenizer
    for name in ("", ".transforms", ".transforms.functional", ".models", ".io", ".utils", ".ops"):
        module = MagicMock(__spec__=ModuleSpec("torchvision" + name, None), __path__=[])
        sys.modules["torchvision" + name] = module
"""
"""How code begins that imports VLMEvalKit."""


def exported(folder: Path) -> FolderExported:
    """Questions of a household in ``folder / "set"``."""
    root, home = write_asked_root(folder / "root")
    write_evidence(root, home)
    return export_folder(root, "state", folder / "set", load_registry())


def said_without_us(folder: Path, rows: Sequence[Mapping[str, Any]], expression: str) -> Any:
    """What ``expression`` of ``enact_score`` and ``rows`` is in an interpreter with other packages,
    and none of ours, as those of other tools are.
    """
    (folder / "enact_score.py").write_text(score_source())
    (folder / "rows.json").write_text(json.dumps(rows))
    code = (
        f"import sys, json; sys.path.insert(0, {str(folder)!r}); import enact_score\n"
        f"rows = json.load(open({str(folder / 'rows.json')!r}))\n"
        f"print(json.dumps({expression}))\n"
        "print('enact_assets' in sys.modules)"
    )
    run = subprocess.run(  # noqa: S603 - our own interpreter, our own code
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    said, has_package = run.stdout.splitlines()
    assert has_package == "False"
    return json.loads(said)


def answers_to(found: FolderExported) -> dict[str, str]:
    """By question: right, in any order, short and unreadable."""
    draw = random.Random(7)  # noqa: S311 - no secret
    answers = {}
    for row in found.rows.iter_rows(named=True):
        labels = list(row["answer"])
        orders = [labels, draw.sample(labels, len(labels)), labels[:-1]]
        said = [*(f"So: {order}" for order in orders), "I cannot tell."]
        answers[row["question_id"]] = draw.choice(said)
    return answers


def pixels_sha(picture: Path) -> str:
    with Image.open(picture) as image:
        return hashlib.sha256(image.convert("RGB").tobytes()).hexdigest()


def python_of(tool: str) -> Path:
    """The interpreter in which ``make install-tools`` installed ``tool``."""
    python = ROOT / f".venv-{tool}" / "bin" / "python"
    if not python.exists():
        pytest.skip(f"{python} is not there: `make install-tools` installs {tool}")
    return python


def run_in(tool: str, code: str, *arguments: object, home: Path) -> Any:
    """What ``code`` prints last, as JSON, offline and with an empty cache in ``home``."""
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(home / "hf")}
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    run = subprocess.run(  # noqa: S603 - an interpreter of ours, our own code
        [python_of(tool), "-c", code, *map(str, arguments)],
        env={**kept, **offline, "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=home, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(run.stdout.splitlines()[-1])
