"""Errors of a table file that cannot be used: which file, why, and what to do."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import pyarrow as pa

from enact_assets.engine.errors import (
    DamagedFile,
    DamagedFileError,
    MisfitFileError,
    MissingPartitionError,
    UnreadableFileError,
)
from enact_assets.engine.lake.file_metadata import partition_text
from enact_assets.engine.tables import Table

VERIFY = (
    "Run `enact-assets materialize` for all partitions, not some variants: it makes these anew. "
    "`enact-assets verify` sets damaged files aside before."
)
CHANGED = "changed since it was written, so damaged"
OTHER_COLUMNS = "its columns differ from the table's contract, so damaged"
MAX_REASON = 400
"""Characters."""


class TableFile(NamedTuple):
    """A file as messages name it: its path or URL, and the partition that it should hold."""

    where: str
    table: type[Table]
    partition: Mapping[str, str]

    @property
    def name(self) -> str:
        """Table and partition, such as ``qa (demonstration=a, gating=state)``."""
        text = partition_text(self.partition)
        return f"{self.table.table_name()} ({text})" if text else self.table.table_name()

    def damaged(self, reason: str) -> DamagedFileError:
        """The bytes changed since the file was written."""
        file = self._because(reason)
        return DamagedFileError(f"{file.reason} {VERIFY}", (file,))

    def misfit(self, reason: str) -> MisfitFileError:
        """The file is intact, but not of this partition."""
        file = self._because(reason)
        advice = "The next `enact-assets materialize` makes that partition again."
        return MisfitFileError(f"{file.reason} {advice}", (file,))

    def unreadable(self, error: OSError) -> UnreadableFileError:
        """The system refuses to read the file; its content is unknown."""
        return UnreadableFileError(
            f"{self.where}: {self.name} cannot be read ({error.strerror or error}). It does not "
            "count as damaged. Let this user read the file and run again."
        )

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Raise errors of reading as :class:`LakeError` with the name of the file, and what to
        do.
        """
        try:
            yield
        except FileNotFoundError:
            raise MissingPartitionError(
                f"{self.name} does not exist (no file {self.where}). Materialize asset "
                f"{self.table.table_name()!r} for that partition first."
            ) from None
        except MemoryError:
            raise  # Arrow's error for this is also an ArrowException
        except (pa.ArrowException, UnicodeDecodeError) as error:
            raise self.damaged(_not_parquet(error)) from error
        except OSError as error:
            if error.errno is not None:
                raise self.unreadable(error) from error
            # Arrow reports damage by errors without an errno.
            raise self.damaged(_not_parquet(error)) from error

    def _because(self, reason: str) -> DamagedFile:
        # The reason may quote the content of a damaged file.
        told = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(reason.split()))
        text = f"{self.where}: not usable as {self.name}: {told[:MAX_REASON]}."
        return DamagedFile(text, self.table.table_name(), dict(self.partition))


def _not_parquet(error: Exception) -> str:
    return f"not readable as Parquet, so truncated or damaged ({error})"
