"""Questions of a variant as shown to models, for all exports: rows, parts, pictures."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from enact_assets.answers.people.content import shown_sha
from enact_assets.commands.release.layout import output_file
from enact_assets.commands.release.pictures import write_picture
from enact_assets.engine.errors import MissingPartitionError, OutputError, UnknownNameError
from enact_assets.engine.ids import sha256_bytes
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.progress import OnProgress, Progress
from enact_assets.questions.asked.official_rows import official_questions
from enact_assets.questions.asked.types import PictureKey, Row, type_of
from enact_assets.questions.world.stored_pictures import stored_pictures
from enact_assets.settings.classes import Variant
from enact_assets.settings.registry import Registry
from enact_assets.settings.world import KINDS

PICTURES = "pictures"


def asking_variant(registry: Registry, question_set: str, variant: str | None) -> Variant:
    """``variant``, or the first variant that uses ``question_set``.

    Errors: :class:`UnknownNameError` if it is unknown or uses another set, or if no variant uses
    the set.
    """
    if variant is None:
        asking = (v for v in registry.variants.values() if v.question_set == question_set)
        found = next(asking, None)
        if found is None:
            raise UnknownNameError(
                f"no variant asks question set {question_set!r}. Add a variant with "
                f"`question_set: {question_set}` to the registry, or export the whole set: --all"
            )
        return found
    found = registry.variant(variant)
    if found.question_set != question_set:
        raise UnknownNameError(
            f"variant {variant!r} asks question set {found.question_set!r}, not {question_set!r}. "
            f"Export {found.question_set}, or choose another variant"
        )
    return found


def asked_rows(lake: Lake, variant: Variant) -> pl.DataFrame:
    """Rows of ``asked_questions`` of ``variant``, by length, kind, demonstration and place.

    Errors: :class:`MissingPartitionError` if it has no questions, or was not materialized.
    """
    rows = lake.read("asked_questions", {"variant": variant.name})
    rows = rows.filter(question_set=variant.question_set)
    if rows.is_empty():
        raise MissingPartitionError(
            f"variant {variant.name!r} asks no question of set {variant.question_set!r}: "
            "materialize demonstrations first"
        )
    return rows.sort("length", "kind", "demonstration", "place", "question_id")


def official_ids(lake: Lake, asked: pl.DataFrame) -> dict[str, str]:
    """Id in the release's form -> question id, of rows of ``asked_questions`` of one gating; those
    of WorldPrediction have no other.

    Errors: :class:`QuestionError` for a question whose key frames are gone.
    """
    asked = asked.filter(~pl.col("kind").is_in(KINDS))
    if asked.is_empty():
        return {}
    names = asked.get_column("demonstration").unique()
    gating = asked.item(0, "gating")
    segmented = lake.read_all("segmented_frames", gating=gating, among={"demonstration": names})
    ids = asked.get_column("question_id")
    found = official_questions(asked, segmented)
    # Imported questions keep the ids of their files, which may use other names of types.
    own = {id_: id_ for id_ in ids}
    return own | {question.id: id_ for question, id_ in zip(found, ids, strict=True)}


@dataclass(frozen=True)
class ShownPicture:
    """A picture by the hash of its file."""

    sha: str

    @property
    def path(self) -> str:
        """Path of the picture in exports, relative to their folder."""
        return f"{PICTURES}/{self.sha}.png"


ShownPart = str | ShownPicture
_Shas = Mapping[PictureKey, str]
"""Each picture -> its hash."""


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
    """Questions of ``variant``; ``n_left_out`` more lack a picture under it."""

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
    """The questions of set ``name`` under ``variant`` (None: the first variant that uses the set).

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
            id_ = row["question_id"]
            found.append(ShownQuestion(row, official.get(id_, id_), parts))
    return ShownQuestions(asking, tuple(found), asked.height - len(found))


def shown_shas(lake: Lake, asking: Variant, asked: pl.DataFrame) -> dict[str, str | None]:
    """Hash of the texts and pictures of each of ``asked``, rows of ``asked_questions`` of the
    variant ``asking``; None if a picture is missing.
    """
    shas = _picture_shas(lake, asking, asked)
    found = {row["question_id"]: _parts(row, shas) for row in asked.iter_rows(named=True)}
    return {id_: None if parts is None else _shown_sha(parts) for id_, parts in found.items()}


def write_shown_pictures(
    folder: Path, shas: Iterable[str], store: ImageStore, on_progress: OnProgress
) -> None:
    """Write pictures as ``folder/pictures/<sha>.png``; existing intact ones stay.

    Errors: :class:`OutputError`, and those of the store.
    """
    shas = list(shas)
    for k, sha in enumerate(shas):
        on_progress(Progress(k, len(shas), text=PICTURES))
        path = output_file(folder, *Path(ShownPicture(sha).path).parts)
        try:
            is_there = path.is_file() and sha256_bytes(path.read_bytes()) == sha
        except OSError as error:
            raise OutputError(f"{path}: cannot be read ({error.strerror})") from error
        if not is_there:
            write_picture(path, store.read_png(sha))


def _picture_shas(lake: Lake, asking: Variant, asked: pl.DataFrame) -> _Shas:
    names = asked.get_column("demonstration").unique()
    return {key: sha for key, (sha, _, _) in stored_pictures(lake, asking.name, names).items()}


def _shown_sha(parts: Sequence[ShownPart]) -> str:
    return shown_sha([part if isinstance(part, str) else [part.sha] for part in parts])


def _parts(question: Row, shas: _Shas) -> tuple[ShownPart, ...] | None:
    """The parts of a question; None if a picture is missing."""
    parts: list[ShownPart] = []
    for part in type_of(question).parts(question):
        if isinstance(part, str):
            parts.append(part)
        elif (sha := shas.get(part.key)) is not None:
            parts.append(ShownPicture(sha))
        else:
            return None
    return tuple(parts)
