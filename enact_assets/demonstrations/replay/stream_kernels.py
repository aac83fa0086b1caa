"""Numba kernels that scan the frames of a recorded replay, and runs of equal ones.

Most frames of a recording repeat the one before byte by byte, apart from their id and from what the
camera sees of each object. ``follow_frames`` skips such frames without decoding them; the first
frame that differs in anything else is left to the caller.

Positions count bytes from the start of ``data`` (n,), which is read up to ``stop`` without building
objects; spans are half open. A negative number in the place of a position is one of the outcomes
below.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.system.compiled import njit
from enact_assets.settings.arrays import Ints

Bytes = NDArray[np.uint8]

FOUND = 0
INCOMPLETE = -1
"""The data end before what is looked for does."""
BROKEN = -2
DIFFERENT = -3
"""The text there is not the expected one."""
TOO_DEEP = -4

MAX_NUMBER = 2**31 - 1

QUOTE = 34
COMMA = 44
ZERO = 48
NINE = 57
COLON = 58
OPEN_LIST = 91
BACKSLASH = 92
CLOSE_LIST = 93
OPEN_OBJECT = 123
CLOSE_OBJECT = 125

BOX_NUMBERS = 7
ROW_NUMBERS = 3 + BOX_NUMBERS
"""A row of sight: object, first frame, frame after the last, and the numbers of the box."""

MAX_ID_DIGITS = 15

FULL = -5
"""The output is full: empty it and call again."""
ENDED = -6
"""The object of all frames is closed."""

_NODES = np.frombuffer(b"nodes", np.uint8)
_VISIBILITY = np.frombuffer(b"visibility", np.uint8)


class Cursor(NamedTuple):
    """Reading position: bytes ``position`` to ``stop`` are unread; the next frame's number."""

    position: int
    stop: int
    frame: int
    last_id: int


class Pattern(NamedTuple):
    """The frame that is followed: ``body`` and the spans (n, 2) in it that may change.

    Span k holds what the camera sees of object ``owners[k]``, read as ``boxes[k]`` (n, 7); spans
    ascend. ``camera`` is the JSON string of its name, quotes included.
    """

    body: Bytes
    spans: Ints
    owners: Ints
    boxes: Ints
    camera: Bytes


class Sight(NamedTuple):
    """What the camera sees now: per object a box (o, 7) and the frame since when (o,), or -1."""

    boxes: Ints
    since: Ints


class Followed(NamedTuple):
    """Room for what following finds: ids (f,) of frames, rows of sight (r, 10) that ended."""

    ids: Ints
    rows: Ints


@njit(cache=True)
def skip_blanks(data: Bytes, position: int, stop: int) -> int:
    """First position at or after ``position`` that holds no JSON white space, at most ``stop``."""
    while position < stop:
        c = data[position]
        if c not in (32, 10, 13, 9):
            break
        position += 1
    return position


@njit(cache=True)
def skip_string(data: Bytes, position: int, stop: int) -> tuple[int, bool]:
    """Where the string whose text starts at ``position`` is closed, at most ``stop``.

    Also returns whether a backslash is in it.
    """
    first = np.uint64(position)
    n_bytes = stop - position
    is_escaped = False
    k = 0
    while k < n_bytes:
        c = data[first + np.uint64(k)]
        if c == QUOTE:
            break
        if c == BACKSLASH:
            is_escaped = True
            k += 1
        k += 1
    return position + min(k, n_bytes), is_escaped


