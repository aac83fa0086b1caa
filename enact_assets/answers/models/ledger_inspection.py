"""Compares every line of a ledger, and every picture in it, with its checksum."""

from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from enact_assets.answers.models.ledger_lines import (
    decoded,
    has_checksum,
    ledger_files,
    whole_lines,
)
from enact_assets.answers.models.picture_edits import pictures_in, read_bought
from enact_assets.engine.errors import PredictionError


@dataclass
class LedgerInspection:
    """Result of an inspection. ``n_unchecked`` lines have no checksum, as earlier versions wrote
    none.

    ``damaged`` are messages about lines and pictures that are not as they were written, or that
    cannot be read.
    """

    n_lines: int = 0
    n_unchecked: int = 0
    n_pictures: int = 0
    damaged: list[str] = field(default_factory=list)


def inspect_ledger(folder: Path) -> LedgerInspection:
    """Read all that is below ``folder``. Nothing is changed, as the answers were paid for."""
    found = LedgerInspection()
    for path in ledger_files(folder):
        try:
            _inspect_lines(path, found)
        except FileNotFoundError:
            continue  # its run ended without an answer
        except OSError as error:
            found.damaged.append(f"{path}: cannot be read ({error.strerror}).")
    for path in pictures_in(folder):
        found.n_pictures += 1
        try:
            read_bought(path)
        except PredictionError as error:
            found.damaged.append(str(error))
    return found


def _inspect_lines(path: Path, found: LedgerInspection) -> None:
    decoder = msgspec.json.Decoder(dict[str, msgspec.Raw])
    for number, line in enumerate(whole_lines(path), start=1):
        found.n_lines += 1
        found.n_unchecked += not has_checksum(line)
        try:
            decoded(line, decoder, path, number)
        except PredictionError as error:
            found.damaged.append(str(error))
