"""WorldPrediction in the registry: its questions, clips, environments and models."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from enact_assets.settings.entries import changed, mapping, name_list, one_of, wrong
from enact_assets.settings.world import (
    CONDITIONS,
    ClipSettings,
    EnvironmentSettings,
    WorldFilterSettings,
    WorldSettings,
)

LENGTHS = range(3, 11)


@dataclass(frozen=True)
class WorldEntry:
    """The registry's settings of WorldPrediction. ``models`` answer its questions."""

    questions: WorldSettings
    clips: ClipSettings
    environments: EnvironmentSettings
    filters: WorldFilterSettings
    models: tuple[str, ...]


def world_of(entry: Any, where: str) -> WorldEntry:
    """Settings from ``entry``, or defaults. Errors: :class:`SettingsError` with ``where``,
    field.
    """
    known = ("questions", "clips", "environments", "filters", "answered_by")
    parts = mapping(entry, where, known=known)
    return WorldEntry(
        _questions(parts.get("questions", {}), f"{where}.questions"),
        _clips(parts.get("clips", {}), f"{where}.clips"),
        _environments(parts.get("environments", {}), f"{where}.environments"),
        _filters(parts.get("filters", {}), f"{where}.filters"),
        tuple(sorted(name_list(parts.get("answered_by", []), f"{where}.answered_by"))),
    )


def _questions(entry: Any, where: str) -> WorldSettings:
    given = dict(mapping(entry, where))
    names = name_list(given.pop("conditions", list(CONDITIONS)), f"{where}.conditions")
    known = {one_of("condition", name, CONDITIONS, f"{where}.conditions") for name in names}
    found = changed(WorldSettings(), given, where)
    _check_numbers(found.lengths, LENGTHS, f"{where}.lengths")
    # Sorted, so that the order of a list does not change the hash.
    return dataclasses.replace(found, conditions=tuple(c for c in CONDITIONS if c in known))


def _clips(entry: Any, where: str) -> ClipSettings:
    given = dict(mapping(entry, where))
    view = changed(ClipSettings().view, given.pop("view", {}), f"{where}.view")
    return dataclasses.replace(changed(ClipSettings(), given, where), view=view)


def _environments(entry: Any, where: str) -> EnvironmentSettings:
    found = changed(EnvironmentSettings(), entry, where)
    _check_numbers(found.seeds, range(2**31), f"{where}.seeds")
    return found


def _filters(entry: Any, where: str) -> WorldFilterSettings:
    given = dict(mapping(entry, where))
    model = given.pop("occlusion_model", "")
    if not isinstance(model, str):
        raise wrong(f"{where}.occlusion_model", "expected the name of a model", model)
    found = changed(WorldFilterSettings(), given, where)
    return dataclasses.replace(found, occlusion_model=model)


def _check_numbers(values: Sequence[int], allowed: range, where: str) -> None:
    if not values or len(set(values)) < len(values) or any(v not in allowed for v in values):
        wanted = f"expected different whole numbers from {allowed[0]} to {allowed[-1]}"
        raise wrong(where, wanted, values)
