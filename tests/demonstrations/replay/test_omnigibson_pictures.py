"""Pictures of raw demonstrations under every variant, taken by the fake's camera."""

import threading
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from omnigibson_worlds import Machine, World
from PIL import Image

from enact_assets.demonstrations.pictures.omnigibson_source import OmniGibsonSource
from enact_assets.demonstrations.pictures.recorded_pictures import is_shown
from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.demonstrations.replay.omnigibson_player.look import fisheye_attributes
from enact_assets.demonstrations.replay.omnigibson_runs import one_gpu
from enact_assets.demonstrations.replay.result import ISAAC_MODES
from enact_assets.demonstrations.replay.sources import PictureRequest
from enact_assets.engine.errors import RenderError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.progress import unheard
from enact_assets.settings.classes import OMNIGIBSON
from enact_assets.settings.fisheye_lens import lens_of
from enact_assets.settings.registry import Variant, load_registry

pytestmark = pytest.mark.slow

WORLD = World(
    20,
    {"apple": "apple", "table": "table"},
    {("OnTop", "pear", "table"): range(11, 20), ("Open", "table", None): range(2)},
    added={8: {"pear": "pear"}},
    removed={12: ["apple"]},
    asleep={"pear": range(12, 20), "table": range(3, 20)},
)
VARIANTS = load_registry().variants
EFFECTS = {
    "/rtx/reflections/enabled": True,
    "/rtx/indirectDiffuse/enabled": True,
    "/rtx/ambientOcclusion/enabled": True,
    "/rtx/directLighting/sampledLighting/enabled": False,
}
"""What OmniGibson sets with gm.ENABLE_HQ_RENDERING."""


class Studio:
    """A raw demonstration, its replay, and a store for its pictures."""

    def __init__(self, machine: Machine) -> None:
        self.about = about = machine.demonstration(WORLD)
        self.machine, self.name = machine, about.parent.name
        self.source = OmniGibsonSource(Recordings(machine.root / "recordings"))
        self.tables = self.source.replay(self.name, unheard)
        self.store = ImageStore(machine.root / "images")
        (machine.root / "seen.jsonl").unlink()

    def shows(self, variant: Variant) -> bool:
        return is_shown(self.source.recordings, self.name, OMNIGIBSON, variant)

    def request(self, variant: str, *frames: int) -> PictureRequest:
        wanted = pl.DataFrame(
            {
                "demonstration": self.name,
                "gating": "state",
                "key_frame": range(len(frames)),
                "frame": frames,
            },
            schema_overrides={"key_frame": pl.Int64, "frame": pl.Int64},
        )
        return PictureRequest(
            self.tables.demonstrations, wanted, VARIANTS[variant], self.store, pl.DataFrame
        )

    def pictures(self, variant: str, *frames: int) -> pl.DataFrame:
        return self.source.pictures(self.request(variant, *frames))

    def folder(self, variant: str) -> str:
        asked = self.source._asked(self.name, self.about, self.request(variant, 1))
        return asked.output

    def seen(self) -> list[dict[str, Any]]:
        found = self.machine.seen()
        (self.machine.root / "seen.jsonl").unlink(missing_ok=True)
        return found


@pytest.fixture
def studio(machine: Machine) -> Studio:
    return Studio(machine)


def test_only_wanted_frames_are_rendered_each_once(studio: Studio) -> None:
    rows = studio.pictures("baseline", 3, 9, 15)
    assert [s["frame"] for s in studio.seen()] == [3, 9, 15]
    assert rows.select("key_frame", "frame", "variant").rows() == [
        (0, 3, "baseline"),
        (1, 9, "baseline"),
        (2, 15, "baseline"),
    ]
    for frame, sha in rows.select("frame", "image_sha").iter_rows():
        picture = studio.store.read(sha)
        assert picture.shape == (512, 512, 3)
        assert picture[0, 0, 0] == frame
    again = studio.pictures("baseline", 3, 9, 15)
    assert not studio.seen()
    assert again.equals(rows)
    more = studio.pictures("baseline", 2, 3, 19)
    assert [s["frame"] for s in studio.seen()] == [2, 19]
    assert more.item(1, "image_sha") == rows.item(0, "image_sha")
    assert not list(studio.machine.root.rglob("pictures/*.png"))  # all are in the store


def test_what_sleeps_since_long_is_where_it_fell_asleep(studio: Studio) -> None:
    """Rows leave sleeping objects out, so the row of a wanted frame alone would not tell."""
    studio.pictures("baseline", 17)
    (seen,) = studio.seen()
    assert seen["holding"] == [["OnTop", "pear", "table"]]


@pytest.mark.parametrize("order", [(0, 1), pytest.param((1, 0), marks=pytest.mark.slow)])
def test_variants_that_look_alike_may_wait_for_each_other(
    studio: Studio, order: tuple[int, int]
) -> None:
    """They share a folder, and each finds its own frames or those the other has put away."""
    folders: dict[str, list[str]] = {}
    for variant in VARIANTS:
        if studio.shows(VARIANTS[variant]):
            folders.setdefault(studio.folder(variant), []).append(variant)
    alike = next(names for names in folders.values() if len(names) > 1)
    wanted = {alike[order[0]]: (3, 9, 12), alike[order[1]]: (2, 9, 15)}
    found: dict[str, object] = {}

    def go(variant: str) -> None:
        try:
            found[variant] = (
                studio.pictures(variant, *wanted[variant]).get_column("frame").to_list()
            )
        except RenderError as error:
            found[variant] = error

    threads = [threading.Thread(target=go, args=(variant,)) for variant in wanted]
    lock = studio.machine.root / "omnigibson" / "gpu.lock"
    with one_gpu(lock, print):
        for thread in threads:
            thread.start()
            time.sleep(0.5)  # each has said what it wants, and waits
    for thread in threads:
        thread.join()
    assert found == {variant: list(frames) for variant, frames in wanted.items()}


