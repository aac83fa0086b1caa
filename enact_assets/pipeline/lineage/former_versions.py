"""Versions that code had when they were still hashed with the names of modules.

Rows made then are as new: code that has a version below gives the rows that it gave, wherever it
moved to, and keeps its former version. Since then array types have one definition each, which
changed hashes and no row. The row of a step goes when its code changes, as a test demands;
where no row can change by that, its hash is replaced.
"""

from collections.abc import Mapping

FORMER: Mapping[str, str] = {
    "fbcc3b29f640": "f9b14c349567",  # action_states
    "5778bbcdbc23": "7768ac03781b",  # answers of fact_reader
    "f1d5582fc2ae": "04a97307e616",  # answers of identity
    "e941a2a9e60a": "04a97307e616",  # answers of oracle
    "b9fe8511be95": "04a97307e616",  # answers of pixel_continuity
    "e9acb8799f11": "04a97307e616",  # answers of random
    "f0bdad0910de": "04a97307e616",  # answers of text_prior
    "04aa49d29f93": "51af65526bef",  # asked_questions
    "cb37feffc897": "1d0df5ad144f",  # error_analysis
    "42a95bf3e3eb": "722c77ff44b6",  # evaluation
    "f6bcd41541a2": "ee998b27799c",  # fact_reader
    "1fcae29df796": "f309cf875ff7",  # human_answers
    "08a52ee55720": "0b521036ac7e",  # kept_questions
    "23d7840e48c2": "6a4783a47bc7",  # official_questions
    "a8ef21f4c8ca": "ef65de531646",  # path_counts
    "b931799adba4": "e6f17a951694",  # probe_panels
    "af5951ee5c90": "789808953340",  # probes
    "6e29cfbedf74": "ec10d9083000",  # qa
    "c63e8b8cd78b": "2aa11865fe6f",  # question_orders
    "a0acc91aa4e6": "69157ea4196f",  # question_quality
    "c5ed777110b5": "7caf0c00013a",  # question_set
    "4fe997dd9e26": "9f0deb65c320",  # replays
    "f8b432f865be": "108c66894da7",  # segmentation
    "caee58237c25": "bb2e563e9366",  # training_statistics
    "84f32d95685a": "ff5989cb163d",  # trajectories
    "9de703c78e6f": "9fa9b8353fd8",  # visibility
    "cda7745dd5bd": "f0163fb162fe",  # visible_changes
    "63e1b1653637": "b9e655bf914a",  # wanted_clips
    "c3edac9ca67f": "37f36676e6c0",  # wanted_frames
}
