"""What the marts say about a lake small enough to work out by hand."""

import math
import random
import statistics
from typing import Any

import pytest
from sql.tiny_lake import (
    BOIL,
    TABLE,
    Relations,
    add_statistics,
    answer,
    image_sha,
    query,
    tiny_rows,
)


def one(made: Relations, sql: str) -> dict[str, Any]:
    return query(made, sql).row(0, named=True)


def test_unparsed_is_wrong_and_missing_is_not_scored(tiny: Relations) -> None:
    """Right, unparsed, one step of three, missing: an outage must not look like a bad model."""
    found = one(
        tiny,
        "from leaderboard_details where model = 'guesser' and kind = 'forward' and length is null",
    )
    assert (found["n_questions"], found["n_scored"]) == (4, 3)
    assert (found["n_parsed"], found["n_unparsed"], found["n_missing"]) == (2, 1, 1)
    assert found["variant"] == "baseline"
    assert found["task_accuracy"] == pytest.approx(1 / 3)
    assert found["pairwise_accuracy"] == pytest.approx((2 + 0 + 1) / (2 + 2 + 3))
    assert found["pairwise_accuracy_by_question"] == pytest.approx((1 + 0 + 1 / 3) / 3)
    # Sample standard deviation of 1, 0, 0 over the root of 3; and of 1, 0, 1/3.
    assert found["task_accuracy_se"] == pytest.approx(1 / 3)
    assert found["pairwise_accuracy_by_question_se"] == pytest.approx(math.sqrt(21 / 81 / 3))
    # The scored questions are all about one demonstration: nothing to cluster.
    assert found["n_demonstrations"] == 1
    assert found["task_accuracy_clustered_se"] is None
    assert found["pairwise_accuracy_clustered_se"] is None
    assert found["pairwise_accuracy_by_question_clustered_se"] is None
    assert found["task_accuracy_rank"] == 2


def test_lengths_stand_beside_their_total(tiny: Relations) -> None:
    rows = query(
        tiny,
        "select length, n_questions, n_scored, n_missing, task_accuracy, pairwise_accuracy "
        "from leaderboard_details where model = 'guesser' and kind = 'forward' "
        "order by length nulls first",
    ).rows()
    assert rows == [
        (None, 4, 3, 1, pytest.approx(1 / 3), pytest.approx(3 / 7)),
        (3, 3, 2, 1, 0.5, 0.5),
        (4, 1, 1, 0, 0.0, pytest.approx(1 / 3)),
    ]


def test_activities_stand_side_by_side(tiny: Relations) -> None:
    """The one answer about boiling water is missing, so it has no score, and not zero."""
    rows = query(
        tiny,
        "select activity, n_demonstrations, n_questions, n_scored, n_unparsed, n_missing, "
        "task_accuracy, pairwise_accuracy from accuracy_by_activity "
        "where variant = 'baseline' and model = 'guesser' and kind = 'forward' order by activity",
    ).rows()
    assert rows == [
        ("boil_water", 1, 1, 0, 0, 1, None, None),
        ("setting_the_table", 1, 3, 3, 1, 0, pytest.approx(1 / 3), pytest.approx(3 / 7)),
    ]


def test_the_oracle_leads_and_the_probed_variant_is_not_on_the_board(
    tiny: Relations,
) -> None:
    rows = query(
        tiny,
        "select kind, model, task_accuracy_rank, pairwise_accuracy_rank, task_accuracy "
        "from leaderboard_details where length is null",
    ).rows()
    assert rows == [
        ("forward", "oracle", 1, 1, 1.0),
        ("forward", "guesser", 2, 2, pytest.approx(1 / 3)),
        ("inverse", "oracle", 1, 1, 1.0),
        ("inverse", "guesser", 2, 2, 0.0),
    ]


