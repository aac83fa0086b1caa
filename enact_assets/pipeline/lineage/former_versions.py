"""Versions that code had when they were still hashed with the names of modules.

Rows made then are as new: code that has a version below gives the rows that it gave, wherever it
moved to, and keeps its former version. Since then array types have one definition each, which
changed hashes and no row. The row of a step goes when its code changes, as a test demands;
where no row can change by that, its hash is replaced.
"""

from collections.abc import Mapping

FORMER: Mapping[str, str] = {
    "029141f04efe": "f9b14c349567",  # action_states
    "4fbabdc9eaf2": "7768ac03781b",  # answers of fact_reader
    "f1d5582fc2ae": "04a97307e616",  # answers of identity
    "0e83bc9dbab8": "04a97307e616",  # answers of oracle
    "22db0ffe6eb9": "04a97307e616",  # answers of pixel_continuity
    "ed72ebc8d0d2": "04a97307e616",  # answers of random
    "193643bc82b6": "04a97307e616",  # answers of text_prior
    "c83294e03f9d": "51af65526bef",  # asked_questions
    "c197a0ced86c": "1d0df5ad144f",  # error_analysis
    "a1982b05eb64": "722c77ff44b6",  # evaluation
    "c8dda9a7fec3": "ee998b27799c",  # fact_reader
    "1fcae29df796": "f309cf875ff7",  # human_answers
    "d6d6052fcd53": "0b521036ac7e",  # kept_questions
    "23d7840e48c2": "6a4783a47bc7",  # official_questions
    "d87e13fd0755": "ef65de531646",  # path_counts
    "b931799adba4": "e6f17a951694",  # probe_panels
    "af5951ee5c90": "789808953340",  # probes
    "cd601ddab671": "ec10d9083000",  # qa
    "c65dd75a0423": "2aa11865fe6f",  # question_orders
    "a0acc91aa4e6": "69157ea4196f",  # question_quality
    "c5ed777110b5": "7caf0c00013a",  # question_set
    "b2c97ef7b1e5": "9f0deb65c320",  # replays
    "5c4992a1b8c8": "108c66894da7",  # segmentation
    "89a20d3271c8": "bb2e563e9366",  # training_statistics
    "8ccff2e7ceda": "ff5989cb163d",  # trajectories
    "3cf647a6bdd9": "9fa9b8353fd8",  # visibility
    "55ec87098ff3": "f0163fb162fe",  # visible_changes
    "63e1b1653637": "b9e655bf914a",  # wanted_clips
    "216fab1eef04": "37f36676e6c0",  # wanted_frames
}
