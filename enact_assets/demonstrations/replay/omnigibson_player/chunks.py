"""Plays a long demonstration in chunks, so that not all states are in memory at once.

A row of ``state`` is not complete: ``DataCollectionWrapper`` dumps objects that are awake only, and
what the row leaves out stays where it was. So every frame is played, in order, whether somebody
looks at it or not; and a chunk, which begins with the scene file, gets the complete state of the
simulator as the chunk before it left it.
"""

from dataclasses import dataclass

WARM_UP_FRAMES = 30
"""Played again before a chunk goes on: grasps follow from the grippers' recent actions."""


@dataclass(frozen=True)
class Chunk:
    """Frames ``played``, of which those from ``first_new`` on were not played before.

    After frame ``restore_after`` the kept complete state is loaded; after ``keep_after`` it is kept
    for the next chunk. None: the chunk begins with the demonstration, or is the last.
    """

    played: range
    first_new: int
    restore_after: int | None
    keep_after: int | None


def chunks_of(n_frames: int, size: int, warm_up: int = WARM_UP_FRAMES) -> list[Chunk]:
    """Chunks of ``size`` new frames, of frames 0 to ``n_frames`` - 1.

    A chunk begins ``warm_up`` + 1 frames early, at a frame the one before plays too: there the
    state is handed on. Where that would be before frame 1, the scene file is complete by itself.
    """
    starts = range(0, n_frames, size)
    begins = [max(start - warm_up - 1, 0) for start in starts]
    nexts = [*begins[1:], 0]
    return [
        Chunk(range(begin, min(start + size, n_frames)), start, begin or None, following or None)
        for start, begin, following in zip(starts, begins, nexts, strict=True)
    ]
