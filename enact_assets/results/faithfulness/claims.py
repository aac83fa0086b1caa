"""Reads the claims that ship with the package: a YAML file per part, an entry per claim."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from enact_assets.engine.errors import TableContractError
from enact_assets.engine.package_files import file_bytes
from enact_assets.engine.tables import Of
from enact_assets.results.faithfulness.tables import Faithfulness

FOLDER = Path(__file__).parent / "claims"
PARTS = (
    *("benchmark", "people_and_models", "results", "probes", "errors", "contradictions"),
    *("other_texts", "worldprediction"),
)
"""Names of the files in :data:`FOLDER`, in the order of the page."""
_NUMBERS = re.compile(rb"^(\d+):", re.MULTILINE)


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One claim: the fields of :class:`Faithfulness`.

    ``method`` is given where nothing is computed. ``query`` and ``function`` exclude each other,
    and need ``found``.
    """

    place: str
    claim: str
    kind: Literal["definition", "setting", "number", "result", "method", "example", "contradiction"]
    verdict: Literal["same", "differs", "missing", "cannot be had here"]
    source: Literal["ENACT v2", "ENACT v1", "review", "WorldPrediction"] = "ENACT v2"
    here: str | None = None
    method: Literal["computed", "inspected", "by argument"] = "computed"
    query: str | None = None
    function: str | None = None
    arguments: list[Any] = []
    needs: Literal["package", "root", "demonstrations"] = "package"
    digits: int | None = None
    found: Any = None
    of_paper: Any = None
    why: str | None = None

    @property
    def is_computed(self) -> bool:
        """Whether a test computes ``found`` again."""
        return self.method == "computed"

    def __post_init__(self) -> None:
        """Refuse a claim that says less, or more, than its method needs."""
        n_given = (self.query is not None) + (self.function is not None)
        if n_given != self.is_computed:
            raise ValueError("give `query` or `function`, or another `method` without either")
        if self.is_computed and self.found is None:
            raise ValueError("`found` is missing: what the computation gives")
        if self.method == "inspected" and self.here is None and self.verdict == "same":
            raise ValueError("`here` is missing: what was inspected")
        if self.verdict != "same" and self.why is None:
            raise ValueError("`why` is missing: the verdict is not `same`")


def load_claims(folder: Path = FOLDER) -> dict[int, tuple[str, Claim]]:
    """Number -> part and claim, in the order of the page.

    Errors: :class:`TableContractError` with file and entry for what cannot be read.
    """
    claims: dict[int, tuple[str, Claim]] = {}
    for part, number, claim in _read(folder):
        if number in claims:
            raise TableContractError(
                f"{folder}: claim {number} is in {claims[number][0]}.yaml and in {part}.yaml. "
                "Give one of them another number."
            )
        claims[number] = part, claim
    return claims


def _read(folder: Path) -> Iterator[tuple[str, int, Claim]]:
    for part in PARTS:
        path = folder / f"{part}.yaml"
        try:
            content = file_bytes(path)
            entries = msgspec.yaml.decode(content, type=dict[int, dict[str, Any]])
        except (OSError, msgspec.MsgspecError) as error:
            raise _unreadable(f"{path}", error) from error
        numbers = [int(number) for number in _NUMBERS.findall(content)]
        twice = sorted({number for number in numbers if numbers.count(number) > 1})
        if twice:
            raise TableContractError(
                f"{path}: {len(twice)} numbers are there more than once, first {twice[0]}. Give "
                "one of the entries another number."
            )
        for number, entry in entries.items():
            try:
                yield part, number, msgspec.convert(entry, Claim)
            except msgspec.ValidationError as error:
                raise _unreadable(f"{path}, claim {number}", error) from error


def _unreadable(where: str, error: Exception) -> TableContractError:
    text = " ".join(str(error).split())
    return TableContractError(
        f"{where}: cannot be read ({text}). Correct the entry, or install the package again."
    )


def faithfulness_rows(folder: Path = FOLDER) -> Of[Faithfulness]:
    """The table ``faithfulness``. Errors: as :func:`load_claims`."""
    return Faithfulness.build(
        [
            {
                "number": number,
                "part": part,
                **{
                    name: getattr(claim, name)
                    for name in (
                        *("source", "place", "kind", "claim", "here", "method", "query"),
                        *("function", "digits", "verdict", "why"),
                    )
                },
                "arguments": as_text(claim.arguments) if claim.function else None,
                "needs": claim.needs if claim.is_computed else None,
                "found": as_text(claim.found),
                "of_paper": as_text(claim.of_paper),
            }
            for number, (part, claim) in load_claims(folder).items()
        ]
    )


def as_text(value: Any) -> str | None:
    """A text as it is, any other value as JSON; None stays None."""
    return value if value is None or isinstance(value, str) else json.dumps(value)
