"""A recorded replay as a stream of frames, of which a few are in memory at a time.

The layout is that of the public release (definitions.md R2): one JSON object, its keys frame ids,
its values frames. Ids ascend in the order in which frames are written; a file in which they do not
is read by :mod:`~enact_assets.demonstrations.replay.frame_order`.
"""

import gzip
import hashlib
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from enact_assets.demonstrations.replay import stream_kernels
from enact_assets.demonstrations.replay.stream_kernels import Cursor, Followed, Pattern, Sight
from enact_assets.engine.errors import GivenTextError, RecordingError
from enact_assets.engine.given_files import open_given
from enact_assets.engine.given_text import MARK, SAVE_AS_UTF8, without_mark
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.settings.arrays import Ints

Rows = NDArray[np.int32]
"""Rows of sight, in half the memory."""

CHUNK_BYTES = 1 << 20
MAX_FRAME_BYTES = 1 << 26
"""In a frame larger than this a quote or a bracket is taken to be missing."""
MAX_DEPTH = 40
"""Brackets open at a time; the layout needs seven."""
UNIQUE = "Ids must be unique: keep one frame of each"
MAX_NODES = 4096
"""Frames with more nodes are read all the same, but never followed."""
FRAMES_PER_CALL = 4096
ROWS_PER_CALL = 2 * MAX_NODES


def bytes_read(done: int, total: int) -> Progress:
    """How far reading is."""
    return Progress(done / 1e6, total / 1e6, "MB read")


class OrderError(RecordingError):
    """A frame cannot follow the frames before it in the file. Sorted by id, it may."""


@dataclass(frozen=True)
class Place:
    """Where in a recording something is; makes the errors that name it."""

    file: Path
    frame_id: int | None = None

    def error(
        self, message: str, field: str = "", kind: type[RecordingError] = RecordingError
    ) -> RecordingError:
        """An error that names the file, the frame id and ``field``."""
        frame = "" if self.frame_id is None else f", frame id {self.frame_id}"
        return kind(f"{self.file}{frame}{', ' if field else ''}{field}: {message}")


@dataclass(frozen=True)
class RawFrame:
    """One frame as the file has it.

    ``body`` is valid until the stream is read on. ``spans`` (n, 2) are the positions of the
    camera's view of each node in it; None if that is not written in the simplest form.
    """

    place: Place
    body: memoryview
    spans: Ints | None


class Readable(Protocol):
    """Where the bytes of a recording come from."""

    def readinto(self, buffer: memoryview, /) -> int | None:
        """Fill ``buffer`` from its start; returns how many bytes, 0 at the end."""

    def close(self) -> None:
        """Read no more."""


