"""Decides which entries of a listing can be trusted later."""

from collections.abc import Iterable

NOT_SETTLED_NS = 2_000_000_000
"""A file may be written again within one tick of its file system's clock (at most two seconds) and
look unchanged. So a file that was listed so soon after its change is read again later."""
GREATEST_SKEW_NS = 3_600_000_000_000
"""How far the clock of a file server may be behind this machine's clock."""


def settled_before(listed_ns: int, times_ns: Iterable[int]) -> int:
    """Time before which a listed file or folder must have changed, so that its state can be
    trusted.

    ``times_ns`` are the times of change of all listed files or folders.
    """
    settled = listed_ns - NOT_SETTLED_NS
    newest = max(times_ns, default=0)
    if newest > settled - GREATEST_SKEW_NS:
        # The file may have been written just now, by a file server whose clock is behind.
        settled = min(settled, newest - NOT_SETTLED_NS)
    return settled
