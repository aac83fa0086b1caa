"""Versions that code had when they were still hashed with the names of modules.

Rows made then are as new: code that has a version below gives the rows that it gave, wherever it
moved to, and keeps its former version. Since then array types have one definition each, which
changed hashes and no row. The row of a step goes when its code changes, as a test demands;
where no row can change by that, its hash is replaced.
"""

from collections.abc import Mapping

FORMER: Mapping[str, str] = {
    "f1d5582fc2ae": "04a97307e616",  # answers of identity
    "e941a2a9e60a": "04a97307e616",  # answers of oracle
    "c435b9c2de0e": "04a97307e616",  # answers of pixel_continuity
    "8321f9c14c28": "04a97307e616",  # answers of random
    "5d993aa98fd5": "04a97307e616",  # answers of text_prior
    "8432677b145a": "51af65526bef",  # asked_questions
    "97822f29b6f4": "1d0df5ad144f",  # error_analysis
    "608eeb5f3bfe": "722c77ff44b6",  # evaluation
    "1fcae29df796": "f309cf875ff7",  # human_answers
    "73e33271672d": "0b521036ac7e",  # kept_questions
    "23d7840e48c2": "6a4783a47bc7",  # official_questions
    "5e3fa0d40732": "ef65de531646",  # path_counts
    "b931799adba4": "e6f17a951694",  # probe_panels
    "a61efc127ef9": "789808953340",  # probes
    "b5a5ccaf7143": "ec10d9083000",  # qa
    "03406f5117f0": "2aa11865fe6f",  # question_orders
    "a0acc91aa4e6": "69157ea4196f",  # question_quality
    "eb8e1e06a974": "7caf0c00013a",  # question_set
    "10b662484720": "108c66894da7",  # segmentation
    "2a81121e9357": "ff5989cb163d",  # trajectories
    "63e1b1653637": "b9e655bf914a",  # wanted_clips
    "8a6bab985fb2": "37f36676e6c0",  # wanted_frames
}
