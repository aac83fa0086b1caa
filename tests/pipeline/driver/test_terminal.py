"""What a walk prints: what it came to at its end, and the time left.

The estimate counts what is worked on, and nothing that was found ready made."""

import io
from functools import partial

import pytest
from rich.console import Console

from enact_assets.engine.grids import Partition
from enact_assets.engine.progress import Progress
from enact_assets.pipeline.driver.terminal import COMPILING, Pace, TerminalObserver, print_report
from enact_assets.pipeline.driver.walk import Failure, Report
from enact_assets.pipeline.runs.run import Run


def run(name: str, *keys: str) -> Run:
    partitions = tuple(Partition.of_key(key) for key in keys)
    return Run(name, partitions, ("never materialized",) * len(keys))


def test_the_same_error_of_several_partitions_is_printed_once() -> None:
    """A video fails under each variant that shows it."""
    out = io.StringIO()
    report = Report(failures=[
        Failure(run("frame_images", "tidy_1|baseline"), "video.mp4: is cut off", "run_1"),
        Failure(run("frame_images", "tidy_1|recorded"), "video.mp4: is cut off", "run_2"),
        Failure(run("replays", "tidy_2"), "scene_graph_0.json: is empty", "run_3"),
    ], blocked=[run("evaluation", "oracle|recorded")])  # fmt: skip
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


def test_a_narrow_terminal_shows_the_time_left(monkeypatch) -> None:
    """At 80 columns the end of the line was cut off, and the time left stood there."""
    monkeypatch.setattr(
        "enact_assets.pipeline.driver.terminal.STEP_WIDTH", len("question_set_config")
    )
    now = iter(range(0, 1000, 3))
    monkeypatch.setattr("time.monotonic", lambda: float(next(now)))
    monkeypatch.setattr("sys.stdout", out := io.StringIO())
    console = Console(file=out, width=80, force_terminal=True)
    observer = TerminalObserver(console)
    asked = run("predictions", "python:my_model:InOrder|baseline")
    observer.stage_starts("predictions", 1)
    observer.run_starts(asked)
    assert "never" not in out.getvalue()
    for n in (1000, 1100):
        observer.progress(asked, Progress(n, 2304, "answers", "asking InOrder baseline"))
    last = out.getvalue().rpartition("\r")[2]
    assert len(last) == 79
    assert "0/1 partition, about " in last
    assert " left  1,100/2,304 answers  pyth" in last


def test_the_first_step_says_that_kernels_are_compiled(monkeypatch) -> None:
    for is_there, n_said in ((True, 0), (False, 1)):
        monkeypatch.setattr(
            "enact_assets.pipeline.driver.terminal.has_kernels", partial(bool, is_there)
        )
        observer = TerminalObserver(Console(file=(out := io.StringIO()), width=200))
        for name in ("key_frames", "question_set_config"):
            observer.stage_starts(name, 1)
            observer.run_ends(run(name, "tidy_1"), 1, [])
        assert out.getvalue().count(COMPILING) == n_said
        lines = [line for line in out.getvalue().splitlines() if line != COMPILING]
        assert len({line.index("1 partition") for line in lines}) == 1, "one column"


def test_a_list_counts_each_partition_that_it_made(monkeypatch) -> None:
    """Until its end a list of fifty would stand at nought."""
    monkeypatch.setattr("sys.stdout", out := io.StringIO())
    console = Console(file=out, width=120, force_terminal=True, color_system=None)
    observer = TerminalObserver(console)
    observer.stage_starts("path_counts", 5)
    several = run("path_counts", "a|state", "b|state", "c|state")
    observer.run_starts(several)
    observer.progress(several, Progress(2, 3, "partitions", "path_counts"))
    assert " 2/5 partitions  a|state" in out.getvalue()
    observer.run_ends(several, 2, [Failure(run("path_counts", "b|state"), "why", "id")])
    observer.run_starts(again := run("path_counts", "c|state"))
    assert " 2/5 partitions  c|state" in out.getvalue().rpartition("\r")[2]
    observer.run_ends(again, 1, [])
    observer.run_ends(run("path_counts", "d|state", "e|state"), 2, [])
    assert "  failed: path_counts b|state" in out.getvalue()
    assert "5 partitions" in out.getvalue().splitlines()[-1]
    assert "1 failed" in out.getvalue().splitlines()[-1]


def pictures(done: int, total: int, cached: int = 0) -> Progress:
    return Progress(done, total, "pictures", free=cached)


def test_pictures_found_in_the_cache_do_not_quicken_the_pace() -> None:
    """Ninety of a hundred found, one rendered in 10 s: 90 s are left, not one."""
    pace = Pace()
    assert pace.left([(pictures(90, 100, 90), 1)], 1, now=0.0) is None
    assert pace.left([(pictures(91, 100, 90), 1)], 1, now=20.0) is None, "the first is start-up"
    assert pace.left([(pictures(92, 100, 90), 1)], 1, now=30.0) == pytest.approx(80.0)


def test_steps_to_come_are_taken_to_be_as_cached_as_those_before() -> None:
    pace = Pace()
    pace.left([(pictures(0, 10), 1)], 4, now=0.0)
    pace.left([(pictures(1, 10), 1)], 4, now=5.0)
    pace.run_ends(pictures(10, 10), 1, now=14.0)
    pace.run_ends(pictures(10, 10, cached=10), 1, now=14.1)
    # Ten rendered and ten found: five a step are expected of the last two. One takes a second.
    assert pace.left([(None, 1)], 2, now=14.0) == pytest.approx(10.0)
    assert pace.left([(pictures(4, 10, 4), 1)], 2, now=14.0) == pytest.approx(6.0 + 16.0 / 3)


def test_a_slow_beginning_is_forgotten() -> None:
    """The first answers read pictures that all others share: 53 minutes were said of 54 s."""

    def answers(done: int) -> list[tuple[Progress, int]]:
        return [(Progress(done, 2304, "answers"), 1)]

    pace = Pace()
    for second in range(1, 11):
        assert pace.left(answers(second), 1, now=float(second)) is None, "a share too small"
    for second in range(11, 21):
        left = pace.left(answers(10 + 100 * (second - 10)), 1, now=float(second))
    assert left == pytest.approx((2304 - 1010) / 100, rel=0.1)
    assert pace.left(answers(1010), 1, now=60.0) == pytest.approx((2304 - 1010) / 100 * 41, rel=0.1)


def test_all_found_means_nothing_left_to_say() -> None:
    """No division by the nothing that was worked on."""
    pace = Pace()
    pace.run_ends(pictures(10, 10, cached=10), 1, now=1.0)
    assert pace.left([(pictures(10, 10, 10), 1)], 1, now=9.0) is None


def test_steps_that_report_nothing_count_as_one_each() -> None:
    pace = Pace()
    pace.run_ends(None, 1, now=10.0)
    assert pace.left([(None, 1)], 3, now=11.0) is None
    pace.run_ends(None, 1, now=14.0)
    assert pace.left([(None, 1)], 2, now=14.0) == pytest.approx(8.0)
    # Simulated seconds have no total either.
    assert pace.left([(Progress(30.0, unit="s simulated"), 1)], 2, now=14.0) == 8.0
