"""One lake with demonstrations from several sources: simulated, recorded, annotated video."""

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml
from polars.testing import assert_frame_equal

from enact_assets.cli import main
from enact_assets.demonstrations.pictures.recorded_pictures import picture_file
from enact_assets.demonstrations.pictures.visibility import PICTURE_PX
from enact_assets.demonstrations.recordings.folders import CAMERA
from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.demonstrations.replay.recorded_export import FLAVOURS, Flavour, write_recorded
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.tables import Observability
from enact_assets.pipeline.bulk.chain import BulkSettings, tables_of_demonstration
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.lineage.graph import STEPS
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.settings.registry import load_registry

from reference.annotations import as_csv
from reference.small_videos import write_video

pytestmark = pytest.mark.slow

RECORDED, FILMED = "exported_1", "filmed_1"
SAMPLE = Path(__file__).parents[3] / "docs" / "annotated_video" / "picking_up_toys_1"
"""The annotated video that docs/sources.md says to try."""
KEPT = ("facts", "objects", "demonstrations")


def embedded_replay(data: DataResource, name: str) -> ReplayTables:
    """An embedded demonstration with masks at the key frames of gating ``state``."""
    read, replay = data.lake.read, {"demonstration": name}
    size_px = pl.lit(PICTURE_PX, pl.Int64)
    seen = read("visibility", {**replay, "gating": "state"}).select(
        "demonstration",
        pl.lit(CAMERA).alias("camera"),
        "object_name",
        pl.col("frame").alias("frame_from"),
        (pl.col("frame") + 1).alias("frame_to"),
        *("pixels", "x_min_px", "y_min_px", "x_max_px", "y_max_px"),
        size_px.alias("height_px"),
        size_px.alias("width_px"),
    )
    return ReplayTables(
        *(read(t, replay) for t in ("demonstrations", "facts", "objects")),
        Observability.check(seen, name),
        read("states", replay),
    )


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_the_same_questions_come_out_of_a_recording(
    simulated, tmp_path: Path, flavour: Flavour
) -> None:
    """What the official layout cannot hold is named here: it says nothing else differently."""
    data = DataResource(root=str(simulated.root))
    name = simulated.registry.demonstrations[0]
    embedded = embedded_replay(data, name)
    write_recorded(embedded, tmp_path / "scene_graph_0.json", flavour=flavour)
    row = embedded.demonstrations.row(0, named=True)
    found = read_recorded(tmp_path / "scene_graph_0.json", name, activity=row["activity"])
    assert_frame_equal(found.facts, embedded.facts)
    # Only a category "System" says that an object stands for many particles.
    particles = "is_particle_system"
    assert_frame_equal(found.objects.drop(particles), embedded.objects.drop(particles))
    # Who recorded it, with which seed and attempt, from which file, and what is drawn for what.
    own = ("source", "seed", "attempts", "replaced", "world_sha")
    assert_frame_equal(found.demonstrations.drop(own), embedded.demonstrations.drop(own))

    partition = {"demonstration": name, "gating": "state"}
    gating = simulated.registry.gating("state")
    # Of embedded demonstrations, objects count as visible above another size.
    same_floor = dataclasses.replace(
        gating, profile=gating.profile_of("embedded"), embedded_min_visible_fraction=None
    )
    settings = BulkSettings(same_floor, simulated.registry.questions)
    if flavour == "diff":
        # Differences say what is seen of an object only as of its last change: masks that are
        # known at key frames alone cannot be written so.
        found = dataclasses.replace(found, observability=embedded.observability)
    made = tables_of_demonstration(found, settings).tables
    for table in ("segmented_frames", "scene_graphs", "visibility", "transition_graph", "qa"):
        assert_frame_equal(made[table], data.lake.read(table, partition))
    assert made["qa"].height > 0


