"""Pictures that an image model repaints: exactly those that keep the scene are taken."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from PIL import Image

from enact_assets.answers.baselines.known_models import KnownModels
from enact_assets.answers.baselines.model_asker import ModelAsker
from enact_assets.answers.baselines.picture_editor import PROMPT, PictureEditor
from enact_assets.answers.models.budget import Budget
from enact_assets.answers.models.ledger import read_kept
from enact_assets.answers.models.ledger_lines import ledger_files
from enact_assets.answers.models.messages import Message, Text
from enact_assets.demonstrations.pictures.render_pool import encode_png
from enact_assets.demonstrations.pictures.tables import FrameImages
from enact_assets.engine.errors import PredictionError, SettingsError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.settings.classes import Variant
from enact_assets.settings.editing import EditingSettings
from enact_assets.settings.paths import DataRoot

from reference.drawn_scenes import drawn_scene
from reference.picture_server import TOKENS_IN, TOKENS_OUT, PictureServer, picture_server

N = 3
USD = (TOKENS_IN * 10 + TOKENS_OUT * 40) / 1e6
"""Of a picture."""


@pytest.fixture(scope="module")
def server() -> Iterator[PictureServer]:
    with picture_server() as running:
        yield running


@pytest.fixture(autouse=True)
def nothing_sold_yet(server: PictureServer) -> None:
    server.sold.clear()
    server.bodies.clear()


def editor(root: Path, url: str, usd: float | None = 100.0, provider: str = "openai") -> Any:
    """With model ``painter``, which costs money, at ``url``."""
    base = f"{url}/v1" if provider == "openai" else url
    root.mkdir(exist_ok=True)
    (root / "models.yaml").write_text(
        f"models: {{painter: {{id: {provider}-images/painter-1, base_url: '{base}', "
        "price: {in: 10, out: 40}}}"
    )
    data_root = DataRoot(root, None)
    return PictureEditor(data_root, ImageStore(data_root.images), usd)


def made(editor: PictureEditor, n: int = N) -> pl.DataFrame:
    """Rows of ``frame_images`` of ``n`` drawn key frames, and one that looks like the first."""
    shas = [editor.images.put(encode_png(drawn_scene(k)[0])) for k in range(n)]
    row = {"demonstration": "d", "variant": "realistic", "gating": "state"}
    size = {"width_px": 128, "height_px": 128}
    return FrameImages.build(
        [
            {**row, "key_frame": k, "frame": 9 * k, "image_sha": sha, "render_sha": sha, **size}
            for k, sha in enumerate([*shas, shas[0]])
        ]
    )


def edit(editor: PictureEditor, rows: pl.DataFrame | None = None, **settings: Any) -> pl.DataFrame:
    editing = EditingSettings("painter", **settings)
    variant = Variant("realistic", "state", editing=editing)
    recorded = pl.DataFrame({"demonstration": ["d"], "source": ["recorded"]})
    return editor(made(editor) if rows is None else rows, recorded, variant, pl.DataFrame)


@pytest.mark.parametrize("provider", ["openai", "google"])
def test_a_good_picture_takes_the_place_of_the_original(
    tmp_path: Path, server: PictureServer, provider: str
) -> None:
    paint = editor(tmp_path, server.selling("good"), provider=provider)
    before = made(paint)
    rows = edit(paint, before)
    assert rows["key_frame"].to_list() == [0, 1, 2, 3]
    assert not set(rows["image_sha"]) & set(before["image_sha"])
    assert rows["image_sha"][0] == rows["image_sha"][3]
    assert paint.images.read(rows["image_sha"][0]).shape == (128, 128, 3)
    # Bought once each; sent as documented, with the prompt.
    assert sorted(server.sold.values()) == [1, 1, 1]
    kind, body = server.bodies[0]
    assert PROMPT.encode()[:60] in body
    if provider == "openai":
        assert kind.startswith("multipart/form-data; boundary=")
        assert b'name="model"\r\n\r\npainter-1\r\n' in body
        assert b'name="size"\r\n\r\n1024x1024\r\n' in body
    else:
        assert b'"responseModalities":["IMAGE"]' in body
    # The ledger names them; the reply is kept without the picture.
    assert Budget(paint.data_root.ledger, None).committed_usd() == pytest.approx(N * USD)
    folder = paint.data_root.ledger / f"{provider}_images" / "painter-1"
    for answer in read_kept(folder).answers.values():
        served = None if provider == "openai" else "painter-1"
        assert (answer.purpose, answer.served_model) == ("picture", served)
        assert (folder / "pictures" / str(answer.text)).exists()
    assert all(path.stat().st_size < 10_000 for path in ledger_files(paint.data_root.ledger))
    again = edit(paint, before)
    assert again.equals(rows)
    assert sorted(server.sold.values()) == [1, 1, 1]


@pytest.mark.parametrize("kind", ["recoloured", "shifted", "unrelated", "refused"])
def test_a_picture_that_loses_the_scene_is_rejected_and_tried_again(
    tmp_path: Path, server: PictureServer, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    paint = editor(tmp_path, server.selling(f"{kind}-{kind}-good"))
    before = made(paint, 1)
    # After its last try a key frame has no picture, which is no failure.
    assert edit(paint, before, tries=2).is_empty()
    assert "2 edited pictures were rejected, and 1 of 1 key frames have none" in caplog.text
    rows = edit(paint, before, tries=3)
    assert rows.height == 2
    assert list(server.sold.values()) == [3]
    # Limits decide without anything being bought anew.
    assert edit(paint, before, tries=3, edge_similarity=1.0).is_empty()
    assert list(server.sold.values()) == [3]


def test_without_a_budget_nothing_is_sent_and_the_step_fails(
    tmp_path: Path, server: PictureServer
) -> None:
    paint = editor(tmp_path, server.selling("good"), usd=None)
    with pytest.raises(PredictionError, match=r"3 of 3 pictures were not .*no budget is set"):
        edit(paint)
    assert not server.sold
    # What one picture can cost at most is set aside before it is sent.
    paint = editor(tmp_path, server.selling("good"), usd=1.5 * 8_192 * 40 / 1e6)
    with pytest.raises(PredictionError, match="does not cover another"):
        edit(paint)
    assert 0 < sum(server.sold.values()) < N
    n_before = sum(server.sold.values())
    assert edit(editor(tmp_path, server.selling("good"))).height == N + 1
    assert sum(server.sold.values()) == N
    assert n_before < N


def test_a_picture_that_was_bought_and_is_gone_is_an_error(
    tmp_path: Path, server: PictureServer
) -> None:
    paint = editor(tmp_path, server.selling("good"))
    edit(paint)
    kept = next(paint.data_root.ledger.rglob("pictures/*"))
    with Image.open(kept) as image:
        assert image.size == (256, 256)  # as it came
    kept.write_bytes(b"another")
    with pytest.raises(PredictionError, match="its content is not what its name says"):
        edit(paint)
    kept.unlink()
    with pytest.raises(PredictionError, match="Nothing was bought anew"):
        edit(paint)
    assert sum(server.sold.values()) == N


def test_a_model_of_pictures_answers_no_questions_and_others_edit_no_pictures(
    tmp_path: Path, server: PictureServer
) -> None:
    paint = editor(tmp_path, server.selling("good"))
    ask = ModelAsker(paint.data_root, paint.images.read_png, 1.0)
    with pytest.raises(PredictionError, match="painter edits pictures and answers no questions"):
        ask("painter", "baseline", [Message("q", (Text("In which order?"),))])
    variant = Variant("realistic", "state", editing=EditingSettings("openai/gpt-5"))
    recorded = pl.DataFrame({"demonstration": ["d"], "source": ["recorded"]})
    with pytest.raises(PredictionError, match="edits no pictures"):
        paint(made(paint), recorded, variant, pl.DataFrame)
    assert not server.sold


def test_what_decides_pictures_is_part_of_the_version(tmp_path: Path) -> None:
    root = DataRoot(tmp_path, None)

    def version(parameters: str, url: str = "http://a/v1") -> str:
        entry = f"{{id: openai-images/p, base_url: '{url}', parameters: {parameters}}}"
        (tmp_path / "models.yaml").write_text(f"models: {{painter: {entry}}}")
        return KnownModels(root).image_model_version("painter")

    assert version("{quality: low}") != version("{quality: high}")
    assert version("{}") == version("{}", "http://b/v1")
    with pytest.raises(SettingsError, match="unknown model"):
        KnownModels(root).image_model_version("nobody")
