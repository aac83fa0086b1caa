"""Versions that code had when they were still hashed with the names of modules.

Rows made then are as new: code that has a version below gives the rows that it gave, wherever it
moved to, and keeps its former version. Since then array types have one definition each, which
changed hashes and no row. The row of a step goes when its code changes, as a test demands;
where no row can change by that, its hash is replaced.
"""

from collections.abc import Mapping

FORMER: Mapping[str, str] = {
    "0535ef3e6844": "f9b14c349567",  # action_states
    "4e0d08be3621": "04a97307e616",  # answers of identity
    "2b20f7549a27": "7768ac03781b",  # answers of learned_precedence
    "bdae771213ae": "04a97307e616",  # answers of oracle
    "075cbd5b1fc7": "04a97307e616",  # answers of pixel_continuity
    "0df896066c15": "04a97307e616",  # answers of random
    "262562937654": "04a97307e616",  # answers of text_prior
    "777f65b2eec1": "51af65526bef",  # asked_questions
    "ed986c2e0f89": "1d0df5ad144f",  # error_analysis
    "dcc253669f08": "722c77ff44b6",  # evaluation
    "90f09eda9782": "ee998b27799c",  # fact_reader
    "33f7de25906e": "85d78221bc37",  # human_agreement
    "8cd8f8345865": "f309cf875ff7",  # human_answers
    "5db483472c73": "0b521036ac7e",  # kept_questions
    "3ad2272dfcb9": "05a5d5863377",  # model_comparisons
    "1f1fcd0a7bb4": "6a4783a47bc7",  # official_questions
    "27cbdca1fbfc": "ef65de531646",  # path_counts
    "1b266d1744ec": "e6f17a951694",  # probe_panels
    "eefc236980dc": "789808953340",  # probes
    "941bec87a208": "61658060dd57",  # published_results
    "b50dccc2cfff": "ec10d9083000",  # qa
    "03d29e5b3065": "2aa11865fe6f",  # question_orders
    "423c7707ba1c": "69157ea4196f",  # question_quality
    "b2893c4735d5": "7caf0c00013a",  # question_set
    "2ac4cdb48baa": "9f0deb65c320",  # replays
    "ea6e86d32ddc": "f696541b85b9",  # report
    "4544a8b2830f": "108c66894da7",  # segmentation
    "e3e5a3e221ea": "f8da121a14e1",  # training_plans
    "6361db3071dd": "bb2e563e9366",  # training_statistics
    "d2d787e6a75d": "ff5989cb163d",  # trajectories
    "01c60d280333": "9fa9b8353fd8",  # visibility
    "e745a4ba6118": "f0163fb162fe",  # visible_changes
    "63e1b1653637": "b9e655bf914a",  # wanted_clips
    "15690cc18543": "37f36676e6c0",  # wanted_frames
    "6488e4959546": "1fad136b4fe5",  # world_accuracies
    "1bc5d23d136e": "119e6f55ed59",  # world_evaluation
    "63eb3f076580": "af3a9c3952d7",  # world_human_answers
    "3c19fe1ae17c": "039a40347e53",  # world_predictions
    "171a2e2d9b9c": "16c1d0d31d98",  # world_questions
}
"""Version by what is reached -> version by what is reached, and in which module."""
