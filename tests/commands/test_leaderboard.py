"""What the result table says of models."""

import io

from rich.console import Console

from enact_assets.commands.leaderboard import print_leaderboard

BOARD_COUNTS = (
    *("n_questions", "n_scored", "n_verified", "n_unparsed", "n_refused", "n_declined", "n_cut"),
    *("n_missing", "n_read_otherwise"),
)


def test_a_leaderboard_marks_references_that_were_trained() -> None:
    """Read as a model's, 73 % would be compared with models that never saw this simulator."""
    row = dict.fromkeys(BOARD_COUNTS, 0) | {"variant": "baseline", "kind": "forward"}
    row |= {"state": "current", "task_accuracy": 0.5, "task_accuracy_sd": None, "repetitions": 1}
    row |= {"pairwise_accuracy": 0.5, "pairwise_accuracy_sd": None}

    def printed(*models: str) -> str:
        out = io.StringIO()
        print_leaderboard(Console(file=out, width=200), [{**row, "model": m} for m in models])
        return out.getvalue()

    board = printed("fact_reader", "learned_progress", "oracle")
    assert "fact_reader* " in board
    assert "oracle " in board
    assert (
        board.count("* reference trained on this simulator, other seeds: scored, not ranked") == 1
    )
    assert "*" not in printed("oracle")


def test_a_leaderboard_marks_a_part_of_the_answers_with_how_many() -> None:
    """Researcher F4; a stale one lost the mark."""
    row = dict.fromkeys(BOARD_COUNTS, 0) | {"variant": "baseline", "kind": "forward", "model": "m"}
    row |= {"task_accuracy": 0.5, "task_accuracy_sd": None, "pairwise_accuracy": 0.5}
    row |= {"pairwise_accuracy_sd": None, "repetitions": 1, "n_questions": 1152}

    def printed(state: str, n_scored: int) -> str:
        out = io.StringIO()
        found = row | {"state": state, "n_scored": n_scored, "n_missing": 1152 - n_scored}
        print_leaderboard(Console(file=out, width=200), [found])
        return out.getvalue()

    assert " m (partial: 1,139 of 1,152) " in printed("current", 1139)
    assert " m (stale) (partial: 1,139 of 1,152) " in printed("stale", 1139)
    assert "partial" not in printed("current", 1152)
    assert " m (missing) " in printed("missing", 0)


def test_a_leaderboard_says_where_the_two_readings_differ() -> None:
    """public K5: the paper's numbers come from the release's reading."""
    row = dict.fromkeys(BOARD_COUNTS, 0) | {"variant": "baseline", "kind": "forward", "model": "m"}
    row |= {"state": "current", "task_accuracy": 0.5, "task_accuracy_sd": None, "repetitions": 1}
    row |= {"pairwise_accuracy": 0.75, "pairwise_accuracy_sd": None, "n_declined": 2}
    row |= {"n_answers": 1200, "task_accuracy_as_release": 0.25}
    row |= {"pairwise_accuracy_as_release": 0.3}

    def printed(**values: object) -> str:
        out = io.StringIO()
        print_leaderboard(Console(file=out, width=200), [row | values])
        return " ".join(out.getvalue().split())

    board = printed(n_read_otherwise=3)
    assert (
        "m, forward: 3 of 1,200 answers differ between the two readings. Strict: 50.0 % task and "
        "75.0 % pairwise; as the release reads: 25.0 % task and 30.0 % pairwise."
    ) in board
    assert "declined" in board
    assert "readings" not in printed()
    assert "declined" not in printed(n_declined=0)
