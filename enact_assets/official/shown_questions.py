"""Questions of a variant as models are shown them, for any export: rows, parts, pictures."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from enact_assets.contracts.errors import OutputError, UnknownNameError
from enact_assets.contracts.ids import sha256_bytes
from enact_assets.contracts.registry import Registry
from enact_assets.contracts.settings import Variant
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.official.exported_rows import asked_rows, asking_variant, official_ids
from enact_assets.official.layout import output_file
from enact_assets.official.outcomes import Told
from enact_assets.official.pictures import write_picture
from enact_assets.people.content import shown_sha
from enact_assets.questions.question_types import Row, type_of

PICTURES = "pictures"


@dataclass(frozen=True)
class ShownPicture:
    """A picture by the hash of its file."""

    sha: str

    @property
    def path(self) -> str:
        """Where exports put it, relative to their folder."""
        return f"{PICTURES}/{self.sha}.png"


ShownPart = str | ShownPicture
_Shas = Mapping[tuple[str, int], str]
"""(demonstration, key frame) -> hash of its picture."""


@dataclass(frozen=True)
class ShownQuestion:
    """A row of ``asked_questions``, its id in the release's form, and what a model is shown."""

    row: Row
    official_id: str
    parts: tuple[ShownPart, ...]

    @property
    def pictures(self) -> tuple[ShownPicture, ...]:
        """Its pictures in the order shown."""
        return tuple(part for part in self.parts if isinstance(part, ShownPicture))

    @property
    def shown_sha(self) -> str:
        """Hash of its texts and pictures in the order shown."""
        return _shown_sha(self.parts)


@dataclass(frozen=True)
class ShownQuestions:
    """Questions that ``variant`` asks; ``n_left_out`` more lack a picture under it."""

    variant: Variant
    questions: tuple[ShownQuestion, ...]
    n_left_out: int

    def __iter__(self) -> Iterator[ShownQuestion]:
        return iter(self.questions)

    def __len__(self) -> int:
        return len(self.questions)

    @property
    def shas(self) -> list[str]:
        """Hashes of all pictures shown, sorted."""
        return sorted({picture.sha for question in self for picture in question.pictures})


def shown_questions(
    lake: Lake, name: str, registry: Registry, variant: str | None
) -> ShownQuestions:
    """The questions of set ``name`` that ``variant``, or the first one that asks it, asks.

    Errors: :class:`UnknownNameError` if ``name`` is no question set or the variant does not ask it,
    :class:`MissingPartitionError` if something was not materialized.
    """
    if name not in registry.question_sets:
        advice = "Imported question files are exported with --form release only."
        raise UnknownNameError.of("question set", name, registry.question_sets, advice)
    asking = asking_variant(registry, name, variant)
    asked = asked_rows(lake, asking)
    shas = _picture_shas(lake, asking, asked)
    official = {id_: official for official, id_ in official_ids(lake, asked).items()}
    found = []
    for row in asked.iter_rows(named=True):
        parts = _parts(row, shas)
        if parts is not None:
            found.append(ShownQuestion(row, official[row["question_id"]], parts))
    return ShownQuestions(asking, tuple(found), asked.height - len(found))


def shown_shas(lake: Lake, asking: Variant, asked: pl.DataFrame) -> dict[str, str | None]:
    """Hash of what each of ``asked`` shows, rows of ``asked_questions`` of the variant ``asking``;
    None where a picture is missing.
    """
    shas = _picture_shas(lake, asking, asked)
    found = {row["question_id"]: _parts(row, shas) for row in asked.iter_rows(named=True)}
    return {id_: None if parts is None else _shown_sha(parts) for id_, parts in found.items()}


def write_shown_pictures(folder: Path, shas: Iterable[str], store: ImageStore, told: Told) -> None:
    """Write pictures as ``folder/pictures/<sha>.png``; whole ones that are there stay.

    Errors: :class:`OutputError`, and those of the store.
    """
    shas = list(shas)
    for k, sha in enumerate(shas):
        told(PICTURES, k, len(shas))
        path = output_file(folder, *Path(ShownPicture(sha).path).parts)
        try:
            is_there = path.is_file() and sha256_bytes(path.read_bytes()) == sha
        except OSError as error:
            raise OutputError(f"{path}: cannot be read ({error.strerror})") from error
        if not is_there:
            write_picture(path, store.read_png(sha))


def _picture_shas(lake: Lake, asking: Variant, asked: pl.DataFrame) -> _Shas:
    images = lake.read_all(
        "frame_images",
        variant=asking.name,
        among={"demonstration": asked.get_column("demonstration").unique()},
    )
    rows = images.filter(pl.col("gating") == asking.gating)
    columns = rows.select("demonstration", "key_frame", "image_sha")
    return {(demonstration, k): sha for demonstration, k, sha in columns.iter_rows()}


def _shown_sha(parts: Sequence[ShownPart]) -> str:
    return shown_sha([part if isinstance(part, str) else [part.sha] for part in parts])


def _parts(question: Row, shas: _Shas) -> tuple[ShownPart, ...] | None:
    """The parts of a question; None if a picture is missing."""
    parts: list[ShownPart] = []
    for part in type_of(question).parts(question):
        if isinstance(part, str):
            parts.append(part)
        elif (sha := shas.get((part.demonstration, part.key_frame))) is not None:
            parts.append(ShownPicture(sha))
        else:
            return None
    return tuple(parts)
