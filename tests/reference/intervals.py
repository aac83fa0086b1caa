"""Slow twin of interval extraction: walk the frames one by one."""


def intervals(holds: list[bool]) -> list[tuple[int, int]]:
    found = []
    start = None
    for frame, value in enumerate([*holds, False]):
        if value and start is None:
            start = frame
        if not value and start is not None:
            found.append((start, frame))
            start = None
    return found
