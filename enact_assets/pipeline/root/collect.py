"""Finds unneeded files of a data root, and removes them safely.

Files behind a link out of the lake or the pictures are kept. A picture that a partition names is
never removed, even if another process writes that partition at the same time: pictures are listed
before the partitions that name them are read, young pictures are kept, and a process that uses an
old picture again renews its time (engine/lake/image_store.py). Files are removed one by one, each
before the files it refers to, so that an interruption leaves no dangling reference.
"""

import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from enact_assets.engine.errors import LakeError
from enact_assets.engine.lake.damage import ANSWERS, PAID
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.system.atomic import LEFTOVER_AGE_S, is_temporary
from enact_assets.engine.system.places import Entry, Place
from enact_assets.engine.tables import TABLES, table
from enact_assets.settings.paths import DataRoot

PARTITIONS = "partitions of names that left"
RENDERS = "renders that lead to no picture"
PICTURES = "pictures that no partition names"
LEFTOVERS = "files that killed writers left"
DAMAGED = "damaged files that were set aside"
KINDS = (PARTITIONS, RENDERS, PICTURES, LEFTOVERS, DAMAGED)
"""Kinds in the order of removal."""

Names = Mapping[str, Collection[str]]
"""Dimension -> all current names."""


@dataclass(frozen=True)
class Item:
    """An unneeded file: its name in messages, and its bytes."""

    what: str
    size: int


