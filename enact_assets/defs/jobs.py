"""Jobs: one per partition set, in the order data flows, for the launchpad and for backfills."""

from typing import Any

import dagster as dg

JOBS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("gatings", "Refresh the gating settings.", ("gating_config",)),
    ("variants", "Refresh the variant settings.", ("variant_config",)),
    ("question_settings", "Refresh the question settings.", ("question_config",)),
    ("replays", "Simulate demonstrations.", ("demonstrations", "facts", "objects", "states")),
    (
        "questions_per_demonstration",
        "Key frames, visibility, graph, trajectories and questions of demonstrations.",
        (
            "segmented_frames",
            "scene_graphs",
            "visibility",
            "transition_graph",
            "path_counts",
            "trajectories",
            "qa",
        ),
    ),
    ("pictures", "Render key frames.", ("frame_images",)),
    ("question_sets", "Choose the questions to ask.", ("question_set",)),
    ("questions_asked", "What each variant asks.", ("asked_questions",)),
    (
        "answers",
        "Ask models, verify their answers, compare variants.",
        ("predictions", "evaluation", "probes"),
    ),
    ("publish", "Build the DuckDB warehouse anew.", ("warehouse",)),
)
"""Name, description, assets. A job holds the assets of one partition set: Dagster runs no other."""


def all_jobs() -> list[Any]:
    """The jobs; their partitions are those of their assets."""
    return [
        dg.define_asset_job(
            name, selection=dg.AssetSelection.assets(*keys), description=description
        )
        for name, description, keys in JOBS
    ]
