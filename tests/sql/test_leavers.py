"""Names that left, and rows that are old: not published, or marked, and no check is fooled."""

from pathlib import Path

import polars as pl
import pytest
from sql.tiny_lake import (
    BOIL,
    TABLE,
    Rows,
    answer,
    contents,
    few_sql,
    lean_sql,
    part_of_sql,
    publish_few,
    publish_lean,
    publish_on,
    tiny_rows,
    write_lake,
)

from enact_assets.answers.people.annotator_names import with_pooled
from enact_assets.commands.coverage import coverage
from enact_assets.engine.errors import TableContractError, UnknownNameError, WarehouseError
from enact_assets.engine.lake import parquet_files
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.lake.parquet_files import MAX_HELD
from enact_assets.engine.publishing.publishable import Names
from enact_assets.engine.publishing.relations import StalePartitions
from enact_assets.engine.publishing.warehouse import PublishReport, publish
from enact_assets.engine.tables import TABLES
from enact_assets.results.published import published_names, query

ALL: dict[str, set[str]] = {
    "demonstration": {TABLE, BOIL},
    "gating": {"state"},
    "variant": {"baseline", "aperture_80"},
    "model": {"oracle", "guesser"},
}


GONE = {"demonstration": BOIL, "variant": "aperture_80", "model": "guesser"}


def without(dimension: str, *gone: str) -> Names:
    return {**ALL, dimension: ALL[dimension] - set(gone)}


def held(published: dict[str, pl.DataFrame], column: str) -> dict[str, set[str]]:
    """Relation -> values of ``column``, for every published relation that has it."""
    found: dict[str, set[str]] = {}
    for relation, rows in published.items():
        if column in rows.columns:
            # What the paper published stays, also of a variant that is ours no more.
            is_ours = pl.col("source") != "published" if "source" in rows.columns else True
            found[relation] = set(rows.filter(is_ours).get_column(column))
    return found


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> PublishReport:
    """Published before anyone left."""
    folder = tmp_path_factory.mktemp("everything")
    return publish_on(write_lake(folder / "lake", tiny_rows()), folder / "enact.duckdb")


@pytest.mark.parametrize(
    ("left", "max_held"),
    [
        # Rows of each of them are told apart by that name alone, so all may leave at once.
        (("demonstration", "variant", "model"), MAX_HELD),
        pytest.param(("demonstration",), MAX_HELD, marks=pytest.mark.slow),
        pytest.param(("demonstration",), 0, marks=pytest.mark.slow),
        pytest.param(("variant",), MAX_HELD, marks=pytest.mark.slow),
        pytest.param(("model",), MAX_HELD, marks=pytest.mark.slow),
    ],
)
def test_a_name_that_left_is_in_no_relation(
    tmp_path: Path,
    everything: PublishReport,
    monkeypatch: pytest.MonkeyPatch,
    left: tuple[str, ...],
    max_held: int,
) -> None:
    """Its last rows would stay on the leaderboard for ever; its files are nobody's to delete.

    Whether files say which names they hold, or hold too many of them to say so.
    """
    monkeypatch.setattr(parquet_files, "MAX_HELD", max_held)
    names = {d: ALL[d] - {GONE[d]} if d in left else ALL[d] for d in ALL}
    lake = write_lake(tmp_path / "lake", tiny_rows())
    target = tmp_path / "enact.duckdb"
    report = publish(lake, target, names=names)
    assert all(check.is_passed for check in report.checks)
    assert report.content_sha != everything.content_sha
    before, after = contents(everything.path), contents(target)
    for dimension in left:
        gone, had = GONE[dimension], held(before, dimension)
        for relation, values in held(after, dimension).items():
            assert gone not in values, relation
            # There the baseline stands beside a variant only.
            is_pair = relation == "probe_scores" and dimension == "variant"
            assert len(left) > 1 or is_pair or values == had[relation] - {gone}, relation
        assert any(gone in values for values in had.values())
        assert any(gone in p.values() for name in TABLES for p in lake.partitions(name))


@pytest.mark.slow
def test_the_rows_of_those_who_stay_are_all_there(lake: Lake, target: Path) -> None:
    publish_lean(lake, target, names=without("demonstration", BOIL))
    for name in (n for n, t in TABLES.items() if t.is_published):
        expected = lake.read_all(name)
        if "demonstration" in expected.columns:
            expected = expected.filter(pl.col("demonstration") != BOIL)
        if name == "predictions":  # f4 is the question about the demonstration that left
            expected = expected.filter(pl.col("question_id") != "f4")
        found = query(target, f"from {name}")
        assert found.equals(expected, null_equal=True), name  # also in the same order
    wanted = "select n_questions from leaderboard_details where length is null order by all"
    scored = query(target, wanted)
    assert scored.get_column("n_questions").to_list() == [1, 1, 3, 3]


