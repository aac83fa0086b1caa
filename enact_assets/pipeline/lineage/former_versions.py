"""Versions that code had when they were still hashed with the names of modules.

Rows made then are as new: code that has a version below gives the rows that it gave, wherever it
moved to, and keeps its former version. Since then array types have one definition each, which
changed hashes and no row. The row of a step goes when its code changes, as a test demands;
where no row can change by that, its hash is replaced.
"""

from collections.abc import Mapping

FORMER: Mapping[str, str] = {
    "f73dc40380ae": "1c9ea3e3806b",  # action_states
    "583747442be7": "bdc803d2ef66",  # annotated_actions
    "7f4eb2ed84e3": "04a97307e616",  # answers of baselines
    "c18243771028": "7768ac03781b",  # answers of learned references
    "788a5f00aa42": "51af65526bef",  # asked_questions
    "b968402bd07b": "4a2203422b21",  # error_analysis
    "b34398fe1b12": "6d9c09dac2e2",  # evaluation, whose answers are read by one call since
    "e5228bdc8374": "ee998b27799c",  # fact_reader
    "c2d0c3084aea": "535093c644eb",  # film_images
    "da4d1eb9515b": "85d78221bc37",  # human_agreement
    "4a9acb6d7dee": "f309cf875ff7",  # human_answers
    "9bea8e16c364": "0b521036ac7e",  # kept_questions
    "87ef806eddb4": "05a5d5863377",  # model_comparisons
    "a9f4d5e9fc05": "6a4783a47bc7",  # official_questions
    "3396866e4e28": "ef65de531646",  # path_counts
    "bef3b2dafd7e": "e6f17a951694",  # probe_panels
    "a4da62bd439a": "789808953340",  # probes
    "4b8d53225806": "61658060dd57",  # published_results
    "965fc64f0a68": "807589c5f8bd",  # qa
    "f79dfe106aa0": "ee7e17411dcc",  # question_orders
    "a612d1e70bbd": "69157ea4196f",  # question_quality
    "caa265197b9c": "7caf0c00013a",  # question_set
    "99876c9a3941": "9f0deb65c320",  # replays
    "426fa6d3a5e2": "f696541b85b9",  # report
    "f726119dacc5": "108c66894da7",  # segmentation
    "c8ee178e367d": "f8da121a14e1",  # training_plans
    "a1e65e2470d6": "bb2e563e9366",  # training_statistics
    "d54bc0819125": "44980f09a6f8",  # trajectories
    "1b54b9b44d7d": "9fa9b8353fd8",  # visibility
    "d97aa3329db2": "0bfa836adf75",  # visible_changes
    "4b82565a114a": "b9e655bf914a",  # wanted_clips
    "0fe5c785fc2a": "37f36676e6c0",  # wanted_frames
    "0875f67ad778": "914023d98110",  # warehouse
    "2abcd440e68f": "fd46864c3c1c",  # world_accuracies
    "529001655de0": "119e6f55ed59",  # world_evaluation
    "3ee454cc2c88": "af3a9c3952d7",  # world_human_answers
    "6d8882f723d0": "049a811f5cca",  # world_predictions, which look for room for a loop since
    "e7cd7e4866e7": "16c1d0d31d98",  # world_questions
}
"""Version by what is reached -> version by what is reached, and in which module."""
