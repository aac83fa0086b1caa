"""Pictures repainted by an image model: buys and measures them, and accepts or rejects them."""

import io
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from PIL import Image

from enact_assets.answers.baselines.known_models import KnownModels
from enact_assets.answers.baselines.model_asker import as_shown
from enact_assets.answers.models.budget import Budget
from enact_assets.answers.models.picture_edits import Edit, PictureModel
from enact_assets.demonstrations.pictures.fidelity import measure_fidelity
from enact_assets.demonstrations.pictures.render_pool import encode_png
from enact_assets.demonstrations.pictures.tables import FrameImages
from enact_assets.demonstrations.pictures.visibility import Labels, objects_of
from enact_assets.engine.errors import PredictionError
from enact_assets.engine.given_pictures import MAX_PIXELS
from enact_assets.engine.ids import content_sha, sha256_bytes
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.settings.classes import Variant
from enact_assets.settings.editing import EditingSettings
from enact_assets.settings.paths import DataRoot

Pixels = NDArray[np.uint8]
VERSION = 1
"""Increase this when other pictures are accepted from the same replies."""
PROMPT = """\
Turn this screenshot of a simulator into a photograph. Change how things look, never what is there.

Keep exactly: how many objects there are; the place, size, shape and pose of each; the arms and \
grippers of the robot, their angles and what they hold; viewpoint and crop; every outline; the hue \
and lightness of each object. Where realism and content disagree, keep the content. Add no object, \
leave none out, move nothing.

Make real: materials with fine detail (matte polymer, brushed metal, wood grain, glass), soft \
shadows and contact shadows, light film grain. No text, no bloom, no oversaturated colours, no \
drawn outlines.

Answer with the picture alone, of the same crop."""
"""Our prompt, with the rules of figure 21 of the paper."""

