"""Content of a lead's page: progress and speed of each annotator, and agreement."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from enact_assets.answers.people.annotator_agreement import (
    ALL,
    LEAST_ANSWERS,
    agreement,
    with_enough,
)
from enact_assets.answers.people.answered import Answered
from enact_assets.answers.people.store import LEAD, Store


@dataclass(frozen=True)
class LeadTables:
    """Rows of both tables, as templates show them."""

    progress: tuple[dict[str, Any], ...]
    agreement: tuple[dict[str, Any], ...]
    is_enough_only: bool
    least_answers: int = LEAST_ANSWERS


def lead_tables(store: Store, *, is_enough_only: bool = False) -> LeadTables:
    """Progress and agreement so far. An answer counts as it is: none was verified yet.

    ``few_in`` are the variants of which an annotator answered fewer than ``LEAST_ANSWERS``
    questions. With ``is_enough_only`` agreement leaves their answers to these out.
    """
    table = Answered(store.database.url).table()
    last = table.filter("is_last")
    progress = []
    for annotator in store.annotators():
        if annotator.role == LEAD:
            continue
        of = last.filter(annotator=annotator.id)
        n_of = of.group_by("variant").agg(n=pl.col("revision").count()).sort("variant")
        seconds = of.get_column("active_s").drop_nulls()
        progress.append(
            {
                "id": annotator.id,
                "label": annotator.label,
                "n_assigned": of.height,
                "n_answered": of.height - of.get_column("revision").null_count(),
                "n_cannot_tell": of.height - of.get_column("reason").null_count(),
                "few_in": n_of.filter(pl.col("n") < LEAST_ANSWERS)["variant"].to_list(),
                "median_s": seconds.median(),
                "last": of.get_column("received_at").max(),
            }
        )
    return LeadTables(tuple(progress), tuple(_agreement(last, is_enough_only)), is_enough_only)


def _agreement(last: pl.DataFrame, is_enough_only: bool) -> list[dict[str, Any]]:  # noqa: FBT001
    """A row per role, kind and length; nulls are all."""
    found: list[dict[str, Any]] = []
    last = last.filter(pl.col("revision").is_not_null())
    for variant in last.get_column("variant").unique().sort():
        answers = last.filter(variant=variant).with_columns(as_accepted="answer")
        answers = with_enough(answers) if is_enough_only else answers
        rows = agreement(answers, variant).filter(annotators=ALL)
        wide = rows.pivot("measure", index=["variant", "role", "kind", "length"], values="value")
        intervals = rows.filter(measure="alpha_answers").select(
            "variant", "role", "kind", "length", "n_questions", "low", "high"
        )
        keys = ["variant", "role", "kind", "length"]
        found += wide.join(intervals, on=keys, nulls_equal=True, maintain_order="left").to_dicts()
    return found