def test_the_leaderboard_is_what_is_quoted_in_nine_columns() -> None:
    """31 columns fit no terminal, and a score of 1 question looked like one of 4."""
    rows = tiny_rows()
    add_statistics(rows)
    found = query(Relations(rows), "from leaderboard")
    assert len(found.columns) <= 9
    expected = {}
    for row in rows["evaluation"]:
        if row["variant"] == "baseline":
            scored, passed, steps, failed = expected.setdefault(
                (row["kind"], row["model"]), ([], [], [], [])
            )
            if row["answer_status"] != "parsed":
                failed.append(row["question_id"])
            if row["is_accepted"] is not None:
                scored.append(row["is_accepted"])
                passed.append(row["pairwise_accuracy"] * row["n_steps"])
                steps.append(row["n_steps"])
    assert found.drop("margin", "pairwise_accuracy_whole").rows() == [
        (
            "baseline",
            kind,
            model,
            len(scored),
            len(failed),
            round(sum(scored) / len(scored), 4),
            round(sum(passed) / sum(steps), 4),
        )
        for (kind, model), (scored, passed, steps, failed) in sorted(
            expected.items(), key=lambda item: (item[0][0], -sum(item[1][1]))
        )
    ]
    guesser = found.filter(model="guesser", kind="forward").row(0, named=True)
    assert (guesser["n_scored"], guesser["n_failed"]) == (3, 2), "one is unparsed, one missing"


def test_the_margin_is_half_the_interval_and_null_without_one() -> None:
    rows = tiny_rows()
    add_statistics(rows)
    low_and_high = {"task_accuracy": (0.1, 0.4), "pairwise_accuracy": (0.25, 0.5)}
    for row in rows["model_accuracies"]:
        if (row["model"], row["kind"], row["length"]) == ("guesser", "forward", None):
            row["low"], row["high"] = low_and_high[row["metric"]]
    found = query(Relations(rows), "select kind, model, margin from leaderboard").rows()
    assert found == [
        *(("forward", "oracle", None), ("forward", "guesser", 0.125)),
        *(("inverse", "oracle", None), ("inverse", "guesser", None)),
    ]


def test_a_model_that_never_answered_has_no_score_and_no_rank() -> None:
    """0.0 for no data would put an unreachable model below a random one."""
    rows = tiny_rows()
    for question in ("f1", "f2", "f3"):
        answer(rows, "absent", "baseline", question)
    wanted = "from leaderboard_details where model = 'absent' and length is null"
    found = one(Relations(rows), wanted)
    assert (found["n_questions"], found["n_scored"], found["n_missing"]) == (3, 0, 3)
    scores = [v for name, v in found.items() if "accuracy" in name]
    assert scores == [None] * len(scores)


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ({3: 1500, 4: 1500}, 5),
        ({3: 1400, 4: 1500}, 0),
        ({3: 1500, 4: None}, 0),
        ({3: None, 4: None}, None),
    ],
    ids=["cut", "longer", "one length", "not counted"],
)
def test_a_prompt_that_a_server_cut_shows_in_its_tokens_public_k3(
    tokens: dict[int, int | None], expected: int | None
) -> None:
    """Questions of three and of four pictures cannot have equally many."""
    rows = tiny_rows()
    lengths = {row["question_id"]: row["length"] for row in rows["qa"]}
    for row in rows["predictions"]:
        row["tokens_in"] = tokens[lengths[row["question_id"]]]
    wanted = "from answer_quality where model = 'oracle' and variant = 'baseline'"
    assert one(Relations(rows), wanted)["n_same_tokens_in"] == expected


def test_unparsed_answers_are_left_out_where_the_profile_leaves_them_out() -> None:
    """Profile release counts them nowhere; scored as wrong, its numbers could not be compared."""
    rows = tiny_rows()
    unscored = dict.fromkeys(
        ("is_exact", "is_semantic", "is_accepted", "n_steps_passed", "pairwise_accuracy")
    )
    for row in rows["evaluation"]:
        if row["answer_status"] == "unparsed":
            row.update(unscored)
    found = one(
        Relations(rows),
        "from leaderboard_details where model = 'guesser' and kind = 'forward' and length is null",
    )
    counts = ("n_questions", "n_scored", "n_parsed", "n_unparsed", "n_missing")
    assert [found[name] for name in counts] == [4, 2, 2, 1, 1]
    assert found["task_accuracy"] == 0.5
    assert found["pairwise_accuracy"] == pytest.approx((2 + 1) / (2 + 3))
    assert found["pairwise_accuracy_by_question"] == pytest.approx((1 + 1 / 3) / 2)


