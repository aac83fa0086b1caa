"""What gc takes and what it leaves, on a lake by hand: no Dagster."""

import os
import threading
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.answers.baselines.tables import Predictions
from enact_assets.demonstrations.pictures.render_pool import encode_png
from enact_assets.demonstrations.pictures.tables import FrameImages
from enact_assets.demonstrations.replay.tables import Facts
from enact_assets.engine.errors import LakeError
from enact_assets.engine.lake.image_store import ImageStore, picture_name
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.system.atomic import is_temporary
from enact_assets.engine.tables import TABLES
from enact_assets.pipeline.root.collect import (
    DAMAGED,
    LEFTOVERS,
    PARTITIONS,
    PICTURES,
    RENDERS,
    Collected,
    collect,
)
from enact_assets.questions.asked.tables import Qa
from enact_assets.questions.world.tables import ClipImages, FilmImages
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.world import set_columns

from reference.builders import build_demonstrations

DAY = 24 * 3600.0
NAMES = {
    "demonstration": {"cups-0", "cups-1"},
    "gating": {"state"},
    "question_set": {"state", "world:filmed"},
    "model": {"oracle"},
    "training_activity": set[str](),
    "question_file": set[str](),
    "variant": {"baseline", "high"},
}


def png(number: int) -> bytes:
    return encode_png(np.full((2, 2, 3), number, np.uint8))


def frame_images(demonstration: str, variant: str, shas: list[str]) -> pl.DataFrame:
    where = {"demonstration": demonstration, "variant": variant, "gating": "state"}
    size = {"width_px": 2, "height_px": 2}
    return FrameImages.build(
        [
            {**where, **size, "key_frame": k, "frame": k, "image_sha": sha, "render_sha": sha}
            for k, sha in enumerate(shas)
        ]
    )


class Root:
    """A data root with pictures 0 to 2 of ``cups-0``, 2 and 3 of a demonstration that left."""

    def __init__(self, folder: Path) -> None:
        self.paths = DataRoot(folder)
        self.lake, self.images = Lake(self.paths.lake), ImageStore(self.paths.images)
        self.shas = [self.images.put(png(k)) for k in range(6)]
        for sha in self.shas:
            self.images.remember(sha, sha)  # any hash names a render
        self.name("cups-0", "baseline", [0, 1, 2])
        self.name("left-0", "baseline", [2, 3])
        self.age(3 * DAY)

    def name(self, demonstration: str, variant: str, pictures: list[int]) -> None:
        rows = frame_images(demonstration, variant, [self.shas[k] for k in pictures])
        where = {"demonstration": demonstration, "variant": variant}
        self.lake.write("frame_images", rows, where)

    def age(self, seconds: float) -> None:
        at = time.time() - seconds
        for path in self.paths.root.rglob("*"):
            os.utime(path, (at, at), follow_symlinks=False)

    def collect(self, **options: object) -> Collected:
        return collect(self.paths, self.lake, self.images, lambda: NAMES, **options)  # type: ignore[arg-type]

    def stored(self) -> set[int]:
        return {k for k, sha in enumerate(self.shas) if self.images.exists(sha)}


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tmp_path / "data")


def found(collected: Collected, kind: str) -> list[str]:
    return [item.what for item in collected.items[kind]]


def test_what_nobody_names_goes_and_nothing_else(root: Root) -> None:
    """A picture too many costs a disk, one too few a partition."""
    told = root.collect()
    assert root.stored() == set(range(6)), "told, not done"
    done = root.collect(delete=True)
    assert told.items == done.items
    assert found(done, PARTITIONS) == ["frame_images left-0|baseline"]
    assert found(done, PICTURES) == sorted(root.shas[k] for k in (3, 4, 5))
    assert found(done, RENDERS) == sorted(root.shas[k] for k in (3, 4, 5))
    assert root.stored() == {0, 1, 2}
    assert done.size == sum(len(png(k)) + 65 for k in (3, 4, 5)) + done.items[PARTITIONS][0].size
    assert root.collect(delete=True).n_items == 0
    assert done.refusal is None
    assert done.foreign == done.kept == []


