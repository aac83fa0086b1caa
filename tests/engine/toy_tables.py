"""Tables about shops, for toy steps: a shop is in one country, and sells things every day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from enact_assets.engine.errors import MissingPartitionError
from enact_assets.engine.graph import Graph, Names
from enact_assets.engine.ids import table_sha
from enact_assets.engine.loading import check_declared
from enact_assets.engine.tables import Of, Table, integer, number, text


class Shops(Table):
    """One row per shop."""

    by = ("shop",)
    shop = text("name of the shop", key=True)
    n_staff = integer("people who work there", "people")


class Sales(Table):
    """One row per shop, day and item."""

    by = ("shop", "day")
    shop = text("name of the shop", key=True)
    day = text("day of the week", key=True)
    item = text("what was sold", key=True)
    n_sold = integer("pieces", "pieces")


class Taxes(Table):
    """One row per country."""

    by = ("country",)
    country = text("name of the country", key=True)
    rate = number("share of the price")


class Totals(Table):
    """One row per shop."""

    by = ("shop",)
    shop = text("name of the shop", key=True)
    n_sold = integer("pieces of all days", "pieces")


class Ranking(Table):
    """One row per shop of all countries."""

    shop = text("name of the shop", key=True)
    rank = integer("1 sells most")


@dataclass(frozen=True)
class Tariff:
    """Settings of one country."""

    country: str


@dataclass(frozen=True)
class Opening:
    """Settings of all shops."""

    hour: int


class Till:
    """A handle: what it was made from."""

    def __init__(self, tools: Any, partition: Mapping[str, str], loaded: Mapping[str, Any]) -> None:
        self.tools, self.partition, self.loaded = tools, dict(partition), dict(loaded)


@dataclass(frozen=True)
class ShopBooks:
    """A bundle: tables of one shop and the settings of its country."""

    shop: Of[Shops]
    taxes: Of[Taxes]
    tariff: Tariff


@dataclass(frozen=True)
class DayBooks:
    """A bundle of one shop and day."""

    shop: Of[Shops]
    sales: Of[Sales]


TOYS: dict[str, type[Table]] = {t.table_name(): t for t in (Ranking, Sales, Shops, Taxes, Totals)}
DIMENSIONS = {
    **{name: found.by for name, found in TOYS.items()},
    "tariffs": ("country",),
    "opening": (),
}
NAMES = Names(
    Graph((), DIMENSIONS, determines={"shop": "country"}, conditions={"is_large": "shop"}),
    {"shop": ("corner", "market"), "day": ("friday", "monday"), "country": ("be", "nl")},
    {"shop": {"corner": "be", "market": "nl"}},
    {"is_large": frozenset({"market"})},
)


def sales(shop: str, day: str, **n_sold: int) -> pl.DataFrame:
    return Sales.build(
        [{"shop": shop, "day": day, "item": i, "n_sold": n} for i, n in n_sold.items()]
    )


@dataclass
class ToyStore:
    """Partitions in memory; ``reads`` lists what was read, in order."""

    rows: dict[tuple[str, ...], pl.DataFrame]
    reads: list[tuple[str, ...]] = field(default_factory=list)

    def read(self, table_name: str, partition: Mapping[str, str], /) -> pl.DataFrame:
        check_declared(table_name)
        place = (table_name, *partition.values())
        if place not in self.rows:
            raise MissingPartitionError(f"{place} is not there")
        self.reads.append(place)
        return self.rows[place]

    def content_sha(self, table_name: str, partition: Mapping[str, str], /) -> str:
        check_declared(table_name)
        rows = self.rows[(table_name, *partition.values())]
        return table_sha(rows, TOYS[table_name].key())

    def partitions(self, table_name: str, /) -> Sequence[Mapping[str, str]]:
        check_declared(table_name)
        by = TOYS[table_name].by
        found = sorted(place[1:] for place in self.rows if place[0] == table_name)
        return [dict(zip(by, values, strict=True)) for values in found]