@pytest.mark.slow
def test_all_names_current_or_none_given_is_the_same_warehouse(lake: Lake, target: Path) -> None:
    """Dagster compares the hash: a new, empty partition changes nothing."""
    more = {dimension: {*names, "new"} for dimension, names in ALL.items()}
    reports: list[PublishReport] = [
        publish_few(lake, target),
        publish_few(lake, target, names=more),
        publish_few(lake, target, names={"model": ["guesser", "oracle"]}),
    ]
    assert len({report.content_sha for report in reports}) == 1
    assert [report.rows for report in reports] == [reports[0].rows] * 3


def test_a_dimension_that_no_table_has_is_refused(lake: Lake, target: Path) -> None:
    """A misspelt one would publish leavers without a word."""
    with pytest.raises(UnknownNameError, match=r"unknown dimension 'variants'.*variant"):
        publish_few(lake, target, names={"variants": {"baseline"}})


@pytest.mark.slow
def test_a_real_offence_is_found_beside_a_leaver(tmp_path: Path, target: Path) -> None:
    """Excusing what leavers left behind must not excuse the same fault in those who stay."""
    rows = tiny_rows()
    rows["qa"] = [q for q in rows["qa"] if q["question_id"] != "f2"]
    with pytest.raises(WarehouseError) as caught:
        publish_lean(
            write_lake(tmp_path / "lake", rows), target, names=without("demonstration", BOIL)
        )
    message = str(caught.value)
    # question_set and asked_questions; two predictions; two evaluations. None about f4.
    assert "check question_set_questions_exist: 2 offending rows" in message
    assert "check predicted_questions_exist: 2 offending rows" in message
    assert "check evaluated_answers_were_predicted: 2 offending rows" in message
    assert "f2" in message
    assert "f4" not in message


@pytest.mark.parametrize(
    "kept",
    [
        "qa",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("question_set", "asked_questions", "evaluation")
        ),
    ],
)
def test_predictions_of_a_leaver_are_known_as_long_as_one_table_knows_the_question(
    tmp_path: Path, target: Path, kept: str
) -> None:
    """A walk stopped half way may have made any of these again, and not the predictions."""
    rows = tiny_rows()
    for name in {"qa", "question_set", "asked_questions", "evaluation"} - {kept}:
        rows[name] = [r for r in rows[name] if r["demonstration"] != BOIL]
    rows["probes"] = []
    lake = write_lake(tmp_path / "lake", rows)
    publish_few(lake, target, names=without("demonstration", BOIL))
    found = query(target, "select distinct question_id from predictions order by all")
    assert found.get_column("question_id").to_list() == ["f1", "f2", "f3", "i1"]


def stale_rows(*partitions: tuple[str, str]) -> pl.DataFrame:
    return StalePartitions.build(
        [{"asset": a, "partition": p, "state": "stale", "why": "questions"} for a, p in partitions]
    )


ANSWERS = ("predictions", "evaluation", "compared_steps", "compared_components")
CHECKED_BY = {
    "predictions": "check predicted_questions_exist",
    "evaluation": "check evaluated_answers_were_predicted",
}


def without_questions(*ids: str) -> Rows:
    """Questions were written again, and these do not exist any more; their answers are there."""
    rows = tiny_rows()
    for name in ("qa", "question_set", "asked_questions", "question_orders"):
        rows[name] = [r for r in rows[name] if r["question_id"] not in ids]
    return rows


def test_a_model_that_could_not_be_asked_again_stops_nobody_faults_n9(
    tmp_path: Path, target: Path
) -> None:
    """Its rows about questions that vanished are left out; all else is published, of it, too."""
    rows = without_questions("f2")
    for name in ANSWERS:
        rows[name] = [r for r in rows[name] if r["model"] == "guesser" or r["question_id"] != "f2"]
    lake = write_lake(tmp_path / "lake", rows)
    stale = stale_rows(*((name, "guesser|baseline") for name in ANSWERS))
    current = publish_on(lake, target, lean_sql(), stale=stale)
    assert all(check.is_passed for check in current.checks)
    for name in ANSWERS:
        kept = lake.read_all(name).filter(pl.col("question_id") != "f2")
        assert query(target, f"from {name}").equals(kept, null_equal=True), name  # in this order
    board = query(target, "from leaderboard_details where variant = 'baseline' and length is null")
    said = board.filter(kind="forward").select("model", "state", "n_questions").sort("model")
    assert said.rows() == [("guesser", "stale", 3), ("oracle", "current", 3)]


