"""What a training set holds of test questions: their ids, their texts, their pictures.

It reads Parquet, Arrow, JSON lines, JSON, CSV, plain texts, WebDataset's tar files and pictures,
also compressed by gzip, each once and a part at a time. What it cannot read is counted and named.
"""

import base64
import csv
import gzip
import json
import re
import tarfile
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from enact_assets.commands.release.shown_questions import official_ids
from enact_assets.demonstrations.pictures.fingerprints import (
    NEAR_BITS,
    Bits,
    fingerprint,
    is_picture,
    nearest,
)
from enact_assets.engine.errors import MissingPartitionError, QuestionFileError
from enact_assets.engine.ids import sha256_bytes
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.settings.paths import DataRoot

TEXTS = {".parquet", ".arrow", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".txt", ".md"}
TARS = {".tar", ".tgz"}
PICTURES = {".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif"}
IN_TARS = {*TEXTS, ".caption", ".cls"} - {".parquet", ".arrow"}
CODE = {".py", ".yaml", ".yml", ".toml", ".lock", ".cfg", ".gitattributes", ".gitignore", ""}
"""Endings of files that hold no rows."""
BY_ID, BY_TEXT, BY_PICTURE = "id", "text", "picture"
_ID = re.compile(
    r"(?<![0-9a-f])[0-9a-f]{12}(?![0-9a-f])|(?<![\w.\-])[\w.\-]{1,200}_steps_[0-9a-f]{8}"
)
_NUMBERED = re.compile(
    r"^\s*(?:[-*\u2022]\s+)?(?:[\[(]?\s*(?:(?:action|step)\s*)?\d+\s*[\])]?[.:)]*\s+)?",
    re.IGNORECASE,
)
_DATA_URL = re.compile(r"data:image/[a-z+.\-]+;base64,([A-Za-z0-9+/=\s]+)")
_ENCODED = re.compile(r"[A-Za-z0-9+/\s]{400,}={0,2}\s*")
MOST_OF_A_CELL = 1 << 30
_ROWS_AT_A_TIME = 256


class Copy(NamedTuple):
    """One thing of a test that is in a training set, and where there."""

    how: str
    test: str
    """Id of the question; or demonstration and key frame of the picture, or its place in a clip."""
    demonstration: str
    where: str


@dataclass
class Copies:
    """What was found, and how much was looked at."""

    found: list[Copy] = field(default_factory=list)
    n_rows: int = 0
    """Rows, and other texts, such as a data card."""
    n_pictures: int = 0
    n_small: int = 0
    """Pictures that are too small to be compared by their hashes."""
    n_unreadable: int = 0
    """Pictures that cannot be read."""
    not_read: list[str] = field(default_factory=list)
    """Files of other forms."""

    def of(self, how: str) -> list[str]:
        """What of the test was found in this way, each once."""
        return sorted({copy.test for copy in self.found if copy.how == how})


class _Question(NamedTuple):
    question_id: str
    demonstration: str
    lines: frozenset[str]


class _Picture(NamedTuple):
    demonstration: str
    shown: str
    """Its key frame, or its place in a clip of WorldPrediction."""


