"""What a walk prints at its end."""

import io
from functools import partial

from rich.console import Console

from enact_assets.driver.terminal import (
    COMPILING,
    TerminalObserver,
    print_leaderboard,
    print_report,
)
from enact_assets.driver.walk import Failure, Report, Step
from enact_assets.runs.progress import Progress

BOARD_COUNTS = (
    *("n_questions", "n_scored", "n_verified", "n_unparsed", "n_refused", "n_declined", "n_cut"),
    *("n_missing", "n_read_otherwise"),
)


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
    assert "Failed: frame_images tidy_1|baseline, tidy_1|recorded (run run_1)" in printed
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


def test_a_narrow_terminal_shows_the_time_left(monkeypatch) -> None:
    """At 80 columns the end of the line was cut off, and the time left stood there."""
    monkeypatch.setattr("enact_assets.driver.terminal.STEP_WIDTH", len("question_set_config"))
    now = iter(range(0, 1000, 3))
    monkeypatch.setattr("time.monotonic", lambda: float(next(now)))
    monkeypatch.setattr("sys.stdout", out := io.StringIO())
    console = Console(file=out, width=80, force_terminal=True)
    observer = TerminalObserver(console)
    asked = step("predictions", "python:my_model:InOrder|baseline")
    observer.stage_starts("predictions", 1)
    observer.step_starts(asked)
    assert "never" not in out.getvalue()
    for n in (1000, 1100):
        observer.progress(asked, Progress("asking InOrder baseline", n, 2304, "answers"))
    last = out.getvalue().rpartition("\r")[2]
    assert len(last) == 79
    assert "0/1 partition, about " in last
    assert " left  1,100/2,304 answers  pyth" in last


def test_the_first_step_says_that_kernels_are_compiled(monkeypatch) -> None:
    for is_there, n_said in ((True, 0), (False, 1)):
        monkeypatch.setattr("enact_assets.driver.terminal.has_kernels", partial(bool, is_there))
        observer = TerminalObserver(Console(file=(out := io.StringIO()), width=200))
        for name in ("key_frames", "question_set_config"):
            observer.stage_starts(name, 1)
            observer.step_ends(step(name, "tidy_1"), None)
        assert out.getvalue().count(COMPILING) == n_said
        lines = [line for line in out.getvalue().splitlines() if line != COMPILING]
        assert len({line.index("1 partition") for line in lines}) == 1, "one column"


def test_a_stage_of_shards_says_so() -> None:
    """ "2 partitions" beside "5 partitions made" looked like a mistake."""
    observer = TerminalObserver(Console(file=(out := io.StringIO()), width=200))
    observer.stage_starts("replays", 2, "shard")
    for shard in ("shard_000/2", "shard_001/2"):
        observer.step_ends(step("replays", shard), None)
    assert "  2 shards  " in out.getvalue()