def test_another_size_to_be_visible_asks_other_questions(simulated) -> None:
    """The registry's own rule for embedded pictures does not hold for recordings."""
    data = DataResource(root=str(simulated.root))
    gating = simulated.registry.gating("state")
    coarse = dataclasses.replace(gating, embedded_min_visible_fraction=0.003)
    replay = embedded_replay(data, simulated.registry.demonstrations[0])
    made = []
    for source in ("recorded", "embedded"):
        rule = dataclasses.replace(
            gating, profile=coarse.profile_of(source), embedded_min_visible_fraction=None
        )
        rows = replay.demonstrations.with_columns(source=pl.lit("recorded"))
        settings = BulkSettings(rule, simulated.registry.questions)
        found = tables_of_demonstration(dataclasses.replace(replay, demonstrations=rows), settings)
        made.append(found.tables)
    assert_frame_equal(made[0]["segmented_frames"], made[1]["segmented_frames"])
    ids = [set(tables["qa"]["question_id"]) for tables in made]
    assert ids[0] != ids[1]


@pytest.fixture(
    scope="module",
    params=["recordings", "simulations too"],
)
def mixed(
    simulated, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Path]:
    """A data root with one demonstration twice: exported with its pictures of two variants, and
    filmed (each key frame's picture stands until the next), with the sample of the docs, and
    perhaps with two simulated ones.
    """
    folder = tmp_path_factory.mktemp("mixed")
    name = simulated.registry.demonstrations[0]
    export(DataResource(root=str(simulated.root)), name, folder / "replayed" / RECORDED)
    film(DataResource(root=str(simulated.root)), name, folder / "filmed" / FILMED)
    entries = yaml.safe_load(simulated.registry_file.read_text())
    entries["models"] = ["oracle", "pixel_continuity"]
    if request.param == "recordings":
        entries["demonstrations"] = []
    else:
        shutil.copytree(simulated.root, folder / "data")
    entries["questions"] |= {"question_set_per_stratum": 1000, "probe_set_per_stratum": 1000}
    (folder / "registry.yaml").write_text(yaml.safe_dump(entries))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENACT_REGISTRY", str(folder / "registry.yaml"))
        paths = [str(folder / "replayed"), str(folder / "filmed" / FILMED / "annotation.csv")]
        assert main(["validate", str(SAMPLE), *paths]) == 0
        paths.append(str(SAMPLE))
        assert main(["import", *paths, "--data", str(folder / "data")]) == 0
        report = Driver(
            folder / "data", registry=load_registry(folder / "registry.yaml"), workers=2
        ).run(assets=[step.name for step in STEPS if step.name != "report"])
        assert report.is_success, [f.message for f in report.failures]
        yield folder / "data"


def export(data: DataResource, name: str, folder: Path) -> None:
    """With the pictures of the baseline, and of aperture_80 as far as they were rendered."""
    folder.mkdir(parents=True)
    write_recorded(embedded_replay(data, name), folder / "scene_graph_0.json")
    for variant, camera in (("baseline", "external_sensor1"), ("aperture_80", None)):
        pictures = data.lake.read("frame_images", {"demonstration": name, "variant": variant})
        place = camera or f"variant_{variant}"
        (folder / place).mkdir()
        for frame, sha in pictures.select("frame", "image_sha").iter_rows():
            shutil.copy(data.images.path(sha), picture_file(folder, frame, place))
    # All key frames have a baseline picture; the other camera's were made for few.
    for path in (folder / "external_sensor1").iterdir():
        if not (folder / "variant_aperture_80" / path.name).exists():
            shutil.copy(path, folder / "variant_aperture_80")


def film(data: DataResource, name: str, folder: Path) -> None:
    replay = {"demonstration": name}
    pictures = data.lake.read("frame_images", {**replay, "variant": "baseline"}).sort("frame")
    n_frames = data.lake.read("demonstrations", replay).item(0, "n_frames")
    shown = np.searchsorted(pictures["frame"].to_numpy(), np.arange(n_frames), side="right") - 1
    pixels = [data.images.read(sha) for sha in pictures["image_sha"]]
    write_video(
        folder / "external_sensor1.mp4",
        (pixels[max(k, 0)] for k in shown),
        b_frames=2,
        codec="libx264",
    )
    facts, objects = (data.lake.read(t, replay) for t in ("facts", "objects"))
    (folder / "annotation.csv").write_text(as_csv(facts, objects, n_frames))