def test_answers_that_no_replay_verifies_are_in_no_pairwise_accuracy() -> None:
    """Imported questions: right or wrong by exact match, and their steps count nowhere."""
    rows = tiny_rows()
    unknown = dict.fromkeys(("is_semantic", "n_steps_passed", "pairwise_accuracy"))
    for row in rows["evaluation"]:
        if row["answer_status"] == "parsed" and not row["is_accepted"]:
            row.update(unknown | {"unverified": "no_replay"})
    found = one(
        Relations(rows),
        "from leaderboard_details where model = 'guesser' and kind = 'forward' and length is null",
    )
    # Right, unparsed, and wrong by exact match alone.
    assert [found[name] for name in ("n_questions", "n_scored", "n_verified")] == [4, 3, 2]
    assert found["task_accuracy"] == pytest.approx(1 / 3)
    assert found["pairwise_accuracy"] == pytest.approx((2 + 0) / (2 + 2))
    assert found["pairwise_accuracy_by_question"] == pytest.approx((1 + 0) / 2)


def test_equal_models_share_a_rank() -> None:
    rows = tiny_rows()
    for question in ("f1", "f2", "f3"):
        [asked] = [q for q in rows["qa"] if q["question_id"] == question]
        n_steps = asked["length"] - 1
        answer(rows, "twin", "baseline", question, parsed=asked["answer"], passed=n_steps)
    ranks = query(
        Relations(rows),
        "select model, task_accuracy_rank from leaderboard_details "
        "where kind = 'forward' and length is null",
    ).rows()
    assert ranks == [("oracle", 1), ("twin", 1), ("guesser", 3)]


def test_who_has_no_score_still_has_a_row_by_length() -> None:
    rows = tiny_rows()
    for question in ("f1", "f2"):
        answer(rows, "silent", "baseline", question)
    found = query(
        Relations(rows),
        "select metric, all_lengths, length_3 from leaderboard_by_length where model = 'silent'",
    ).rows()
    assert sorted(found) == [
        (name, None, None)
        for name in (
            *("pairwise_accuracy", "pairwise_accuracy_by_question", "pairwise_accuracy_whole"),
            "task_accuracy",
        )
    ]


def test_standard_errors_agree_with_the_textbook_written_out() -> None:
    """Clustered: squared residual sums over the share of the others; of steps as of questions."""
    rows = tiny_rows()
    # Ten copies of f1 and f4 under other names, answered at random.
    generator = random.Random(5)  # noqa: S311 - test data
    scores: list[tuple[str, int, int]] = []
    for number in range(20):
        source = ("f1", "f4", "f3")[number % 3]
        question = next(q for q in rows["qa"] if q["question_id"] == source)
        rows["qa"].append({**question, "question_id": f"copy{number}"})
        n_steps = question["length"] - 1
        passed = generator.randint(0, n_steps)
        answer(rows, "m", "baseline", f"copy{number}", parsed=question["answer"], passed=passed)
        rows["evaluation"][-1] |= {"is_exact": passed == n_steps}
        scores.append((question["demonstration"], passed, n_steps))
    found = one(Relations(rows), "from leaderboard_details where model = 'm' and length is null")

    shares = [p / n for _, p, n in scores]
    accepted = [float(p == n) for _, p, n in scores]
    for name, values in (("task_accuracy", accepted), ("pairwise_accuracy_by_question", shares)):
        mean = statistics.fmean(values)
        squared = 0.0
        for cluster in (TABLE, BOIL):
            own = [v - mean for v, (d, _, _) in zip(values, scores, strict=True) if d == cluster]
            squared += sum(own) ** 2 / (1 - len(own) / len(values))
        clustered = math.sqrt(squared) / len(values)
        assert found[name] == pytest.approx(mean)
        assert found[f"{name}_se"] == pytest.approx(
            statistics.stdev(values) / math.sqrt(len(values))
        )
        assert found[f"{name}_clustered_se"] == pytest.approx(clustered)
    pooled = sum(p for _, p, _ in scores) / sum(n for _, _, n in scores)
    residuals = sum((p - pooled * n) ** 2 for _, p, n in scores) * len(scores) / (len(scores) - 1)
    n_steps = sum(n for _, _, n in scores)
    assert found["pairwise_accuracy"] == pytest.approx(pooled)
    assert found["pairwise_accuracy_se"] == pytest.approx(math.sqrt(residuals) / n_steps)
    squared = 0.0
    for cluster in (TABLE, BOIL):
        inside = [(p - pooled * n, n) for d, p, n in scores if d == cluster]
        share = sum(n for _, n in inside) / n_steps
        squared += sum(r for r, _ in inside) ** 2 / (1 - share)
    assert found["pairwise_accuracy_clustered_se"] == pytest.approx(math.sqrt(squared) / n_steps)
    assert found["n_demonstrations"] == 2


