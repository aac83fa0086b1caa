"""Jobs: one per partition set, in the order data flows, for the launchpad and for backfills."""

from typing import Any

import dagster as dg

from enact_assets.contracts.lineage import WAREHOUSE
from enact_assets.defs.checks import sql_check_specs
from enact_assets.defs.up_to_date import up_to_date

CHECK_JOB = "check_freshness"
JOBS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("refresh_gatings", "Refresh the gating settings.", ("gating_config",)),
    ("refresh_variants", "Refresh the variant settings.", ("variant_config",)),
    ("refresh_question_settings", "Refresh the question settings.", ("question_config",)),
    (
        "replay_demonstrations",
        "Simulate demonstrations, or read recorded ones.",
        ("demonstrations", "facts", "objects", "observability", "states"),
    ),
    (
        "write_questions",
        "Key frames, visibility, graph, trajectories and questions of demonstrations.",
        (
            "segmented_frames",
            "scene_graphs",
            "visibility",
            "transition_graph",
            "edited_objects",
            "path_counts",
            "trajectories",
            "qa",
            "question_orders",
        ),
    ),
    ("import_questions", "Read imported question files.", ("official_questions",)),
    ("choose_questions", "Choose the questions to ask.", ("question_set",)),
    ("assign_questions", "What each variant asks.", ("asked_questions",)),
    (
        "render_pictures",
        "Find out which key frames a variant shows, and render them.",
        ("wanted_frames", "frame_images"),
    ),
    (
        "ask_and_verify",
        "Ask models, verify their answers, compare variants.",
        ("predictions", "evaluation", "probes"),
    ),
    ("publish_warehouse", "Build the DuckDB warehouse anew.", ("warehouse",)),
)
"""Name, description, assets. A job holds the assets of one partition set: Dagster runs no other."""


def all_jobs() -> list[Any]:
    """The jobs; their partitions are those of their assets."""
    sql_checks = dg.AssetSelection.checks(*(spec.key for spec in sql_check_specs()))
    jobs = []
    for name, description, keys in JOBS:
        # Without up_to_date, which would read the whole lake in each run of a backfill.
        selection: Any = dg.AssetSelection.assets(*keys).without_checks()
        if WAREHOUSE in keys:
            selection |= sql_checks
        jobs.append(dg.define_asset_job(name, selection=selection, description=description))
    about = "Ask the plan whether each asset is up to date; the answers are checks of the assets."
    check = dg.define_asset_job(
        CHECK_JOB, selection=dg.AssetSelection.checks(up_to_date), description=about
    )
    return [*jobs, check]
