"""List of forgotten names, kept beside the data.

Dagster's database has the names of partitions, but it may be lost or replaced. So every name in the
lake is a partition, unless it is listed here.
"""

from collections.abc import Collection
from pathlib import Path

from enact_assets.engine.errors import LakeError
from enact_assets.engine.system.atomic import replacing

FILE = "forgotten.txt"


class Forgotten:
    """The file with the list in a data root: one ``dimension name`` per line."""

    def __init__(self, root: Path) -> None:
        self._path = root / FILE

    def of(self, dimension: str) -> frozenset[str]:
        """Forgotten names. Errors: :class:`LakeError` if the list cannot be read."""
        return frozenset(name for found, name in self._pairs() if found == dimension)

    def add(self, dimension: str, name: str) -> None:
        """Add ``name`` to the list. Errors: :class:`OutputError` if it cannot be written."""
        self._write([*self._pairs(), (dimension, name)])

    def remove(self, dimension: str, names: Collection[str]) -> None:
        """Remove ``names`` from the list. Errors: as :meth:`add`."""
        pairs = self._pairs()
        kept = [pair for pair in pairs if pair[0] != dimension or pair[1] not in names]
        if len(kept) < len(pairs):
            self._write(kept)

    def _pairs(self) -> list[tuple[str, str]]:
        try:
            lines = self._path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise LakeError(
                f"{self._path}: cannot be read ({error}). It lists forgotten names. Repair it, or "
                "remove it to restore all names."
            ) from error
        pairs = (line.partition(" ") for line in lines)
        return [(dimension, name) for dimension, _, name in pairs if name]

    def _write(self, pairs: Collection[tuple[str, str]]) -> None:
        text = "".join(f"{dimension} {name}\n" for dimension, name in sorted(set(pairs)))
        with replacing(self._path) as temporary:
            temporary.write_text(text, encoding="utf-8")
