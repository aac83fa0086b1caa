"""Replay tables -> a recording in the layout of the public release (definitions.md R2).

What comes back from ``read_recorded``: with flavour ``full`` every table, except that the hash is
of the new file, ``activity`` has to be given again, and states that render embedded demonstrations
are not written. With flavour ``diff`` the same of ids, facts and objects; what is seen comes back
as old as the release leaves it: exact at frames written in full and at objects that appear,
otherwise that of the last record of the object. Only one camera is written.

Parents that change are written at their first frame, in both flavours, so that they come back. In
an ``update`` the public writer repeats those of the frame before.
"""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any, Literal, cast

import numpy as np
import polars as pl

from enact_assets.demonstrations.recordings.folders import CAMERA
from enact_assets.demonstrations.replay.parents import Parents
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.validation import check_replay
from enact_assets.engine.errors import ExistenceError, OutputError, ReplayError, UnknownNameError
from enact_assets.engine.system.atomic import replacing
from enact_assets.settings.frame_ids import FrameIds
from enact_assets.settings.predicates import EXISTS, RELATED

Flavour = Literal["full", "diff"]
Pair = tuple[str, str]
Box = tuple[int, ...]
Change = tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]
"""Rows that ended before a frame, and rows that begin at it."""

FLAVOURS: tuple[Flavour, ...] = ("full", "diff")
FULL_EVERY = 200
"""In a recording of differences, the 200th, 400th, ... frame written is full, like the first."""
_EMPTY = '{"type": "empty"}'
BOX_COLUMNS = (
    "pixels",
    "x_min_px",
    "y_min_px",
    "x_max_px",
    "y_max_px",
    "height_px",
    "width_px",
)


def write_recorded(
    tables: ReplayTables, path: Path, *, flavour: Flavour = "full", camera: str = CAMERA
) -> None:
    """Write the demonstration in ``tables`` to ``path``, compressed if it ends in ``.gz``.

    Objects are written in the order of their names, one graph is in memory at a time, and the file
    appears whole or not at all. ``flavour`` is how the public writer writes: every frame in full
    (its official setting), or differences, for which a change of what is seen does not count.

    Errors: those of :func:`~enact_assets.demonstrations.replay.validation.check_replay`,
    :class:`ReplayError` if ``tables`` hold another number of demonstrations than one or contradict
    themselves otherwise, :class:`OutputError` if the file cannot be written.
    """
    if flavour not in FLAVOURS:
        raise UnknownNameError.of("flavour of recordings", flavour, FLAVOURS)
    if tables.demonstrations.height != 1:
        raise ReplayError(
            f"a recording holds one demonstration, the tables hold {tables.demonstrations.height}"
        )
    check_replay(tables.demonstrations, tables.facts, tables.objects, tables.later_parents)
    try:
        with replacing(path) as temporary, _opened(temporary, path.suffix == ".gz") as file:
            for k, record in enumerate(_records(tables, flavour, camera)):
                file.write(b", " if k else b"{")
                file.write(record)
            file.write(b"}")
    except OSError as error:
        raise OutputError(f"{path}: the recording cannot be written: {error}") from None


@contextmanager
def _opened(path: Path, is_compressed: bool) -> Iterator[IO[bytes]]:  # noqa: FBT001 # private
    with path.open("wb") as file:
        if not is_compressed:
            yield file
            return
        # No time and no name in the header: the same tables give the same bytes.
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as compressed:
            yield cast("IO[bytes]", compressed)


def _records(tables: ReplayTables, flavour: Flavour, camera: str) -> Iterator[bytes]:
    """Key and value of every frame, as text of the file."""
    row = tables.demonstrations.row(0, named=True)
    n_frames = row["n_frames"]
    ids = FrameIds(tuple(row["frame_id_runs"])).at(np.arange(n_frames)).tolist()
    seen = tables.observability.filter(pl.col("camera") == camera)
    facts = _Sweep.over(tables.facts, ("predicate", "subject", "object"))
    boxes = _Sweep.over(seen, ("object_name", *BOX_COLUMNS))
    later: dict[int, dict[str, Parents]] = {}
    for _, name, frame, parents in tables.later_parents.iter_rows():
        later.setdefault(frame, {})[name] = parents
    scene = _Scene(tables.objects, camera)
    body = ""
    for frame, frame_id in enumerate(ids):
        changes, turned = (facts.at(frame), boxes.at(frame)), later.get(frame, {})
        is_changed = any(chain(*changes, turned))
        if is_changed:
            scene.change(frame, *changes, turned)
        is_full = flavour == "full" or _is_written_in_full(frame, ids)
        if not is_full:
            body = scene.difference() if is_changed else _EMPTY
        elif is_changed or flavour == "diff" or not body:
            body = scene.full()
        yield f'"{frame_id}": {body}'.encode()


def _is_written_in_full(frame: int, ids: list[int]) -> bool:
    """Whether a recording of differences has all of ``frame``: definitions.md R2.

    The public writer asks whether there was a frame before by its id, and takes 0 for none.
    """
    return frame == 0 or (frame + 1) % FULL_EVERY == 0 or ids[frame - 1] == 0