class TestHeld:
    """Questions and pictures of the tests in a data root, ready to be recognized.

    Errors: :class:`MissingPartitionError` if nothing is asked there.
    """

    __test__ = False

    def __init__(self, root: DataRoot) -> None:
        lake = Lake(root.lake)
        asked = lake.read_all("asked_questions")
        if asked.is_empty():
            raise MissingPartitionError(
                f"{root.root} has no questions to look for. `enact-assets materialize` makes them; "
                "--data names another data root."
            )
        rows = asked.select("question_id", "demonstration", "actions").unique(maintain_order=True)
        self.demonstration_of: dict[str, str] = dict(
            rows.select("question_id", "demonstration").iter_rows()
        )
        self._by_id = {name: name for name in self.demonstration_of}
        for gated in asked.partition_by("gating"):
            self._by_id |= official_ids(lake, gated)
        self._by_line: dict[str, list[_Question]] = defaultdict(list)
        for question_id, demonstration, actions in rows.iter_rows():
            lines = frozenset(map(plain_line, actions))
            question = _Question(question_id, demonstration, lines)
            # Any one of its lines will do to think of it: the longest is in the fewest questions.
            self._by_line[max(sorted(lines), key=len)].append(question)
        key_frames = lake.read_all("frame_images").select(
            "image_sha", "demonstration", pl.col("key_frame").cast(pl.String).alias("shown")
        )
        in_clip = pl.format("{}, action {}, picture {}", "view", "action", "place").alias("shown")
        clips = lake.read_all("clip_images").select("image_sha", "demonstration", in_clip)
        clips = clips.unique("image_sha", keep="first", maintain_order=True)
        drawn = pl.concat([key_frames, clips.join(key_frames, on="image_sha", how="anti")])
        self._store = ImageStore(root.images)
        self.pictures: list[_Picture] = []
        self._by_sha: dict[str, _Picture] = {}
        hashes = []
        self.n_small = 0
        for sha, *shown in drawn.unique(maintain_order=True).sort(pl.all()).iter_rows():
            picture = self._by_sha[sha] = _Picture(*shown)
            found = fingerprint(self._store.read_png(sha))
            if found is None:
                self.n_small += 1
            else:
                self.pictures.append(picture)
                hashes.append(found)
        self.hashes: Bits = np.array(hashes, np.uint64).reshape(-1, 4)

    @property
    def n_questions(self) -> int:
        """How many questions the tests ask, under any variant."""
        return len(self.demonstration_of)

    def false_alarms(self) -> tuple[int, int]:
        """Of the test's own pictures, those that one of another demonstration is as near to as a
        copy, and the number of all.
        """
        names = np.array([picture.demonstration for picture in self.pictures])
        n_near = 0
        for name in np.unique(names):
            mine, others = self.hashes[names == name], self.hashes[names != name]
            if len(others):
                n_near += int((nearest(mine, others)[1] <= NEAR_BITS).sum())
        return n_near, len(names)

    def same(self, sha: str) -> _Picture | None:
        """The picture with this very file."""
        return self._by_sha.get(sha)

    def in_texts(self, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
        """How, and which questions, the texts of one row hold."""
        lines = set()
        for text in texts:
            for one in (text, *_ID.findall(text)):
                if one in self._by_id:
                    yield BY_ID, self._by_id[one]
            lines |= {plain_line(line) for line in text.splitlines()}
        for line in lines:
            for question in self._by_line.get(line, ()):
                if question.lines <= lines:
                    yield BY_TEXT, question.question_id


def plain_line(line: str) -> str:
    """A line without its number, with single spaces, in small letters."""
    return " ".join(_NUMBERED.sub("", line, count=1).casefold().split())


def find_copies(held: TestHeld, path: Path, on_progress: OnProgress = unheard) -> Copies:
    """Questions and pictures of ``held`` in the file or folder ``path``.

    Errors: :class:`QuestionFileError` names a file that cannot be read, or a folder without any.
    """
    files = sorted(p for p in (path.rglob("*") if path.is_dir() else [path]) if p.is_file())
    if not files:
        raise QuestionFileError(f"{path} holds no files. Name a training set.")
    look = _Look(held)
    for number, file in enumerate(files, start=1):
        try:
            look.at(file)
        except _UNREADABLE as error:
            message = f"{file} cannot be read: {error}. Repair it, or leave it out."
            raise QuestionFileError(message) from error
        on_progress(Progress(number, len(files), "files", text=f"{file.name}"))
    look.flush()
    if not (look.copies.n_rows or look.copies.n_pictures):
        raise QuestionFileError(
            f"{path} holds no training set: none of its files ends in "
            f"{', '.join(sorted(TEXTS | TARS | PICTURES))}, or all of them are empty."
        )
    return look.copies


_UNREADABLE = (
    OSError,
    ValueError,
    RecursionError,
    EOFError,
    tarfile.TarError,
    csv.Error,
    zlib.error,
)


class _Look:
    """A look at one file after another; pictures are compared many at a time."""

    def __init__(self, held: TestHeld) -> None:
        self.held, self.copies = held, Copies()
        self._waiting: list[tuple[str, Bits]] = []
        self._places: dict[str, list[str]] = {}
        """Picture that waits, or is no copy -> where it is, as long as it waits."""
        self._copies: dict[str, _Picture] = {}
        """Picture that is a copy -> what of."""
        csv.field_size_limit(MOST_OF_A_CELL)

    def at(self, file: Path) -> None:
        """Look at all rows, or the picture, of ``file``."""
        ending = _ending(file)
        if ending in PICTURES:
            self._picture(file.read_bytes(), str(file))
        elif ending in TARS:
            self._tar(file)
        elif ending in TEXTS:
            for number, row in enumerate(_rows(file, ending)):
                self._row(row, f"{file} row {number}")
        elif ending not in CODE:
            self.copies.not_read.append(str(file))

    def flush(self) -> None:
        """Compare the pictures that wait."""
        if self._waiting and len(self.held.hashes):
            places, bits = nearest(np.array([h for _, h in self._waiting]), self.held.hashes)
            for (sha, _), place, apart in zip(self._waiting, places, bits, strict=True):
                if apart <= NEAR_BITS:
                    self._copies[sha] = self.held.pictures[place]
                    self._note_picture(self._copies[sha], self._places[sha])
                self._places[sha] = []
        self._waiting.clear()

    def _note_picture(self, picture: _Picture, places: Sequence[str]) -> None:
        named = f"{picture.demonstration} {picture.shown}"
        self.copies.found += [
            Copy(BY_PICTURE, named, picture.demonstration, where) for where in places
        ]

    def _tar(self, file: Path) -> None:
        with tarfile.open(file) as tar:
            for member in tar:
                opened = tar.extractfile(member) if member.isfile() else None
                if opened is None:
                    continue
                ending, where = _ending(Path(member.name)), f"{file} {member.name}"
                if ending in PICTURES:
                    self._picture(opened.read(), where)
                elif ending in IN_TARS:
                    text = opened.read().decode("utf-8-sig", "replace")
                    for row in _of_text(text, ending):
                        self._row(row, where)
                elif ending not in CODE:
                    self.copies.not_read.append(where)

    def _row(self, row: Any, where: str) -> None:
        texts: list[str] = []
        for found in _leaves(row):
            if isinstance(found, bytes):
                self._picture(found, where)
                continue
            for encoded in _DATA_URL.findall(found):
                self._picture(_decoded(encoded), where)
            if _ENCODED.fullmatch(found):
                self._picture(_decoded(found), where)
            else:
                texts.append(_DATA_URL.sub("", found))
        self.copies.n_rows += 1
        for how, question_id in dict.fromkeys(self.held.in_texts(texts)):
            name = self.held.demonstration_of[question_id]
            self.copies.found.append(Copy(how, question_id, name, where))

    def _picture(self, content: bytes, where: str) -> None:
        """Look at a picture once, however many rows show it; note every place of a copy."""
        sha = sha256_bytes(content)
        if sha in self._copies:
            self._note_picture(self._copies[sha], [where])
            return
        if sha in self._places:
            if self._places[sha]:
                self._places[sha].append(where)
            return
        self._places[sha] = []
        self.copies.n_pictures += 1
        if (same := self.held.same(sha)) is not None:
            self._copies[sha] = same
            self._note_picture(same, [where])
        elif (found := fingerprint(content)) is not None:
            self._places[sha] = [where]
            self._waiting.append((sha, found))
            if len(self._waiting) >= _ROWS_AT_A_TIME:
                self.flush()
        elif is_picture(content):
            self.copies.n_small += 1
        else:
            self.copies.n_unreadable += 1


def _ending(file: Path) -> str:
    """How a file's name ends, without a compression that is undone while it is read."""
    endings = [ending.lower() for ending in file.suffixes]
    if endings and endings[-1] == ".gz":
        return ".tgz" if endings[-2:-1] == [".tar"] else "".join(endings[-2:-1]) or ".gz"
    return endings[-1] if endings else ""


def _rows(file: Path, ending: str) -> Iterator[Any]:
    """The rows of a file of texts, one at a time."""
    if ending == ".parquet":
        for batch in pq.ParquetFile(file).iter_batches(_ROWS_AT_A_TIME):
            yield from batch.to_pylist()
        return
    if ending == ".arrow":
        yield from _arrow_rows(file)
        return
    opened: Any = gzip.open if file.suffix.lower() == ".gz" else open
    with opened(file, "rt", encoding="utf-8-sig", errors="replace", newline="") as lines:
        if ending in {".jsonl", ".ndjson"}:
            yield from (json.loads(line) for line in lines if line.strip())
        elif ending in {".csv", ".tsv"}:
            yield from csv.DictReader(lines, delimiter="\t" if ending == ".tsv" else ",")
        else:
            yield from _of_text(lines.read(), ending)


def _arrow_rows(file: Path) -> Iterator[Any]:
    """Rows of a stream, as `datasets` saves them, or of a file."""
    with pa.OSFile(str(file)) as source:
        try:
            batches: Iterable[Any] = pa.ipc.open_stream(source)
        except pa.ArrowInvalid:
            source.seek(0)
            reader = pa.ipc.open_file(source)
            batches = (reader.get_batch(k) for k in range(reader.num_record_batches))
        for batch in batches:
            yield from batch.to_pylist()


def _of_text(text: str, ending: str) -> Iterator[Any]:
    """Rows of a text; each object of a list is one, also of lists within an object."""
    if ending in {".jsonl", ".ndjson"}:
        yield from (json.loads(line) for line in text.splitlines() if line.strip())
    elif ending != ".json":
        yield text
    else:
        found = json.loads(text)
        if not isinstance(found, dict):
            yield from found if isinstance(found, list) else [found]
            return
        tables = {k: v for k, v in found.items() if isinstance(v, list) and _are_rows(v)}
        for rows in tables.values():
            yield from rows
        yield {k: v for k, v in found.items() if k not in tables}


def _are_rows(found: Sequence[Any]) -> bool:
    return bool(found) and all(isinstance(row, dict) for row in found)


def _decoded(encoded: str) -> bytes:
    """What base64 stands for; nothing where it is something else."""
    try:
        return base64.b64decode("".join(encoded.split()), validate=True)
    except ValueError:
        return b""


def _leaves(found: Any) -> Iterator[str | bytes]:
    """All texts and bytes within a row."""
    if isinstance(found, str | bytes):
        yield found
    elif isinstance(found, Mapping):
        for part in found.values():
            yield from _leaves(part)
    elif isinstance(found, Iterable):
        for part in found:
            yield from _leaves(part)