def test_a_model_all_whose_questions_vanished_is_missing_not_gone_faults_n9(
    tmp_path: Path, target: Path
) -> None:
    """Not a row less than there are models: it was not asked what the others were."""
    rows = tiny_rows()
    for name in ANSWERS:
        rows[name] += [
            {**r, "model": "seer", "question_id": f"old-{r['question_id']}"}
            for r in rows[name]
            if (r["model"], r["variant"]) == ("guesser", "baseline")
        ]
    lake = write_lake(tmp_path / "lake", rows)
    stale = stale_rows(*((name, "seer|baseline") for name in ANSWERS))
    publish_on(lake, target, stale=stale)
    board = query(target, "from leaderboard_details where model = 'seer' and length is null")
    shown = ("kind", "state", "n_questions", "n_missing", "task_accuracy")
    assert board.select(shown).sort("kind").rows() == [
        ("forward", "missing", 4, 4, None),
        ("inverse", "missing", 1, 1, None),
    ]
    lengths = query(target, "from accuracy_by_length where model = 'seer' and length is null")
    assert set(lengths["accuracy"]) == {None}
    assert "seer lacks 5 of 5" in coverage(target, "baseline")


@pytest.mark.slow
@pytest.mark.parametrize("asset", ["predictions", "evaluation"])
def test_vanished_questions_of_a_partition_that_is_not_stale_stay_an_offence(
    tmp_path: Path, target: Path, asset: str
) -> None:
    """What is made of the present questions cannot be about others."""
    rows = without_questions("f2")
    lake = write_lake(tmp_path / "lake", rows)
    fresh = stale_rows(*((n, f"{m}|baseline") for n in ANSWERS if n != asset for m in ALL["model"]))
    with pytest.raises(WarehouseError, match=CHECKED_BY[asset]):
        publish_lean(lake, target, stale=fresh)


def test_a_prediction_for_a_question_nobody_knows_stays_an_offence(
    tmp_path: Path, target: Path
) -> None:
    rows = tiny_rows()
    for name in ("qa", "question_set", "asked_questions", "evaluation"):
        rows[name] = [r for r in rows[name] if r["question_id"] != "f4"]
    lake = write_lake(tmp_path / "lake", rows)
    sql = part_of_sql("predicted_questions_exist")
    with pytest.raises(WarehouseError, match="predicted_questions_exist: 3 offending rows"):
        publish(lake, target, sql, names=without("demonstration", BOIL))


@pytest.mark.slow
def test_a_question_set_of_leavers_alone_counts_as_empty(tmp_path: Path, target: Path) -> None:
    """Drawn before the others came: its rows must not pass for questions to be asked."""
    rows = tiny_rows()
    for name in ("question_set", "asked_questions", "evaluation"):
        rows[name] = [r for r in rows[name] if r["demonstration"] == BOIL]
    rows["predictions"] = [r for r in rows["predictions"] if r["question_id"] == "f4"]
    lake = write_lake(tmp_path / "lake", rows)
    publish_lean(lake, target)
    before = target.read_bytes()
    with pytest.raises(WarehouseError, match="question_set_is_not_empty: 1 offending rows"):
        publish_lean(lake, target, names=without("demonstration", BOIL))
    assert target.read_bytes() == before


@pytest.mark.slow
def test_a_gating_that_left_takes_its_questions_along(tmp_path: Path, target: Path) -> None:
    """A variant that changed its gating keeps old rows until it is made again."""
    rows = tiny_rows()
    for name in ("segmented_frames", "qa", "transition_graph", "question_set"):
        rows[name] += [
            {**row, "gating": "contact"}
            | ({"question_set": "contact"} if "question_set" in row else {})
            | ({"question_id": f"c-{row['question_id']}"} if "question_id" in row else {})
            for row in rows[name]
        ]
    for name in ("asked_questions", "frame_images"):
        rows[name] += [
            {**row, "gating": "contact", "variant": "probe"}
            | ({"question_id": f"c-{row['question_id']}"} if "question_id" in row else {})
            for row in rows[name]
            if row["variant"] == "baseline"
        ]
    answer(rows, "guesser", "probe", "c-f1", parsed=[2, 1], passed=2)
    assert rows["evaluation"][-1]["gating"] == "contact"
    lake = write_lake(tmp_path / "lake", rows)
    names = {**ALL, "variant": {*ALL["variant"], "probe"}}
    with_gating = publish_lean(lake, target, names={**names, "gating": {"state", "contact"}})
    assert with_gating.rows["predictions"] == 13
    assert publish_lean(lake, target, names=names).rows["predictions"] == 12
    assert {g for values in held(contents(target), "gating").values() for g in values} == {"state"}
    assert published_names(target) == ALL


