"""Records of batches: one file each, which is on disk before anything is sent.

::

    <ledger>/openai_chat/gpt-5-2025-08-07/batches/<label>.json

A file without an id is a batch that may or may not have been submitted. It is removed when all
answers are in the ledger.
"""

from pathlib import Path

import msgspec

from enact_assets.engine.errors import PredictionError
from enact_assets.engine.system.atomic import cannot_write, flush_to_disk, make_folder, replacing

FOLDER = "batches"


class BatchedRequest(msgspec.Struct, frozen=True):
    """The parts of a request that its answer needs; ``most_usd`` at the price of batches."""

    sha: str
    question_id: str
    repetition: int
    most_usd: float


class Batch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One batch. ``snapshot`` is the exact model that must answer."""

    label: str
    model: str
    snapshot: str | None
    planned_at: float
    requests: tuple[BatchedRequest, ...]
    batch_id: str | None = None

    @property
    def shas(self) -> frozenset[str]:
        """Hashes of its requests."""
        return frozenset(request.sha for request in self.requests)


def read_batches(folder: Path) -> list[Batch]:
    """Batches of the model whose ledger is ``folder``, oldest first.

    Errors: :class:`PredictionError` for a damaged file.
    """
    found = []
    for path in sorted((folder / FOLDER).glob("*.json")):
        try:
            found.append(msgspec.json.decode(path.read_bytes(), type=Batch))
        except FileNotFoundError:
            continue  # its answers were collected
        except msgspec.DecodeError as error:
            raise PredictionError(
                f"{path}: damaged ({error}). Look at the provider's list of batches, then remove "
                "the file: its questions will be bought again."
            ) from error
    return found


def write_batch(folder: Path, batch: Batch) -> None:
    """Write the record to disk. Errors: :class:`OutputError`."""
    path = _path(folder, batch)
    try:
        make_folder(path.parent)
    except OSError as error:
        raise cannot_write(path, error) from error
    with replacing(path) as temporary:
        temporary.write_bytes(msgspec.json.encode(batch))


def remove_batch(folder: Path, batch: Batch) -> None:
    """Remove the record: its answers are in the ledger, or it was never submitted."""
    path = _path(folder, batch)
    path.unlink(missing_ok=True)
    flush_to_disk(path.parent)


def waiting(folder: Path) -> frozenset[str]:
    """Hashes of requests that are in a batch. Errors: as :func:`read_batches`."""
    return frozenset[str]().union(*(batch.shas for batch in read_batches(folder)))


def _path(folder: Path, batch: Batch) -> Path:
    return folder / FOLDER / f"{batch.label}.json"
