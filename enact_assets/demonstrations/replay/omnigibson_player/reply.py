"""The reply to a request: facts and views as intervals, written as soon as they end.

Only open ones are in memory.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

FORMAT = "enact_assets.omnigibson.1"

Fact = tuple[str, str, str | None]
"""Predicate, subject, object; the object of a unary fact is None."""
Box = tuple[int, ...]
"""Pixels, x_min, y_min, x_max, y_max (inclusive), height and width of the picture."""


class IntervalWriter:
    """JSON lines: ``replay`` first, then ``object``, ``fact`` and ``seen`` as they come, then
    ``end`` with how many there were of each.

    Written beside ``path`` and renamed by :meth:`finish`: the file at ``path`` is complete.
    """

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        self._path = path
        self._partial = path.with_name(f".{path.name}.tmp")
        self._file: IO[str] = self._partial.open("w", encoding="utf-8")
        self._facts: dict[Fact, int] = {}
        self._seen: dict[str, tuple[int, Box]] = {}
        self._named: set[str] = set()
        self.counts = {"object": 0, "fact": 0, "seen": 0}
        self._write("replay", {"format": FORMAT, **header})

    def __enter__(self) -> "IntervalWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add_object(
        self, name: str, category: str, parents: Sequence[str] | None, *, is_particle_system: bool
    ) -> None:
        """Name an object, once; what comes back under its name is taken for the same.

        ``parents`` is None where the rules name none, unlike an empty list: it has none.
        """
        if name in self._named:
            return
        self._named.add(name)
        record = {
            "name": name,
            "category": category,
            "parents": None if parents is None else sorted(parents),
            "is_particle_system": is_particle_system,
        }
        self._write("object", record)

    def add_frame(self, frame: int, facts: set[Fact], boxes: Mapping[str, Box]) -> None:
        """Everything that holds and is seen at ``frame``; frames ascend."""
        for fact in sorted(self._facts.keys() - facts, key=_in_order):
            self._end_fact(fact, frame)
        for fact in facts - self._facts.keys():
            self._facts[fact] = frame
        for name in sorted(self._seen):
            if boxes.get(name) != self._seen[name][1]:
                self._end_view(name, frame)
        for name, box in boxes.items():
            self._seen.setdefault(name, (frame, box))

    def finish(self, n_frames: int) -> None:
        """End what still holds after the last frame and give the file its name."""
        for fact in sorted(self._facts, key=_in_order):
            self._end_fact(fact, n_frames)
        for name in sorted(self._seen):
            self._end_view(name, n_frames)
        self._write("end", {"n_frames": n_frames, "counts": dict(self.counts)})
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._partial.replace(self._path)

    def _end_fact(self, fact: Fact, frame: int) -> None:
        predicate, subject, other = fact
        since = self._facts.pop(fact)
        record = {"predicate": predicate, "subject": subject, "object": other}
        self._write("fact", {**record, "frame_from": since, "frame_to": frame})

    def _end_view(self, name: str, frame: int) -> None:
        since, box = self._seen.pop(name)
        self._write("seen", {"name": name, "frame_from": since, "frame_to": frame, "box": box})

    def _write(self, kind: str, record: Mapping[str, Any]) -> None:
        if kind in self.counts:
            self.counts[kind] += 1
        self._file.write(json.dumps({"type": kind, **record}) + "\n")


def _in_order(fact: Fact) -> tuple[str, str, str]:
    return fact[0], fact[1], fact[2] or ""
