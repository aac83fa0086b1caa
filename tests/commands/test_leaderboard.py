"""What the result table says of models."""

import io
from typing import Any

from rich.console import Console

from enact_assets.commands.leaderboard import print_leaderboard

ROW: dict[str, Any] = {
    **dict.fromkeys(("n_questions", "n_scored", "n_verified", "n_unparsed", "n_refused"), 0),
    **dict.fromkeys(("n_declined", "n_cut", "n_missing", "n_read_otherwise", "n_short"), 0),
    "n_in_variant": None,
    "variant": "baseline",
    "kind": "forward",
    "model": "m",
    "state": "current",
    "task_accuracy": 0.5,
    "task_accuracy_sd": None,
    "repetitions": 1,
    "pairwise_accuracy": 0.5,
    "pairwise_accuracy_sd": None,
}


def printed(*rows: dict[str, Any], width: int = 200) -> str:
    out = io.StringIO()
    print_leaderboard(Console(file=out, width=width), [ROW | row for row in rows])
    return out.getvalue()


def test_a_leaderboard_marks_references_that_were_trained() -> None:
    """Read as a model's, 73 % would be compared with models that never saw this simulator."""
    board = printed(*({"model": m} for m in ("fact_reader", "learned_progress", "oracle")))
    assert "fact_reader* " in board
    assert "oracle " in board
    assert (
        board.count("* reference trained on this simulator, other seeds: scored, not ranked") == 1
    )
    assert "*" not in printed({"model": "oracle"})


def test_a_leaderboard_marks_a_part_of_the_answers_with_how_many() -> None:
    """Researcher F4; a stale one lost the mark."""
    for state, n_scored, mark in (
        ("current", 1139, " (partial: 1,139 of 1,152) "),
        ("stale", 1139, " (stale) (partial: 1,139 of 1,152) "),
        ("current", 1152, " "),
        ("missing", 0, " (missing) "),
    ):
        counts = {"n_questions": 1152, "n_scored": n_scored, "n_missing": 1152 - n_scored}
        board = printed({"state": state, **counts})
        assert f" m{mark}" in board
        assert ("partial" in board) == ("partial" in mark)


def test_a_leaderboard_marks_a_declared_part_of_the_questions() -> None:
    counts = {"n_questions": 200, "n_scored": 200}
    assert " m (asked 200 of 1,152) " in printed({**counts, "n_in_variant": 1152})
    assert " m " in printed({**counts, "n_in_variant": 200})
    assert " people (3) " in printed({**counts, "model": "people (3)"})


def test_numbers_of_a_leaderboard_stay_whole_beside_long_marks() -> None:
    """Of 100.0 % and 10.0 % a narrow one showed `10…` both."""
    counts = {"n_questions": 1200, "n_scored": 1100, "n_missing": 100, "n_in_variant": 2304}
    row = {**counts, "model": "gemini-2.5-pro", "task_accuracy": 1.0}
    board = printed({**row, "state": "stale"}, width=90)
    assert "…" not in board
    assert "100.0 %" in board
    assert "2,304" in board


def test_a_leaderboard_says_where_the_two_readings_differ() -> None:
    """public K5: the paper's numbers come from the release's reading."""
    row = {"n_answers": 1200, "pairwise_accuracy": 0.75, "n_declined": 2}
    row |= {"task_accuracy_as_release": 0.25, "pairwise_accuracy_as_release": 0.3}
    board = " ".join(printed({**row, "n_read_otherwise": 3}).split())
    assert (
        "m, forward: 3 of 1,200 answers differ between the two readings. Strict: 50.0 % task and "
        "75.0 % pairwise; as the release reads: 25.0 % task and 30.0 % pairwise."
    ) in board
    assert "declined" in board
    assert "readings" not in printed(row)
    assert "declined" not in printed({**row, "n_declined": 0})


def test_what_short_lists_earn_stands_below_the_board() -> None:
    """A guess that leaves one label out earns several times as much by the paper's rule."""
    row = {"n_short": 4, "n_answers": 9, "pairwise_accuracy": 0.425}
    board = printed({"model": "m", **row, "pairwise_accuracy_whole": 0.118})
    assert "m, forward: 4 of 9 answers leave labels out." in board
    assert "Pairwise accuracy 42.5 %; if only whole orders had right steps, 11.8 %." in board
    assert "leave labels out" not in printed({"model": "m"})