def test_what_was_rendered_while_waiting_is_not_rendered_again(studio: Studio) -> None:
    lock = studio.machine.root / "omnigibson" / "gpu.lock"
    found: list[pl.DataFrame] = []
    thread = threading.Thread(target=lambda: found.append(studio.pictures("baseline", 3, 9)))
    folder = Path(studio.folder("baseline")) / "pictures"
    with one_gpu(lock, print):
        thread.start()
        time.sleep(0.5)
        folder.mkdir(parents=True)
        for frame in (3, 9):  # by whoever held the lock
            Image.new("RGB", (512, 512), (frame, 0, 0)).save(folder / f"{frame:06d}.png")
    thread.join()
    assert found[0].get_column("frame").to_list() == [3, 9]
    assert not (folder.parent / "player.log").exists()  # nobody was started


@pytest.mark.slow
def test_a_crash_keeps_the_pictures_that_were_finished(studio: Studio) -> None:
    studio.machine.crash_at(9, times=1)
    studio.pictures("baseline", 3, 9, 15)
    assert [s["frame"] for s in studio.seen()] == [3, 9, 15]
    studio.machine.crash_at(16, times=99)
    with pytest.raises(RenderError, match=r"raw.demo_0 .*was ended by SIGKILL, 2 times"):
        studio.pictures("high", 14, 16)
    assert [s["frame"] for s in studio.seen()] == [14]
    studio.machine.crash_at(16, times=0)
    studio.pictures("high", 14, 16)
    assert [s["frame"] for s in studio.seen()] == [16]


SEEN: dict[str, dict[str, Any]] = {
    # OmniGibson turns its effects off unless it is told otherwise.
    "baseline": {
        "position": [-0.4, 0.0, 1.75],
        "path": "/controllable__r1__robot_r1/base_link/external_sensor1",
        "settings": EFFECTS | {"/rtx/rendermode": "RaytracedLighting"},
        "n_renders": 5,
    },
    "high": {"position": [-0.4, 0.0, 2.25]},
    "low": {"position": [-0.4, 0.0, 1.5]},
    **{f"aperture_{mm}": {"aperture": mm, "attributes": {}} for mm in (30, 60, 80)},
    "fisheye": {
        "attributes": fisheye_attributes(512, lens_of("fisheye"))
        | {"cameraProjectionType": "fisheyePolynomial"}
    },
    "path_tracing": {
        "settings": EFFECTS | {"/rtx/rendermode": "PathTracing"},
        "n_renders": 64,
    },
    # The paper's list does not name indirect light.
    "ray_tracing_only": {
        "settings": {
            "/rtx/rendermode": "RaytracedLighting",
            "/rtx/indirectDiffuse/enabled": True,
            **dict.fromkeys(("/rtx/reflections/enabled", "/rtx/ambientOcclusion/enabled"), False),
            **dict.fromkeys(("/rtx/post/aa/op", "/rtx/sceneDb/ambientLightIntensity"), 0),
            "/rtx/directLighting/sampledLighting/enabled": False,
            "/rtx/flow/enabled": False,
        }
    },
}
"""Variant -> how its camera and renderer are set."""


@pytest.mark.parametrize("variant", SEEN)
def test_a_variant_is_how_camera_and_renderer_are_set(studio: Studio, variant: str) -> None:
    studio.pictures(variant, 1)
    (seen,) = studio.seen()
    assert {name: seen[name] for name in SEEN[variant]} == SEEN[variant]


@pytest.mark.slow
def test_robot_colours(studio: Studio) -> None:
    colours = {}
    for variant in ("baseline", "white_color", "skin_color", "random_color"):
        studio.pictures(variant, 1, 2)
        colours[variant] = [s["colours"][0] for s in studio.seen()]
    assert colours["baseline"] == [[0, 0, 0], [0, 0, 0]]
    assert colours["white_color"] == [[0.86] * 3] * 2
    (red, green, blue), same = colours["skin_color"]
    assert same == [red, green, blue]
    assert red > green > blue
    one, other = colours["random_color"]
    assert one != other
    assert max(one) == pytest.approx(0.9)


def test_it_says_which_variants_isaac_sim_has(studio: Studio) -> None:
    shown = {n for n, v in VARIANTS.items() if studio.shows(v)}
    assert set(VARIANTS) - shown == {"realistic"}
    assert {v.renderer.mode for v in VARIANTS.values()} - set(ISAAC_MODES) == {"realistic"}


def test_frames_outside_are_refused(studio: Studio) -> None:
    with pytest.raises(RenderError, match=r"2 frames outside the .* 20, the first: 20"):
        studio.pictures("baseline", 3, 20, 99)


def test_recordings_with_a_raw_demonstration_are_found(studio: Studio, tmp_path: Path) -> None:
    assert studio.source.demonstrations() == ["raw.demo_0"]
    assert studio.source.has("raw.demo_0")
    assert not studio.source.has("raw.demo_1")
