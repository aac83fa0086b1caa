"""Versions that code had when they were still hashed with the names of modules.

Rows made then are as new: code that has a version below gives the rows that it gave, wherever it
moved to, and keeps its former version. Since then array types have one definition each, which
changed hashes and no row. The row of a step goes when its code changes, as a test demands.
"""

from collections.abc import Mapping

FORMER: Mapping[str, str] = {
    "7675dc771746": "1c9ea3e3806b",  # action_states
    "e1104599fcb1": "bdc803d2ef66",  # annotated_actions
    "db810b4febee": "04a97307e616",  # answers of baselines
    "c80dfe3dab00": "7768ac03781b",  # answers of learned references
    "3be981ffb245": "51af65526bef",  # asked_questions
    "676e73d04eb5": "4a2203422b21",  # error_analysis
    "0b47a3033bcb": "6d9c09dac2e2",  # evaluation, whose answers are read by one call since
    "70491fea673d": "ee998b27799c",  # fact_reader
    "f3f751d17f02": "535093c644eb",  # film_images
    "b79806777e8b": "85d78221bc37",  # human_agreement
    "a29d56adfa27": "f309cf875ff7",  # human_answers
    "35ea4ea3f0d4": "0b521036ac7e",  # kept_questions
    "0c3a91585aa1": "05a5d5863377",  # model_comparisons
    "1fe42e96158e": "6a4783a47bc7",  # official_questions
    "bbf1c81a832c": "ef65de531646",  # path_counts
    "46a2d1f9364f": "e6f17a951694",  # probe_panels
    "57e5d6128031": "789808953340",  # probes
    "f72c5d582aed": "61658060dd57",  # published_results
    "eec3f35a08f3": "807589c5f8bd",  # qa
    "268d48c7a44d": "ee7e17411dcc",  # question_orders
    "a58aaef0486a": "69157ea4196f",  # question_quality
    "721f32be2366": "7caf0c00013a",  # question_set
    "026df6626b8e": "9f0deb65c320",  # replays
    "2b69096cb00b": "f696541b85b9",  # report
    "fbbab59e2df5": "108c66894da7",  # segmentation
    "c664712f543e": "f8da121a14e1",  # training_plans
    "5e6083337e6f": "bb2e563e9366",  # training_statistics
    "cc8f11348ac9": "44980f09a6f8",  # trajectories
    "5adf465a868b": "9fa9b8353fd8",  # visibility
    "7bde0ec4460d": "0bfa836adf75",  # visible_changes
    "b72cf6ec7ee7": "b9e655bf914a",  # wanted_clips
    "1d32b83c4378": "37f36676e6c0",  # wanted_frames
    "d3d1000b0f60": "914023d98110",  # warehouse
    "70bd3a1e6adf": "fd46864c3c1c",  # world_accuracies
    "ba987c6a955a": "119e6f55ed59",  # world_evaluation
    "c2b4fa9477dd": "af3a9c3952d7",  # world_human_answers
    "567f68b81d35": "049a811f5cca",  # world_predictions
    "87caebbb900d": "16c1d0d31d98",  # world_questions
}
"""Version by what is reached -> version by what is reached, and in which module."""
