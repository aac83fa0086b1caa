"""What the check of an installation measures, and how its report is written."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from enact_assets.demonstrations.replay.omnigibson_player.check_measures import (
    Look,
    angle_deg,
    drift_of,
    relative_pose,
    save_beside,
    seconds_per_frame,
)
from enact_assets.demonstrations.replay.omnigibson_player.check_report import Report
from enact_assets.demonstrations.replay.omnigibson_player.request import View

HALF = 0.5**0.5


def look(frame: int, began: float, ended: float, **boxes: dict[str, tuple[int, ...]]) -> Look:
    by_renders = {int(name[1:]): found for name, found in boxes.items()}
    nothing: frozenset[str] = frozenset()
    held = frozenset[tuple[str, str, str | None]]()
    return Look(frame, nothing, by_renders, held, held, 0.0, 0.0, began, ended)


def test_the_camera_is_seen_from_its_link_however_the_link_turns() -> None:
    # The link is turned by 90 degrees about z: what is along its x is along y of the world.
    link = [1.0, 2.0, 3.0], [0.0, 0.0, HALF, HALF]
    position, turn = relative_pose(([1.0, 2.06, 3.0], [HALF, HALF, 0.0, 0.0]), link)
    assert position == pytest.approx([0.06, 0.0, 0.0])
    assert turn == pytest.approx([1.0, 0.0, 0.0, 0.0])
    assert angle_deg(turn, View.orientation_xyzw) == pytest.approx(0.0)
    assert angle_deg([0.0, 0.0, 0.0, 1.0], [0.0, HALF, 0.0, HALF]) == pytest.approx(90.0)


def test_boxes_that_change_after_more_renders_lag() -> None:
    early, late = (9, 0, 0, 2, 2, 64, 64), (9, 1, 0, 3, 2, 64, 64)
    seen = look(0, 0, 1, n1={"cup": early}, n3={"cup": late}, n8={"cup": late, "pan": early})
    assert seen.lagging(1) == ["cup", "pan"]
    assert seen.lagging(3) == ["pan"]
    assert seen.lagging(8) == []


def test_playing_is_timed_between_looks() -> None:
    looks = [look(0, 10.0, 13.0), look(20, 23.0, 25.0), look(30, 30.0, 31.0)]
    assert seconds_per_frame(looks) == pytest.approx((10 + 5) / 30)
    assert seconds_per_frame(looks[:1]) is None


def test_drift_is_measured_from_the_scene_file_and_robots_are_left_out() -> None:
    def at(*position: float) -> SimpleNamespace:
        return SimpleNamespace(get_position_orientation=lambda: (position, (0, 0, 0, 1)))

    registry = {
        "sofa": {"root_link": {"pos": [1.0, 0.0, 0.0]}},
        "robot": {"root_link": {"pos": [0.0, 0.0, 0.0]}},
        "gone": {"root_link": {"pos": [0.0, 0.0, 0.0]}},
        "odd": {},
    }
    objects = {"sofa": at(1.0, 0.3, 0.4), "robot": at(9.0, 9.0, 9.0), "odd": at(0.0, 0.0, 0.0)}
    assert drift_of(registry, objects, ["robot"]) == {"sofa": pytest.approx(0.5)}


def test_a_picture_stands_beside_itself_with_boxes(tmp_path: Path) -> None:
    pixels = np.full((20, 30, 4), 7, np.uint8)
    save_beside(pixels, {"cup": (9, 4, 5, 20, 15, 20, 30)}, tmp_path / "both.png")
    both = np.asarray(Image.open(tmp_path / "both.png"))
    assert both.shape == (20, 60, 3)
    assert (both[:, :30] == 7).all()
    assert both[5, 34:51].tolist() == [[255, 40, 40]] * 17
    assert both[15, 50].tolist() == [255, 40, 40]
    assert both[2, 32].tolist() == [7, 7, 7]


def test_reports_escape_what_comes_from_files(tmp_path: Path) -> None:
    report = Report("Check of <a>")
    report.heading("Speed & more")
    report.paragraph("x < y")
    report.table(["a|b", "n"], [["<b>|c", 0.12345], [None, 3]])
    report.picture("Frame 1", "frame_000001.png")
    report.points(["look"])
    markdown, page = (file.read_text() for file in report.write(tmp_path))
    assert "| a\\|b | n |\n| --- | --- |\n| <b>\\|c | 0.123 |\n| None | 3 |" in markdown
    assert "- [ ] look" in markdown
    assert "<td>&lt;b&gt;|c</td><td>0.123</td>" in page
    assert "<p>x &lt; y</p>" in page
    assert '<img src="frame_000001.png"' in page
    assert "<h2>Speed &amp; more</h2>" in page
