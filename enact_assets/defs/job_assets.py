"""What each job makes: data, for the jobs and for whoever asks what a run of one is making."""

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
        "Ask models, verify their answers, find their errors, compare variants.",
        ("predictions", "evaluation", "compared_steps", "compared_components", "probes"),
    ),
    ("correct_within_panels", "Correct p-values of probes.", ("probe_panels",)),
    (
        "compare_models",
        "How sure accuracies are, and which models can be told apart.",
        ("model_accuracies", "model_comparisons"),
    ),
    (
        "load_published_results",
        "Read the paper's numbers, which ship with the package.",
        (
            "published_accuracies",
            "published_error_shares",
            "published_handedness",
            "published_mismatch_rates",
            "published_probes",
            "published_question_counts",
        ),
    ),
    ("publish_warehouse", "Build the DuckDB warehouse anew.", ("warehouse",)),
    ("write_report", "Write the report on what is published.", ("report",)),
)
"""Name, description, assets. A job holds the assets of one partition set: Dagster runs no other."""