@dataclass
class _Sweep:
    """Intervals, asked frame by frame in ascending order which of them begin and end."""

    rows: list[tuple[Any, ...]]
    starts: list[tuple[int, int]]
    stops: list[tuple[int, int]]

    @classmethod
    def over(cls, intervals: pl.DataFrame, columns: Sequence[str]) -> "_Sweep":
        """Intervals of a table, each as the values of ``columns``; latest first."""
        bounds = (intervals[name].arg_sort(descending=True) for name in ("frame_from", "frame_to"))
        starts, stops = (
            list(zip(intervals[name].gather(order).to_list(), order.to_list(), strict=True))
            for name, order in zip(("frame_from", "frame_to"), bounds, strict=True)
        )
        return cls(intervals.select(columns).rows(), starts, stops)

    def at(self, frame: int) -> Change:
        """What ended just before ``frame``, and what begins at it."""
        return self._taken(self.stops, frame), self._taken(self.starts, frame)

    def _taken(self, events: list[tuple[int, int]], frame: int) -> list[tuple[Any, ...]]:
        taken = []
        while events and events[-1][0] <= frame:
            taken.append(self.rows[events.pop()[1]])
        return taken


class _Scene:
    """The graph at one frame, what changed since the frame before, and records of it as text."""

    def __init__(self, objects: pl.DataFrame, camera: str) -> None:
        columns = ("object_name", "category", "parents")
        self._kinds = {name: kind for name, *kind in objects.select(columns).iter_rows()}
        self._camera = camera
        self._held: dict[str | Pair, set[str]] = {}
        self._boxes: dict[str, Box] = {}
        self._nodes: dict[str, str] = {}
        self._edges: dict[Pair, str] = {}
        # Of what was touched last: what held and was seen before.
        self._before: dict[str | Pair, tuple[set[str], Box | None]] = {}
        self._turned: Mapping[str, Parents] = {}

    def change(
        self,
        frame: int,
        facts: Change,
        boxes: Change,
        turned: Mapping[str, Parents],
    ) -> None:
        """Go to ``frame``, at which ``facts`` and ``boxes`` (each: ended, begun) change, and from
        which on the objects ``turned`` have other parents.

        Errors: :class:`ExistenceError` for a view of an object that does not exist;
        :class:`ReplayError` for a pair that is both without and with states.
        """
        keys = [(s if o is None else (s, o), p) for change in facts for p, s, o in change]
        touched: dict[Any, None] = dict.fromkeys([key for key, _ in keys])
        touched.update(dict.fromkeys([box[0] for change in boxes for box in change]))
        touched.update(dict.fromkeys(turned))
        for name, parents in turned.items():
            self._kinds[name][1] = parents
        self._turned = turned
        self._before = {
            key: (set(self._held.get(key, ())), self._boxes.get(key)) for key in touched
        }
        ended, begun = keys[: len(facts[0])], keys[len(facts[0]) :]
        for key, predicate in ended:
            self._held[key].discard(predicate)
        for key, predicate in begun:
            self._held.setdefault(key, set()).add(predicate)
        for name, *_ in boxes[0]:
            del self._boxes[name]
        for name, *box in boxes[1]:
            self._boxes[name] = tuple(box)
        for key in touched:
            self._check(frame, key)
            states = self._held.get(key, set())
            if isinstance(key, str):
                if states:
                    self._nodes[key] = self._node(key, states, self._boxes.get(key))
                else:
                    self._nodes.pop(key, None)
            elif states:
                self._edges[key] = _edge(key, states)
            else:
                self._edges.pop(key, None)

    def full(self) -> str:
        """The whole graph, in the order of names."""
        nodes = ", ".join([self._nodes[name] for name in sorted(self._nodes)])
        edges = ", ".join([self._edges[pair] for pair in sorted(self._edges)])
        return f'{{"nodes": [{nodes}], "edges": [{edges}], "type": "full"}}'

    def difference(self) -> str:
        """What the last change did to states and records."""
        records: dict[str, tuple[list[str], list[str]]] = {
            operation: ([], []) for operation in ("add", "remove", "update")
        }
        for key in sorted(self._before, key=lambda key: (key,) if isinstance(key, str) else key):
            before, box = self._before[key]
            now = self._held.get(key, set())
            if before == now and not (now and key in self._turned):
                continue
            operation = "update" if before and now else "add" if now else "remove"
            # The public writer updates states only: its box is of the frame before.
            states = now or before
            if isinstance(key, str):
                view = self._boxes.get(key) if operation == "add" else box
                records[operation][0].append(self._node(key, states, view))
            else:
                records[operation][1].append(_edge(key, states))
        if not any(nodes or edges for nodes, edges in records.values()):
            return _EMPTY
        parts = ", ".join(
            f'"{operation}": {{"nodes": [{", ".join(nodes)}], "edges": [{", ".join(edges)}]}}'
            for operation, (nodes, edges) in records.items()
        )
        return f'{{"type": "diff", {parts}}}'

    def _check(self, frame: int, key: str | Pair) -> None:
        held = self._held.get(key, set())
        if isinstance(key, str):
            if key in self._boxes and EXISTS not in held:
                raise ExistenceError(
                    f"object {key!r} is seen at frame {frame}, at which it does not exist. Record "
                    f"{EXISTS} for it, or cut its row of observability."
                )
        elif RELATED in held and len(held) > 1:
            raise ReplayError(
                f"{key[0]!r} and {key[1]!r} at frame {frame}: {RELATED} stands for a pair without "
                f"states, but {min(held - {RELATED})} holds too. Drop one of them."
            )

    def _node(self, name: str, states: set[str], box: Box | None) -> str:
        category, parents = self._kinds[name]
        record = {
            "name": name,
            "category": category,
            "states": sorted(states - {EXISTS}),
            "visibility": {} if box is None else {self._camera: box},
        }
        return json.dumps(record if parents is None else {**record, "parent": parents})


def _edge(pair: Pair, states: set[str]) -> str:
    record = {"from": pair[0], "to": pair[1], "states": sorted(states - {RELATED})}
    return json.dumps(record)
