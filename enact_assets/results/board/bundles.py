"""A submission: what a model answered, to what, under which settings, and what it claims to score.

Who holds the questions can write a perfect bundle without asking a model, since ``fits`` has the
answers. A bundle that is scored anew is therefore *recomputed*, never verified; a row asked again
by others can say more.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
import polars as pl

from enact_assets.engine.errors import PredictionError
from enact_assets.engine.ids import content_sha
from enact_assets.engine.system.atomic import replacing

FORMAT = "enact-submission-1"
MOST_REPETITIONS = 1_000
COUNTS = (
    *("n_answers", "n_accepted", "n_steps_right", "n_steps", "n_wrong_length"),
    *("n_unparsed", "n_missing"),
)


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whole numbers of one kind, from which accuracies follow: ``n_accepted`` over scored answers,
    ``n_steps_right`` over their ``n_steps``. ``n_wrong_length`` are lists that leave labels out:
    pairwise accuracies are comparable only beside it.
    """

    kind: str
    n_answers: int
    n_accepted: int
    n_steps_right: int
    n_steps: int
    n_wrong_length: int
    n_unparsed: int
    n_missing: int

    @property
    def task(self) -> float | None:
        """Task accuracy, 0 to 1; None without a scored answer."""
        n_scored = self.n_answers - self.n_missing
        return self.n_accepted / n_scored if n_scored else None

    @property
    def pairs(self) -> float | None:
        """Pairwise accuracy, 0 to 1; None without a scored answer."""
        return self.n_steps_right / self.n_steps if self.n_steps else None


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One raw answer; ``of`` is the hash of the question's texts, pictures, order and ``fits``."""

    question_id: str
    of: str
    raw_answer: str | None = None
    stop: str | None = None
    repetition: Annotated[int, msgspec.Meta(ge=0, lt=MOST_REPETITIONS)] = 0


class Cost(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the answers cost; None where it was not counted."""

    usd: float | None
    tokens_in: int | None
    tokens_out: int | None


class Bundle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One model under one variant. ``sha`` is the hash of all else; settings have no keys."""

    format: str
    model: str
    variant: str
    question_set: str
    software: str
    world: str
    settings: dict[str, Any]
    cost: Cost
    claims: tuple[Claim, ...]
    answers: tuple[Answer, ...]
    sha: str = ""

    @property
    def content(self) -> str:
        """Hash of all but ``sha``."""
        return content_sha(msgspec.to_builtins(msgspec.structs.replace(self, sha="")))

    def sealed(self) -> "Bundle":
        """The bundle with its hash."""
        return msgspec.structs.replace(self, sha=self.content)


def claims_of(evaluation: pl.DataFrame) -> tuple[Claim, ...]:
    """Counts of rows of ``evaluation``, in the order of kinds."""
    is_scored = pl.col("is_accepted").is_not_null()
    found = evaluation.group_by("kind").agg(
        n_answers=pl.len(),
        n_accepted=pl.col("is_accepted").sum(),
        n_steps_right=pl.col("n_steps_passed").fill_null(0).sum(),
        n_steps=pl.col("n_steps").filter(is_scored).sum(),
        n_wrong_length=(pl.col("reason") == "wrong_length").sum(),
        n_unparsed=(pl.col("answer_status") == "unparsed").sum(),
        n_missing=(pl.col("answer_status") == "missing").sum(),
    )
    return tuple(Claim(**row) for row in found.sort("kind").iter_rows(named=True))


def write_bundle(path: Path, bundle: Bundle) -> None:
    """Write a sealed bundle, an answer a line, so that changes can be read.

    Errors: :class:`OutputError`.
    """
    text = msgspec.json.format(msgspec.json.encode(bundle.sealed()), indent=1)
    with replacing(path) as temporary:
        temporary.write_bytes(text + b"\n")


def read_bundle(path: Path) -> Bundle:
    """The bundle in a file. Errors: :class:`PredictionError` for another file."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Bundle)
    except (OSError, ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise PredictionError(
            f"{path} is no submission: {error}. `enact-assets submit MODEL` writes one."
        ) from error
    if found.format != FORMAT:
        raise PredictionError(
            f"{path} has form {found.format!r}, not {FORMAT!r}. Submit it again with this version."
        )
    return found


def differences(claimed: Bundle, scored: tuple[Claim, ...]) -> list[str]:
    """Where the claims of a bundle and the scores of its answers differ, count by count."""
    now: Mapping[str, Claim] = {claim.kind: claim for claim in scored}
    then: Mapping[str, Claim] = {claim.kind: claim for claim in claimed.claims}
    none = dict.fromkeys(COUNTS, 0)
    found = []
    if len(then) < len(claimed.claims):
        found.append("it claims two numbers for one kind")
    for kind in sorted({*now, *then}):
        a, b = then.get(kind, Claim(kind, **none)), now.get(kind, Claim(kind, **none))
        found += [
            f"{kind}: claims {getattr(a, name):,} {name.removeprefix('n_').replace('_', ' ')}, its "
            f"answers score {getattr(b, name):,}"
            for name in COUNTS
            if getattr(a, name) != getattr(b, name)
        ]
    return found