class FrameStream:
    """Reads ``file`` frame by frame: JSON, compressed by gzip if its name ends in ``.gz``.

    With ``any_order`` ids may be in any order, and repeat. ``source`` has the JSON of ``file`` in
    another order. Errors of all methods: :class:`RecordingError` names the file, and the frame if
    there is one; :class:`OrderError` if its id is lower than the one before.
    """

    def __init__(
        self,
        file: Path,
        on_progress: OnProgress = unheard,
        *,
        any_order: bool = False,
        source: Readable | None = None,
    ) -> None:
        self.place = Place(file)
        self.n_frames = 0
        """Frames read or followed so far."""
        self._on_progress = on_progress
        self._any_order = any_order
        try:
            self._raw = open_given(file)
        except (OSError, ValueError) as error:
            raise self.place.error(f"cannot be opened: {error}") from None
        self._n_bytes = os.fstat(self._raw.fileno()).st_size
        self._source: Readable = source or (
            gzip.GzipFile(fileobj=self._raw) if file.suffix == ".gz" else self._raw
        )
        self._digest = hashlib.sha256()
        self._data = np.empty(CHUNK_BYTES, np.uint8)
        self._position = self._stop = 0
        self._n_before = 0  # bytes that have left the buffer
        self._last_id = -1
        self._ids: list[Ints] = []
        self._followed = Followed(
            np.empty(FRAMES_PER_CALL, np.int64),
            np.empty((ROWS_PER_CALL, stream_kernels.ROW_NUMBERS), np.int64),
        )
        self._spans = np.empty((MAX_NODES, 2), np.int64)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._source.close()
        self._raw.close()

    @property
    def sha(self) -> str:
        """Hex SHA-256 of the bytes read so far, those of the JSON if the file is compressed."""
        return self._digest.hexdigest()

    @property
    def ids(self) -> Ints:
        """Ids of the frames so far, ascending: (n_frames,)."""
        return np.concatenate([*self._ids, np.empty(0, np.int64)])

    def next_frame(self) -> RawFrame | None:
        """The next frame; None after the last one, when what follows it was checked too."""
        frame_id = self._read_head()
        if frame_id is None:
            self._check_rest()
            return None
        place = Place(self.place.file, frame_id)
        if frame_id <= self._last_id and not self._any_order:
            kind = OrderError if frame_id < self._last_id else RecordingError
            raise place.error(f"comes after frame id {self._last_id}. {UNIQUE}", kind=kind)
        if self._data[self._position] != ord("{"):
            raise place.error(f"expected an object, found {self._shown(self._position)}")
        end, is_plain = self._find_end(place)
        start, self._position = self._position, end
        self._last_id = frame_id
        self._ids.append(np.array([frame_id], np.int64))
        self.n_frames += 1
        spans = None
        if is_plain:
            n_spans = stream_kernels.find_spans(self._data, start, end, self._spans)
            spans = self._spans[:n_spans] - start if n_spans >= 0 else None
        return RawFrame(place, self._data.data[start:end], spans)

    def follow(self, pattern: Pattern, sight: Sight) -> list[Rows]:
        """Pass over the frames that repeat ``pattern`` but for their id and for what is seen.

        Keeps ``sight`` up to date and returns the rows (r, 10) of it that ended, see
        :func:`~enact_assets.demonstrations.replay.stream_kernels.see_boxes`.
        """
        ended: list[Rows] = []
        while True:
            status, self._position, n_frames, n_rows = stream_kernels.follow_frames(
                self._data,
                Cursor(self._position, self._stop, self.n_frames, self._last_id),
                pattern,
                sight,
                self._followed,
            )
            if n_frames:
                self._ids.append(self._followed.ids[:n_frames].copy())
                self._last_id = int(self._ids[-1][-1])
                self.n_frames += n_frames
            if n_rows:
                ended.append(self._followed.rows[:n_rows].astype(np.int32))
            if status == stream_kernels.FULL or (
                status == stream_kernels.INCOMPLETE and self._read_more()
            ):
                continue
            return ended

    def _read_head(self) -> int | None:
        """Id of the next frame, and the position at its body; None after the last frame."""
        is_first = self.n_frames == 0
        if is_first:
            self._open_object()
        expected = "a quoted frame id" if is_first else "',' and a quoted frame id, or '}'"
        while True:
            status, at = self._read_separator(is_first)
            frame_id = 0
            if status == stream_kernels.FOUND:
                status, frame_id, at = stream_kernels.read_key(self._data, at, self._stop)
            if status == stream_kernels.FOUND:
                self._position = at
                return int(frame_id)
            if status == stream_kernels.ENDED:
                self._position = at + 1
                return None
            if status == stream_kernels.BROKEN:
                raise self.place.error(
                    f"{self._progress_in_words()}: expected {expected} (decimal, at most "
                    f"{stream_kernels.MAX_ID_DIGITS} digits, no leading zeros: 59 and not 00059; "
                    f"then ':'), found {self._shown(at)}"
                )
            if not self._read_more():
                raise self.place.error(f"{self._progress_in_words()}: {self._cut_off()}")

    def _read_separator(self, is_first: bool) -> tuple[int, int]:  # noqa: FBT001 # private
        """Status and position of what follows the last frame, or the opening of the object."""
        if not is_first:
            return stream_kernels.read_separator(self._data, self._position, self._stop)
        at = stream_kernels.skip_blanks(self._data, self._position, self._stop)
        is_closed = at < self._stop and self._data[at] == ord("}")
        return (stream_kernels.ENDED if is_closed else stream_kernels.FOUND), at

    def _open_object(self) -> None:
        # A part of the mark may come first; what follows is longer.
        while self._stop < len(MARK) and self._read_more():
            pass
        start = bytes(self._data[: min(len(MARK), self._stop)])
        try:
            self._position = len(start) if without_mark(start) != start else 0
        except GivenTextError as error:
            raise self.place.error(f"{error}. {SAVE_AS_UTF8}") from None
        while True:
            self._position = stream_kernels.skip_blanks(self._data, self._position, self._stop)
            if self._position < self._stop:
                break
            if not self._read_more():
                raise self.place.error("the file is empty; expected an object of frames by id")
        if self._data[self._position] != ord("{"):
            raise self.place.error(
                f"expected an object of frames by id, found {self._shown(self._position)}"
            )
        self._position += 1

    def _find_end(self, place: Place) -> tuple[int, bool]:
        """Where the frame at the position ends, and whether it is free of backslashes."""
        while True:
            status, end, is_plain = stream_kernels.find_end(
                self._data, self._position, self._stop, MAX_DEPTH
            )
            if status == stream_kernels.FOUND:
                return end, is_plain
            if status == stream_kernels.TOO_DEEP:
                raise place.error(
                    f"more than {MAX_DEPTH} brackets are open at byte {self._n_before + end}"
                )
            if status == stream_kernels.BROKEN:
                raise place.error(f"{self._shown(end)} does not close the bracket that is open")
            if not self._read_more():
                raise place.error(self._cut_off())

    def _check_rest(self) -> None:
        """After the last frame there may be white space only."""
        while True:
            self._position = stream_kernels.skip_blanks(self._data, self._position, self._stop)
            if self._position < self._stop:
                raise self.place.error(
                    f"{self._progress_in_words()}: expected the end of the file after the closing "
                    f"'}}', found {self._shown(self._position)}"
                )
            if not self._read_more():
                return

    def _read_more(self) -> bool:
        """Make room by dropping what is before the position, then read; False at the end."""
        n_kept = self._stop - self._position
        if n_kept == self._data.size:
            if n_kept >= MAX_FRAME_BYTES:
                raise self.place.error(
                    f"{self._progress_in_words()}: the next frame takes more than "
                    f"{MAX_FRAME_BYTES} bytes; a quote or a bracket in it is not closed"
                )
            self._data = np.concatenate([self._data, np.empty_like(self._data)])
        else:
            self._data[:n_kept] = self._data[self._position : self._stop].copy()
        self._n_before += self._position
        self._position, self._stop = 0, n_kept
        free = self._data.data[n_kept:]
        try:
            n_read = self._source.readinto(free) or 0
        except (OSError, EOFError, zlib.error) as error:
            raise self.place.error(
                f"{self._progress_in_words()}: cannot be read beyond byte "
                f"{self._n_before + n_kept}: {error}"
            ) from None
        self._digest.update(free[:n_read])
        self._stop += n_read
        self._on_progress(bytes_read(min(self._raw.tell(), self._n_bytes), self._n_bytes))
        return n_read > 0

    def _progress_in_words(self) -> str:
        return f"after frame id {self._last_id}" if self.n_frames else "before the first frame"

    def _cut_off(self) -> str:
        return (
            f"the file ends here, after {self._n_before + self._stop} bytes; it was cut off or is "
            "still being written"
        )

    def _shown(self, at: int) -> str:
        """The text ``at`` a position of the buffer, for messages."""
        found = bytes(self._data[at : min(at + 12, self._stop)])
        return f"{repr(found)[1:]} at byte {self._n_before + at}"
