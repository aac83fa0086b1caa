"""Accuracy beside the size of models: who is similar, and which models of ours are found."""

from typing import Any

from sql.tiny_lake import Relations, ask_official, query, tiny_rows

SUBJECT = "Cosmos-Reason1"


def rows_of(**where: Any) -> list[dict[str, Any]]:
    """Rows of a lake with two models of the paper, and two that are called nearly as one."""
    rows = ask_official(
        ("Cosmos-Reason1-7B", "gemma-3-4b-it", "cosmos_reason1", "Cosmos-Reason1-7B-tuned")
    )
    found = query(Relations(rows), "select * from accuracy_by_size").to_dicts()
    return [row for row in found if where.items() <= row.items()]


def test_similar_models_are_those_of_the_slow_twin() -> None:
    sizes = {
        row["published_model"]: row["n_parameters_million"]
        for row in tiny_rows()["published_model_sizes"]
    }
    similar = {name for name, n in sizes.items() if 0.8 <= n / sizes[SUBJECT] <= 1.25}
    found = rows_of(source="published", kind="forward", metric="pairwise_accuracy", length=10)
    assert {row["model"] for row in found if row["is_similar"]} == similar
    assert {row["model"] for row in found} == set(sizes)
    # Cosmos-Reason1 is one of eight.
    assert len(similar) == 8


def test_models_of_ours_have_a_size_by_their_listed_names() -> None:
    found = rows_of(source="ours", kind="inverse", metric="pairwise_accuracy", length=4)
    matched = {(r["model"], r["published_model"], r["is_similar"]) for r in found}
    assert matched == {
        ("Cosmos-Reason1-7B", SUBJECT, True),
        ("gemma-3-4b-it", "Gemma-3-4b-it", False),
    }
    assert {(row["accuracy"], row["variant"]) for row in found} == {(1.0, "official")}


def test_rows_are_those_of_accuracy_by_length() -> None:
    """The size changes no number, and each row is there once."""
    rows = tiny_rows()
    made = Relations(rows)
    columns = "model, kind, length, metric, accuracy, n_questions"
    sizes = "(select published_model from published_model_sizes)"
    of_baseline = "from accuracy_by_length where variant = 'baseline' and source = 'published'"
    theirs = f"select {columns} {of_baseline} and model in "
    expected = query(made, f"{theirs}{sizes} order by all").rows()
    assert query(made, f"select {columns} from accuracy_by_size order by all").rows() == expected  # noqa: S608 - ours
    assert len(expected) == 23 * 2 * 2 * 9