def test_lengths_stand_side_by_side(tiny: Relations) -> None:
    found = one(
        tiny,
        "from leaderboard_by_length "
        "where model = 'guesser' and kind = 'forward' and metric = 'pairwise_accuracy'",
    )
    assert found["all_lengths"] == pytest.approx(3 / 7)
    assert (found["length_3"], found["length_4"]) == (0.5, pytest.approx(1 / 3))
    assert found["length_5"] is None


def test_the_baseline_is_not_compared_with_itself() -> None:
    """Its deltas are 0 by construction: rows of 'small' effects that nobody measured."""
    rows = tiny_rows()
    rows["probes"].append({**rows["probes"][0], "variant": "baseline", "delta": 0.0})
    made = Relations(rows)
    found = query(made, "select distinct variant from probe_deltas").get_column("variant")
    assert found.to_list() == ["aperture_80"]
    assert one(made, "select count(*) as n from probes") == {"n": 2}


def test_small_means_below_five_points() -> None:
    """The paper's threshold; what was not measured has no size."""
    rows = tiny_rows()
    [probe] = rows["probes"]
    expected = {-0.05: "worse", -0.0499: "small", 0.0: "small", 0.05: "better", None: None}
    rows["probes"] = [{**probe, "length": n, "paired_delta": d} for n, d in enumerate(expected)]
    found = query(Relations(rows), "select difference, effect from probe_deltas")
    assert dict(found.iter_rows()) == expected


def test_question_statistics_count_exactly(tiny: Relations) -> None:
    """Path totals beyond 128 bits keep every digit."""
    rows = query(
        tiny,
        "select * exclude (gating) from question_statistics where demonstration is not null "
        "order by demonstration, kind, length",
    )
    shared = {"kind": "forward", "length": 3, "n_in_probe_set": 1}
    shared |= {"random_pairwise_accuracy": 0.25, "random_pairwise_accuracy_by_question": 0.25}
    assert rows.row(0, named=True) == shared | {
        "demonstration": BOIL,
        "n_questions": 1,
        "n_trajectories": 1,
        "n_in_question_set": 1,
        "components_per_action": 1.0,
        "ambiguous_share": 0.0,
        "n_paths": str(10**40 + 2),
        "n_key_frames": 3,
        "n_edges": 2,
        "min_smallest_px": 80,
        "q1_smallest_px": 82.5,
        "median_smallest_px": 85.0,
        "q3_smallest_px": 87.5,
    }
    assert rows.row(1, named=True) == shared | {
        "demonstration": TABLE,
        "n_questions": 2,
        "n_trajectories": 2,
        "n_in_question_set": 2,
        "components_per_action": pytest.approx((1 + 1 + 1 + 2) / 4),
        "ambiguous_share": 0.5,
        "n_paths": str(2 * 10**40 + 2 + 3),
        "n_key_frames": 4,
        "n_edges": 3,
        # Steps 0 to 1 (90), 1 to 2 (80) of f1, 1 to 2 (80) and 2 to 3 (70) of f2.
        "min_smallest_px": 70,
        "q1_smallest_px": 77.5,
        "median_smallest_px": 80.0,
        "q3_smallest_px": 82.5,
    }
    assert rows.height == 4


