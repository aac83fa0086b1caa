"""The scope of a data root, ``<root>/scope.yaml``: the part of the registry that is made in it.

The registry names everything that can be made; a first look makes a part of it. The file records
that part, so that later commands, Dagster's partitions and the list of missing partitions are
limited to it. It contains names that a person requested. Imported files (recordings, question
files, answers) need no entry, as importing them was a request.

Without the file everything in the registry is in scope, as in a data root made before scopes
existed. Taking names from its lake instead would silently drop names that a stopped run had not
reached yet.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import msgspec

from enact_assets.engine.errors import SettingsError
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.system.atomic import replacing
from enact_assets.settings.classes import is_partition_name
from enact_assets.settings.paths import SCOPE_FILE, DataRoot
from enact_assets.settings.registry import BASELINE, Registry, load_registry, registry_path
from enact_assets.settings.root_files import read_root_file

ALL: Literal["all"] = "all"
PARTS = {"demonstration": "demonstrations", "variant": "variants", "model": "models"}
"""Dimension -> its field in the file, which has the same name in the registry."""
REGISTERED = ("demonstration", "model")
"""Dimensions whose names are listed in the registry and can also be imported."""
HEADER = """\
# What enact-assets makes here of the registry; recordings and other imports come on top.
# Written by enact-assets: `materialize --all` widens it to the whole registry.
"""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    demonstrations: Literal["all"] | list[str] = ALL
    variants: Literal["all"] | list[str] = ALL
    models: Literal["all"] | list[str] = ALL


@dataclass(frozen=True)
class Scope:
    """``of`` maps dimension -> names in scope; in other dimensions all names of the registry are.

    The baseline is always in scope: other variants are compared with it, and masks use its camera.
    """

    of: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def widened(self, names: Mapping[str, Collection[str]]) -> "Scope":
        """The scope with ``names`` (dimension -> names) added."""
        return Scope({d: known.union(names.get(d, ())) for d, known in self.of.items()})

    def without(self, dimension: str, name: str, registry: Registry) -> "Scope":
        """The scope without one name; an unlimited dimension becomes a list of all other names of
        ``registry``.
        """
        all_names = {"demonstration": registry.demonstrations, "model": registry.models}
        names = self.of.get(dimension, frozenset(all_names[dimension]))
        return self if name not in names else Scope({**self.of, dimension: names - {name}})

    def of_registry(self, registry: Registry) -> Registry:
        """``registry`` limited to the names in scope, without gatings and question sets that only
        other variants use.

        Variants that ``registry`` does not have are left out (:meth:`unknown`). Demonstrations and
        models need not be in it: another seed of an activity is also a valid name.
        """
        variants = registry.variants
        if "variant" in self.of:
            wanted = self.of["variant"] | {BASELINE}
            out = [v for name, v in variants.items() if name not in wanted]
            variants = {name: v for name, v in variants.items() if name in wanted}
            # An entry that no variant uses at all stays.
            gatings = {v.gating for v in out} - {v.gating for v in variants.values()}
            sets = {v.question_set for v in out} - {v.question_set for v in variants.values()}
            registry = replace(
                registry,
                variants=variants,
                gatings={n: g for n, g in registry.gatings.items() if n not in gatings},
                question_sets={
                    n: s
                    for n, s in registry.question_sets.items()
                    if n not in sets and s.gating not in gatings
                },
            )
        named = {PARTS[d]: tuple(sorted(self.of[d])) for d in self.of if d != "variant"}
        return replace(
            registry,
            demonstrations=named.get("demonstrations", registry.demonstrations),
            models=named.get("models", registry.models),
        )

    def outside(self, registry: Registry) -> dict[str, list[str]]:
        """Dimension -> names of ``registry`` that are not in scope, in the registry's order."""
        all_names = {d: list(getattr(registry, part)) for d, part in PARTS.items()}
        return {
            dimension: out
            for dimension, names in self.of.items()
            if (out := [n for n in all_names[dimension] if n not in names | {BASELINE}])
        }

    def unknown(self, registry: Registry) -> list[str]:
        """Messages about variants in scope that ``registry`` does not have."""
        gone = sorted(self.of.get("variant", frozenset()) - set(registry.variants) - {BASELINE})
        return [
            f"variant {name} is left out: {SCOPE_FILE} of this data root names it, and the "
            f"registry {registry_path()} does not have it"
            for name in gone
        ]


def read_scope(root: Path) -> Scope | None:
    """The scope of the data root ``root``; None without a file: then everything is in scope.

    Errors: :class:`SettingsError` names the file and what is wrong in it.
    """
    path = root / SCOPE_FILE
    found = read_root_file(
        path,
        _File,
        "It says which names of the registry are made here: `all` or a list for each of "
        f"{', '.join(PARTS.values())}. Repair the file, or remove it to make everything.",
    )
    if found is None:
        return None
    of = {}
    for dimension, part in PARTS.items():
        names = getattr(found, part)
        if isinstance(names, str):
            continue
        for number, name in enumerate(names):
            if not is_partition_name(name):
                raise SettingsError(f"{path}: {part}[{number}]: {name!r} cannot be a name. Fix it.")
        of[dimension] = frozenset(names)
    return Scope(of)


def write_scope(root: Path, scope: Scope) -> None:
    """Write ``scope`` to its file. Errors: :class:`OutputError` if the file cannot be written."""
    names = {part: sorted(scope.of[d]) if d in scope.of else ALL for d, part in PARTS.items()}
    with replacing(root / SCOPE_FILE) as temporary:
        temporary.write_bytes(HEADER.encode() + msgspec.yaml.encode(names))


def is_unused(root: DataRoot) -> bool:
    """Whether nothing was made in a data root yet, and it has no scope."""
    return read_scope(root.root) is None and not Lake(root.lake).partitions("demonstrations")


def scoped_registry(root: Path, registry: Registry | None = None) -> Registry:
    """The registry in force, or ``registry``, limited to the scope of the data root ``root``.

    Errors: :class:`SettingsError`.
    """
    return (read_scope(root) or Scope()).of_registry(registry or load_registry())
