"""Versions that code had when they were still hashed with the names of modules.

Rows made then are as new: code that has a version below gives the rows that it gave, wherever it
moved to, and keeps its former version. Since then array types have one definition each, which
changed hashes and no row. The row of a step goes when its code changes, as a test demands;
where no row can change by that, its hash is replaced.
"""

from collections.abc import Mapping

FORMER: Mapping[str, str] = {
    "b7c6d1476e38": "f9b14c349567",  # action_states
    "8d5a7eca8ebb": "7768ac03781b",  # answers of fact_reader
    "f1d5582fc2ae": "04a97307e616",  # answers of identity
    "1b83f5a1ec5b": "04a97307e616",  # answers of oracle
    "b9ebe103b997": "04a97307e616",  # answers of pixel_continuity
    "315321acc3ab": "04a97307e616",  # answers of random
    "ca70decbe572": "04a97307e616",  # answers of text_prior
    "04aa49d29f93": "51af65526bef",  # asked_questions
    "b59225a36478": "1d0df5ad144f",  # error_analysis
    "06fdb0ef004b": "722c77ff44b6",  # evaluation
    "c8dda9a7fec3": "ee998b27799c",  # fact_reader
    "1fcae29df796": "f309cf875ff7",  # human_answers
    "08a52ee55720": "0b521036ac7e",  # kept_questions
    "23d7840e48c2": "6a4783a47bc7",  # official_questions
    "e26a4ef9b362": "ef65de531646",  # path_counts
    "b931799adba4": "e6f17a951694",  # probe_panels
    "af5951ee5c90": "789808953340",  # probes
    "9a7a6c465c14": "ec10d9083000",  # qa
    "1f1daa2566fc": "2aa11865fe6f",  # question_orders
    "a0acc91aa4e6": "69157ea4196f",  # question_quality
    "c5ed777110b5": "7caf0c00013a",  # question_set
    "c3d0d6c82fdf": "9f0deb65c320",  # replays
    "7849e2c31c65": "108c66894da7",  # segmentation
    "97c97c43a240": "bb2e563e9366",  # training_statistics
    "74891772bb62": "ff5989cb163d",  # trajectories
    "2d272ae12473": "9fa9b8353fd8",  # visibility
    "3786589b9a02": "f0163fb162fe",  # visible_changes
    "63e1b1653637": "b9e655bf914a",  # wanted_clips
    "c3edac9ca67f": "37f36676e6c0",  # wanted_frames
}