@njit(cache=True)
def find_end(data: Bytes, position: int, stop: int, max_depth: int) -> tuple[int, int, bool]:
    """Returns (status, end, is_plain) of the JSON object that starts at ``position``.

    Only strings and brackets are looked at: what is between them may be no JSON. It is plain if it
    holds no backslash. BROKEN: brackets that do not match, the end is where. TOO_DEEP: more than
    ``max_depth`` (at most 60) are open there.
    """
    i = position
    depth = 0
    kinds = 0  # one bit per open bracket, 1 for a list
    is_plain = True
    while i < stop:
        c = data[i]
        if c == QUOTE:
            i, is_escaped = skip_string(data, i + 1, stop)
            is_plain = is_plain and not is_escaped
        elif c in (OPEN_OBJECT, OPEN_LIST):
            if depth == max_depth:
                return TOO_DEEP, i, False
            depth += 1
            kinds = 2 * kinds + (c == OPEN_LIST)
        elif c in (CLOSE_OBJECT, CLOSE_LIST):
            if kinds % 2 != (c == CLOSE_LIST):
                return BROKEN, i, False
            depth -= 1
            kinds //= 2
            if depth == 0:
                return FOUND, i + 1, is_plain
        i += 1
    return INCOMPLETE, stop, False


@njit(cache=True)
def key_value(data: Bytes, first: int, last: int, stop: int, key: Bytes) -> int:
    """Where the value of ``key`` starts if ``data[first:last]`` is this key, otherwise -1."""
    if last - first != key.size or not is_same(data, first, key, 0, key.size):
        return -1
    after = skip_blanks(data, last + 1, stop)
    if after >= stop or data[after] != COLON:
        return -1
    return skip_blanks(data, after + 1, stop)


@njit(cache=True)
def is_same(data: Bytes, position: int, other: Bytes, start: int, stop: int) -> bool:
    """Whether ``data`` from ``position`` on repeats ``other[start:stop]``; both must hold enough.

    Without a branch in the loop the compiler makes vector instructions of it: to look at all bytes
    is faster than to stop at the first that differs.
    """
    a = np.uint64(position)
    b = np.uint64(start)
    difference = np.uint8(0)
    for k in range(stop - start):
        difference |= data[a + np.uint64(k)] ^ other[b + np.uint64(k)]
    return bool(difference == 0)


@njit(cache=True)
def expect(data: Bytes, position: int, stop: int, byte: int) -> int:
    """The position after ``byte`` and white space before it; INCOMPLETE or DIFFERENT otherwise.

    A position that is one of these already is returned as it is, so that calls can be chained.
    """
    if position < 0:
        return position
    position = skip_blanks(data, position, stop)
    if position >= stop:
        return INCOMPLETE
    return position + 1 if data[position] == byte else DIFFERENT


@njit(cache=True)
def read_number(data: Bytes, position: int, stop: int) -> tuple[int, int]:
    """A decimal from 0 to 2^31 - 1 and the position after it; chained as :func:`expect`."""
    if position < 0:
        return 0, position
    position = skip_blanks(data, position, stop)
    first = position
    number = 0
    while position < stop and ZERO <= data[position] <= NINE and number <= MAX_NUMBER:
        number = 10 * number + (data[position] - ZERO)
        position += 1
    if position >= stop:
        return 0, INCOMPLETE
    n_digits = position - first
    if n_digits == 0 or (n_digits > 1 and data[first] == ZERO) or number > MAX_NUMBER:
        return 0, DIFFERENT
    return number, position


@njit(cache=True)
def read_separator(data: Bytes, position: int, stop: int) -> tuple[int, int]:
    """What follows a frame: FOUND and the position after a comma, or ENDED and that of ``}``.

    BROKEN: the position is of something else. INCOMPLETE: nothing but white space up to ``stop``.
    """
    position = skip_blanks(data, position, stop)
    if position >= stop:
        return INCOMPLETE, stop
    if data[position] == CLOSE_OBJECT:
        return ENDED, position
    return (FOUND, position + 1) if data[position] == COMMA else (BROKEN, position)


