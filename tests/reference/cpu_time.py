"""How long a call computes, whatever else the process and the machine do."""

import time
from collections.abc import Callable


def least_cpu_s(call: Callable[[], object], enough_s: float, attempts: int = 3) -> float:
    """Least CPU seconds of this thread: a collection of garbage may fall into one attempt. The
    first below ``enough_s`` is the last.
    """
    taken = []
    for _ in range(attempts):
        began = time.thread_time()
        call()
        taken.append(time.thread_time() - began)
        if taken[-1] < enough_s:
            break
    return min(taken)
