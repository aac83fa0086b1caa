"""Versions that code had when they were still hashed with the names of modules.

Rows made then are as new: code that has a version below gives the rows that it gave, wherever it
moved to, and keeps its former version. Since then array types have one definition each, which
changed hashes and no row. The row of a step goes when its code changes, as a test demands;
where no row can change by that, its hash is replaced.
"""

from collections.abc import Mapping

FORMER: Mapping[str, str] = {
    "eac9e4c0fea8": "f9b14c349567",  # action_states
    "8b67a2241fa1": "7768ac03781b",  # answers of fact_reader
    "389bd29edb2e": "04a97307e616",  # answers of identity
    "2966d1d26b50": "04a97307e616",  # answers of oracle
    "a421cf910b41": "04a97307e616",  # answers of pixel_continuity
    "6e0e2512b624": "04a97307e616",  # answers of random
    "123ae2adc503": "04a97307e616",  # answers of text_prior
    "7f80728ed927": "51af65526bef",  # asked_questions
    "e9e14021a3e9": "1d0df5ad144f",  # error_analysis
    "d812703b186e": "722c77ff44b6",  # evaluation
    "c8dda9a7fec3": "ee998b27799c",  # fact_reader
    "44b1ddd9fe6f": "85d78221bc37",  # human_agreement
    "1fcae29df796": "f309cf875ff7",  # human_answers
    "c5640021b910": "0b521036ac7e",  # kept_questions
    "23d7840e48c2": "6a4783a47bc7",  # official_questions
    "27cbdca1fbfc": "ef65de531646",  # path_counts
    "b931799adba4": "e6f17a951694",  # probe_panels
    "bfa42bda4d0a": "789808953340",  # probes
    "b33260eb8337": "61658060dd57",  # published_results
    "672a08d8fd48": "ec10d9083000",  # qa
    "7fdea51d9c9d": "2aa11865fe6f",  # question_orders
    "a0acc91aa4e6": "69157ea4196f",  # question_quality
    "a5b85a8a823d": "7caf0c00013a",  # question_set
    "6603a3a00d7d": "9f0deb65c320",  # replays
    "c6776fc0b1d1": "108c66894da7",  # segmentation
    "85eb579fccac": "bb2e563e9366",  # training_statistics
    "2cfa914cbd0b": "ff5989cb163d",  # trajectories
    "7452df091851": "9fa9b8353fd8",  # visibility
    "440f890057cf": "f0163fb162fe",  # visible_changes
    "63e1b1653637": "b9e655bf914a",  # wanted_clips
    "2ea54bffc73a": "37f36676e6c0",  # wanted_frames
}
