"""The part of the registry that a first look makes."""

from collections.abc import Mapping
from typing import Any

from enact_assets.settings.entries import mapping, name_list, one_of

DEMONSTRATIONS = "demonstrations"
"""Of these a first look may make others than the registry names: any that can be simulated."""


def demo_of(
    entry: Any, named: Mapping[str, tuple[str, ...]], where: str
) -> dict[str, tuple[str, ...]]:
    """The names among ``named`` (part of the registry -> its names) that a first look makes.

    Errors: :class:`SettingsError` with ``where`` and part, :class:`UnknownNameError`.
    """
    chosen = {}
    for part, names in mapping(entry, where, known=named).items():
        known, dimension = named[part], part.removesuffix("s")
        chosen[dimension] = name_list(names, f"{where}.{part}")
        for name in chosen[dimension] if part != DEMONSTRATIONS else ():
            one_of(dimension, name, known, f"{where}.{part}")
    return chosen
