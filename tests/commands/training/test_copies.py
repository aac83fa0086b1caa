"""What a training set holds of a test is found; what only looks like it is not."""

import base64
import gzip
import io
import json
import tarfile
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from PIL import Image, ImageDraw

from enact_assets.cli import main
from enact_assets.commands.training.copies import (
    BY_ID,
    BY_PICTURE,
    BY_TEXT,
    TestHeld,
    find_copies,
    plain_line,
)
from enact_assets.demonstrations.pictures.fingerprints import (
    NEAR_BITS,
    distances,
    fingerprint,
)
from enact_assets.demonstrations.pictures.tables import FrameImages
from enact_assets.engine.errors import MissingPartitionError, QuestionFileError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.world.tables import ClipImages
from enact_assets.settings.paths import DataRoot

from reference.asked_root import write_asked_root

PX = 256


def scene(seed: int, px: int = PX) -> Image.Image:
    """Planes with edges, as pictures of rooms have them."""
    draw = np.random.default_rng(seed)
    image = Image.new("RGB", (px, px), (128, 128, 128))
    pen = ImageDraw.Draw(image)
    for corners, colour in zip(
        draw.random((60, 2, 2)), draw.integers(0, 256, (60, 3)), strict=True
    ):
        low, high = np.sort(corners, axis=0) * px
        pen.rectangle((*low, *high), tuple(map(int, colour)))
    return image


