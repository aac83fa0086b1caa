"""Numba kernels that scan JSON as bytes without building objects.

Positions count bytes from the start of ``data`` (n,), which is read up to ``stop``. A negative
number in the place of a position is one of the outcomes below.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

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
