"""``enact-assets export train``: a folder of questions to train on, with rewards.

::

    README.md            data card: seeds, what was left out, what splits share
    training.json        the same for machines
    enact_score.py       rewards and verdicts; needs nothing but Python
    data/train-*.parquet rows in random order (or validation-*)
    pictures/<sha>.png   each picture once; or within the rows

Each demonstration becomes a part, by as many processes as wanted, and each shard takes its share of
every part: memory holds one part or one shard, and a stopped export continues where it was.
"""

import io
import json
import math
import shutil
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import yaml

from enact_assets import __version__
from enact_assets.commands.harnesses.folder import write_text
from enact_assets.commands.harnesses.score_file import SCORE_FILE, score_source
from enact_assets.commands.release.layout import refuse_overlap
from enact_assets.commands.release.shown_questions import ShownPicture, write_shown_pictures
from enact_assets.commands.training.rows import (
    ANY,
    MARKERS,
    MEANINGS,
    SCHEMA,
    Difficulty,
    numbers_of,
    training_rows,
)
from enact_assets.demonstrations.replay.embedded import (
    parse_demonstration,
    split_of_demonstration,
)
from enact_assets.engine.errors import OutputError, SettingsError
from enact_assets.engine.ids import content_sha, seed_from
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.engine.system.atomic import replacing
from enact_assets.questions.world.stored_pictures import stored_pictures
from enact_assets.settings.classes import EMBEDDED, Variant
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import Gating, QuestionSettings, Registry
from enact_assets.settings.splits import (
    HELD_OUT_IN_WORDS,
    SPLITS_IN_WORDS,
    WORLD_VERSION,
    HeldOut,
    Split,
)

PARTS, DATA, FACTS = ".parts", "data", "training.json"
ROWS_PER_SHARD, ROWS_WITH_PICTURES = 20_000, 500
COUNTS = ("n_questions", "n_pictures", "n_bytes", "n_lacking")
FILES, INSIDE, TARS = "files", "parquet", "webdataset"
HUB_SPLITS = {Split.TRAINING: "train", Split.VALIDATION: "validation"}
"""What the Hugging Face hub calls them."""


@dataclass(frozen=True)
class TrainingWanted:
    """How many questions of which lengths, and where pictures are: ``files`` (each once),
    ``parquet`` (in the rows), or ``webdataset`` (tar files). ``held_out`` is what demonstrations
    leave out, or, for validation, what alone they have. With ``has_reasons`` solved answers say
    of each step what changes, and prompts ask for it.
    """

    split: Split
    n_questions: int
    lengths: tuple[int, ...]
    pictures: str = FILES
    difficulty: Difficulty = ANY
    held_out: tuple[HeldOut, ...] = ()
    has_reasons: bool = False

    @property
    def rows_per_shard(self) -> int:
        """Pictures within rows are held in memory with them."""
        return ROWS_PER_SHARD if self.pictures == FILES else ROWS_WITH_PICTURES


@dataclass(frozen=True)
class TrainingSet:
    """What was written to ``folder``. ``n_lacking`` questions there are not: short lengths run out.
    ``left_out`` are demonstrations that could not be carried out.
    """

    folder: Path
    n_questions: int
    n_pictures: int
    n_bytes: int
    n_lacking: int
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class TrainingSource:
    """Demonstrations whose pictures are there, and how many questions about each.

    ``shas``: demonstration -> key frame -> hash of its picture; ``shares``: demonstration ->
    length -> trajectories.
    """

    root: DataRoot
    gating: Gating
    questions: QuestionSettings
    variant: Variant
    wanted: TrainingWanted
    shas: Mapping[str, Mapping[int, str]] = field(repr=False)
    shares: Mapping[str, Mapping[int, int]] = field(repr=False)

    def bytes_with_pictures(self) -> int:
        """About how much rows with their pictures within take, at most."""
        store, total = ImageStore(self.root.images), 0.0
        for name, of_lengths in self.shares.items():
            shas = list(self.shas[name].values())[:5]
            size = sum(len(store.read_png(sha)) for sha in shas) / max(1, len(shas))
            total += 2 * size * sum(n * length for length, n in of_lengths.items())
        return int(total)

    @property
    def version(self) -> str:
        """Hash of what decides the rows, pictures among it."""
        settings = [str(self.gating), str(self.questions), str(SCHEMA), __version__]
        held = sorted((name, sorted(of.items())) for name, of in self.shas.items())
        return content_sha([asdict(self.wanted), held, *settings])