def test_a_lake_in_an_object_store_is_collected_alike(tmp_path: Path) -> None:
    """There nothing is renamed and no time is set: a picture that is met again is put again."""
    store = f"memory://collect-{tmp_path.name}"
    lake, images = Lake(f"{store}/lake"), ImageStore(f"{store}/images")
    shas = [images.put(png(k)) for k in range(3)]
    for sha in shas:
        images.remember(sha, sha)
    where = {"demonstration": "cups-0", "variant": "baseline"}
    lake.write("frame_images", frame_images("cups-0", "baseline", shas[:1]), where)
    left = {"demonstration": "left-0", "variant": "baseline"}
    lake.write("frame_images", frame_images("left-0", "baseline", shas[:2]), left)
    images.place.touch(f"{shas[2][:2]}/{shas[2]}.png")
    root = DataRoot(tmp_path)
    assert collect(root, lake, images, lambda: NAMES, delete=True).items[PICTURES] == []
    done = collect(root, lake, images, lambda: NAMES, grace_s=0, delete=True)
    assert set(found(done, PICTURES)) == set(found(done, RENDERS)) == set(shas[1:])
    assert [sha for sha, _ in images.entries()] == shas[:1]
    assert lake.partitions("frame_images") == [where]
    assert collect(root, lake, images, lambda: NAMES, grace_s=0).n_items == 0


def test_the_young_stays_and_what_is_met_again_is_young(root: Root) -> None:
    """A run may have stored it, or found it in the render cache, and be about to name it."""
    assert root.collect(grace_s=4 * DAY).items[PICTURES] == []
    assert root.images.find(root.shas[3]) == root.shas[3]  # from the render cache
    assert root.images.put(png(4)) == root.shas[4]  # made once more
    root.collect(delete=True)
    assert root.stored() == {0, 1, 2, 3, 4}


def test_a_partition_that_lands_meanwhile_keeps_its_pictures(root: Root) -> None:
    """Runs of the UI do not ask for the driver's lock."""

    class Meanwhile(Lake):
        def files(self, name: str):
            if name == "frame_images" and not self.is_landed:
                self.is_landed = True
                sha = root.images.find(root.shas[5])
                assert sha == root.shas[5]
                root.name("cups-1", "high", [4, 5])
            yield from super().files(name)

    lake = Meanwhile(root.paths.lake)
    lake.is_landed = False
    collect(root.paths, lake, root.images, lambda: NAMES, delete=True)
    assert lake.is_landed
    assert root.stored() == {0, 1, 2, 4, 5}


def is_there(images: ImageStore, sha: str) -> bool:
    """Now or soon: what is asked for its age is aside for a moment."""
    until = time.monotonic() + 1.0
    while time.monotonic() < until:
        if images.exists(sha):
            return True
        time.sleep(0.001)
    return False


def test_a_name_that_arrives_meanwhile_keeps_its_partitions(root: Root) -> None:
    """A sensor may register one, and the daemon land it, after names were asked for."""
    current = {**NAMES, "demonstration": {*NAMES["demonstration"]}}

    class Meanwhile(Lake):
        def files(self, name: str):
            if name == "frame_images":
                current["demonstration"].add("new-0")
                root.name("new-0", "baseline", [3])
            yield from super().files(name)

    lake = Meanwhile(root.paths.lake)
    done = collect(root.paths, lake, root.images, lambda: current, delete=True)
    assert found(done, PARTITIONS) == ["frame_images left-0|baseline"]
    assert root.stored() == {0, 1, 2, 3}


