"""Content of a lead's page: progress and speed of each annotator, and agreement."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from enact_assets.answers.people.annotator_agreement import ALL, agreement
from enact_assets.answers.people.answered import Answered
from enact_assets.answers.people.store import LEAD, Store


@dataclass(frozen=True)
class LeadTables:
    """Rows of both tables, as templates show them."""

    progress: tuple[dict[str, Any], ...]
    agreement: tuple[dict[str, Any], ...]


def lead_tables(store: Store) -> LeadTables:
    """Progress and agreement so far. An answer counts as it is: none was verified yet."""
    table = Answered(store.database.url).table()
    last = table.filter("is_last")
    progress = []
    for annotator in store.annotators():
        if annotator.role == LEAD:
            continue
        of = last.filter(annotator=annotator.id)
        seconds = of.get_column("active_s").drop_nulls()
        progress.append(
            {
                "id": annotator.id,
                "label": annotator.label,
                "n_assigned": of.height,
                "n_answered": of.height - of.get_column("revision").null_count(),
                "n_cannot_tell": of.height - of.get_column("reason").null_count(),
                "median_s": seconds.median(),
                "last": of.get_column("received_at").max(),
            }
        )
    return LeadTables(tuple(progress), tuple(_agreement(last)))


def _agreement(last: pl.DataFrame) -> list[dict[str, Any]]:
    """A row per role, kind and length; nulls are all."""
    found: list[dict[str, Any]] = []
    for variant in last.get_column("variant").unique().sort():
        answers = last.filter(variant=variant).with_columns(as_accepted="answer")
        rows = agreement(answers, variant).filter(annotators=ALL)
        wide = rows.pivot("measure", index=["variant", "role", "kind", "length"], values="value")
        intervals = rows.filter(measure="alpha_answers").select(
            "variant", "role", "kind", "length", "n_questions", "low", "high"
        )
        keys = ["variant", "role", "kind", "length"]
        found += wide.join(intervals, on=keys, nulls_equal=True, maintain_order="left").to_dicts()
    return found
