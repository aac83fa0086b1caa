"""Declarations of steps: what each annotation means, and which are refused with which words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from toy_tables import (
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
)

from enact_assets.engine.errors import DeclarationError
from enact_assets.engine.parameters import All, Each, Later, Name, Param, Rule, Versions
from enact_assets.engine.steps import STEPS, step
from enact_assets.engine.tables import Of

MONDAY = Rule(fixed=(("day", "monday"),))
pytestmark = pytest.mark.usefixtures("toys")


def param_of(function: Callable[..., Any]) -> Param:
    """The only parameter of a declared step."""
    (param,) = STEPS[function.__name__].params
    return param


def tables_of(param: Param) -> list[tuple[str, str]]:
    return [(read.field, read.table.table_name()) for read in param.reads]


def test_a_declared_step_stays_the_function_it_is() -> None:
    @step(group="toys")
    def totals(shop: Of[Shops]) -> Of[Totals]:
        """Pieces per shop."""
        return Totals.build([{"shop": shop.item(0, "shop"), "n_sold": 3}])

    assert totals(Shops.build([{"shop": "market", "n_staff": 1}])).rows() == [("market", 3)]
    found = STEPS["totals"]
    assert found.function is totals
    assert (found.name, found.group, found.by, found.outputs) == (
        *("totals", "toys", ("shop",), (Totals,)),
    )
    assert (found.job, found.pool, found.version, found.summary) == (
        *("make_totals", None, None, None),
    )


def test_a_step_says_where_it_runs_and_what_is_shown() -> None:
    def shown(shop: Any) -> Mapping[str, Any]:
        return {}

    @step(group="toys", job="all", pool="slow", version="3", summary=shown, kinds=("duckdb",))
    def totals(shop: Of[Shops]) -> tuple[Of[Totals], Of[Shops]]: ...

    found = STEPS["totals"]
    assert (found.job, found.pool, found.version) == ("all", "slow", "3")
    assert (found.summary, found.kinds) == (shown, ("duckdb",))
    assert found.outputs == (Totals, Shops)


def test_each_kind_of_parameter_is_told_from_its_annotation() -> None:
    @step(group="toys")
    def totals(  # noqa: PLR0917 - one of each kind
        one: Of[Shops],
        country: Of[Taxes],
        many: All[Sales],
        later: Later[Shops],
        versions: Versions[Sales],
        books: ShopBooks,
        days: Each[DayBooks],
        tariff: Tariff,
        opening: Opening,
        till: Till,
        name: Annotated[str, Name("shop")],
    ) -> Of[Totals]: ...

    params = STEPS["totals"].params
    assert [(p.name, p.kind, p.rule.is_many, p.over) for p in params] == [
        ("one", "table", False, ""),
        ("country", "table", False, ""),
        ("many", "table", True, ""),
        ("later", "later", False, ""),
        ("versions", "versions", True, "day"),
        ("books", "bundle", False, ""),
        ("days", "each", True, "day"),
        ("tariff", "settings", False, ""),
        ("opening", "settings", False, ""),
        ("till", "handle", False, ""),
        ("name", "name", False, ""),
    ]
    assert [tables_of(p) for p in params] == [
        *([("", "shops")], [("", "taxes")], [("", "sales")], [("", "shops")], [("", "sales")]),
        *([("shop", "shops"), ("taxes", "taxes")], [("shop", "shops"), ("sales", "sales")]),
        *([], [], [], []),
    ]
    assert params[5].settings == (("tariff", Tariff),)
    assert params[-1].of == "shop"


def test_the_name_of_a_bundle_may_determine_another() -> None:
    @step(group="toys")
    def ranking(books: Each[ShopBooks]) -> Of[Ranking]: ...

    assert param_of(ranking).over == "shop"


def test_rules_add_up_wherever_they_stand() -> None:
    """``All`` is a rule itself."""
    is_large, vouched = Rule(when="is_large"), Rule(is_vouched=True)

    @step(group="toys")
    def totals(sold: Annotated[All[Sales], is_large, vouched, "a note"] | None) -> Of[Totals]: ...

    assert param_of(totals).rule == Rule(is_many=True, when="is_large", is_vouched=True)

    @step(group="toys")
    def ranking(sold: Annotated[All[Sales], MONDAY]) -> Of[Ranking]: ...

    assert param_of(ranking).rule == Rule(is_many=True, fixed=(("day", "monday"),))

    @step(group="toys")
    def open_shops(
        books: Annotated[ShopBooks, is_large] | None, tariff: Annotated[Tariff | None, is_large]
    ) -> Of[Shops]: ...

    assert [p.rule.when for p in STEPS["open_shops"].params] == ["is_large", "is_large"]


def test_annotations_may_be_texts() -> None:
    """As they all are below ``from __future__ import annotations``."""

    @step(group="toys")
    def totals(
        books: "ShopBooks", sold: "All[Sales]", name: "Annotated[str, Name('shop')]"
    ) -> "tuple[Of[Totals], Of[Shops]]": ...

    assert [p.kind for p in STEPS["totals"].params] == ["bundle", "table", "name"]
    assert STEPS["totals"].outputs == (Totals, Shops)


@dataclass(frozen=True)
class Wrong:
    """A bundle with a field that is no table."""

    shop: Of[Shops]
    n: int


def refused(words: str, function: Callable[..., Any]) -> None:
    with pytest.raises(DeclarationError) as refusal:
        step(group="toys")(function)
    assert str(refusal.value) == words
    assert function.__name__ not in STEPS


PARAMETER = "step 'totals', parameter 'x'"
NEITHER = (
    "is neither Of[a table], All, Later, Versions, Each or a bundle, nor settings, a handle or a "
    "partition's name"
)
TWO_LACKING = (
    "ranking has no partition for each day and shop; Each and Versions have the names of one "
    "dimension"
)
NO_COUNTRY = "there is one Tariff for each country, and ranking has no dimension 'country': ()"


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (None, "it needs an annotation that names an input: Of[Qa]"),
        (int, f"<class 'int'> {NEITHER}"),
        (list[int], f"list[int] {NEITHER}"),
        (Of[Shops] | Of[Sales] | None, "a parameter has one type, or one type and None"),
        (Annotated[str, Name("day")], "totals has no dimension 'day': ('shop',)"),
        (
            Of[Sales],
            "Sales has a partition for each day, totals has not. Did you mean All[Sales]?",
        ),
        (
            All[Taxes],
            "exactly one partition of Taxes belongs to each that is made. Did you mean Of[Taxes]?",
        ),
        (
            Versions[Shops],
            "exactly one partition of Shops belongs to each that is made. Did you mean Of[Shops]?",
        ),
        (
            Each[ShopBooks],
            "exactly one ShopBooks belongs to each partition. Did you mean ShopBooks?",
        ),
        (Each[Shops], "Each takes a dataclass of tables, not Shops"),
        (
            DayBooks,
            ".sales: Sales has a partition for each day, totals has not. Did you mean All[Sales]?",
        ),
        (Wrong, f".n: <class 'int'> {NEITHER}"),
        (
            Annotated[Of[Shops], MONDAY],
            "Shops has no dimension 'day', whose name 'monday' is fixed",
        ),
        (
            Annotated[Tariff, MONDAY],
            "Tariff has no dimension 'day', whose name 'monday' is fixed",
        ),
        (
            Annotated[ShopBooks, Rule(fixed=(("country", "be"),))],
            ".shop: Shops has no dimension 'country', whose name 'be' is fixed",
        ),
    ],
)
def test_a_parameter_that_cannot_be_is_refused(annotation: Any, words: str) -> None:
    def totals(x) -> Of[Totals]: ...

    if annotation is not None:
        totals.__annotations__["x"] = annotation
    refused(PARAMETER + (words if words.startswith(".") else f": {words}"), totals)


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (Versions[Sales], f": {TWO_LACKING}"),
        (Each[DayBooks], f": {TWO_LACKING}"),
        (Tariff, f": {NO_COUNTRY}"),
        (ShopBooks, f".tariff: {NO_COUNTRY}"),
    ],
)
def test_a_step_without_partitions_cannot_have_it(annotation: Any, words: str) -> None:
    def ranking(x: annotation) -> Of[Ranking]: ...

    refused(f"step 'ranking', parameter 'x'{words}", ranking)


def test_what_a_step_makes_must_be_tables_of_the_same_partitions() -> None:
    def nothing(): ...

    def numbers() -> int: ...

    def two() -> tuple[Of[Totals], Of[Sales]]: ...

    refused(f"step 'nothing': what it returns: None {NEITHER}", nothing)
    refused(f"step 'numbers': what it returns: <class 'int'> {NEITHER}", numbers)
    refused(
        "step 'two': what it returns: Sales has partitions by ('shop', 'day'), Totals by "
        "('shop',). One step makes both at once.",
        two,
    )


def test_two_steps_of_one_name_are_refused() -> None:
    """The first of both would be made by nobody."""

    def totals() -> Of[Totals]: ...

    step(group="toys")(totals)
    step(group="toys")(totals)  # a module that is loaded again, a cell that runs again

    def other() -> Of[Shops]: ...

    other.__name__, other.__module__ = "totals", "elsewhere"
    with pytest.raises(
        DeclarationError, match="two steps are called 'totals': test_declarations has the other"
    ):
        step(group="toys")(other)
