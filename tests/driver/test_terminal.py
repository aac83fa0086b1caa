"""What a walk prints at its end."""

import io

from rich.console import Console

from enact_assets.driver.terminal import TerminalObserver, print_report
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
