"""Arguments come from a store as they are declared, and a body reads nothing besides them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import pytest
from toy_tables import (
    NAMES,
    DayBooks,
    Opening,
    Ranking,
    Sales,
    ShopBooks,
    Shops,
    Tariff,
    Taxes,
    Till,
    Totals,
    ToyStore,
    sales,
)

from enact_assets.demonstrations.replay.tables import Facts
from enact_assets.engine.deriving import spec_of
from enact_assets.engine.errors import MissingPartitionError, UndeclaredReadError
from enact_assets.engine.ids import table_sha
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.loading import StepContext, call, load_arguments
from enact_assets.engine.parameters import All, Each, Later, Name, Rule, Versions
from enact_assets.engine.steps import STEPS, step
from enact_assets.engine.tables import Of

MARKET, CORNER = {"shop": "market"}, {"shop": "corner"}
IF_LARGE = Rule(when="is_large")
OF_MONDAY = Rule(fixed=(("day", "monday"),))
pytestmark = pytest.mark.usefixtures("toys")


@pytest.fixture
def store() -> ToyStore:
    """Two shops, two days; a third shop that left is still there."""
    shops = {
        ("shops", name): Shops.build([{"shop": name, "n_staff": n}])
        for name, n in (("corner", 1), ("left", 2), ("market", 9))
    }
    sold = {
        ("sales", "market", "monday"): sales("market", "monday", apple=4),
        ("sales", "corner", "monday"): sales("corner", "monday", apple=1, pear=2),
        ("sales", "corner", "friday"): sales("corner", "friday", pear=5),
        ("sales", "left", "friday"): sales("left", "friday", pear=7),
    }
    taxes = {
        ("taxes", name): Taxes.build([{"country": name, "rate": rate}])
        for name, rate in (("be", 0.21), ("nl", 0.19))
    }
    return ToyStore({**shops, **sold, **taxes})


def world(store: Any, tools: Any = None) -> StepContext:
    def entry(kind: type, name: str | None) -> Any:
        return Opening(9) if name is None else kind(name)

    return StepContext(store, NAMES, entry, tools)


def loaded(
    function: Callable[..., Any], partition: Mapping[str, str], store: ToyStore, tools: Any = None
) -> dict[str, Any]:
    """Arguments of a step that a test declared."""
    return load_arguments(STEPS[function.__name__], partition, world(store, tools))


def test_one_partition_is_the_one_of_the_same_names(store: ToyStore) -> None:
    @step(group="toys")
    def totals(shop: Of[Shops], country: Of[Taxes]) -> Of[Totals]: ...

    found = loaded(totals, MARKET, store)
    assert found["shop"]["shop"].to_list() == ["market"]
    # A shop determines its country.
    assert found["country"]["country"].to_list() == ["nl"]
    assert store.reads == [("shops", "market"), ("taxes", "nl")]


def test_all_rows_are_those_of_current_names_in_order(store: ToyStore) -> None:
    @step(group="toys")
    def ranking(sold: All[Sales], shops: All[Shops]) -> Of[Ranking]: ...

    @step(group="toys")
    def totals(sold: All[Sales]) -> Of[Totals]: ...

    found = loaded(ranking, {}, store)
    assert found["sold"].select("shop", "day", "item").rows() == [
        ("corner", "friday", "pear"),
        ("corner", "monday", "apple"),
        ("corner", "monday", "pear"),
        ("market", "monday", "apple"),
    ]
    assert found["shops"]["shop"].to_list() == ["corner", "market"]
    # The dimension that both have is bound, the other is not.
    assert loaded(totals, MARKET, store)["sold"].rows() == [("market", "monday", "apple", 4)]


def test_all_rows_of_nothing_are_an_empty_table() -> None:
    """The first time that a pipeline runs, nothing is there yet."""

    @step(group="toys")
    def ranking(sold: All[Sales]) -> Of[Ranking]: ...

    assert loaded(ranking, {}, ToyStore({}))["sold"].equals(Sales.empty())


def test_a_fixed_name_is_read_whatever_is_made(store: ToyStore) -> None:
    @step(group="toys")
    def totals(
        sold: Annotated[Of[Sales], OF_MONDAY],
        country: Annotated[Of[Taxes], Rule(fixed=(("country", "be"),))],
        tariff: Annotated[Tariff, Rule(fixed=(("country", "be"),))],
    ) -> Of[Totals]: ...

    found = loaded(totals, MARKET, store)
    assert found["sold"].rows() == [("market", "monday", "apple", 4)]
    assert found["country"]["country"].to_list() == ["be"]
    assert found["tariff"] == Tariff("be")


def test_an_input_under_a_condition_is_none_without_it(store: ToyStore) -> None:
    @step(group="toys")
    def totals(
        shop: Annotated[Of[Shops], IF_LARGE] | None,
        books: Annotated[ShopBooks, IF_LARGE] | None,
        sold: Annotated[All[Sales], IF_LARGE] | None,
    ) -> Of[Totals]: ...

    assert loaded(totals, CORNER, store) == {"shop": None, "books": None, "sold": None}
    assert store.reads == []
    found = loaded(totals, MARKET, store)
    assert found["shop"].height == found["books"].taxes.height == found["sold"].height == 1


def test_a_later_table_is_read_when_it_is_called_for(store: ToyStore) -> None:
    @step(group="toys")
    def totals(shop: Later[Shops]) -> Of[Totals]: ...

    later = loaded(totals, MARKET, store)["shop"]
    assert store.reads == []
    assert later()["shop"].to_list() == ["market"]
    assert store.reads == [("shops", "market")]


def test_versions_are_hashes_by_name_and_read_no_row(store: ToyStore) -> None:
    @step(group="toys")
    def ranking(shops: Versions[Shops]) -> Of[Ranking]: ...

    @step(group="toys")
    def totals(sold: Versions[Sales]) -> Of[Totals]: ...

    found = loaded(ranking, {}, store)["shops"]
    assert found == {n: table_sha(store.rows["shops", n], ("shop",)) for n in ("corner", "market")}
    assert loaded(totals, CORNER, store)["sold"].keys() == {"friday", "monday"}
    assert store.reads == []


def test_a_bundle_holds_tables_and_settings_that_belong_together(store: ToyStore) -> None:
    @step(group="toys")
    def totals(books: ShopBooks, opening: Opening, tariff: Tariff) -> Of[Totals]: ...

    found = loaded(totals, CORNER, store)
    books = found["books"]
    assert (books.shop.item(0, "shop"), books.taxes.item(0, "country")) == ("corner", "be")
    assert books.tariff == found["tariff"] == Tariff("be")
    assert found["opening"] == Opening(9)


def test_each_bundle_is_read_once_when_it_is_asked_for(store: ToyStore) -> None:
    @step(group="toys")
    def ranking(books: Each[ShopBooks]) -> Of[Ranking]: ...

    @step(group="toys")
    def totals(days: Each[DayBooks]) -> Of[Totals]: ...

    books = loaded(ranking, {}, store)["books"]
    assert store.reads == []
    assert books["market"].tariff == Tariff("nl")
    assert books["market"] is books["market"]
    assert store.reads == [("shops", "market"), ("taxes", "nl")]
    store.reads.clear()
    days = loaded(totals, CORNER, store)["days"]
    assert days["friday"].sales["n_sold"].to_list() == [5]
    assert store.reads == [("shops", "corner"), ("sales", "corner", "friday")]


def test_a_handle_is_made_last_from_tools_partition_and_arguments(store: ToyStore) -> None:
    """Its place among the parameters does not matter."""

    @step(group="toys")
    def totals(till: Till, shop: Of[Shops], name: Annotated[str, Name("shop")]) -> Of[Totals]: ...

    found = loaded(totals, MARKET, store, tools="tools")
    till = found["till"]
    assert list(found) == ["till", "shop", "name"]
    assert (till.tools, till.partition) == ("tools", MARKET)
    assert till.loaded["shop"].equals(store.rows["shops", "market"])
    assert found["name"] == till.loaded["name"] == "market"


def test_what_is_not_there_is_the_error_of_the_store(store: ToyStore) -> None:
    @step(group="toys")
    def totals(sold: Annotated[Of[Sales], Rule(fixed=(("day", "friday"),))]) -> Of[Totals]: ...

    with pytest.raises(MissingPartitionError, match="friday"):
        loaded(totals, MARKET, store)


def test_a_step_is_called_and_summed_up(store: ToyStore) -> None:
    """The summary asks for arguments and tables by name, and comes with the first table."""

    def hour_and_shops(opening: Opening, totals: pl.DataFrame) -> Mapping[str, Any]:
        return {"hour": opening.hour, "shops": totals.height}

    @step(group="toys", summary=hour_and_shops)
    def counted(
        sold: All[Sales], shop: Of[Shops], opening: Opening
    ) -> tuple[Of[Shops], Of[Totals]]:
        total = sold.group_by("shop").agg(pl.col("n_sold").sum())
        return shop, Totals.of(total)

    (first, shops, summary), (second, totals, rest) = call(STEPS["counted"], CORNER, world(store))
    assert (first, second) == (Shops, Totals)
    assert shops.equals(store.rows["shops", "corner"])
    assert totals.rows() == [("corner", 8)]
    assert summary == {"hour": 9, "shops": 1}
    assert rest == {}


def test_a_summary_reads_what_the_step_does_not(store: ToyStore) -> None:
    """It is loaded for the summary alone, and is no input: it makes nothing stale."""

    def shown(totals: pl.DataFrame, sold: All[Sales], till: Till) -> dict[str, Any]:
        return {"shops": totals.height, "rows": sold.height, "loaded": [*till.loaded]}

    @step(group="toys", summary=shown)
    def counted(shop: Of[Shops]) -> Of[Totals]:
        return Totals.of(shop.select("shop", n_sold=pl.lit(0, pl.Int64)))

    declared = STEPS["counted"]
    assert {given.asset for given in spec_of(declared).inputs} == {"shops"}
    [(_, _, summary)] = call(declared, CORNER, world(store, tools="tools"))
    assert summary == {"shops": 1, "rows": 3, "loaded": ["sold"]}
    [(_, _, without_tools)] = call(declared, CORNER, world(store))
    assert without_tools == {}


def test_what_cannot_be_shown_does_not_fail_what_was_made(store: ToyStore) -> None:
    def shown(of_monday: Annotated[Of[Sales], OF_MONDAY]) -> dict[str, Any]:
        return {"rows": of_monday.height}

    @step(group="toys", summary=shown)
    def counted(shop: Of[Shops]) -> Of[Totals]:
        return Totals.of(shop.select("shop", n_sold=pl.lit(0, pl.Int64)))

    [(_, rows, summary)] = call(STEPS["counted"], {"shop": "left"}, world(store, tools="tools"))
    assert rows.height == 1
    assert list(summary) == ["no summary"]


def reads_rows(store: Any) -> Any:
    return store.read("taxes", {"country": "be"})


def reads_a_hash(store: Any) -> Any:
    return store.content_sha("taxes", {"country": "be"})


def lists_partitions(store: Any) -> Any:
    return store.partitions("taxes")


@pytest.mark.parametrize("read", [reads_rows, reads_a_hash, lists_partitions])
def test_a_body_that_reads_the_store_itself_is_refused(
    store: ToyStore, read: Callable[[Any], Any]
) -> None:
    """What no parameter declares could change unnoticed."""

    @step(group="toys")
    def totals(shop: Of[Shops], opening: Opening) -> Of[Totals]:
        return read(store)

    told = (
        r"the body of step 'totals' \(test_loading\) reads 'taxes' itself\. Inputs of a step are "
        r"its parameters \(declared: shops\): add one of type Of\[Taxes\], All\[Taxes\] or Later"
    )
    with pytest.raises(UndeclaredReadError, match=told):
        list(call(STEPS["totals"], CORNER, world(store)))
    assert read(store) is not None  # outside of steps everybody may read


def reads_lake_rows(lake: Lake) -> Any:
    return lake.read("facts", {"demonstration": "d-0"})


def reads_lake_hash(lake: Lake) -> Any:
    return lake.content_sha("facts", {"demonstration": "d-0"})


def lists_lake_partitions(lake: Lake) -> Any:
    return lake.partitions("facts")


def reads_whole_lake(lake: Lake) -> Any:
    return lake.read_all("facts")


def opens_lake_file(lake: Lake) -> Any:
    return lake.path("facts", {"demonstration": "d-0"}).read_bytes()


@pytest.mark.parametrize(
    "read",
    [reads_lake_rows, reads_lake_hash, lists_lake_partitions, reads_whole_lake, opens_lake_file],
)
def test_the_lake_refuses_bodies_too(tmp_path: Path, read: Callable[[Any], Any]) -> None:
    lake = Lake(tmp_path)
    lake.write("facts", Facts.empty(), {"demonstration": "d-0"})

    @step(group="toys")
    def ranking() -> Of[Ranking]:
        return read(lake)

    with pytest.raises(UndeclaredReadError, match=r"reads 'facts' itself.*declared: none"):
        list(call(STEPS["ranking"], {}, world(lake)))
    read(lake)


def test_declared_inputs_may_be_read_while_the_body_runs(store: ToyStore) -> None:
    """Later and Each read then; the body that goes on afterwards still may not."""

    @step(group="toys")
    def ranking(shops: Each[ShopBooks]) -> Of[Ranking]:
        assert shops["corner"].shop.height == 1
        return store.read("taxes", {"country": "be"})

    @step(group="toys")
    def totals(shop: Later[Shops]) -> Of[Totals]:
        return Totals.build([{"shop": "market", "n_sold": shop().item(0, "n_staff")}])

    with pytest.raises(UndeclaredReadError, match="declared: shops, taxes"):
        list(call(STEPS["ranking"], {}, world(store)))
    ((_, rows, _),) = call(STEPS["totals"], MARKET, world(store))
    assert rows.rows() == [("market", 9)]