def test_whoever_comes_back_to_a_picture_has_it_or_knows_that_it_is_gone(root: Root) -> None:
    """Found in the render cache and removed a moment later, it would be named and not be there."""
    sha, stop = root.shas[3], threading.Event()
    name = picture_name(sha)
    lost = []

    def remove() -> None:
        while not stop.is_set():
            root.images.place.delete_if_older(name, time.time_ns() - int(DAY * 1e9))

    remover = threading.Thread(target=remove)
    remover.start()
    try:
        for _ in range(300):
            root.images.put(png(3))
            at = time.time() - 3 * DAY
            try:
                os.utime(root.images.path(sha), (at, at))
            except FileNotFoundError:
                continue
            if root.images.find(sha) is not None and not is_there(root.images, sha):
                lost.append(sha)
    finally:
        stop.set()
        remover.join()
    assert lost == []


@given(stop_after=st.integers(0, 8))
def test_stopping_half_way_leaves_nothing_that_leads_nowhere(tmp_path_factory, stop_after) -> None:
    """kill -9 between any two files."""
    root = Root(tmp_path_factory.mktemp("half") / "data")
    left = stop_after

    def counted(delete):
        def run(name: str, before_ns: int) -> bool:
            nonlocal left
            if left == 0:
                raise KeyboardInterrupt
            left -= 1
            return delete(name, before_ns)

        return run

    for place in (root.lake.place, root.images.place):
        place.delete_if_older = counted(place.delete_if_older)  # type: ignore[method-assign]
    try:
        root.collect(delete=True)
    except KeyboardInterrupt:
        assert left == 0
    again = Root.__new__(Root)
    again.paths, again.shas = root.paths, root.shas
    again.lake, again.images = Lake(root.paths.lake), ImageStore(root.paths.images)
    for partition in again.lake.partitions("frame_images"):
        shas = again.lake.read("frame_images", partition).get_column("image_sha")
        assert all(again.images.exists(sha) for sha in shas), partition
    again.collect(delete=True)
    assert again.stored() == {0, 1, 2}
    assert again.collect().n_items == 0


def test_a_damaged_partition_stops_pictures_and_nothing_else(root: Root) -> None:
    """Whatever it named would look as if nobody did."""
    path = root.lake.path("frame_images", {"demonstration": "cups-0", "variant": "baseline"})
    path.write_bytes(path.read_bytes()[:200])
    done = root.collect(delete=True)
    assert done.refusal is not None
    assert str(path) in done.refusal
    assert done.items[PICTURES] == done.items[RENDERS] == []
    assert root.stored() == set(range(6))
    assert found(done, PARTITIONS) == ["frame_images left-0|baseline"]


def test_damaged_files_go_after_a_while_and_answers_stay(root: Root) -> None:
    """They are of no use once their partitions are made again, unless somebody paid for them."""
    answered, pictured = {"model": "oracle", "variant": "baseline"}, {"demonstration": "cups-0"}
    root.lake.write("predictions", Predictions.empty(), answered)
    root.lake.write("facts", Facts.empty(), pictured)
    for name, where in (("predictions", answered), ("facts", pictured)):
        spoil(root.lake.path(name, where))
        assert root.lake.set_aside(name, where) is not None
    spoil(root.images.path(root.shas[0]))
    assert root.images.set_aside(root.shas[0]) is not None
    assert root.collect(delete=True).items[DAMAGED] == []  # young
    root.age(3 * DAY)
    told = root.collect()
    assert len(told.items[DAMAGED]) == 2
    done = root.collect(delete=True)
    assert done.items[DAMAGED] == told.items[DAMAGED]
    assert done.foreign == []
    assert [m for m in done.kept if "predictions/oracle/baseline.parquet.damaged-" in m]
    left = list(root.paths.root.rglob("*.damaged-*"))
    assert [path.parent.name for path in left] == ["oracle"]


