"""Versions that code had when they were still hashed with the names of modules.

Rows made then are as new: code that has a version below gives the rows that it gave, wherever it
moved to, and keeps its former version. Since then array types have one definition each, which
changed hashes and no row. The row of a step goes when its code changes, as a test demands;
where no row can change by that, its hash is replaced.
"""

from collections.abc import Mapping

FORMER: Mapping[str, str] = {
    "c3346f866363": "f9b14c349567",  # action_states
    "7ae757eb0d89": "7768ac03781b",  # answers of fact_reader
    "389bd29edb2e": "04a97307e616",  # answers of identity
    "b6783986381e": "04a97307e616",  # answers of oracle
    "a421cf910b41": "04a97307e616",  # answers of pixel_continuity
    "e3a8cd0bfdb2": "04a97307e616",  # answers of random
    "2ef9292c70e3": "04a97307e616",  # answers of text_prior
    "bc90807ce280": "51af65526bef",  # asked_questions
    "1ce40a6c7ef5": "1d0df5ad144f",  # error_analysis
    "d814fcc66628": "722c77ff44b6",  # evaluation
    "90f09eda9782": "ee998b27799c",  # fact_reader
    "44b1ddd9fe6f": "85d78221bc37",  # human_agreement
    "1fcae29df796": "f309cf875ff7",  # human_answers
    "8d1247c004ee": "0b521036ac7e",  # kept_questions
    "55dc7eb9c852": "6a4783a47bc7",  # official_questions
    "27cbdca1fbfc": "ef65de531646",  # path_counts
    "b931799adba4": "e6f17a951694",  # probe_panels
    "bfa42bda4d0a": "789808953340",  # probes
    "b33260eb8337": "61658060dd57",  # published_results
    "57f0a02dd870": "ec10d9083000",  # qa
    "9ffd8fb652f9": "2aa11865fe6f",  # question_orders
    "a0acc91aa4e6": "69157ea4196f",  # question_quality
    "a5b85a8a823d": "7caf0c00013a",  # question_set
    "2ac4cdb48baa": "9f0deb65c320",  # replays
    "4544a8b2830f": "108c66894da7",  # segmentation
    "1b56276e181f": "bb2e563e9366",  # training_statistics
    "6287f8669c3d": "ff5989cb163d",  # trajectories
    "dd8095fb15e3": "9fa9b8353fd8",  # visibility
    "221cbd3bc5f1": "f0163fb162fe",  # visible_changes
    "63e1b1653637": "b9e655bf914a",  # wanted_clips
    "f01537667dc6": "37f36676e6c0",  # wanted_frames
}
