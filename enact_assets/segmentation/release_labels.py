"""What profile ``release`` calls an object: its name without numbers and model ids.

Source: definitions.md R9. The public release tells words from model ids (``rhdbzv``) by a list of
English words; here the words of an object's category take the place of that list.
"""

PARTICLE_SYSTEM = "System"
"""Category of all particle systems in a recording."""

_ACTORS = frozenset({"robot", "agent", "player"})
_FREE_CATEGORIES = (PARTICLE_SYSTEM, "agent", "")
_MODEL_ID_LENGTH = 6
_SHORT = 3


def release_label(name: str, category: str = "") -> str | None:
    """What ``name`` is called, without its article; None if nothing of it is left.

    ``top_cabinet_tynnnw_1`` of category ``top_cabinet`` -> ``top cabinet``. Of particle systems,
    agents and names without a category (an empty one), every part of letters alone is a word.
    """
    name = name.lower()
    if not name:
        return "object"
    parts = name.split("_")
    if len(parts) == 1:
        return "".join(c for c in name if not c.isdigit()) or name
    source = name if category in _FREE_CATEGORIES else category.lower()
    words = {part for part in source.split("_") if part.isalpha()}
    kept = []
    for k, part in enumerate(parts):
        if not part or part.isdigit():
            continue
        if _numbers_an_actor(part) and not _ACTORS.isdisjoint(parts[:k]):
            kept.append(part)
            continue
        if len(part) == _MODEL_ID_LENGTH and k > 0 and part not in words:
            continue
        bare = _without_trailing_digits(part)
        if len(bare) > 1 and bare.isalpha():
            kept.append(bare)
        elif len(part) <= _SHORT and part.isalpha():
            kept.append(part)
    return " ".join(kept) or None


def _numbers_an_actor(part: str) -> bool:
    """Whether ``part`` is an r with one or two digits."""
    return part[0] == "r" and len(part) <= _SHORT and part[1:].isdigit()


def _without_trailing_digits(part: str) -> str:
    while part and part[-1].isdigit():
        part = part[:-1]
    return part