def test_sources_live_in_one_lake(mixed: Path, simulated) -> None:
    lake = DataResource(root=str(mixed)).lake
    rows = lake.read_all("demonstrations").select("demonstration", "source")
    names = [d for d in simulated.registry.demonstrations if d in rows["demonstration"]]
    simulated = dict.fromkeys(names, "embedded")
    recorded = {RECORDED: "recorded", FILMED: "video", SAMPLE.name: "video"}
    assert dict(rows.rows()) == simulated | recorded


def test_a_filmed_demonstration_has_the_key_frames_of_its_original(mixed: Path, simulated) -> None:
    """And every picture is the one of that very frame, though codecs change colours a little."""
    data, before = (DataResource(root=str(root)) for root in (mixed, simulated.root))
    lakes = {simulated.registry.demonstrations[0]: before.lake, FILMED: data.lake}
    columns = ("key_frame", "frame", "changes")
    tables = [
        lake.read("segmented_frames", {"demonstration": d, "gating": "state"}).select(columns)
        for d, lake in lakes.items()
    ]
    assert_frame_equal(*tables)
    images = [
        lake.read("frame_images", {"demonstration": d, "variant": "baseline"}).sort("frame")
        for d, lake in lakes.items()
    ]
    assert images[0]["frame"].to_list() == images[1]["frame"].to_list()
    own, other = (
        np.stack([root.images.read(sha).astype(float) for sha in table["image_sha"]])
        for root, table in zip((before, data), images, strict=True)
    )
    distances = np.abs(own[:, None] - other[None]).mean(axis=(2, 3, 4))
    # Of all originals none is nearer to a filmed picture than its own; two key frames may look
    # alike at 64 px. Not the other way round: codecs spoil one filmed picture more than another.
    assert (np.diag(distances) <= distances.min(axis=0) + 1).all()
    assert 2 * np.diag(distances).max() < distances.max()


def test_an_annotated_video_runs_to_questions_and_evaluation(mixed: Path) -> None:
    lake = DataResource(root=str(mixed)).lake
    for name in (FILMED, SAMPLE.name):
        assert lake.read("qa", {"demonstration": name, "gating": "state"}).height > 0
    for demonstration in (RECORDED, FILMED, SAMPLE.name):
        for model in ("oracle", "pixel_continuity"):
            rows = lake.read("evaluation", {"model": model, "variant": "baseline"})
            own = rows.filter(demonstration=demonstration)
            assert own.height > 0
            assert own["is_accepted"].all() == (model == "oracle")


def test_what_nobody_filmed_is_not_asked(mixed: Path) -> None:
    """The video has one camera; the recording brought pictures of another, which are fetched."""
    data = DataResource(root=str(mixed))
    asked = data.lake.read("asked_questions", {"variant": "aperture_80"})
    assert RECORDED in asked["demonstration"].to_list()
    assert FILMED not in asked["demonstration"].to_list()
    partition = {"demonstration": RECORDED, "variant": "aperture_80"}
    fetched = data.lake.read("frame_images", partition)
    folder = data.recordings.folder(RECORDED)
    assert fetched.height > 0
    for frame, sha in fetched.select("frame", "image_sha").iter_rows():
        path = picture_file(folder, frame, "variant_aperture_80")
        assert data.images.path(sha).read_bytes() == path.read_bytes()
    partition["demonstration"] = FILMED
    assert data.lake.read("frame_images", partition).is_empty()
    contact = data.lake.read("frame_images", {"demonstration": FILMED, "variant": "contact"})
    assert contact.height > 0  # other key frames of the same picture


def test_pictures_of_a_variant_that_come_later_are_noticed(
    mixed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ENACT_REGISTRY", str(mixed.parent / "registry.yaml"))
    folder = DataResource(root=str(mixed)).recordings.folder(FILMED).resolve()
    assert main(["plan", "--asset", "asked_questions", "--data", str(mixed)]) == 0
    assert "asked_questions" not in capsys.readouterr().out
    video = folder / "variant_aperture_80.mp4"
    shutil.copy(folder / "external_sensor1.mp4", video)
    try:
        assert main(["plan", "--asset", "asked_questions", "--data", str(mixed)]) == 0
        assert "recorded_variant" in capsys.readouterr().out
    finally:
        video.unlink()
