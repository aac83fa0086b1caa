"""The end of a run before all is asked."""

import asyncio


class Halt:
    """Whether, and why, nothing more is sent in this run; ``error`` is raised at its end."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self.error: Exception | None = None
        self._halted = asyncio.Event()

    def stop(self, reason: str, error: Exception | None = None) -> None:
        """The first reason counts, and the first error."""
        self.reason = self.reason or reason
        self.error = self.error or error
        self._halted.set()

    async def sleep(self, seconds: float) -> None:
        """Return after so long, or when the run halts."""
        try:
            await asyncio.wait_for(self._halted.wait(), seconds)
        except TimeoutError:
            return


def without_answers(n: int, last: str) -> str:
    """Why a run stops after ``n`` questions without any answer."""
    return f"{n} questions in a row got no answer, the last: {last}"