def check_split(names: Sequence[str], split: Split) -> None:
    """Refuse demonstrations of another split. Errors: :class:`SettingsError` names the first."""
    found = {name: split_of_demonstration(name, EMBEDDED) for name in names}
    others = [name for name, of in found.items() if of is not split]
    if others:
        raise SettingsError(
            f"{others[0]} is a demonstration for {found[others[0]]}, not for {split}: its seed "
            f"says so ({len(others)} of {len(names)} are not). No question about it is written to "
            f"a set for {split}, which has seeds {SPLITS_IN_WORDS[split]}."
        )


def training_source(
    root: DataRoot,
    registry: Registry,
    variant: Variant,
    names: Sequence[str],
    wanted: TrainingWanted,
) -> TrainingSource:
    """What is to be written about the demonstrations ``names``, whose pictures under ``variant``
    are there.

    Errors: :class:`SettingsError` for a demonstration of another split, :class:`OutputError` if two
    are of one world, :class:`MissingPartitionError` for what was not materialized.
    """
    check_split(names, wanted.split)
    lake, gating = Lake(root.lake), registry.gating(variant.gating)
    _check_worlds(lake.read_all("demonstrations", among={"demonstration": names}))
    shas: dict[str, dict[int, str]] = {name: {} for name in names}
    for (name, key_frame), (sha, _, _) in stored_pictures(lake, variant.name, names).items():
        shas[name][key_frame] = sha
    numbers = {name: numbers_of(lake, name, gating, wanted.lengths) for name in names}
    most = {(name, n): found for name, of in numbers.items() for n, found in of.items()}
    share = fair_shares(most, -(-wanted.n_questions // 2))
    shares = {name: {n: share[name, n] for n in wanted.lengths} for name in names}
    return TrainingSource(root, gating, registry.questions, variant, wanted, shas, shares)


def write_training_set(
    source: TrainingSource,
    *,
    folder: Path,
    left_out: Sequence[str] = (),
    workers: int = 1,
    on_progress: OnProgress = unheard,
) -> TrainingSet:
    """Write the questions of ``source``, or what a stopped export has not written yet.

    Rows depend on the source alone, on any number of ``workers``. Errors: :class:`OutputError` for
    a folder with something else, and what cannot be written.
    """
    wanted, names = source.wanted, sorted(source.shas)
    refuse_overlap(folder, source.root.folders)
    if (done := _written_before(folder, source.version)) is not None:
        return done
    _begin(folder, source.version)
    heights = []
    for k, height in enumerate(_heights(source, folder, names, workers), start=1):
        heights.append(height)
        on_progress(Progress(k, len(names), "demonstrations", text="questions"))
    n_shards = max(1, math.ceil(sum(heights) / wanted.rows_per_shard))
    store = ImageStore(source.root.images)
    for shard in range(n_shards):
        ending = "tar" if wanted.pictures == TARS else "parquet"
        name = f"{HUB_SPLITS[wanted.split]}-{shard:05d}-of-{n_shards:05d}.{ending}"
        path = folder / DATA / name
        if not path.exists():
            rows = _shard_rows(folder, names, heights, shard, n_shards)
            _write_shard(path, rows, wanted.pictures, store)
        on_progress(Progress(shard + 1, n_shards, "shards"))
    used = _named(pl.scan_parquet(folder / PARTS / "*.parquet").select("images").collect())
    if wanted.pictures == FILES:
        write_shown_pictures(folder, [Path(name).stem for name in used], store, on_progress)
    found = TrainingSet(
        folder,
        sum(heights),
        len(used),
        sum(p.stat().st_size for p in folder.rglob("*") if p.is_file() and PARTS not in p.parts),
        max(0, wanted.n_questions - sum(heights)),
        tuple(left_out),
    )
    write_text(folder / SCORE_FILE, score_source())
    about = Lake(source.root.lake).read_all("demonstrations", among={"demonstration": names})
    facts = _facts(found, about, source)
    write_text(folder / "README.md", _card(facts))
    write_text(folder / FACTS, json.dumps(facts, indent=2) + "\n")
    shutil.rmtree(folder / PARTS)
    return found


def read_facts(folder: Path) -> dict[str, Any]:
    """What ``training.json`` says. Errors: :class:`OutputError` if it is not that of a set."""
    path = folder / FACTS
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        if facts["marker"] in MARKERS.values():
            return dict(facts)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise OutputError(f"{path} is not that of a training set. Name another folder.")


def _written_before(folder: Path, version: str) -> TrainingSet | None:
    """The same export, if it was written to the end."""
    path = folder / FACTS
    facts = read_facts(folder) if path.is_file() else {}
    if facts.get("version") != version or not any((folder / DATA).glob("*")):
        return None
    counts = {name: facts[name] for name in COUNTS}
    return TrainingSet(folder, **counts, left_out=tuple(facts["left_out"]))


def fair_shares(most: Mapping[Any, int], n: int) -> dict[Any, int]:
    """``n`` shared out evenly; what one has not, as ``most`` says, the others give."""
    left, shares = n, {}
    for k, key in enumerate(sorted(most, key=lambda key: (most[key], key))):
        shares[key] = min(most[key], left // (len(most) - k))
        left -= shares[key]
    return shares


def _begin(folder: Path, version: str) -> None:
    """Keep parts of the same export that was stopped. Errors: :class:`OutputError` for a folder
    that is not such an export: nothing of others is removed.
    """
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder} is a file. Name a folder for the training set.")
    mark = folder / PARTS / "version"
    names = sorted(path.name for path in folder.glob("*"))
    if (folder / FACTS).is_file():
        raise OutputError(
            f"{folder} holds another set, which is finished. Name another folder, or remove it."
        )
    if names and not mark.is_file():
        raise OutputError(f"{folder} holds other files, first {names[0]}. Name another folder.")
    if not names or mark.read_text(encoding="utf-8") != version:
        for part in (PARTS, DATA, "pictures"):
            shutil.rmtree(folder / part, ignore_errors=True)
        (folder / PARTS).mkdir(parents=True)
        mark.write_text(version, encoding="utf-8")
    (folder / DATA).mkdir(exist_ok=True)


def _part(folder: Path, name: str) -> Path:
    return folder / PARTS / f"{name.replace('/', '_')}.parquet"


def _write_part(source: TrainingSource, folder: Path, name: str) -> int:
    """Number of rows of the part of a demonstration, which is written unless it is there."""
    path = _part(folder, name)
    if not path.exists():
        rows = training_rows(
            Lake(source.root.lake),
            name,
            source.gating,
            source.questions,
            wanted=source.shares[name],
            pictures={k: ShownPicture(sha).path for k, sha in source.shas[name].items()},
            marker=MARKERS[source.wanted.split],
            difficulty=source.wanted.difficulty,
            has_reasons=source.wanted.has_reasons,
        )
        with replacing(path) as temporary:
            rows.write_parquet(temporary, row_group_size=2_000)
    n_rows: int = pl.scan_parquet(path).select(pl.len()).collect().item()
    return n_rows


def _heights(
    source: TrainingSource, folder: Path, names: Sequence[str], workers: int
) -> Iterator[int]:
    """Rows of each part, in order, as soon as they are written."""
    write = partial(_write_part, source, folder)
    if workers == 1:
        yield from map(write, names)
        return
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        yield from pool.map(write, names)


def _shard_rows(
    folder: Path, names: Sequence[str], heights: Sequence[int], shard: int, n_shards: int
) -> pl.DataFrame:
    """A share of every part, whose rows are in random order, in random order."""
    shares = []
    for name, height in zip(names, heights, strict=True):
        first, last = (height * k // n_shards for k in (shard, shard + 1))
        shares.append(pl.scan_parquet(_part(folder, name)).slice(first, last - first).collect())
    rows = pl.concat(shares)
    order = np.random.default_rng(seed_from("shard", *names, shard, n_shards))
    return rows[order.permutation(rows.height)]


def _write_shard(path: Path, rows: pl.DataFrame, pictures: str, store: ImageStore) -> None:
    """One file of rows. Errors: :class:`OutputError`."""
    if pictures == TARS:
        _write_tar(path, rows, store)
        return
    if pictures == INSIDE:
        files = {name: store.read_png(Path(name).stem) for name in _named(rows)}
        held = pl.DataFrame(
            {"file": list(files), "picture": [{"bytes": files[f], "path": f} for f in files]}
        )
        rows = _with_pictures(rows, held)
    with replacing(path) as temporary:
        rows.write_parquet(temporary, row_group_size=100 if pictures == INSIDE else 5_000)


def _with_pictures(rows: pl.DataFrame, held: pl.DataFrame) -> pl.DataFrame:
    """``rows`` with the bytes of pictures, as `datasets` reads them, for their names."""
    numbered = rows.with_row_index("row")
    exploded = numbered.select("row", file="images").explode("file")
    found = exploded.join(held, on="file", how="left", maintain_order="left")
    lists = found.group_by("row", maintain_order=True).agg(images="picture")
    return numbered.drop("images").join(lists, on="row", how="left").select(rows.columns)


def _write_tar(path: Path, rows: pl.DataFrame, store: ImageStore) -> None:
    """A shard as WebDataset reads it: KEY.json, KEY.0.png, KEY.1.png, ..."""
    pictures = {name: store.read_png(Path(name).stem) for name in _named(rows)}
    with replacing(path) as temporary, tarfile.open(temporary, "w") as tar:
        for row in rows.iter_rows(named=True):
            names = row.pop("images")
            files = {"json": json.dumps(row).encode()}
            files |= {f"{k}.png": pictures[name] for k, name in enumerate(names)}
            for ending, content in files.items():
                entry = tarfile.TarInfo(f"{row['question_id']}.{ending}")
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))


def _named(rows: pl.DataFrame) -> list[str]:
    """Pictures that rows show, each once."""
    return rows["images"].explode().unique().drop_nulls().sort().to_list()


def _check_worlds(about: pl.DataFrame) -> None:
    """Errors: :class:`OutputError` if two demonstrations are of one world."""
    shared = (
        about.group_by("world_sha")
        .agg("demonstration")
        .filter(pl.col("demonstration").list.len() > 1)
    )
    if shared.height:
        names = ", ".join(shared["demonstration"][0].sort())
        raise OutputError(f"{names} are of one world: a split by seeds would not part them.")


def _facts(found: TrainingSet, about: pl.DataFrame, source: TrainingSource) -> dict[str, Any]:
    """What ``training.json`` says."""
    wanted = source.wanted
    seeds: dict[str, list[int]] = {}
    for name in about["demonstration"].sort():
        activity, seed = parse_demonstration(name)
        seeds.setdefault(activity, []).append(seed)
    return {
        "version": source.version,
        "made_by": f"enact_assets {__version__}, world {WORLD_VERSION}",
        "marker": MARKERS[wanted.split],
        "split": str(wanted.split),
        "held_out": [str(held) for held in wanted.held_out],
        **{name: getattr(found, name) for name in COUNTS},
        "pictures": wanted.pictures,
        "size_px": source.variant.renderer.size_px,
        "lengths": list(wanted.lengths),
        **asdict(wanted.difficulty),
        "has_reasons": wanted.has_reasons,
        "seeds": {activity: sorted(of) for activity, of in seeds.items()},
        "left_out": list(found.left_out),
        "splits": dict(SPLITS_IN_WORDS),
        "world_shas": sorted(about["world_sha"]),
    }


def _card(facts: Mapping[str, Any]) -> str:
    """The data card, with the settings of the Hugging Face hub."""
    n = facts["n_questions"]
    endings = "tar" if facts["pictures"] == TARS else "parquet"
    settings = {
        "license": "mit",
        "pretty_name": f"ENACT, embedded demonstrations, for {facts['split']}",
        "configs": [
            {
                "config_name": "default",
                "data_files": [
                    {"split": HUB_SPLITS[Split(facts["split"])], "path": f"{DATA}/*.{endings}"}
                ],
            }
        ],
    }
    seeds = "\n".join(
        f"| {activity} | {', '.join(map(str, of))} |" for activity, of in facts["seeds"].items()
    )
    left = ", ".join(facts["left_out"]) or "none"
    splits = "\n".join(f"| {split} | {said} |" for split, said in facts["splits"].items())
    columns = "\n".join(f"| `{name}` | {said} |" for name, said in MEANINGS.items())
    return f"""---
{yaml.safe_dump(settings, sort_keys=False).strip()}
---
# ENACT questions for {facts["split"]}
{n:,} questions with {facts["n_pictures"]:,} pictures of {facts["size_px"]} px, made by
{facts["made_by"]}. The embedded simulator stands in for BEHAVIOR: nothing here is a BEHAVIOR
result.

Marker, in every row: `{facts["marker"]}`

## Rewards
```python
import sys

sys.path.append("FOLDER")  # where enact_score.py is
from enact_score import pairs_rewards, task_rewards, whole_rewards
```
Each takes the columns of these rows by name and answers as texts or conversations, as TRL calls it.
An answer that leaves a label out earns nothing: by the paper's rule it would earn more than a
guess.

| column | what it is |
|---|---|
{columns}

## Seeds
| activity | seeds |
|---|---|
{seeds}

Left out, because they cannot be carried out: {left}.

| split | seeds |
|---|---|
{splits}

No world is shared between seeds. Rooms, furniture and kinds of things are, so this is a split
within one distribution. {_of_held_out(facts)}
"""


def _of_held_out(facts: Mapping[str, Any]) -> str:
    """What is left out, or alone there, besides."""
    said = "; ".join(f"{held} ({HELD_OUT_IN_WORDS[HeldOut(held)]})" for held in facts["held_out"])
    if facts["split"] == Split.TRAINING:
        return f"Left out for tests of what is new: {said or 'nothing'}."
    return f"All of it is new to a training set that left out: {said}." if said else ""