def spoil(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[30] ^= 1
    path.write_bytes(content)


def test_while_a_partition_is_set_aside_no_picture_goes(root: Root) -> None:
    """It named some, and until it is made again nobody knows which."""
    where = {"demonstration": "cups-0", "variant": "baseline"}
    spoil(root.lake.path("frame_images", where))
    assert root.lake.set_aside("frame_images", where) is not None
    done = root.collect(delete=True)
    assert done.refusal is not None
    assert "Run `enact-assets materialize` first" in done.refusal
    assert root.stored() == set(range(6))
    root.name("cups-0", "baseline", [0, 1, 2])
    root.age(3 * DAY)
    assert root.collect(delete=True).refusal is None
    assert root.stored() == {0, 1, 2}


def test_a_lake_that_is_not_there_condemns_no_picture(root: Root) -> None:
    """Not mounted, or another one: then nothing names anything."""
    root.paths.lake.rename(root.paths.root / "elsewhere")
    done = root.collect(delete=True)
    assert done.refusal is not None
    assert "no frame_images partition" in done.refusal
    assert root.stored() == set(range(6))


def test_without_names_nothing_goes(root: Root) -> None:
    """The registry or the instance of another root would call everything forgotten."""
    rows = build_demonstrations(3, "cups-0")
    root.lake.write("demonstrations", rows, {"demonstration": "cups-0"})
    nobody = {**NAMES, "demonstration": set[str]()}
    with pytest.raises(LakeError, match="no demonstration in this lake is current"):
        collect(root.paths, root.lake, root.images, lambda: nobody, delete=True)
    no_variants = {d: n for d, n in NAMES.items() if d != "variant"}
    with pytest.raises(LakeError, match="variant"):
        collect(root.paths, root.lake, root.images, lambda: no_variants, delete=True)
    assert root.stored() == set(range(6))


def test_questions_that_current_answers_are_about_stay(root: Root) -> None:
    """Without them the warehouse would take the answers for answers to nothing, and refuse."""
    columns = Qa.schema()
    values = {"demonstration": "left-0", "gating": "state", "question_id": "q1", "kind": "forward"}
    row = {name: values.get(name, _any(dtype)) for name, dtype in columns.items()}
    root.lake.write("qa", Qa.build([row]), {"demonstration": "left-0", "gating": "state"})
    answer = {"model": "oracle", "variant": "baseline", "question_id": "q1"}
    columns = Predictions.schema()
    row = {name: answer.get(name, _any(dtype)) for name, dtype in columns.items()}
    where = {"model": "oracle", "variant": "baseline"}
    root.lake.write("predictions", Predictions.build([row]), where)
    done = root.collect(delete=True)
    assert found(done, PARTITIONS) == ["frame_images left-0|baseline"]
    assert [line.startswith("qa left-0|state: ") for line in done.kept] == [True]
    root.lake.write("predictions", Predictions.empty(), where)
    assert found(root.collect(delete=True), PARTITIONS) == ["qa left-0|state"]


def _any(dtype: pl.DataType) -> object:
    if dtype == pl.String:
        return "x"
    if isinstance(dtype, pl.List):
        return []
    return False if dtype == pl.Boolean else 0


def test_leftovers_go_and_foreign_files_are_told(root: Root) -> None:
    """A killed publish leaves a file as large as the warehouse; a stranger's file is his."""
    old = [
        root.paths.root / ".enact.duckdb.0123456789ab.tmp",
        root.paths.lake / "qa" / "cups-0" / ".state.parquet.0123456789ab.tmp",
        root.paths.images / "ab" / ".abc.png.0123456789ab.tmp",
        root.paths.root / "dagster" / ".event_log.db.0123456789ab.tmp" / "event_log.db",
        root.paths.former_index / "qa.parquet",
        root.paths.recordings / ".cups-9.0123456789ab.tmp" / "scene_graph_0.json",
        # Found by the campaign of kills: a run that raised what it may spend.
        root.paths.ledger / "budget" / ".run-1.jsonl.json.0123456789ab.tmp",
        root.paths.root / "dagster" / "registries" / "ab12" / ".registry.yaml.0123456789ab.tmp",
        root.paths.answers / "a" / ".baseline.jsonl.0123456789ab.tmp",
        root.paths.report / "figures" / ".tau.png.0123456789ab.tmp",
        root.paths.first_looks / ".random_baseline.html.0123456789ab.tmp",
    ]
    strange = [root.paths.lake / "notes.txt", root.paths.images / "holiday.png"]
    inside = root.paths.recordings / "cups-0" / ".mine.0123456789ab.tmp"
    theirs = root.paths.root / "my notes" / ".mine.0123456789ab.tmp"
    for path in (*old, *strange, inside, theirs):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"12345")
    root.age(3 * DAY)
    young = root.paths.lake / "qa" / "cups-0" / ".state.parquet.ba9876543210.tmp"
    coming = root.paths.root / ".enact.duckdb.ba9876543210.tmp"
    for path, at in ((young, time.time() - 60), (coming, time.time() + 1000 * DAY)):
        path.write_bytes(b"1")
        os.utime(path, (at, at))
    done = root.collect(delete=True)
    folders = {path.parent for path in old if is_temporary(path.parent)} | {root.paths.former_index}
    gone = {path.parent if path.parent in folders else path for path in old}
    assert set(found(done, LEFTOVERS)) == {str(path) for path in gone}
    assert {item.size for item in done.items[LEFTOVERS]} == {5}
    assert not any(path.exists() for path in old)
    assert all(path.exists() for path in (*strange, inside, theirs, young, coming))
    assert set(done.foreign) == {str(path) for path in strange}
    assert [str(coming) in line for line in done.kept] == [True]


