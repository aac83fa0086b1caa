"""Fields of a variant in the registry: which questions, about which sources, in which prompts."""

import dataclasses
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from enact_assets.settings.classes import (
    ALL,
    ANY_FILE,
    AS_PUBLISHED,
    MAX_PROMPT_CHARACTERS,
    PROBE,
    SOURCES,
    Gating,
    PerLength,
    Prompts,
    Variant,
    is_partition_name,
)
from enact_assets.settings.editing import EditingSettings
from enact_assets.settings.entries import (
    changed,
    mapping,
    name_list,
    one_of,
    per_length,
    read_text,
    wrong,
)

PROMPT_FILE = "prompt_file"


def asks_of(given: Any, lengths: Collection[int], where: str) -> str | PerLength:
    """Which questions of its set a variant asks; ``lengths`` are those that the set can have."""
    if given in (PROBE, ALL):
        return str(given)
    if type(given) is not int and not isinstance(given, Mapping):
        wanted = f"expected {PROBE}, {ALL} or a whole number, or a mapping from lengths to numbers"
        raise wrong(where, wanted, given)
    found = per_length("asks", given, where)
    for length in found if isinstance(found, Mapping) else ():
        if length not in lengths:
            raise wrong(where, f"lengths are {min(lengths)} to {max(lengths)}", length)
    return found


def sources_of(given: Any, where: str) -> tuple[str, ...]:
    """Sources of the demonstrations that a variant asks about."""
    names = name_list(given, where)
    if not names:
        raise wrong(where, f"expected one or more of {', '.join(SOURCES)}", given)
    known = {one_of("source", name, SOURCES, where) for name in names}
    # Sorted, so that the order of a list does not change the hash.
    return tuple(source for source in SOURCES if source in known)


def editing_of(given: Any, where: str) -> EditingSettings:
    """The image model that repaints the pictures of a variant, and limits of its changes.

    A prompt in a file (``prompt_file``) is read by :func:`with_prompts`.
    """
    known = (*(field.name for field in dataclasses.fields(EditingSettings)), PROMPT_FILE)
    entry = mapping(given, where, known, required=("model",))
    texts = {name: entry[name] for name in ("model", "prompt", PROMPT_FILE) if name in entry}
    for name, text in texts.items():
        if not (isinstance(text, str) and text.strip()):
            raise wrong(f"{where}.{name}", "expected text", text)
    own_file = texts.pop(PROMPT_FILE, None)
    if own_file is not None and "prompt" in texts:
        raise wrong(f"{where}.{PROMPT_FILE}", "`prompt` is set; leave one of them out", own_file)
    others = {name: value for name, value in entry.items() if name not in (*texts, PROMPT_FILE)}
    return changed(EditingSettings(**texts), others, where)


def with_prompts(
    variants: dict[str, Variant],
    entries: Mapping[str, Any],
    gatings: Mapping[str, Gating],
    path: Path,
) -> tuple[dict[str, Variant], dict[Path, str]]:
    """``variants`` with the prompts that their ``entries`` name, and the files they were read from.

    ``prompts`` is a folder with ``forward.txt`` and ``inverse.txt``, ``editing.prompt_file`` a file
    for the image model; a relative path starts at the folder of the registry ``path``. The text is
    part of the variant, so that an edit changes it. ``prompts: as_published`` and ``prompts:
    {question_file: NAME}`` name imported files, which the data root has: only the name is read.
    Errors: :class:`SettingsError` for a file that cannot be read, is empty or too long, and a
    variant whose questions have their own words.
    """
    found, files = dict(variants), dict[Path, str]()
    for name, entry in entries.items():
        variant, where = found[name], f"{path}: variants.{name}"
        if (given := entry.get("prompts")) is not None:
            here = f"{where}.prompts"
            profile = gatings[variant.gating].profile
            if profile.has_own_words:
                wanted = f"profile {profile.name!r} asks in the public release's own wording"
                raise wrong(here, wanted, given)
            if given == AS_PUBLISHED or isinstance(given, Mapping):
                found[name] = dataclasses.replace(variant, prompts_of=_prompts_of(given, here))
                continue
            folder = _named(given, "a folder with forward.txt, inverse.txt", path, here)
            texts = {k: _text_of(folder / f"{k}.txt", here, files) for k in ("forward", "inverse")}
            found[name] = dataclasses.replace(variant, prompts=Prompts(**texts))
        if variant.editing is not None and (given := entry["editing"].get(PROMPT_FILE)):
            here = f"{where}.editing.{PROMPT_FILE}"
            text = _text_of(_named(given, "a text file", path, here), here, files)
            editing = dataclasses.replace(variant.editing, prompt=text)
            found[name] = dataclasses.replace(found[name], editing=editing)
    return found, files


def _prompts_of(given: Any, where: str) -> str:
    """The question file that ``prompts`` names."""
    if given == AS_PUBLISHED:
        return ANY_FILE
    name = mapping(given, where, known=("question_file",), required=("question_file",))
    found = name["question_file"]
    if not isinstance(found, str) or not is_partition_name(found) or found == ANY_FILE:
        wanted = f"expected the name of an imported question file (for any file: {AS_PUBLISHED})"
        raise wrong(f"{where}.question_file", wanted, found)
    return found


def _named(given: Any, what: str, registry: Path, where: str) -> Path:
    """The path ``given``, relative to the registry's folder unless it is absolute."""
    if not isinstance(given, str) or not given.strip():
        raise wrong(where, f"expected the path of {what}", given)
    base = Path(os.path.normpath(registry.parent))
    found = Path(os.path.normpath(base / Path(given).expanduser()))
    if not found.is_relative_to(base) and not Path(given).expanduser().is_absolute():
        wanted = f"expected {what} beside the registry or below, or an absolute path"
        raise wrong(where, wanted, given)
    return found


def _text_of(file: Path, where: str, files: dict[Path, str]) -> str:
    """The prompt in ``file``, which is added to ``files``."""
    text = read_text(file)
    if not text.strip():
        raise wrong(where, f"{file.name} has no text; write a prompt into it", text)
    if len(text) > MAX_PROMPT_CHARACTERS:
        most = f"{file.name} must have at most {MAX_PROMPT_CHARACTERS} characters"
        raise wrong(where, most, f"{text[:40]}...")
    files[file] = text
    return text
