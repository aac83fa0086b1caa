"""What a walk prints at its end."""

import io

from rich.console import Console

from enact_assets.driver.terminal import TerminalObserver, print_leaderboard, print_report
from enact_assets.driver.walk import Failure, Report, Step


def step(name: str, partition: str) -> Step:
    return Step(name, (name,), partition, "never materialized")


def test_the_same_error_of_several_partitions_is_printed_once() -> None:
    """A video fails under each variant that shows it."""
    out = io.StringIO()
    report = Report(failures=[
        Failure(step("frame_images", "tidy_1|baseline"), "video.mp4: is cut off", "run_1"),
        Failure(step("frame_images", "tidy_1|recorded"), "video.mp4: is cut off", "run_2"),
        Failure(step("replays", "tidy_2"), "scene_graph_0.json: is empty", "run_3"),
    ], blocked=[step("evaluation", "oracle|recorded")])  # fmt: skip
    print_report(Console(file=out, width=200), report)
    printed = out.getvalue()
    assert printed.count("is cut off") == 1
    assert "Failed: frame_images tidy_1|baseline and 1 more" in printed
    assert "3 failed, 1 skipped because an input failed, in " in printed
    assert "kept" not in printed
    assert "Failed: replays tidy_2 (run run_3)" in printed


def test_reading_the_lake_again_prints_no_line_that_stays_the_last(monkeypatch) -> None:
    """In a log the second reading, after minutes of work, left `reading the lake 1 %`."""
    clock = iter([0.0, 0.0, 100.0, 100.0, 100.1, 100.1])
    monkeypatch.setattr("time.monotonic", lambda: next(clock, 100.2))
    out = io.StringIO()
    observer = TerminalObserver(Console(file=out, width=200))
    for _ in range(2):
        for share in (0.01, 1.0):
            observer.reading(share)
    assert out.getvalue() == ""


def test_a_leaderboard_marks_references_that_were_trained() -> None:
    """Read as a model's, 73 % would be compared with models that never saw this simulator."""
    counts = ("n_questions", "n_scored", "n_verified", "n_unparsed", "n_refused", "n_cut")
    row = dict.fromkeys((*counts, "n_missing"), 0) | {"variant": "baseline", "kind": "forward"}
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
