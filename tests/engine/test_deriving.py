"""The graph that follows from toy steps, and the versions that its inputs make stale."""

from collections.abc import Callable
from typing import Annotated, Any

import pytest
from toy_tables import (
    NAMES,
    TOYS,
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
)

from enact_assets.engine.deriving import derive_graph, spec_of
from enact_assets.engine.errors import DeclarationError
from enact_assets.engine.graph import Graph, Input, Names, StepSpec
from enact_assets.engine.loading import StepContext, load_arguments
from enact_assets.engine.parameters import All, Each, Later, Name, Rule, Versions
from enact_assets.engine.steps import STEPS, step
from enact_assets.engine.tables import Of

from reference.lineage import upstream

CASH = {"cash": ("shop",)}
MONDAY = (("day", "monday"),)
VOUCHED = Rule(is_vouched=True)
pytestmark = pytest.mark.usefixtures("toys")


def derived(conditions: dict[str, str] | None = None) -> Graph:
    return derive_graph(CASH, (StepSpec("copy", ("copy",), (Input("ranking"),)),), conditions or {})


def all_but_totals() -> None:
    """Steps for every toy table but ``totals``, those that read others first."""

    @step(group="toys")
    def rank(totals: All[Totals]) -> Of[Ranking]: ...

    @step(group="toys")
    def sell(shop: Of[Shops], name: Annotated[str, Name("shop")]) -> Of[Sales]: ...

    @step(group="toys")
    def open_shops(till: Till, opening: Opening) -> Of[Shops]: ...

    @step(group="toys")
    def tax(tariff: Tariff) -> Of[Taxes]: ...


def test_steps_come_after_those_they_read_and_whole_ones_last() -> None:
    all_but_totals()

    @step(group="toys")
    def totals(sold: All[Sales], country: Of[Taxes]) -> Of[Totals]: ...

    graph = derived()
    assert [s.name for s in graph.steps] == [
        *("tariffs", "opening"),
        *("open_shops", "sell", "tax", "totals", "rank", "copy"),
    ]
    assert graph.step_of["shops"] == StepSpec(
        "open_shops", ("shops",), (Input("cash"), Input("opening"))
    )
    assert graph.step_named["totals"].inputs == (Input("sales"), Input("taxes"))
    assert graph.dimensions == {
        "ranking": (),
        "sales": ("shop", "day"),
        "shops": ("shop",),
        "taxes": ("country",),
        "totals": ("shop",),
        "tariffs": ("country",),
        "opening": (),
        "cash": ("shop",),
        "copy": (),
    }
    assert (graph.roots, graph.external, graph.whole) == (
        *(("tariffs", "opening"), ("cash",), ("copy",)),
    )
    assert graph.determines == {"shop": "country"}


def test_the_order_in_which_modules_are_imported_does_not_matter() -> None:
    """The list of what is stale is in this order, and is part of the warehouse's version."""

    def declared_in(module: str, function: Callable[..., Any]) -> None:
        function.__module__ = module
        step(group="toys")(function)

    def totals() -> Of[Totals]: ...

    def rank() -> Of[Ranking]: ...

    def open_shops() -> Of[Shops]: ...

    def sell(shop: Of[Shops], name: Annotated[str, Name("shop")]) -> Of[Sales]: ...

    def tax() -> Of[Taxes]: ...

    modules = (("c_steps", totals), ("b_steps", sell), ("b_steps", open_shops))
    for module, function in (*modules, ("a_steps", tax), ("a_steps", rank)):
        declared_in(module, function)
    assert [s.name for s in derived().steps if s.name in STEPS] == [
        *("tax", "rank", "open_shops", "sell", "totals"),
    ]


def test_every_kind_of_parameter_is_an_input() -> None:
    @step(group="toys")
    def totals(
        later: Later[Shops], versions: Versions[Sales], books: ShopBooks, till: Till
    ) -> Of[Totals]: ...

    @step(group="toys")
    def rank(books: Each[ShopBooks]) -> Of[Ranking]: ...

    assert {i.asset for i in spec_of(STEPS["totals"]).inputs} == {
        *("shops", "sales", "taxes", "tariffs", "cash")
    }
    assert {i.asset for i in spec_of(STEPS["rank"]).inputs} == {"shops", "taxes", "tariffs"}


def test_a_vouched_input_makes_nothing_stale_by_itself() -> None:
    """Rows of another input carry a hash of it."""

    @step(group="toys")
    def totals(
        shop: Of[Shops],
        sold: Annotated[All[Sales], VOUCHED],
        books: Annotated[ShopBooks, VOUCHED],
        opening: Annotated[Opening, VOUCHED],
        till: Annotated[Till, VOUCHED],
    ) -> Of[Totals]: ...

    assert spec_of(STEPS["totals"]).inputs == (Input("shops"),)


def test_a_table_that_is_read_twice_is_one_input() -> None:
    belgian = (("country", "be"),)

    @step(group="toys")
    def totals(
        own: Of[Taxes],
        belgian: Annotated[Of[Taxes], Rule(fixed=(("country", "be"),))],
        monday: Annotated[Of[Sales], Rule(fixed=MONDAY)],
        large: Annotated[Of[Shops], Rule(when="is_large")] | None,
        again: Of[Shops],
    ) -> Of[Totals]: ...

    assert spec_of(STEPS["totals"]).inputs == (
        Input("taxes", fixed=belgian, is_also_own=True),
        Input("sales", fixed=MONDAY),
        # It is read without the condition, too.
        Input("shops"),
    )


