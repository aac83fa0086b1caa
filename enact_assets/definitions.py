"""Entry point of the Dagster code location: what `workspace.yaml` loads."""

from enact_assets.pipeline.dagster.definitions import build_definitions

defs = build_definitions()
