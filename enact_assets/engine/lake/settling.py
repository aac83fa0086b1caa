"""From when on what a listing shows can be believed later."""

from collections.abc import Iterable

NOT_SETTLED_NS = 2_000_000_000
"""A file may be written again within one tick of its file system's clock, which at worst takes two
seconds, and look the same: what was seen that soon is not believed later."""
GREATEST_SKEW_NS = 3_600_000_000_000
"""How far the clock of a file server may be behind this machine's."""


def settled_before(listed_ns: int, times_ns: Iterable[int]) -> int:
    """What changed before this time is as it looks, of files or folders that were listed then.

    ``times_ns`` are when each of these changed.
    """
    settled = listed_ns - NOT_SETTLED_NS
    newest = max(times_ns, default=0)
    if newest > settled - GREATEST_SKEW_NS:
        # Perhaps written this moment, by a file server whose clock is behind.
        settled = min(settled, newest - NOT_SETTLED_NS)
    return settled