@njit(cache=True)
def read_key(data: Bytes, position: int, stop: int) -> tuple[int, int, int]:
    """A frame id as key, ``"12": ``. Returns (status, id, position of the value).

    Ids are decimals without leading zeros, of at most 15 digits. BROKEN: the position is near what
    is wrong. INCOMPLETE: nothing wrong up to ``stop``.
    """
    position = skip_blanks(data, position, stop)
    if position < stop and data[position] != QUOTE:
        return BROKEN, 0, position
    first = position + 1
    position = first
    number = 0
    while position < stop and ZERO <= data[position] <= NINE and position < first + 16:
        number = 10 * number + (data[position] - ZERO)
        position += 1
    n_digits = position - first
    if n_digits > MAX_ID_DIGITS or (n_digits > 1 and data[first] == ZERO):
        return BROKEN, 0, first
    if position < stop and (data[position] != QUOTE or n_digits == 0):
        return BROKEN, 0, position
    position = skip_blanks(data, position + 1, stop)
    if position < stop and data[position] != COLON:
        return BROKEN, 0, position
    position = skip_blanks(data, position + 1, stop)
    return (FOUND if position < stop else INCOMPLETE), number, position


@njit(cache=True)
def find_spans(data: Bytes, position: int, stop: int, spans: Ints) -> int:
    """Where the plain object ``data[position:stop]`` has the ``visibility`` of its ``nodes``.

    ``spans`` (n, 2) takes one span per object of that list, in order. Returns how many, or -1 if
    there is another number of lists than one, of values per object, or more than fit. That a value
    is well formed, or an object, is left to the caller.
    """
    i = position
    depth = 0
    n_spans = 0
    n_lists = 0
    n_in_node = 0
    in_nodes = False
    is_single = True
    start = -1
    while i < stop:
        c = data[i]
        if c == QUOTE:
            first = i + 1
            i, _ = skip_string(data, first, stop)
            if depth == 1:
                in_nodes = key_value(data, first, i, stop, _NODES) >= 0
                n_lists += in_nodes
            elif depth == 3 and in_nodes and i - first == _VISIBILITY.size:
                value = key_value(data, first, i, stop, _VISIBILITY)
                n_in_node += value >= 0
                start = max(start, value)
        elif c in (OPEN_OBJECT, OPEN_LIST):
            depth += 1
            n_in_node = n_in_node if depth > 3 else 0
        elif c in (CLOSE_OBJECT, CLOSE_LIST):
            depth -= 1
            if depth == 3 and start >= 0 and n_spans < spans.shape[0]:
                spans[n_spans] = start, i + 1
                n_spans += 1
                start = -1
            elif depth == 2 and in_nodes:
                is_single = is_single and n_in_node == 1 and start < 0
        i += 1
    return n_spans if is_single and n_lists == 1 else -1


@njit(cache=True)
def read_box(data: Bytes, position: int, stop: int, camera: Bytes, box: Ints) -> int:
    """Reads ``{}`` or ``{"<camera>": [seven numbers]}``; returns the position after it.

    ``box`` (7,) takes pixels, x_min, y_min, x_max, y_max, height, width; its height becomes 0 if
    the object is not seen. INCOMPLETE: nothing else up to ``stop``. DIFFERENT: something else, also
    numbers that are no box: each is at most 2^31 - 1, and there are no more pixels than the picture
    has.
    """
    box[:] = 0
    i = expect(data, position, stop, OPEN_OBJECT)
    end = expect(data, i, stop, CLOSE_OBJECT)
    if end != DIFFERENT:
        return end
    i = skip_blanks(data, i, stop) if i >= 0 else i
    if i < 0 or i + camera.size > stop:
        return i if i < 0 else INCOMPLETE
    if not is_same(data, i, camera, 0, camera.size):
        return DIFFERENT
    i = expect(data, i + camera.size, stop, COLON)
    i = expect(data, i, stop, OPEN_LIST)
    for k in range(BOX_NUMBERS):
        box[k], i = read_number(data, i, stop)
        i = expect(data, i, stop, COMMA if k < BOX_NUMBERS - 1 else CLOSE_LIST)
    i = expect(data, i, stop, CLOSE_OBJECT)
    height, width = box[BOX_NUMBERS - 2], box[BOX_NUMBERS - 1]
    is_box = height > 0 and width > 0 and box[0] <= height * width
    return i if is_box or i == INCOMPLETE else DIFFERENT