@pytest.mark.slow
def test_a_question_that_someone_who_stays_shares_is_kept(tmp_path: Path, target: Path) -> None:
    """Ids may come from elsewhere: one that both gatings have does not leave with one of them."""
    rows = tiny_rows()
    for name in ("segmented_frames", "qa", "transition_graph", "question_set"):
        other = {"gating": "contact"} | ({"question_set": "contact"} if "set" in name else {})
        rows[name] += [{**row, **other} for row in rows[name]]
    lake = write_lake(tmp_path / "lake", rows)
    assert publish_few(lake, target, names=ALL).rows["predictions"] == 12


@pytest.mark.slow
def test_rows_left_out_of_a_file_change_the_content_hash(tmp_path: Path, target: Path) -> None:
    """The files that go in are the same, what is published of them is not."""
    rows = tiny_rows()
    lake = write_lake(tmp_path / "lake", {"frame_images": rows["frame_images"]})
    everything = publish_few(lake, target)
    report = publish_few(lake, target, names={"gating": {"contact"}})
    assert (everything.rows["frame_images"], report.rows["frame_images"]) == (14, 0)
    assert report.content_sha != everything.content_sha


def test_damage_to_what_is_not_published_stops_nobody(lake: Lake, target: Path) -> None:
    """Nothing would ever write a leaver's file again."""
    for name in ("qa", "facts"):
        [path] = [lake.path(name, p) for p in lake.partitions(name) if BOIL in p.values()]
        path.write_bytes(path.read_bytes()[:-50])
    assert publish_few(lake, target, names=without("demonstration", BOIL)).rows["qa"] == 4


@pytest.mark.slow
def test_names_with_quotes_in_rows_are_data(tmp_path: Path, target: Path) -> None:
    """They stand in rows of roll-ups, which nobody keeps from holding any text."""
    rows = tiny_rows()
    name = "it's-0'); drop table qa; --"
    rows["evaluation"].append({**rows["evaluation"][0], "demonstration": name, "question_id": "q"})
    lake = write_lake(tmp_path / "lake", rows)
    assert publish_few(lake, target, names=ALL).rows["evaluation"] == 12


@pytest.mark.slow
def test_published_names_are_those_in_the_file(lake: Lake, target: Path) -> None:
    """Compared with the current names, they tell that one left since."""
    assert published_names(target) == {}
    publish_few(lake, target)
    assert published_names(target) == ALL
    names = without("model", "guesser")
    publish_few(lake, target, names=names)
    assert published_names(target) == names
    publish_few(Lake(target.parent / "nothing"), target)
    assert published_names(target) == {dimension: set() for dimension in ALL}
    target.write_bytes(b"not a database" * 1000)
    assert published_names(target) == {}


STALE = pl.DataFrame(
    {
        "asset": ["replays", "qa", "question_config"],
        "partition": ["setting_the_table-0", "setting_the_table-0|state", None],
        "state": ["stale", "missing", "stale"],
        "why": ["the code changed", "made from replays setting_the_table-0", "it's 'old'"],
    }
)


@pytest.mark.slow
def test_stale_partitions_are_listed_as_given(lake: Lake, target: Path) -> None:
    """Causes first: sorted by name, the first row would no longer be the reason for the others."""
    current = publish_on(lake, target, few_sql())
    assert query(target, "from stale_partitions").equals(StalePartitions.empty())
    marked = publish_few(lake, target, stale=STALE)
    assert query(target, "from stale_partitions").equals(STALE)
    assert (current.rows["stale_partitions"], marked.rows["stale_partitions"]) == (0, 3)
    assert current.content_sha != marked.content_sha
    again = publish_few(lake, target, stale=StalePartitions.empty())
    assert again.content_sha == current.content_sha


@pytest.mark.parametrize(
    "stale",
    [STALE.drop("why"), STALE.with_columns(asset=None), pl.concat([STALE, STALE])],
    ids=["no column", "no asset", "twice"],
)
def test_a_stale_list_that_breaks_its_contract_is_refused(
    lake: Lake, target: Path, stale: pl.DataFrame
) -> None:
    with pytest.raises(TableContractError, match="stale_partitions"):
        publish_few(lake, target, stale=stale)
    assert not target.exists()


def test_rows_about_several_annotators_are_published(tmp_path: Path, target: Path) -> None:
    """`people (2)` is no model of the graph, and was left out of model_accuracies."""
    rows = tiny_rows()
    of_oracle = [row for row in rows["model_accuracies"] if row["model"] == "oracle"]
    named = ("people (2)", "people (3)", "solvers (1)")
    rows["model_accuracies"] += [row | {"model": name} for row in of_oracle for name in named]
    models = with_pooled({*ALL["model"], "person_1", "person_7", "solver_4"})
    publish(write_lake(tmp_path / "lake", rows), target, lean_sql(), names={**ALL, "model": models})
    found = set(query(target, "select distinct model from model_accuracies")["model"])
    assert found - ALL["model"] == {"people (2)", "solvers (1)"}