def test_two_fixed_names_of_one_table_are_refused() -> None:
    """Only one of both would be an input: changes of the other would go unnoticed."""

    @step(group="toys")
    def totals(
        monday: Annotated[Of[Sales], Rule(fixed=MONDAY)],
        friday: Annotated[Of[Sales], Rule(fixed=(("day", "friday"),))],
    ) -> Of[Totals]: ...

    with pytest.raises(DeclarationError, match="sales is read of two fixed names by one step"):
        spec_of(STEPS["totals"])


def test_a_condition_decides_only_by_the_names_of_its_input() -> None:
    """Taxes of a country do not depend on the size of a shop: Dagster could not map it."""
    all_but_totals()

    @step(group="toys")
    def totals(
        shop: Annotated[Of[Shops], Rule(when="is_large")] | None,
        country: Annotated[Of[Taxes], Rule(when="is_large")] | None,
    ) -> Of[Totals]: ...

    inputs = derived({"is_large": "shop"}).step_named["totals"].inputs
    assert inputs == (Input("shops", when="is_large"), Input("taxes"))
    with pytest.raises(DeclarationError, match=r"'totals' reads shops under condition 'is_large'"):
        derived()


def test_a_condition_decides_by_the_names_of_the_step_where_dagster_maps_all_to_all() -> None:
    """Taxes of a cheap country do not become stale with the sales of any shop."""
    all_but_totals()

    @step(group="toys")
    def tax(every: Annotated[All[Sales], Rule(when="is_dear")] | None) -> Of[Taxes]: ...

    @step(group="toys")
    def totals(shop: Of[Shops]) -> Of[Totals]: ...

    inputs = derived({"is_dear": "country"}).step_named["tax"].inputs
    assert inputs == (Input("sales", when="is_dear"),)


def test_a_step_under_a_condition_has_partitions_of_the_names_for_which_it_holds() -> None:
    """Models that are not trained would each have an empty partition of what others learned."""
    all_but_totals()

    @step(group="toys", when="is_large")
    def totals(shop: Of[Shops]) -> Of[Totals]: ...

    graph = derived({"is_large": "shop"})
    assert graph.step_named["totals"].when == ("is_large",)
    names = Names(graph, NAMES.of, NAMES.determined, NAMES.holds)
    assert names.partitions("shops") == [("corner",), ("market",)]
    assert names.partitions("totals") == [("market",)]
    assert names.has("totals", ("market",))
    assert not names.has("totals", ("corner",))
    assert names.has("shops", ("corner",))
    with pytest.raises(DeclarationError, match=r"'totals' is made under condition 'is_large', wh"):
        derived({"is_large": "country"})


def test_two_makers_of_one_table_are_refused() -> None:
    all_but_totals()

    @step(group="toys")
    def totals() -> Of[Totals]: ...

    @step(group="toys")
    def other_totals(shop: Of[Shops]) -> Of[Totals]: ...

    with pytest.raises(DeclarationError, match="totals is made by two steps: totals, other_totals"):
        derived()


def test_a_table_without_a_maker_is_refused() -> None:
    all_but_totals()
    with pytest.raises(DeclarationError, match=r"no step makes totals \(1 such tables\)"):
        derived()


def test_steps_that_read_each_other_are_refused() -> None:
    all_but_totals()

    @step(group="toys")
    def totals(ranks: Of[Ranking]) -> Of[Totals]: ...

    with pytest.raises(DeclarationError, match=r"these steps read each other.*: rank, totals"):
        derived()


def test_what_is_loaded_is_what_the_graph_says() -> None:
    """A partition that is loaded and is no input would change unnoticed."""
    all_but_totals()

    @step(group="toys")
    def totals(
        sold: All[Sales],
        monday: Annotated[Of[Sales], Rule(fixed=MONDAY)],
        own: Of[Taxes],
        belgian: Annotated[Of[Taxes], Rule(fixed=(("country", "be"),))],
        shop: Annotated[Later[Shops], Rule(when="is_large")],
    ) -> Of[Totals]: ...

    @step(group="toys")
    def rank(shops: Each[ShopBooks], totals: All[Totals]) -> Of[Ranking]: ...

    graph = derived({"is_large": "shop"})
    names = Names(graph, {**NAMES.of, "day": ("monday",)}, NAMES.determined, NAMES.holds)
    rows = {(n, *p): found.empty() for n, found in TOYS.items() for p in names.partitions(n)}
    for made in (*[("totals", shop) for shop in names.of["shop"]], ("rank",)):
        store, spec = ToyStore(rows), graph.step_named[made[0]]
        partition = dict(zip(graph.dimensions[spec.assets[0]], made[1:], strict=True))
        arguments = load_arguments(
            STEPS[made[0]], partition, StepContext(store, names, lambda kind, name: kind(name))
        )
        if made == ("rank",):
            _ = [arguments["shops"][shop] for shop in names.of["shop"]]
        else:
            arguments["shop"]()
        assert set(store.reads) == {
            (given.asset, *theirs)
            for given in spec.inputs
            for theirs in upstream(spec, made[1:], given, names)
            if given.asset in TOYS
        }