def test_totals_over_demonstrations_and_lengths_are_not_sums_of_quartiles(
    tiny: Relations,
) -> None:
    """The total row must count each question once, and draw its quartiles from all steps."""
    found = one(
        tiny,
        "from question_statistics "
        "where demonstration is null and length is null and kind = 'forward'",
    )
    assert (found["n_questions"], found["n_in_question_set"], found["n_in_probe_set"]) == (4, 4, 2)
    assert (found["n_key_frames"], found["n_edges"]) == (7, 5)
    assert found["ambiguous_share"] == 0.25
    # Lengths 3 and 4 of one demonstration (3 and 4 end key frames), 3 of the other.
    assert int(found["n_paths"]) == 4 * 10**40 + 2 + 3 + 3 + 2
    # Smallest masks of the steps: 90 80 | 80 70 | 90 80 70 | 90 80.
    assert (found["min_smallest_px"], found["median_smallest_px"]) == (70, 80.0)
    by_length = one(
        tiny,
        "from question_statistics where demonstration is null and length = 3 and kind = 'forward'",
    )
    assert by_length["n_questions"] == 3


def test_an_object_that_turns_into_others_needs_to_be_seen_once() -> None:
    """The whole fruit has no mask after the cut: 0 px would call every cut unsolvable."""
    rows = tiny_rows()
    for row in rows["edited_objects"]:
        if row["demonstration"] == BOIL and row["key_frame_to"] == 2:
            row |= {"in_transition": True, "pixels_to": 0, "pixels": row["pixels_from"]}
    made = Relations(rows)
    found = one(made, "from edited_object_sizes where category is null")
    # f1 90 80, f2 80 70, f3 90 80 70, f4 90 90, i1 90 80 70.
    assert (found["n_steps"], found["min_px"], found["median_px"]) == (12, 70, 80.0)
    assert found["n_demonstrations"] == 2
    assert one(made, "from edited_object_sizes where category = 'cup'")["n_steps"] == 12


def test_ambiguities_are_counted_by_question(tiny: Relations) -> None:
    """Key frames 0 to 3 have an ambiguous step each but the last; f2 begins at 1."""
    found = query(
        tiny,
        "select question_id, ambiguity, n_steps, steps, objects from question_ambiguities "
        "where question_id in ('f2', 'f3')",
    ).rows()
    assert sorted(found) == [
        ("f2", "untold", 1, [1], ["cup"]),
        ("f3", "small", 1, [1], ["cup"]),
        ("f3", "untold", 2, [1, 2], ["cup"]),
    ]


def test_effects_of_rules_are_summed_up_exactly(tiny: Relations) -> None:
    """Paths outgrow 64 bits; what has no number is in no sum, and no share is of all questions
    where none was counted.
    """
    found = {row["rule"]: row for row in query(tiny, "from rule_totals").iter_rows(named=True)}
    assert set(found) == {"persistence", "similarity_of_states", "settle"}
    acts = found["persistence"]
    assert (acts["source"], acts["n_demonstrations"], acts["is_in_force"]) == ("embedded", 2, True)
    assert (acts["n_frames_decided"], acts["n_key_frames_without"]) == (14, 12)
    assert (acts["n_edges_with"], acts["n_edges_only_without"]) == (5, 6)
    assert (acts["n_paths_with"], acts["n_paths_without"]) == (str(2 * 10**40), str(6 * 10**40))
    assert (acts["n_questions"], acts["share_of_questions"]) == (4, pytest.approx(4 / 5))
    idle = found["similarity_of_states"]
    assert (idle["is_in_force"], idle["n_questions"], idle["share_of_questions"]) == (
        *(False, None),
        None,
    )
    ends = found["settle"]
    assert (ends["n_demonstrations"], ends["n_without_numbers"]) == (0, 2)
    assert (ends["n_key_frames_with"], ends["n_paths_with"]) == (None, None)


