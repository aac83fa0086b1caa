"""All stages up to questions over many demonstrations in one process, without Dagster."""