@dataclass
class Collected:
    """Files that would be or were removed, by kind.

    ``kept`` are messages about files that stay, and why. ``foreign`` are unrecognised files: they
    are listed, never removed. ``refusal`` says why pictures are not removed at all, None if they
    are.
    """

    items: dict[str, list[Item]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    kept: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    refusal: str | None = None

    @property
    def n_items(self) -> int:
        """How many files and folders of all kinds."""
        return sum(len(items) for items in self.items.values())

    @property
    def size(self) -> int:
        """Total bytes of these files."""
        return sum(item.size for items in self.items.values() for item in items)


def collect(
    root: DataRoot,
    lake: Lake,
    images: ImageStore,
    names: Callable[[], Names],
    *,
    grace_s: float = LEFTOVER_AGE_S,
    delete: bool = False,
) -> Collected:
    """Find unneeded files, and remove them if ``delete``.

    ``names`` returns the names whose partitions stay. It is called after partitions were listed,
    since a name may be added and its partition be written meanwhile. Pictures, renders, temporary
    and damaged files that are younger than ``grace_s`` stay, as a run may be about to name them; so
    do files with a time in the future.

    Errors: :class:`LakeError` if ``names`` has no demonstration although the lake has some, or
    lacks a dimension. Nothing is removed then.
    """
    return _Collector(root, lake, images, names, grace_s, delete=delete).run()


class _Collector:
    def __init__(
        self,
        root: DataRoot,
        lake: Lake,
        images: ImageStore,
        names: Callable[[], Names],
        grace_s: float,
        *,
        delete: bool,
    ) -> None:
        self._root, self._lake, self._images = root, lake, images
        self._ask, self._names = names, names()
        self._now_ns = time.time_ns()
        self._before_ns = self._now_ns - int(grace_s * 1e9)
        self._delete = delete
        self._found = Collected()
        self._behind_links: Counter[str] = Counter()

    def run(self) -> Collected:
        self._check_names()
        # Pictures are listed before anything that may name one of them is read.
        pictures = dict(self._images.entries())
        self._partitions()
        self._pictures(pictures)
        self._leftovers()
        self._damaged()
        self._found.kept += [
            f"{folder}: leads out of the data root through a link; unneeded files in it "
            f"that were not removed: {n}. Remove them there if nothing else needs them."
            for folder, n in self._behind_links.items()
        ]
        self._found.foreign = [*self._lake.foreign_files(), *self._images.foreign_files()]
        return self._found

    def _check_names(self) -> None:
        for contract in TABLES.values():
            for dimension in contract.by:
                if dimension not in self._names:
                    raise LakeError(f"no names given for {dimension}. Nothing was removed")
        if not self._names["demonstration"] and self._lake.partitions("demonstrations"):
            raise LakeError(
                f"{self._lake.place.address}: no demonstration in this lake is current. Nothing "
                "was removed. Check that Dagster instance and registry belong to this lake."
            )

    def _is_current(self, table_name: str, values: tuple[str, ...]) -> bool:
        dimensions = table(table_name).by
        return all(v in self._names[d] for d, v in zip(dimensions, values, strict=True))

    def _partitions(self) -> None:
        """Remove partitions of removed names."""
        asked: set[str] | None = None
        for name in TABLES:
            listed = list(self._lake.entries(name))
            self._names = self._ask()
            for values, entry in listed:
                if self._is_current(name, values):
                    continue
                what = f"{name} {'|'.join(values)}"
                if name == "qa":
                    asked = self._asked() if asked is None else asked
                    if self._is_answered(values, asked):
                        self._found.kept.append(
                            f"{what}: answers to its questions exist. Run `enact-assets "
                            "materialize` first."
                        )
                        continue
                # Not removed if it was just written again.
                if self._goes(self._lake.place, entry.name, entry.mtime_ns + 1):
                    self._found.items[PARTITIONS].append(Item(what, entry.size))

    def _goes(self, place: Place, name: str, before_ns: int) -> bool:
        """Remove a file, if files are to be removed; returns whether it was or would be removed."""
        if not place.is_below(name):
            self._behind_links[place.where(name).rpartition("/")[0]] += 1
            return False
        return not self._delete or place.delete_if_older(name, before_ns)

    def _asked(self) -> set[str]:
        """Questions with answers of current models under current variants."""
        found: set[str] = set()
        for values, _ in self._lake.entries("predictions"):
            if self._is_current("predictions", values):
                rows = self._lake.read("predictions", _partition("predictions", values))
                found.update(rows.get_column("question_id"))
        return found

    def _is_answered(self, values: tuple[str, ...], asked: set[str]) -> bool:
        """Whether current answers still refer to questions of a removed name.

        The file is then kept, as the warehouse needs it to leave these answers out.
        """
        if not asked:
            return False
        try:
            questions = self._lake.read("qa", _partition("qa", values)).get_column("question_id")
        except LakeError:
            return False
        return not asked.isdisjoint(questions)

    def _pictures(self, stored: dict[str, Entry]) -> None:
        try:
            named = self._named(len(stored))
        except LakeError as error:
            self._found.refusal = str(error)
            return
        old = {sha for sha, entry in stored.items() if entry.mtime_ns < self._before_ns}
        unused = old - named
        for render_sha, image_sha, entry in self._images.renders():
            leads_on = image_sha is not None and image_sha not in unused
            if entry.mtime_ns >= self._before_ns or (
                leads_on and self._is_stored(image_sha, stored)
            ):
                continue
            if self._goes(self._images.place, entry.name, self._before_ns):
                self._found.items[RENDERS].append(Item(render_sha, entry.size))
        for sha in sorted(unused):
            if self._goes(self._images.place, stored[sha].name, self._before_ns):
                self._found.items[PICTURES].append(Item(sha, stored[sha].size))

    def _is_stored(self, image_sha: str | None, stored: Collection[str]) -> bool:
        return image_sha is not None and (image_sha in stored or self._images.exists(image_sha))

    def _named(self, n_stored: int) -> set[str]:
        """Every picture that a partition names.

        Errors: :class:`LakeError` if a partition cannot be read, or if there is none at all.
        """
        named: set[str] = set()
        n_partitions = 0
        pictured = {name: t.image_column for name, t in TABLES.items() if t.image_column}
        for name, column in pictured.items():
            for values, _ in self._lake.entries(name):
                n_partitions += 1
                # A partition of a removed name protects its pictures as long as it exists.
                if self._delete or self._is_current(name, values):
                    rows = self._lake.read(name, _partition(name, values))
                    named.update(rows.get_column(column))
        for table_name, values, entry in self._lake.files_aside():
            is_ours = table_name in pictured and self._is_current(table_name, values)
            if is_ours and not self._lake.exists(table_name, _partition(table_name, values)):
                raise LakeError(
                    f"{self._lake.place.where(entry.name)}: is damaged, so the pictures it names "
                    "are unknown. Run `enact-assets materialize` first."
                )
        begins = tuple(f"{name} " for name in pictured)
        n_gone = sum(i.what.startswith(begins) for i in self._found.items[PARTITIONS])
        if n_stored and not n_partitions and not n_gone:
            raise LakeError(
                f"{self._lake.place.address}: holds no frame_images partition, and "
                f"{self._images.place.address} {n_stored} pictures. None was removed. Check that "
                "this lake belongs to these pictures."
            )
        return named

    def _damaged(self) -> None:
        """Remove damaged files that were set aside long enough ago; files with answers stay."""
        lake, images = self._lake.place, self._images.place
        found = [(lake, name, entry) for name, _, entry in self._lake.files_aside()]
        found += [(images, "", entry) for entry in self._images.files_aside()]
        for place, table_name, entry in found:
            where = place.where(entry.name)
            if table_name in PAID:
                self._found.kept.append(f"{where}: damaged. {ANSWERS}")
            elif entry.mtime_ns < self._before_ns and self._goes(
                place, entry.name, self._before_ns
            ):
                self._found.items[DAMAGED].append(Item(where, entry.size))

    def _leftovers(self) -> None:
        for place in (self._lake.place, self._images.place):
            for entry in place.temporary_files():
                where = place.where(entry.name)
                if self._is_leftover(where, entry.mtime_ns):
                    if self._delete and not place.delete_if_older(entry.name, self._before_ns):
                        continue
                    self._found.items[LEFTOVERS].append(Item(where, entry.size))
        for path in self._temporary_files():
            size, mtime_ns = _size_and_newest(path)
            if self._is_leftover(str(path), mtime_ns):
                if self._delete:
                    _remove(path)
                self._found.items[LEFTOVERS].append(Item(str(path), size))

    def _temporary_files(self) -> Iterator[Path]:
        """Our temporary files in the data root, without those of the lake and the pictures.

        Recordings, pictures of question files, annotated films, unknown folders and links to other
        places contain no files of ours.
        """
        root = self._root
        flat = (root.root, root.recordings, root.question_files, root.step_files)
        deep = (root.root / "dagster", root.answers, root.ledger, root.report)
        inside = root.root.resolve()
        for top in (*flat, *deep, root.first_looks, root.shown):
            if not top.resolve().is_relative_to(inside):
                continue
            for place, folders, files in os.walk(top):
                here = Path(place)
                for name in sorted((*folders, *files)):
                    if is_temporary(here / name) or here / name == root.former_index:
                        yield here / name
                folders[:] = [f for f in folders if top not in flat and not is_temporary(here / f)]

    def _is_leftover(self, where: str, mtime_ns: int) -> bool:
        if mtime_ns > self._now_ns:
            self._found.kept.append(f"{where}: its time lies in the future, so it may be in use.")
        return mtime_ns < self._before_ns


def _partition(table_name: str, values: tuple[str, ...]) -> dict[str, str]:
    return dict(zip(table(table_name).by, values, strict=True))


def _size_and_newest(path: Path) -> tuple[int, int]:
    """Bytes of a file or a folder, and the latest time of change in it, in ns."""
    try:
        found = path.lstat()
        is_folder = path.is_dir() and not path.is_symlink()
        parts = [found, *(p.lstat() for p in path.rglob("*"))] if is_folder else [found]
    except FileNotFoundError:
        return 0, time.time_ns()  # renamed or removed meanwhile, so not a leftover
    return sum(p.st_size for p in parts[is_folder:]), max(p.st_mtime_ns for p in parts)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