def test_action_sizes_add_up(tiny: Relations) -> None:
    rows = query(tiny, "select kind, n_components, n_actions, share from action_sizes").rows()
    assert rows == [
        ("forward", 1, 7, pytest.approx(7 / 9)),
        ("forward", 2, 2, pytest.approx(2 / 9)),
        ("inverse", 1, 2, pytest.approx(2 / 3)),
        ("inverse", 2, 1, pytest.approx(1 / 3)),
    ]


def test_gaps_are_in_frames_and_seconds() -> None:
    """Key frames 20, 80, 140, 200 and 20, 80, 140; one of them moved."""
    rows = tiny_rows()
    for row in rows["segmented_frames"]:
        if row["demonstration"] == TABLE and row["key_frame"] == 3:
            row |= {"frame": 290}
    made = Relations(rows)
    found = one(
        made,
        "from key_frame_gaps where demonstration is null and between_frames = 'neighbours'",
    )
    assert (found["n_gaps"], found["min_frames"], found["max_frames"]) == (5, 60, 150)
    assert (found["median_frames"], found["median_s"], found["max_s"]) == (60.0, 2.0, 5.0)
    steps = one(
        made,
        f"from key_frame_gaps where demonstration = '{TABLE}' and between_frames = 'steps'",
    )
    # f1 60 60, f2 60 150, f3 and i1 60 60 150.
    assert (steps["n_gaps"], steps["q3_frames"]) == (10, 127.5)


def test_of_questions_without_a_replay_nothing_is_made_up() -> None:
    """Neither gaps nor times nor numbers of changes; and their ids are those of their files."""
    rows = tiny_rows()
    for row in rows["demonstrations"]:
        if row["demonstration"] == BOIL:
            row |= {"source": "questions", "frame_rate_hz": 0.0}
    for row in rows["qa"]:
        if row["demonstration"] == BOIL:
            row |= {"question_file": "asked"}
    made = Relations(rows)
    columns = ["time_s", "n_changes", "changes", "n_facts", "n_visible_objects"]
    key_frames = query(made, "from key_frames")
    unknown = key_frames.filter(demonstration=BOIL).select(columns)
    assert unknown.unique().rows() == [(None,) * 5]
    known = key_frames.filter(demonstration=TABLE).select(columns)
    assert known.null_count().sum_horizontal().item() == 0
    gaps = query(made, "select distinct demonstration from key_frame_gaps")
    assert set(gaps["demonstration"]) == {None, TABLE}
    ids = query(made, "select question_file, question_id, official_id from question_ids "
                      "inner join qa using (demonstration, gating, question_id)")  # fmt: skip
    for file, name, official in ids.iter_rows():
        assert (official == name) == (file is not None)


def test_a_shortcut_is_measured_against_half_of_the_oracle_from_length_six_on() -> None:
    rows = tiny_rows()
    source = next(q for q in rows["qa"] if q["question_id"] == "f3")
    orders = next(q for q in rows["question_orders"] if q["question_id"] == "f3")
    lengths = {"longest": 7, "long": 6, "short": 5}
    for name, length in lengths.items():
        steps = length - 1
        order = list(range(1, length))
        long = {"question_id": name, "length": length, "answer": order}
        rows["qa"].append({**source, **long, "actions": ["x"] * steps})
        rows["qa"][-1] |= {"action_components": [["+Open(fridge)"]] * steps}
        rows["question_orders"].append({**orders, "question_id": name, "length": length})
        for model, passed in (("oracle", steps), ("text_prior", 2), ("pixel_continuity", 3)):
            answer(rows, model, "baseline", name, parsed=order, passed=passed)
    for row in rows["evaluation"]:
        if row["question_id"] in lengths:
            row |= {"is_exact": row["is_accepted"]}
    made = Relations(rows)
    found = query(
        made,
        "select model, length, share_of_oracle, random_pairwise_accuracy, is_below_half "
        "from shortcut_scores",
    )
    assert found.rows() == [
        ("pixel_continuity", 5, 0.75, 0.25, None),
        ("pixel_continuity", 6, 0.6, 0.25, False),
        ("pixel_continuity", 7, 0.5, 0.25, False),
        ("text_prior", 5, 0.5, 0.25, None),
        ("text_prior", 6, 0.4, 0.25, True),
        ("text_prior", 7, pytest.approx(1 / 3), 0.25, True),
    ]