def test_pictures_of_clips_and_films_stay(root: Root) -> None:
    """No row of frame_images names them."""
    clip = {"demonstration": "cups-0", "view": "baseline", "frame": 0, "render_sha": "0" * 64}
    film = {**set_columns("filmed"), "recording": "1_7", "time_s": 0.0}
    shown = {"action": 1, "place": 1, "width_px": 2, "height_px": 2}
    for table, row, sha in ((ClipImages, clip, 4), (FilmImages, film, 5)):
        rows = table.build([{**row, **shown, "image_sha": root.shas[sha]}])
        root.lake.write(table.table_name(), rows, {d: row[d] for d in table.by})
    root.age(3 * DAY)
    root.collect(delete=True)
    assert root.stored() == {0, 1, 2, 4, 5}


def test_every_dimension_of_every_table_can_leave(root: Root) -> None:
    """A table that nobody thought of would keep its files for ever."""
    left = {d: "left" for contract in TABLES.values() for d in contract.by}
    kept = {"demonstration": "cups-0", "gating": "state", "model": "oracle", "variant": "high"}
    wanted = []
    for name, contract in TABLES.items():
        for dimension in contract.by:
            partition = {d: kept.get(d, "left") for d in contract.by}
            partition[dimension] = left[dimension]
            root.lake.write(name, contract.empty(), partition)
            wanted.append(f"{name} {'|'.join(partition.values())}")
    wanted.append("frame_images left-0|baseline")
    assert sorted(found(root.collect(delete=True), PARTITIONS)) == sorted(wanted)


def test_files_behind_a_link_are_not_removed(root: Root, tmp_path: Path) -> None:
    """A linked folder may be a disk of another data root, where the same names are in use."""
    elsewhere = tmp_path / "elsewhere"
    linked = [
        root.paths.root / "lake" / "frame_images" / "left-0",
        root.paths.images / root.shas[4][:2],
        root.paths.recordings,
    ]
    linked[-1].mkdir()
    (linked[-1] / ".half.0123456789ab.tmp").write_bytes(b"half")
    for folder in linked:
        target = elsewhere / folder.name
        target.parent.mkdir(exist_ok=True)
        folder.rename(target)
        folder.symlink_to(target)
    root.age(3 * DAY)
    at = time.time() - 3 * DAY
    before = sorted(elsewhere.rglob("*"))
    for path in before:
        os.utime(path, (at, at))
    for delete in (False, True):
        collected = root.collect(delete=delete)
        assert found(collected, PARTITIONS) == []
        assert root.shas[4] not in found(collected, PICTURES)
        assert "through a link; unneeded files in it that were not removed: 1." in "".join(
            collected.kept
        )
    assert sorted(elsewhere.rglob("*")) == before
