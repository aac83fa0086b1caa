"""Recordings whose frames are written in another order than that of their ids.

The release sorts ids. Such a file is read twice: first its frames are copied to a temporary file
and their ids are noted, then they come from there, one after the other. No more of it is in memory
than of other recordings.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from enact_assets.demonstrations.replay.frame_stream import UNIQUE, FrameStream, Place
from enact_assets.engine.progress import OnProgress, unheard
from enact_assets.settings.arrays import Ints

MAX_BYTES = 1 << 32
"""Of JSON that is sorted. A small archive can unpack to any number of bytes."""


class _InOrder:
    """The frames of ``copy`` as JSON: ``ids`` (n,), each from ``starts`` on up to ``stops``."""

    def __init__(self, copy: IO[bytes], ids: Ints, starts: Ints, stops: Ints) -> None:
        self._frames = zip(ids.tolist(), starts.tolist(), stops.tolist(), strict=True)
        self._copy = copy
        self._parts = self._text()
        self._rest = memoryview(b"")

    def readinto(self, buffer: memoryview, /) -> int:
        n = 0
        while n < len(buffer):
            if not self._rest:
                self._rest = memoryview(next(self._parts, b""))
            if not self._rest:
                break
            n_taken = min(len(self._rest), len(buffer) - n)
            buffer[n : n + n_taken] = self._rest[:n_taken]
            self._rest = self._rest[n_taken:]
            n += n_taken
        return n

    def close(self) -> None:
        """Nothing: who made the copy closes it."""

    def _text(self) -> Iterator[bytes]:
        before = "{"
        for frame_id, start, stop in self._frames:
            self._copy.seek(start)
            yield f'{before}"{frame_id}": '.encode() + self._copy.read(stop - start)
            before = ", "
        yield b"}"


@contextmanager
def frames_by_id(file: Path) -> Iterator[tuple[FrameStream, str]]:
    """The recording ``file`` as a stream in which ids ascend, and the hash of its bytes.

    Errors: as of :class:`FrameStream`, for the stream too, and if two frames have the same id.
    """
    place = Place(file)
    try:
        with tempfile.TemporaryFile(prefix="enact-frames-") as copy:
            stops: list[int] = []
            with FrameStream(file, any_order=True) as stream:
                while (raw := stream.next_frame()) is not None:
                    copy.write(raw.body)
                    stops.append(copy.tell())
                    if stops[-1] > MAX_BYTES:
                        raise place.error(
                            f"frames are not in the order of their ids, and have more than "
                            f"{MAX_BYTES:,} bytes. Sort them by id"
                        )
            order = _order(stream.ids, place)
            starts = np.array([0, *stops[:-1]], np.int64)[order]
            source = _InOrder(copy, stream.ids[order], starts, np.array(stops, np.int64)[order])
            with FrameStream(file, source=source) as sorted_stream:
                yield sorted_stream, stream.sha
    except OSError as error:
        raise place.error(
            f"frames are not in the order of their ids, and cannot be sorted in "
            f"{tempfile.gettempdir()} ({error.strerror})"
        ) from error


def frame_ids(file: Path, on_progress: OnProgress = unheard) -> Ints:
    """Ids of all frames of ``file``, ascending, whatever their order in it. Errors: the same."""
    with FrameStream(file, on_progress, any_order=True) as stream:
        while stream.next_frame() is not None:
            pass
    return stream.ids[_order(stream.ids, stream.place)]


def _order(ids: Ints, place: Place) -> NDArray[np.intp]:
    """Positions of ``ids`` (n,), by id. Errors: :class:`RecordingError` if two are the same."""
    order = np.argsort(ids, kind="stable")
    repeated = np.flatnonzero(np.diff(ids[order]) == 0)
    if repeated.size:
        twice = int(ids[order[repeated[0]]])
        raise Place(place.file, twice).error(f"is in the file more than once. {UNIQUE}")
    return order