def test_predicate_statistics_count_components_by_sign(tiny: Relations) -> None:
    rows = query(
        tiny,
        "select predicate, n_demonstrations, n_facts, n_added, n_removed, n_transitions, "
        "n_edge_components, n_question_components from predicate_statistics",
    ).rows()
    # f1, f3 and i1 contain the first two steps of setting_the_table-0, f2, f3 and i1 the last.
    assert rows == [
        ("Exists", 2, 14, 0, 0, 0, 0, 0),
        ("LeftGrasping", 1, 0, 1, 0, 0, 1, 1),
        ("OnTop", 1, 0, 1, 0, 0, 1, 3),
        ("Open", 1, 0, 1, 0, 0, 1, 3),
        ("RightGrasping", 1, 0, 1, 1, 0, 2, 7),
        ("ToggledOn", 1, 0, 1, 0, 0, 1, 1),
    ]


def test_answers_bring_question_reference_and_reply_together(tiny: Relations) -> None:
    found = one(tiny, "from answers where model = 'guesser' and question_id = 'f3'")
    assert found["prompt"] == "Put the pictures of f3 in order."
    assert (found["reference"], found["answer"]) == ([2, 3, 1], [2, 1, 3])
    assert (found["raw_answer"], found["status"]) == ("[2, 1, 3]", "parsed")
    assert (found["is_accepted"], found["n_steps_passed"]) == (False, 1)
    lost = one(
        tiny,
        "from answers where model = 'guesser' and variant = 'baseline' and question_id = 'f4'",
    )
    assert (lost["status"], lost["reason"], lost["error"]) == (
        "missing",
        "no_answer",
        "the service was down",
    )
    assert lost["pairwise_accuracy"] is None


def test_one_question_id_under_two_gatings_is_not_counted_twice() -> None:
    """Ids come from content: a join on the id alone would double such answers."""
    rows = tiny_rows()
    for name in ("qa", "transition_graph", "question_set"):
        rows[name] += [{**row, "gating": "contact"} for row in rows[name]]
    made = Relations(rows)
    n_rows = "select (select count(*) from answers), (select count(*) from evaluation)"
    assert query(made, n_rows).row(0) == (12, 12)


def test_key_frames_name_the_picture_of_each_variant(tiny: Relations) -> None:
    rows = query(
        tiny,
        "select variant, time_s, n_changes, n_facts, n_visible_objects, "
        "image_path from key_frames "
        "where demonstration = 'setting_the_table-0' and key_frame = 3 order by variant",
    ).rows()
    shas = [image_sha(TABLE, variant, 3) for variant in ("aperture_80", "baseline")]
    assert rows == [
        (variant, pytest.approx(200 / 30), 2, 2, 1, f"images/{sha[:2]}/{sha}.png")
        for variant, sha in zip(("aperture_80", "baseline"), shas, strict=True)
    ]


def test_a_key_frame_without_a_picture_still_has_a_row() -> None:
    rows = tiny_rows()
    rows["frame_images"] = [r for r in rows["frame_images"] if r["demonstration"] != BOIL]
    made = Relations(rows)
    found = query(
        made,
        "select key_frame, variant, image_path from key_frames "
        "where demonstration = 'boil_water-1'",
    )
    assert sorted(found.rows()) == [(0, None, None), (1, None, None), (2, None, None)]
