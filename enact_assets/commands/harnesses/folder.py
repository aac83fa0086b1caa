"""``enact-assets export --format hf``: a folder that ``datasets.load_dataset`` reads offline.

::

    README.md          data card, with the settings of the Hugging Face hub
    croissant.json     the same for machines
    enact_score.py     scores answers; needs nothing but Python
    metadata.parquet   a row per question
    pictures/<sha>.png each picture once

Pictures embedded in Parquet would be stored once per question that shows them.
"""

import datetime as dt
import io
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from enact_assets.commands.harnesses.card import (
    METADATA,
    SetFacts,
    card_of,
    croissant_of,
    facts_of,
)
from enact_assets.commands.harnesses.question_rows import question_rows
from enact_assets.commands.harnesses.score_file import SCORE_FILE, score_source
from enact_assets.commands.release.layout import refuse_overlap
from enact_assets.commands.release.shown_questions import (
    PICTURES,
    shown_questions,
    write_shown_pictures,
)
from enact_assets.engine.errors import OutputError, SettingsError
from enact_assets.engine.ids import sha256_bytes
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.progress import OnProgress, unheard
from enact_assets.engine.system.atomic import replacing
from enact_assets.pipeline.steps.profiles import ANSWERS
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import Registry


@dataclass(frozen=True)
class FolderExported:
    """What was written to ``folder``."""

    folder: Path
    facts: SetFacts

    @property
    def rows(self) -> pl.DataFrame:
        """The questions: columns of
        :data:`~enact_assets.commands.harnesses.question_rows.COLUMNS`.
        """
        return self.facts.rows


def export_folder(
    root: DataRoot,
    name: str,
    folder: Path,
    registry: Registry,
    *,
    variant: str | None = None,
    on_progress: OnProgress = unheard,
) -> FolderExported:
    """Write the questions of set ``name`` under ``variant`` (None: the first variant that uses the
    set).

    Existing pictures stay, and the table of questions is written last. Errors: those of
    :func:`~enact_assets.commands.release.shown_questions.shown_questions`; :class:`SettingsError`
    for imported questions and others that are not scored by the rules of profile ``paper``;
    :class:`OutputError` for a file in place of the folder, a folder with pictures of another
    export, and what cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder} is a file. Name a folder for the question set.")
    refuse_overlap(folder, root.folders)
    lake = Lake(root.lake)
    shown = shown_questions(lake, name, registry, variant)
    gating = registry.gating(shown.variant.gating)
    if ANSWERS.of(gating.profile) is not ANSWERS.paper or shown.variant.is_imported:
        raise SettingsError(
            f"question set {name!r} is of profile {gating.profile.name!r}: other tools score by "
            "profile 'paper' only. Use --form release, and `enact-assets eval` for its answers."
        )
    if not len(shown):
        raise OutputError(
            f"no question of variant {shown.variant.name!r} has all its pictures. Materialize "
            "frame_images, then export again."
        )
    rows = question_rows(lake, shown, gating)
    facts = facts_of(lake, registry, shown.variant, rows, shown.n_left_out)
    shas = shown.shas
    _refuse_others(folder, {f"{sha}.png" for sha in shas})
    write_shown_pictures(folder, shas, ImageStore(root.images), on_progress)
    metadata = _parquet(rows)
    today = dt.datetime.now(dt.UTC).date()
    texts = {
        SCORE_FILE: score_source(),
        "README.md": card_of(facts),
        "croissant.json": croissant_of(facts, sha256_bytes(metadata), today),
    }
    for file, text in texts.items():
        write_text(folder / file, text)
    with replacing(folder / METADATA) as temporary:
        temporary.write_bytes(metadata)
    return FolderExported(folder, facts)


def write_text(path: Path, text: str) -> None:
    """Write a file whole. Errors: :class:`OutputError`."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _parquet(rows: pl.DataFrame) -> bytes:
    """A Parquet file with 32-bit lists and strings: `datasets` does not support file names in other
    types.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    def plain(dtype: object) -> pa.DataType:
        if isinstance(dtype, pl.List):
            return pa.list_(plain(dtype.inner))
        return pa.string() if dtype == pl.String else pa.int64()

    schema = pa.schema([(name, plain(dtype)) for name, dtype in rows.schema.items()])
    buffer = io.BytesIO()
    pq.write_table(rows.to_arrow().cast(schema), buffer)
    return buffer.getvalue()


def _refuse_others(folder: Path, names: set[str]) -> None:
    """Errors: :class:`OutputError` if the folder has pictures that no question shows."""
    others = sorted({path.name for path in (folder / PICTURES).glob("*.png")} - names)
    if others:
        raise OutputError(
            f"{folder / PICTURES} has {len(others)} pictures of another export, first {others[0]}. "
            "Remove the folder or name another one."
        )
