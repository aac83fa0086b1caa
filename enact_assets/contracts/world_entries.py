"""WorldPrediction in the registry: its questions, clips, environments and models."""

import dataclasses
from typing import Any

from enact_assets.contracts.entries import changed, mapping, name_list, one_of, wrong
from enact_assets.contracts.settings import CONDITIONS, WorldSettings

LENGTHS = range(3, 11)
_NAMES = ("conditions", "models")


def world_settings_of(entry: Any, where: str) -> WorldSettings:
    """The settings that ``entry`` sets. Errors: :class:`SettingsError` with ``where`` and field."""
    known = [field.name for field in dataclasses.fields(WorldSettings)]
    given = mapping(entry, where, known=known)
    plain = {name: value for name, value in given.items() if name not in {*_NAMES, "view"}}
    base = WorldSettings()
    found = changed(base, plain, where)
    names = {n: name_list(given.get(n, list(getattr(base, n))), f"{where}.{n}") for n in _NAMES}
    for name in names["conditions"]:
        one_of("condition", name, CONDITIONS, f"{where}.conditions")
    for name, values, wanted in (
        ("lengths", found.lengths, set(LENGTHS)),
        ("environment_seeds", found.environment_seeds, set(map(abs, found.environment_seeds))),
    ):
        if not values or len(set(values)) < len(values) or not wanted.issuperset(values):
            span = f"from {LENGTHS[0]} to {LENGTHS[-1]}" if name == "lengths" else "of 0 or more"
            raise wrong(f"{where}.{name}", f"expected different whole numbers {span}", values)
    return dataclasses.replace(
        found,
        view=changed(base.view, given.get("view", {}), f"{where}.view"),
        # In one order, so that the order of a list changes no hash.
        conditions=tuple(c for c in CONDITIONS if c in names["conditions"]),
        models=tuple(sorted(names["models"])),
    )
