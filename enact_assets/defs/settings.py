"""Resolved settings behind the config roots, and their hashes."""

from typing import Any

from enact_assets.contracts.registry import load_registry, settings_sha

ROOTS = ("gating_config", "question_config", "variant_config")


def resolved_settings(root: str, partition: str | None) -> Any:
    """The registry entry that config root ``root`` stands for, as the file says now."""
    registry = load_registry()
    if root == "gating_config":
        return registry.gating(str(partition))
    if root == "variant_config":
        return registry.variant(str(partition))
    return registry.questions


def current_sha(root: str, partition: str | None) -> str:
    """Hash of that entry: the data version the root should have."""
    return settings_sha(resolved_settings(root, partition))
