"""Step files: which steps people carried out in films of everyday tasks, and when.

A step file is a folder with three CSV files, laid out as those of CaptainCook4D, and films in
``videos/<recording>.mp4`` where the user has them. Rows that cannot be used are left out, and
``problems`` says which; the rest goes on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from enact_assets.engine.errors import StepFileError, UnknownNameError
from enact_assets.engine.ids import content_sha, sha256_bytes
from enact_assets.engine.package_files import file_bytes
from enact_assets.engine.plurals import counted
from enact_assets.engine.system.atomic import make_folder
from enact_assets.questions.world import captaincook4d
from enact_assets.settings.classes import is_partition_name
from enact_assets.settings.world import EMBEDDED_WORLD

STEPS = "step_annotations.csv"
RECORDINGS = "video_information.csv"
LABELS = "step_idx_description.csv"
FILMS = "videos"
_COLUMNS = {
    STEPS: ("recording_id", "step_id", "start_time", "end_time", "description", "has_errors"),
    RECORDINGS: ("recording_id", "environment_id", "person_id", "duration(sec)"),
    LABELS: ("step_idx", "step_description"),
}
NOT_DONE_S = -1
"""Begin and end of a step that the person left out."""
_TRUTHS = {"true": True, "false": False, "1": True, "0": False}


@dataclass(frozen=True)
class StepFile:
    """What a step file says.

    ``steps`` has one row per step that was carried out: ``line`` in its file, ``recording``,
    ``category`` (the id of the step), ``label``, ``start_s``, ``end_s``, ``has_error``,
    ``environment``, ``person`` and ``duration_s`` of the recording. ``is_known`` says whether the
    list of steps has the category. ``n_not_done`` steps were left out by the person.
    """

    name: str
    steps: pl.DataFrame
    n_not_done: int
    problems: tuple[str, ...]


def read_step_file(folder: Path, name: str) -> StepFile:
    """The step file in ``folder``.

    Errors: :class:`StepFileError` for a file that is missing, is no CSV or lacks columns, and
    where no step can be used.
    """
    steps = _read(folder / STEPS)
    recordings = _read(folder / RECORDINGS).select(
        pl.col("recording_id").alias("recording"),
        pl.col("environment_id").alias("environment"),
        pl.col("person_id").alias("person"),
        pl.col("duration(sec)").cast(pl.Float64, strict=False).alias("duration_s"),
    )
    where = folder / RECORDINGS
    twins = recordings.filter(pl.col("recording").is_duplicated())
    if twins.height:
        raise StepFileError(
            f"{where}: {counted(twins.height, 'row')} share their recording_id, first "
            f"{twins.item(0, 'recording')!r}. Keep one row per recording."
        )
    labels = _read(folder / LABELS).select(
        pl.col("step_idx").alias("category"), pl.col("step_description").alias("label")
    )
    found = (
        steps.select(
            pl.int_range(2, pl.len() + 2, dtype=pl.Int64).alias("line"),
            pl.col("recording_id").alias("recording"),
            pl.col("step_id").alias("category"),
            pl.col("start_time").cast(pl.Float64, strict=False).alias("start_s"),
            pl.col("end_time").cast(pl.Float64, strict=False).alias("end_s"),
            pl.col("description"),
            pl.col("has_errors")
            .str.to_lowercase()
            .replace_strict(_TRUTHS, default=None, return_dtype=pl.Boolean)
            .alias("has_error"),
        )
        .join(recordings, on="recording", how="left", maintain_order="left")
        .join(labels.unique("category"), on="category", how="left", maintain_order="left")
        .with_columns(
            pl.col("label").is_not_null().alias("is_known"),
            pl.coalesce("label", "description", "category").alias("label"),
        )
    )
    is_not_done = (pl.col("start_s") == NOT_DONE_S) & (pl.col("end_s") == NOT_DONE_S)
    n_not_done = found.filter(is_not_done).height
    found = found.filter(~is_not_done.fill_null(value=False))
    readable, problems = _readable(found, folder / STEPS)
    if readable.is_empty():
        first = f" {problems[0]}" if problems else ""
        raise StepFileError(f"{folder / STEPS}: no step can be used.{first}")
    differ = readable.filter(pl.col("is_known") & (pl.col("label") != pl.col("description")))
    if differ.height:
        problems.append(
            f"{folder / STEPS}: {counted(differ.height, 'row')} with the description of another "
            f"step than that of the step_id ({_first(differ)}). The step_id counts."
        )
    return StepFile(name, readable.drop("description"), n_not_done, tuple(problems))


def _readable(found: pl.DataFrame, where: Path) -> tuple[pl.DataFrame, list[str]]:
    """Rows that say when, where and by whom something was done, and what is wrong with others."""
    faults = {
        "start_time, end_time or has_errors cannot be read": pl.any_horizontal(
            pl.col("start_s", "end_s").is_null() | ~pl.col("start_s", "end_s").is_finite(),
            pl.col("has_error").is_null(),
        ),
        f"{RECORDINGS} lacks the recording, its environment or its person": (
            pl.col("environment").is_null() | pl.col("person").is_null()
        ),
        "step_id is empty": pl.col("category").is_null(),
    }
    problems = []
    for what, fault in faults.items():
        bad = found.filter(fault)
        if bad.height:
            n = f"{counted(bad.height, 'row')} {'is' if bad.height == 1 else 'are'}"
            problems.append(f"{where}: {n} ignored: {what} ({_first(bad)}).")
            found = found.filter(~fault)
    return found, problems


def _first(rows: pl.DataFrame) -> str:
    line, recording, category = rows.select("line", "recording", "category").row(0)
    return f"first: line {line}, recording {recording}, step {category}"


def _read(path: Path) -> pl.DataFrame:
    try:
        rows = pl.read_csv(file_bytes(path), infer_schema=False)
    except FileNotFoundError as error:
        needed = ", ".join(_COLUMNS)
        raise StepFileError(f"{path}: missing. A step file is a folder with {needed}.") from error
    except (OSError, pl.exceptions.PolarsError) as error:
        raise StepFileError(f"{path}: cannot be read as CSV ({error}).") from error
    lacking = [name for name in _COLUMNS[path.name] if name not in rows.columns]
    if lacking:
        raise StepFileError(f"{path}: lacks columns {lacking}; it has {rows.columns}.")
    return rows.with_columns(pl.all().str.strip_chars().replace("", None))


def step_file_folder(root: Path, name: str) -> Path:
    """Folder of the step file ``name`` in ``root`` (``DataRoot.step_files``), with its films.

    Errors: :class:`UnknownNameError` if there is none.
    """
    if not is_partition_name(name) or not (root / name).is_dir():
        raise UnknownNameError.of(
            "step file",
            name,
            step_file_names(root),
            f"Make the folder {root / name} with {', '.join(_COLUMNS)}; that of "
            f"{captaincook4d.NAME} may be empty.",
        )
    return root / name


def step_file_names(root: Path) -> list[str]:
    """Names of the step files in ``root``, sorted."""
    if not root.is_dir():
        return []
    folders = (path.name for path in root.iterdir() if path.is_dir())
    return sorted(name for name in folders if is_partition_name(name) and name != EMBEDDED_WORLD)


def ensured_step_files(root: Path, names: Sequence[str]) -> list[str]:
    """``names``, whose folders are there; that of CaptainCook4D is made.

    Errors: as :func:`step_file_folder`.
    """
    if captaincook4d.NAME in names:
        make_folder(root / captaincook4d.NAME)
    return [step_file_folder(root, name).name for name in names]


def annotations_in(folder: Path) -> Path:
    """Where the CSV files of the step file in ``folder`` are: CaptainCook4D's ship with us."""
    is_ours = folder.name == captaincook4d.NAME and not any((folder / n).exists() for n in _COLUMNS)
    return captaincook4d.FOLDER if is_ours else folder


def films_in(folder: Path) -> Mapping[str, Path]:
    """Recording -> its film, for all that the step file in ``folder`` has."""
    return {path.stem: path for path in sorted((folder / FILMS).glob("*.mp4"))}


def step_file_version(root: Path, name: str) -> str:
    """Hash of the CSV files, and of name, size and time of each film: another means another file.

    Errors: as :func:`step_file_folder`, ``OSError`` for a file that cannot be read.
    """
    folder = step_file_folder(root, name)
    annotations = annotations_in(folder)
    files = [sha256_bytes(file_bytes(annotations / name)) for name in _COLUMNS]
    films = [(path.name, path.stat()) for path in films_in(folder).values()]
    return content_sha([files, [[film, s.st_size, s.st_mtime_ns] for film, s in films]])
