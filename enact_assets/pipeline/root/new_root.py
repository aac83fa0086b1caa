"""Makes the folder of a new data root."""

from contextlib import suppress
from pathlib import Path

IGNORED = (
    "# A data root of enact-assets: git lists none of its files. Change this as you like.\n*\n"
)


def make_root(root: Path) -> None:
    """Make the folder ``root`` with a ``.gitignore``, so that a data root in a checkout is none of
    its changes; a folder that is there stays as it is.

    Raises nothing: what writes into the folder next says why it cannot be made.
    """
    with suppress(OSError):
        root.mkdir(parents=True)
        (root / ".gitignore").write_text(IGNORED, encoding="utf-8")
