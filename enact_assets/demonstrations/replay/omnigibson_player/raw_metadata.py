"""Attributes of a raw demonstration file: JSON whose parts have the types that the player needs.

Checked when they are read, so that a file of another kind is refused by name and not by a
traceback later on.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from enact_assets.demonstrations.replay.omnigibson_player.request import RefusalError

Change = dict[str, dict[str, list[Any]]]
"""systems/objects -> add/remove -> names, or how to make an object."""

WHAT = {
    "config": "its settings",
    "scene_file": "the scene file it was recorded in",
    "transitions": "a list of the objects that come and go",
}
PARTS: Mapping[str, Mapping[str, type]] = {
    "config": {
        "task": dict,
        "env": dict,
        "scene": dict,
        "robots": list,
        "robots.*": dict,
    },
    "scene_file": {
        "objects_info": dict,
        "objects_info.init_info": dict,
        "objects_info.init_info.*": dict,
        "objects_info.init_info.*.args": dict,
        "state": dict,
        "state.registry": dict,
        "state.object_registry": dict,
        "state.object_registry.*": dict,
        "state.registry.object_registry": dict,
        "state.registry.object_registry.*": dict,
    },
    "transitions": {
        "*": dict,
        **{f"*.{kind}": dict for kind in ("systems", "objects")},
        **{f"*.{kind}.{do}": list for kind in ("systems", "objects") for do in ("add", "remove")},
    },
}
"""Attribute -> part -> its type, a part after the one that contains it; ``*`` is each. A part may
be missing.
"""


def read_metadata(attributes: Mapping[str, Any], name: str, where: str) -> dict[str, Any]:
    """The attribute ``name``, one of ``PARTS``, of what is at ``where``.

    Errors: :class:`RefusalError` if it is missing, is not a JSON object, or names the first part of
    another type.
    """
    text = attributes.get(name)
    if text is None:
        raise RefusalError(f"{where} has no attribute {name!r}, which is {WHAT[name]}")
    try:
        found = json.loads(text)
    except (ValueError, TypeError) as error:
        raise RefusalError(f"{where}: attribute {name!r} is not JSON ({error})") from None
    for part, kind in {"": dict, **PARTS[name]}.items():
        for place, value in _parts(found, part.split(".") if part else ()):
            if not isinstance(value, kind):
                what = f"attribute {name!r}" + (f", {place}" if place else "")
                expected = "object" if kind is dict else "list"
                raise RefusalError(
                    f"{where}: {what} is not a JSON {expected}, but {json.dumps(value)[:40]}"
                )
    return dict(found)


def _parts(found: Any, keys: Sequence[str], place: str = "") -> Iterator[tuple[str, Any]]:
    """Place and value of everything in ``found`` that ``keys`` lead to."""
    if not keys:
        yield place[1:], found
        return
    children = found if isinstance(found, dict) else dict(enumerate(found))
    for key in children if keys[0] == "*" else keys[:1]:
        if key in children:
            yield from _parts(children[key], keys[1:], f"{place}.{key}")
