"""How the scope of a data root grows: by what a command names."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import dagster as dg

from enact_assets.engine.errors import EnactError
from enact_assets.engine.graph import Names
from enact_assets.engine.plurals import counted
from enact_assets.pipeline.root.scope import Scope, is_unused, read_scope, write_scope
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.settings.classes import EMBEDDED
from enact_assets.settings.registry import Registry

Named = Mapping[str, Iterable[str]]
"""Dimension -> names."""


def scope_with(
    data: DataResource, registry: Registry, named: Named, part: Named | None, *, is_whole: bool
) -> Scope:
    """The scope of a data root once a command was called with these names.

    ``named`` are the names that the command is restricted to, ``part`` a part of the registry that
    it makes (a first look). In an unused data root they are all there is to the scope, and a
    dimension without names has all of the registry; in one that was used before there were scopes
    everything stays in scope. ``is_whole`` asks for the whole registry.
    Errors: :class:`UnknownNameError` for an unknown variant.
    """
    names = {dimension: set(given) for dimension, given in named.items()}
    for variant in names.get("variant", ()):
        registry.variant(variant)
    demonstrations = names.get("demonstration", set())
    names["demonstration"] = {n for n in demonstrations if _is_embedded(n, data)}
    kept = read_scope(data.data_root.root)
    if is_whole or (kept is None and not is_unused(data.data_root)):
        return Scope()
    if kept is None:
        first = part
        if first is None:
            first = {d: () for d in ("demonstration", "variant") if d in named}
        kept = Scope({dimension: frozenset(given) for dimension, given in first.items()})
    return kept.widened({d: set(given) for d, given in (part or {}).items()}).widened(names)


@dataclass(frozen=True)
class ScopeChange:
    """What a command did to the scope of a data root."""

    scope: Scope
    is_first: bool
    """Whether nothing was made in the data root before."""
    is_changed: bool
    has_new_variants: bool
    """Whether variants joined it: Dagster knows those of the time when it loaded the registry."""

    def words(self, names: Names, registry: Registry, assets: Collection[str] = ()) -> list[str]:
        """What to print before anything is made; ``names`` are those of the data root now,
        ``assets`` those that the command is limited to.
        """
        notes = self.scope.unknown(registry)
        there = ", ".join(counted(len(names.of[d]), d) for d in ("demonstration", "variant"))
        if self.is_changed:
            is_known = self.is_first or not self.has_new_variants
            reload = "" if is_known else " Reload the code location in a Dagster UI that is open."
            notes.append(f"Now in this data root: {there}.{reload}")
        elif self.is_first and not self.scope.of:
            first = " `enact-assets demo` makes a first look." if registry.demo else ""
            made = f"The whole registry is made: {there}.{first}"
            if assets:
                made = (
                    f"Made now is only {' and '.join(sorted(assets))}, with what it is made from."
                )
            notes.append(f"This data root is new. {made}")
        return notes


def keep_scope(
    instance: dg.DagsterInstance, data: DataResource, registry: Registry, scope: Scope
) -> ScopeChange:
    """Remember ``scope`` in the data root if it differs from the one there.

    Demonstrations of :func:`left_over` are partitions no more.
    """
    before, root = read_scope(data.data_root.root) or Scope(), data.data_root.root
    is_first = is_unused(data.data_root)
    if scope != before:
        write_scope(root, scope)
    for name in left_over(instance, data, registry, scope):
        instance.delete_dynamic_partition("demonstration", name)
    has_new_variants = scope.of.get("variant") != before.of.get("variant")
    return ScopeChange(scope, is_first, scope != before, has_new_variants)


def left_over(
    instance: dg.DagsterInstance, data: DataResource, registry: Registry, scope: Scope
) -> set[str]:
    """Demonstrations of ``registry`` that are partitions, and not in ``scope``; none once any
    demonstration was made.

    The UI makes all names of the registry partitions in a data root without a scope, before a first
    look or an import gives it one.
    """
    if "demonstration" not in scope.of or data.lake.partitions("demonstrations"):
        return set()
    known = set(instance.get_dynamic_partitions("demonstration"))
    return known.intersection(registry.demonstrations) - scope.of["demonstration"]


def _is_embedded(name: str, data: DataResource) -> bool:
    """Recordings are in scope by being there: only names of our own simulator are remembered."""
    try:
        return data.sources.find(name).name == EMBEDDED
    except EnactError:
        return False  # reported where it becomes no partition
