"""Versions that code had when they were still hashed with the names of modules.

Rows made then are as new: code that has a version below gives the rows that it gave, wherever it
moved to, and keeps its former version. Since then array types have one definition each, which
changed hashes and no row. The row of a step goes when its code changes, as a test demands;
where no row can change by that, its hash is replaced.
"""

from collections.abc import Mapping

FORMER: Mapping[str, str] = {
    "4e0d08be3621": "04a97307e616",  # answers of identity
    "d0ad3a5d5010": "7768ac03781b",  # answers of learned_precedence
    "bdae771213ae": "04a97307e616",  # answers of oracle
    "075cbd5b1fc7": "04a97307e616",  # answers of pixel_continuity
    "0df896066c15": "04a97307e616",  # answers of random
    "262562937654": "04a97307e616",  # answers of text_prior
    "9fb7e4b7f8c7": "51af65526bef",  # asked_questions
    "0a24cc79e5b1": "ee998b27799c",  # fact_reader
    "da4d1eb9515b": "85d78221bc37",  # human_agreement
    "4a9acb6d7dee": "f309cf875ff7",  # human_answers
    "00765ae19f8c": "0b521036ac7e",  # kept_questions
    "87ef806eddb4": "05a5d5863377",  # model_comparisons
    "a46c679d7661": "6a4783a47bc7",  # official_questions
    "98062f19bf61": "ef65de531646",  # path_counts
    "bef3b2dafd7e": "e6f17a951694",  # probe_panels
    "a4da62bd439a": "789808953340",  # probes
    "4b8d53225806": "61658060dd57",  # published_results
    "9f344484f9d2": "ec10d9083000",  # qa
    "a612d1e70bbd": "69157ea4196f",  # question_quality
    "c8acdb8ac43d": "7caf0c00013a",  # question_set
    "afcd2d1a7983": "9f0deb65c320",  # replays
    "3f5e5e3a9c52": "f696541b85b9",  # report
    "1534ef01b666": "108c66894da7",  # segmentation
    "c8ee178e367d": "f8da121a14e1",  # training_plans
    "b81aa06ea6c8": "bb2e563e9366",  # training_statistics
    "5d78411e4b9c": "9fa9b8353fd8",  # visibility
    "4b82565a114a": "b9e655bf914a",  # wanted_clips
    "faae504bde24": "37f36676e6c0",  # wanted_frames
    "e8d0680791a1": "914023d98110",  # warehouse
    "3778a56dfe5f": "1fad136b4fe5",  # world_accuracies
    "529001655de0": "119e6f55ed59",  # world_evaluation
    "61af04f8829c": "af3a9c3952d7",  # world_human_answers
    "9c752b300135": "039a40347e53",  # world_predictions
    "e7cd7e4866e7": "16c1d0d31d98",  # world_questions
}
"""Version by what is reached -> version by what is reached, and in which module."""
