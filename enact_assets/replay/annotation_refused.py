"""Contents of refused rows, whose consequences are not reported again.

Told once more it would come with wrong advice: delete the row, correct the name.
"""

from enact_assets.replay.annotation import Change


class Refused:
    """Facts, views and objects of rows that were refused and do not count."""

    def __init__(self) -> None:
        self._facts: set[frozenset[str]] = set()
        self._views: set[str] = set()

    def add(self, change: Change, meant: dict[str, str]) -> None:
        """Note a refused ``change``; ``meant`` is what an unknown name was probably to be."""
        names = [meant.get(name, name) for name in (change.subject, change.object) if name]
        if change.operation in ("show", "hide"):
            self._views.update(names)
        else:
            # Not the predicate: it may be what is wrong.
            self._facts.add(frozenset(names))

    def has_fact(self, *names: str | None) -> bool:
        """Whether a refused row was about a fact of just these objects."""
        return frozenset(name for name in names if name) in self._facts

    def has_view(self, name: str) -> bool:
        """Whether a refused row showed or hid ``name``."""
        return name in self._views
