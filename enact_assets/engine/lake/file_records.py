"""One record per file of the lake: the metadata that a scan of the whole lake reads."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.provenance import Provenance

HEAD_CHARACTERS = 16
"""Leading hex digits of a picture's hash that identify it: 64 bits."""

Heads = NDArray[np.uint64]
"""First 64 bits of pictures' hashes, ascending, without repetition."""
NO_HEADS: Heads = np.empty(0, np.uint64)


class FileRecord(NamedTuple):
    """A file of the lake.

    ``problem`` says why its rows cannot be used; then there is no ``content_sha``. ``made_from`` is
    the provenance as text, decoded only when needed. ``images`` are the pictures that a partition
    of ``frame_images`` names, None for other tables.
    """

    content_sha: str | None
    made_from: str | None
    problem: str | None
    size: int
    mtime_ns: int
    images: Heads | None = None

    @property
    def provenance(self) -> Provenance | None:
        """What the partition was made from; None if its file does not say. Decoded each time."""
        return None if self.made_from is None else Provenance.decoded(self.made_from)


def encoded_heads(named: Heads) -> str:
    """As hexadecimal digits."""
    return named.astype(">u8").tobytes().hex()


def decoded_heads(text: str) -> Heads:
    """Inverse of :func:`encoded_heads`. Errors: ``ValueError`` for any other text."""
    return np.frombuffer(bytes.fromhex(text), dtype=">u8").astype(np.uint64)


def heads(image_shas: Sequence[str]) -> Heads:
    """First 64 bits of pictures' hashes. Errors: ``ValueError`` for what is not hexadecimal."""
    digits = "".join([sha[:HEAD_CHARACTERS] for sha in image_shas])
    return np.unique(np.frombuffer(bytes.fromhex(digits), dtype=">u8").astype(np.uint64))
