"""What black-box testing broke, F1 to F18, and the tests that notice each of it.

F16 is not covered whole: images are built where there is Docker.
"""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
NOTICED: dict[str, tuple[str, ...]] = {
    "F1 an hour after published_results nothing works": (
        "engine/lake/test_lake_index.py::test_the_file_of_a_table_without_partitions_is_known_again",
        "operations/test_aged.py::test_every_command_works_on_an_old_root",
    ),
    "F2 rendering runs of the UI leave their processes": (
        "operations/test_run_workers.py::test_runs_that_succeed",
    ),
    "F3 evaluation reads tables that it does not declare": (
        "operations/test_partly_remade.py::test_every_table_that_verifies_answers_makes_the_question_set_stale",
        "operations/test_partly_remade.py::test_scores_from_evidence_that_went_back_again_do_not_stay",
    ),
    "F4 code versions miss code that alters rows": (
        "operations/test_code_reach.py::test_what_runs_is_reached",
        "engine/test_code_versions.py::test_libraries_count_by_version_where_they_are_reached",
    ),
    "F5 a substance made twice is refused": (
        "demonstrations/replay/test_recorded.py::test_a_substance_that_is_made_twice_has_other_parents_later",
        "questions/key_frames/test_deltas.py::test_a_substance_made_twice_comes_from_what_it_was_made_of_then",
    ),
    "F6 sql cannot be stopped": (
        "commands/test_sql_stops.py::test_a_long_query_ends_within_a_second_and_says_so",
    ),
    "F7 damage inside a page is not healed": (
        "operations/test_damage.py::test_a_walk_that_finds_damage_mends_it",
        "engine/lake/test_set_aside.py::test_one_flipped_bit_anywhere_is_found_and_its_file_set_aside",
    ),
    "F8 a model vanishes silently": (
        "operations/test_bad_days.py::test_a_model_that_cannot_be_evaluated_is_listed_as_missing",
        "sql/test_absent_models.py::test_it_has_the_questions_it_was_asked_and_no_score",
    ),
    "F9 unescaped Markdown in Dagster's metadata": (
        "pipeline/steps/test_answer_summaries.py::test_actions_and_errors_are_shown_as_they_are_written",
        "pipeline/steps/test_answer_summaries.py::test_words_of_a_model_are_shown_as_code_and_only_their_end",
    ),
    "F10 other web sites may start runs": (
        "pipeline/ui/test_ui_guard.py::test_requests_of_other_sites_are_refused",
        "pipeline/runs/test_instance.py::test_containers_are_guarded_and_watched",
    ),
    "F11 a worker of another version ends the walk": (
        "pipeline/driver/test_dask.py::test_a_late_worker_that_disagrees_gets_no_further_step",
    ),
    "F12 a restart of PostgreSQL ends the driver": (
        "pipeline/driver/test_postgres.py::test_a_restart_of_the_database_breaks_no_statement_after_it",
        "pipeline/whole_graph/test_cluster_and_store.py::test_all_three_go_away_once_and_the_rows_are_those_of_one_disk",
    ),
    "F13 object stores": (
        "engine/system/test_places.py::test_a_plan_lists_an_object_store_once",
        "pipeline/whole_graph/test_cluster_and_store.py::test_all_three_go_away_once_and_the_rows_are_those_of_one_disk",
    ),
    "F14 a cluster renders the same pictures twice": (
        "pipeline/driver/test_choice.py::test_pictures_that_two_variants_show_are_rendered_once",
    ),
    "F15 tracebacks of Dask, a UI that ends as if all were well": (
        "pipeline/driver/test_dask.py::test_a_cluster_that_disappears_is_told",
        "pipeline/ui/test_ui_guard.py::test_the_ui_ends_with_its_daemon_and_starts_its_code_again",
    ),
    "F16 deploy": (
        "pipeline/driver/test_postgres.py::test_the_file_in_deploy_is_what_the_driver_writes",
        "pipeline/runs/test_instance.py::test_deploy_names_the_versions_that_are_locked",
        "pipeline/runs/test_instance.py::test_containers_are_guarded_and_watched",
    ),
    "F17 links, pipes, bombs, queries that write": (
        "engine/system/test_lock_files.py::test_a_lock_changes_nothing_that_it_links_to",
        "engine/lake/test_catalogue.py::test_a_catalogue_that_cannot_be_written_is_read",
        "operations/test_collect.py::test_files_behind_a_link_are_not_removed",
        "results/test_published.py::test_a_query_reaches_nothing_but_the_warehouse",
        "engine/test_given_files.py::test_readers_refuse_what_is_no_file",
        "engine/test_given_files.py::test_yaml_is_read_in_bounded_time",
        "demonstrations/replay/test_recorded_broken.py::test_states_that_change_from_frame_to_frame_end_before_the_memory_does",
        "commands/test_failing.py::test_a_damaged_database_of_dagster_comes_with_the_remedy",
        "operations/test_disks.py::test_a_read_only_root_can_be_read_and_nothing_else",
    ),
    "F18 official layouts, models that raise, code of own models": (
        "commands/release/test_official_replays.py::test_other_numbers_are_refused_naming_both",
        "answers/models/test_python_model.py::test_an_error_is_that_of_its_question",
        "answers/models/test_python_model.py::test_the_version_of_a_file_is_its_content",
    ),
}


def test_none_is_left_out() -> None:
    assert [what.split()[0] for what in NOTICED] == [f"F{number}" for number in range(1, 19)]


@pytest.mark.parametrize("number", range(1, 19))
def test_each_has_tests_that_exist(number: int) -> None:
    """A test that is renamed or deleted would leave what it noticed to chance."""
    (tests,) = [tests for what, tests in NOTICED.items() if what.startswith(f"F{number} ")]
    for test in tests:
        file, _, name = test.partition("::")
        assert re.search(rf"^def {name}\(", (TESTS / file).read_text(), re.MULTILINE), test