@njit(cache=True)
def read_boxes(pattern: Pattern) -> int:
    """Reads the spans of ``pattern`` into its boxes.

    Returns FOUND, or DIFFERENT if a span is not in the form of :func:`read_box`.
    """
    for k in range(pattern.owners.size):
        start, stop = pattern.spans[k]
        if read_box(pattern.body, start, stop, pattern.camera, pattern.boxes[k]) != stop:
            return DIFFERENT
    return FOUND


@njit(cache=True)
def see_boxes(sight: Sight, owners: Ints, boxes: Ints, frame: int, rows: Ints) -> int:
    """From ``frame`` on, objects ``owners`` (n,) are seen as ``boxes`` (n, 7).

    A height of 0 means not at all. ``sight`` changes in place; ``rows`` (r, 10) takes what
    ended, at most one row per object. Returns how many.
    """
    n_rows = 0
    for k in range(owners.size):
        owner = owners[k]
        since = sight.since[owner]
        is_seen = boxes[k, BOX_NUMBERS - 2] > 0
        is_changed = is_seen != (since >= 0)
        for j in range(BOX_NUMBERS):
            is_changed |= is_seen and sight.boxes[owner, j] != boxes[k, j]
        if not is_changed:
            continue
        if 0 <= since < frame:
            rows[n_rows, 0] = owner
            rows[n_rows, 1] = since
            rows[n_rows, 2] = frame
            rows[n_rows, 3:] = sight.boxes[owner]
            n_rows += 1
        sight.since[owner] = frame if is_seen else -1
        sight.boxes[owner] = boxes[k]
    return n_rows


@njit(cache=True)
def match_body(data: Bytes, position: int, stop: int, pattern: Pattern, boxes: Ints) -> int:
    """The position after a frame at ``position`` that repeats ``pattern`` but for what is seen.

    That is read into ``boxes`` (n, 7). INCOMPLETE: it does up to ``stop``. DIFFERENT: it does not.
    """
    n_spans = pattern.owners.size
    before = 0
    for k in range(n_spans + 1):
        after = pattern.spans[k, 0] if k < n_spans else pattern.body.size
        n_bytes = min(after - before, stop - position)
        if not is_same(data, position, pattern.body, before, before + n_bytes):
            return DIFFERENT
        if n_bytes < after - before:
            return INCOMPLETE
        position += n_bytes
        if k < n_spans:
            before = pattern.spans[k, 1]
            n_bytes = before - after
            if position + n_bytes <= stop and is_same(data, position, pattern.body, after, before):
                position += n_bytes
                for j in range(BOX_NUMBERS):
                    boxes[k, j] = pattern.boxes[k, j]
                continue
            position = read_box(data, position, stop, pattern.camera, boxes[k])
            if position < 0:
                return position
    return position


@njit(cache=True)
def follow_frames(
    data: Bytes, cursor: Cursor, pattern: Pattern, sight: Sight, out: Followed
) -> tuple[int, int, int, int]:
    """Skips frames that differ from ``pattern`` only in their id and in what is seen.

    ``cursor.position`` is just after a frame. Returns (status, position, n_frames, n_rows): why it
    stopped, just after which frame, how many frames it followed and how many rows of sight ended.
    Frames are taken whole or not at all, and only while ids ascend.
    """
    n_spans = pattern.owners.size
    boxes = np.zeros((n_spans, BOX_NUMBERS), np.int64)
    position, last_id = cursor.position, cursor.last_id
    n_frames = 0
    n_rows = 0
    while n_frames < out.ids.size and n_rows + n_spans <= out.rows.shape[0]:
        status, at = read_separator(data, position, cursor.stop)
        if status == FOUND:
            status, number, at = read_key(data, at, cursor.stop)
            if status == FOUND and number <= last_id:
                status = DIFFERENT
        if status == FOUND:
            at = match_body(data, at, cursor.stop, pattern, boxes)
            status = min(at, FOUND)
        if status != FOUND:
            return status, position, n_frames, n_rows
        frame = cursor.frame + n_frames
        n_rows += see_boxes(sight, pattern.owners, boxes, frame, out.rows[n_rows:])
        out.ids[n_frames] = number
        n_frames += 1
        last_id = number
        position = at
    return FULL, position, n_frames, n_rows