_NO_PICTURE = (OSError, ValueError, SyntaxError, Image.DecompressionBombError)
"""Errors by which Pillow reports that bytes are not a picture."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PictureEditor:
    """Has the pictures of one data root edited. ``usd_until`` as in
    :class:`~enact_assets.answers.baselines.model_asker.ModelAsker`; ``on_progress`` gets the number
    of pictures.
    """

    data_root: DataRoot
    images: ImageStore
    usd_until: float | None = None
    on_progress: OnProgress = unheard

    def __call__(
        self,
        made: pl.DataFrame,
        demonstrations: pl.DataFrame,
        variant: Variant,
        read_states: Callable[[], pl.DataFrame],
    ) -> pl.DataFrame:
        """``made``, rows of ``frame_images`` of one demonstration, with an edited picture of each
        key frame; without key frames for which the model made no acceptable picture in all its
        tries.

        Errors: :class:`PredictionError` if some could not be bought: those that were stay;
        :class:`~enact_assets.engine.errors.SettingsError` for an unknown model; those of
        :meth:`PictureModel.edited`.
        """
        settings = variant.editing
        if settings is None or made.is_empty():
            return made
        # Equal pictures are measured once.
        first = made.sort("key_frame").unique("image_sha", keep="first", maintain_order=True)
        key_frames = dict(first.select("image_sha", "key_frame").iter_rows())
        labels = objects_of(demonstrations, made, variant, read_states)
        model = self._model(settings)
        tries = _Tries(f"{made.item(0, 'demonstration')} under {variant.name}", key_frames)
        for attempt in range(settings.tries):
            edits = model.edited(tries.open, settings.prompt or PROMPT, attempt)
            for sha, edit in edits.items():
                original = _pixels(self.read_shown(sha))
                objects = labels(key_frames[sha], len(original)) if edit.picture else None
                tries.add(sha, edit, original, objects, settings)
                self.on_progress(Progress(len(tries.accepted), len(key_frames), "pictures"))
        tries.report()
        for _, picture in tries.accepted.values():
            self.images.put(picture)
        return _rows(made, tries.accepted)

    def _model(self, settings: EditingSettings) -> PictureModel:
        """The model that ``settings`` name. Errors: :class:`SettingsError`."""
        model = KnownModels(self.data_root).catalogue.find(settings.model)
        ledger = self.data_root.ledger
        return PictureModel(model, ledger, Budget(ledger, self.usd_until), self.read_shown)

    def read_shown(self, sha: str) -> bytes:
        """A picture as the model is sent it: square, as all of ours are."""
        png = self.images.read_png(sha)
        with Image.open(io.BytesIO(png)) as image:
            return png if image.width == image.height else as_shown(png)


class _Tries:
    """Results for the pictures of one demonstration so far.

    ``accepted`` maps the hash of an original to its request and the PNG file that is taken.
    """

    def __init__(self, where: str, key_frames: dict[str, int]) -> None:
        self._where, self._key_frames = where, key_frames
        self.open = list(key_frames)
        self.accepted: dict[str, tuple[str, bytes]] = {}
        self._rejected: list[tuple[str, str]] = []
        self._unbought: dict[str, str] = {}

    def add(
        self,
        sha: str,
        edit: Edit,
        original: Pixels,
        objects: Labels | None,
        settings: EditingSettings,
    ) -> None:
        """One more try for ``sha``: accepted, rejected, or not bought."""
        reasons = [edit.error]
        if edit.picture is not None:
            try:
                edited = _pixels(edit.picture, original.shape[:2])
            except _NO_PICTURE as error:
                reasons = [f"not a picture ({error})"]
            else:
                reasons = measure_fidelity(original, edited, objects).broken(settings)
                if not reasons:
                    self.accepted[sha] = edit.request_sha, encode_png(edited)
                    self.open.remove(sha)
                    return
        elif not edit.is_final:
            self._unbought[sha] = edit.error
            self.open.remove(sha)
            return
        self._rejected.append((sha, "; ".join(reasons)))

    def report(self) -> None:
        """Log what was rejected. Errors: :class:`PredictionError` if something was not bought."""
        if self._rejected:
            sha, why = self._rejected[0]
            _log.warning(
                "%s: %d edited pictures were rejected, and %d of %d key frames have none. First: "
                "key frame %d, %s",
                self._where, len(self._rejected), len(self.open), len(self._key_frames),
                self._key_frames[sha], why,
            )  # fmt: skip
        if self._unbought:
            sha, why = next(iter(self._unbought.items()))
            raise PredictionError(
                f"{self._where}: {len(self._unbought)} of {len(self._key_frames)} pictures were "
                f"not edited, first that of key frame {self._key_frames[sha]}: {why}. Pictures "
                "that were bought are in the ledger: run the same command again."
            )


def _pixels(file: bytes, size: tuple[int, int] | None = None) -> Pixels:
    """The pixels (h, w, 3) of a picture file, scaled to ``size`` (h, w) if it has another."""
    with Image.open(io.BytesIO(file)) as image:
        if image.width * image.height > MAX_PIXELS:
            raise ValueError(f"{image.width} x {image.height} pixels")
        found = image.convert("RGB")
    if size is not None and found.size != size[::-1]:
        found = found.resize(size[::-1], Image.Resampling.LANCZOS)
    return np.array(found)


def render_sha_of(request_sha: str) -> str:
    """``render_sha`` of the picture that was taken from the reply to a request."""
    return content_sha([VERSION, request_sha])


def _rows(made: pl.DataFrame, accepted: Mapping[str, tuple[str, bytes]]) -> pl.DataFrame:
    rows = []
    for row in made.rows(named=True):
        if row["image_sha"] in accepted:
            request, png = accepted[row["image_sha"]]
            with Image.open(io.BytesIO(png)) as image:
                width, height = image.size
            edited = {"image_sha": sha256_bytes(png), "render_sha": render_sha_of(request)}
            rows.append({**row, **edited, "width_px": width, "height_px": height})
    return FrameImages.build(rows)
