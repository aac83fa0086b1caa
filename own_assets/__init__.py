"""Assets of your own, loaded with those of enact_assets: docs/dagster.md says how."""
