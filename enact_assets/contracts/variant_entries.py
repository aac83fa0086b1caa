"""Fields of a variant in the registry: which questions, about which sources, in which prompts."""

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from enact_assets.contracts.editing import EditingSettings
from enact_assets.contracts.entries import (
    changed,
    checked_value,
    mapping,
    name_list,
    one_of,
    read_text,
    wrong,
)
from enact_assets.contracts.settings import (
    ALL,
    MAX_PROMPT_CHARACTERS,
    PROBE,
    SOURCES,
    Gating,
    Prompts,
    Variant,
)


def asks_of(given: Any, where: str) -> str | int:
    """Which questions of its set a variant asks."""
    if given in (PROBE, ALL):
        return str(given)
    if type(given) is not int:
        raise wrong(where, f"expected {PROBE}, {ALL} or a whole number", given)
    return int(checked_value("asks", given, 0, where))


def sources_of(given: Any, where: str) -> tuple[str, ...]:
    """Sources of the demonstrations that a variant asks about."""
    names = name_list(given, where)
    if not names:
        raise wrong(where, f"expected one or more of {', '.join(SOURCES)}", given)
    known = {one_of("source", name, SOURCES, where) for name in names}
    # In one order, so that the order of a list changes no hash.
    return tuple(source for source in SOURCES if source in known)


def editing_of(given: Any, where: str) -> EditingSettings:
    """Which image model repaints the pictures of a variant, and what they must keep."""
    entry = mapping(given, where, required=("model",))
    for name in ("model", "prompt"):
        if name in entry and not (isinstance(entry[name], str) and entry[name].strip()):
            raise wrong(f"{where}.{name}", "expected text", entry[name])
    texts = {name: entry[name] for name in ("model", "prompt") if name in entry}
    others = {name: value for name, value in entry.items() if name not in texts}
    return changed(EditingSettings(**texts), others, where)


def with_prompts(
    variants: dict[str, Variant],
    entries: Mapping[str, Any],
    gatings: Mapping[str, Gating],
    path: Path,
) -> tuple[dict[str, Variant], dict[Path, str]]:
    """``variants`` with the prompts that their ``entries`` name, and the files they were read from.

    ``prompts`` is a folder with ``forward.txt`` and ``inverse.txt``; a relative one starts at the
    folder of the registry ``path``. The text is part of the variant, so that an edit changes it.
    Errors: :class:`SettingsError` for a file that cannot be read or is too long, and a variant
    whose questions have their own words.
    """
    found, files = dict(variants), dict[Path, str]()
    for name, entry in entries.items():
        given = entry.get("prompts") if isinstance(entry, Mapping) else None
        if given is None:
            continue
        where = f"{path}: variants.{name}.prompts"
        if not isinstance(given, str) or not given.strip():
            raise wrong(where, "expected the path of a folder with forward.txt, inverse.txt", given)
        if not gatings[found[name].gating].profile.has_own_words:
            base = Path(os.path.normpath(path.parent))
            folder = Path(os.path.normpath(base / Path(given).expanduser()))
            if not folder.is_relative_to(base) and not Path(given).expanduser().is_absolute():
                wanted = "expected a folder beside the registry or below, or an absolute path"
                raise wrong(where, wanted, given)
            texts = {kind: read_text(folder / f"{kind}.txt") for kind in ("forward", "inverse")}
            for kind, text in texts.items():
                files[folder / f"{kind}.txt"] = text
                if len(text) > MAX_PROMPT_CHARACTERS:
                    most = f"{kind}.txt must have at most {MAX_PROMPT_CHARACTERS} characters"
                    raise wrong(where, most, f"{text[:40]}...")
            found[name] = dataclasses.replace(found[name], prompts=Prompts(**texts))
        else:
            profile = gatings[found[name].gating].profile.name
            wanted = f"profile {profile!r} asks in the public release's own wording"
            raise wrong(where, wanted, given)
    return found, files