def encoded(image: Image.Image, form: str = "PNG", **options: int) -> bytes:
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def half(image: Image.Image) -> bytes:
    """Half as large, and compressed."""
    return encoded(image.resize((image.width // 2, image.height // 2)), "JPEG", quality=60)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> DataRoot:
    """Tests of one household, with pictures that are large enough to be told apart."""
    root, home = write_asked_root(tmp_path_factory.mktemp("tests"))
    store, lake = ImageStore(root.images), Lake(root.lake)
    here = {"demonstration": home.demonstration, "variant": "baseline"}
    rows = lake.read("frame_images", here)
    shas = [store.put(encoded(scene(k, 2 * PX))) for k in rows["key_frame"]]
    lake.write("frame_images", FrameImages.of(rows.with_columns(image_sha=pl.Series(shas))), here)
    clips = [
        {"demonstration": home.demonstration, "view": "view", "action": 2, "place": k, "frame": k}
        | {"image_sha": sha, "render_sha": "1" * 64, "width_px": 2 * PX, "height_px": 2 * PX}
        for k, sha in enumerate((shas[0], store.put(encoded(scene(70, 2 * PX)))), start=1)
    ]
    of = {"demonstration": home.demonstration}
    lake.write("clip_images", ClipImages.build(clips), of)
    return root


@pytest.fixture(scope="module")
def held(root: DataRoot) -> TestHeld:
    return TestHeld(root)


@pytest.fixture(scope="module")
def asked(root: DataRoot) -> pl.DataFrame:
    return Lake(root.lake).read("asked_questions", {"variant": "baseline"})


def test_a_copy_has_nearly_the_bits_of_its_picture_and_a_crop_has_not() -> None:
    image = scene(1, 2 * PX)
    cut = image.crop((25, 25, 487, 487))
    whole, copy, crop = (
        np.array([fingerprint(encoded(image))]),
        np.array([fingerprint(half(image))]),
        np.array([fingerprint(encoded(cut))]),
    )
    assert distances(whole, copy).item() <= NEAR_BITS < distances(whole, crop).item()
    assert fingerprint(encoded(scene(1, PX - 1))) is None
    assert fingerprint(b"no picture") is None
    assert distances(whole, ~whole).item() >= 255


def test_pictures_are_found_wherever_they_are(held: TestHeld, tmp_path: Path) -> None:
    """As files, within Parquet, within tar files, as text; another scene is not found."""
    within = {"images": [[{"bytes": half(scene(3, 2 * PX)), "path": "a"}]], "text": ["none"]}
    pl.DataFrame(within).write_parquet(tmp_path / "rows.parquet")
    url = f"data:image/jpeg;base64,{base64.b64encode(half(scene(4, 2 * PX))).decode()}"
    (tmp_path / "rows.jsonl").write_text(json.dumps({"content": [{"image_url": url}]}) + "\n\n")
    with tarfile.open(tmp_path / "shard.tar", "w") as tar:
        content = half(scene(5, 2 * PX))
        entry = tarfile.TarInfo("one.0.jpg")
        entry.size = len(content)
        tar.addfile(entry, io.BytesIO(content))
    (tmp_path / "six.png").write_bytes(encoded(scene(6, 2 * PX)))
    (tmp_path / "clip.jpg").write_bytes(half(scene(70, 2 * PX)))
    (tmp_path / "other.png").write_bytes(encoded(scene(99)))
    (tmp_path / "small.png").write_bytes(encoded(scene(7, PX // 2)))
    found = find_copies(held, tmp_path)
    name = held.pictures[0].demonstration
    shown = ("3", "4", "5", "6", "view, action 2, picture 2")
    assert found.of(BY_PICTURE) == [f"{name} {what}" for what in shown]
    assert (found.n_pictures, found.n_small) == (7, 1)
    assert found.of(BY_ID) == found.of(BY_TEXT) == []


def test_questions_are_found_by_id_and_by_their_actions(
    held: TestHeld, asked: pl.DataFrame, tmp_path: Path
) -> None:
    ids, actions = asked["question_id"].to_list(), asked["actions"].to_list()
    numbered = "\n".join(f"{k}) {text.upper()}" for k, text in enumerate(actions[1], start=1))
    rows = [
        {"id": ids[0]},
        {"messages": [{"content": f"Order these.\n{numbered}\nAnswer:"}]},
        {"text": actions[2][0]},
        {"text": "an entirely other text"},
    ]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    found = find_copies(held, tmp_path / "rows.json")
    assert found.n_rows == 4
    assert found.of(BY_ID) == [ids[0]]
    shown = asked["key_frames"].to_list()
    same = [i for i, frames in zip(ids, shown, strict=True) if frames == shown[1]]
    assert ids[1] in found.of(BY_TEXT)
    assert set(found.of(BY_TEXT)) <= set(same)


def test_the_command_says_what_and_ends_with_1(
    root: DataRoot, asked: pl.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clean, full = tmp_path / "clean.csv", tmp_path / "full.csv"
    clean.write_text("text\nnothing\n")
    full.write_text(f"text\n{asked['question_id'][0]}\n")
    data = ["--data", str(root.root)]
    assert main(["contamination", str(clean), *data]) == 0
    listed = tmp_path / "found.csv"
    assert main(["contamination", str(full), *data, "--output", str(listed)]) == 1
    assert "1 question of the test found by id" in capsys.readouterr().out
    assert listed.read_text().splitlines()[1].startswith(f"id,{asked['question_id'][0]},")
    assert main(["contamination", str(full), *data, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["id"] == [asked["question_id"][0]]


def test_other_forms(held: TestHeld, asked: pl.DataFrame, tmp_path: Path) -> None:
    """As `datasets` saves, compressed, nested, encoded; and every place of a picture is named."""
    ids = asked["question_id"].to_list()
    table = pa.table({"id": [ids[0]]})
    with (
        pa.OSFile(str(tmp_path / "data.arrow"), "wb") as out,
        pa.ipc.new_stream(out, table.schema) as writer,
    ):
        writer.write_table(table)
    with gzip.open(tmp_path / "rows.jsonl.gz", "wt") as lines:
        lines.write(json.dumps({"id": ids[1]}) + "\n")
    (tmp_path / "nested.json").write_text(json.dumps({"data": [{"id": ids[2]}, {"x": 1}]}))
    picture = base64.b64encode(half(scene(5, 2 * PX))).decode()
    (tmp_path / "vlm.tsv").write_text(f"\ufeffid\timage\na\t{picture}\nb\t{picture}\n")
    (tmp_path / "bad.jsonl").write_text(json.dumps({"u": "data:image/png;base64,AAAAA"}) + "\n")
    (tmp_path / "more.zip").write_bytes(b"PK")
    found = find_copies(held, tmp_path)
    assert found.of(BY_ID) == sorted(ids[:3])
    places = [copy.where.rpartition("/")[2] for copy in found.found if copy.how == BY_PICTURE]
    assert places == ["vlm.tsv row 0", "vlm.tsv row 1"]
    assert (found.n_rows, found.n_unreadable) == (8, 1)
    assert found.not_read == [str(tmp_path / "more.zip")]


def test_a_text_keeps_its_signs() -> None:
    """In symbols, the opposite change differs in a sign alone."""
    assert plain_line("[Action 3] The cup is open.") == plain_line("3) the cup  IS open.")
    assert plain_line("- The cup is open.") == "the cup is open."
    assert plain_line("+OnTop(cup, shelf)") != plain_line("-OnTop(cup, shelf)")


def test_what_cannot_be_read_is_named(held: TestHeld, tmp_path: Path) -> None:
    with pytest.raises(QuestionFileError, match="holds no files"):
        find_copies(held, tmp_path)
    (tmp_path / "code.py").write_text("1")
    with pytest.raises(QuestionFileError, match="holds no training set"):
        find_copies(held, tmp_path)
    for name, text in (("broken.jsonl", "{"), ("deep.json", "[" * 100_000)):
        (tmp_path / name).write_text(text)
        with pytest.raises(QuestionFileError, match=rf"{name} cannot be read"):
            find_copies(held, tmp_path)
        (tmp_path / name).unlink()
    with pytest.raises(MissingPartitionError, match="no questions to look for"):
        TestHeld(DataRoot(tmp_path / "empty", lake_url=None))
