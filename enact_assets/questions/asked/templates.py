"""Prompt templates: text files with placeholders, ours or the user's.

``{actions}`` becomes the ``[Action k] ...`` lines, ``{n_steps}`` the number of entries the answer
must have, ``{notation}`` a key to actions that are no sentences (nothing for sentences; a template
without it leaves readers to guess). Role, task, output format and example are the template's own
words (paper A.2.3, figures 14 and 15 say what a prompt must carry).
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

from enact_assets.engine.errors import QuestionError
from enact_assets.engine.package_files import file_bytes

Kind = Literal["forward", "inverse"]
KINDS: tuple[Kind, ...] = ("forward", "inverse")

TEMPLATE_FOLDER = Path(__file__).parent / "prompts"
REQUIRED = ("actions",)
OPTIONAL = ("n_steps", "notation")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def load_template(kind: str, folder: Path | None = None) -> str:
    """The template for questions of ``kind``, from ``<folder>/<kind>.txt``.

    ``folder`` is ours unless given. Errors: :class:`QuestionError` for an unknown kind, a file that
    cannot be read, a placeholder that is missing, and one that nothing would fill in.
    """
    check_kind(kind)
    path = (folder or TEMPLATE_FOLDER) / f"{kind}.txt"
    try:
        template = file_bytes(path).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionError(f"prompt template {path}: cannot be read ({error})") from error
    return checked_template(template, str(path))


def checked_template(template: str, where: str) -> str:
    """``template`` if its placeholders can be filled in; ``where`` it comes from, for messages.

    Errors: :class:`QuestionError` for a placeholder that is missing, and one that nothing fills in.
    """
    found = set(_PLACEHOLDER.findall(template))
    missing = [name for name in REQUIRED if name not in found]
    if missing:
        raise QuestionError(
            f"prompt template {where}: placeholder {{{missing[0]}}} is missing; the action lines "
            "go there"
        )
    unknown = sorted(found - {*REQUIRED, *OPTIONAL})
    if unknown:
        known = ", ".join(f"{{{name}}}" for name in (*REQUIRED, *OPTIONAL))
        raise QuestionError(
            f"prompt template {where}: nothing fills in {{{unknown[0]}}} (known: {known})"
        )
    return template


def fill_template(template: str, actions: Sequence[str], notation: str = "") -> str:
    """``template`` with the numbered ``actions``, one per line, labels from 1, and their key."""
    lines = "\n".join(f"[Action {k}] {text}" for k, text in enumerate(actions, start=1))
    values: dict[str | None, str] = {
        "actions": lines,
        "n_steps": str(len(actions)),
        "notation": notation,
    }
    # What an action says is never itself read as a placeholder.
    return "".join([values.get(name, text) for text, name in _parts(template)])


@lru_cache(maxsize=64)
def _parts(template: str) -> tuple[tuple[str, str | None], ...]:
    """``template`` in order: texts (with None), and placeholders with their names."""
    parts: list[tuple[str, str | None]] = []
    end = 0
    for found in _PLACEHOLDER.finditer(template):
        parts += [(template[end : found.start()], None), (found[0], found[1])]
        end = found.end()
    return (*parts, (template[end:], None))


def check_kind(kind: str) -> None:
    """Raise :class:`QuestionError` unless ``kind`` is one of :data:`KINDS`."""
    if kind not in KINDS:
        raise QuestionError(f"unknown kind of question {kind!r} (known: {', '.join(KINDS)})")
