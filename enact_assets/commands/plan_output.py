"""The command ``plan``: the partitions to make, for people, and as JSON with a schema."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from rich.console import Console
from rich.text import Text

from enact_assets.commands.graph_options import PLAN_SHOWN
from enact_assets.engine.plurals import all_fresh, counted, first_of, named
from enact_assets.engine.system.collector import without_collector
from enact_assets.settings.registry import load_registry

if TYPE_CHECKING:
    from enact_assets.engine.planning.verdicts import Verdict, Verdicts
    from enact_assets.pipeline.costs.expected import PlannedCost
    from enact_assets.pipeline.runs.new_version import NewVersion, Work

LEAST_HOURS = 0.1

Key = Annotated[
    str | None, msgspec.Meta(description="key of the partition in Dagster; null: it has no key")
]
Count = Annotated[int, msgspec.Meta(ge=0)]


class PlannedPartition(msgspec.Struct, frozen=True):
    """One partition of a step that is made."""

    step: str
    assets: Annotated[list[str], msgspec.Meta(description="assets that the step lands together")]
    partition: Key
    why: Annotated[list[str], msgspec.Meta(description="each reason why it is missing or stale")]
    is_asked_for: Annotated[
        bool,
        msgspec.Meta(description="false: not named by the options, but what was named needs it"),
    ]


class AnswersToBuy(msgspec.Struct, frozen=True, omit_defaults=True):
    """Questions for a model that costs money, with the price, or why the price is not known."""

    model: str
    variant: str
    why_unknown: str = ""
    n_to_buy: Count | None = None
    n_known: Annotated[Count | None, msgspec.Meta(description="answers in the ledger")] = None
    tokens_in: Count | None = None
    tokens_out: Count | None = None
    usd: float | None = None
    is_bound: Annotated[bool, msgspec.Meta(description="true: usd is rather too high")] = False
    n_learned: Annotated[
        Count, msgspec.Meta(description="bought answers that tokens_out is learned from")
    ] = 0
    n_counted: Annotated[
        Count, msgspec.Meta(description="messages whose tokens the provider counted")
    ] = 0


class PicturesToBuy(msgspec.Struct, frozen=True, omit_defaults=True):
    """Pictures that an image model repaints for money, with the price, or why it is not known."""

    model: str
    variant: str
    why_unknown: str = ""
    n_to_buy: Annotated[Count | None, msgspec.Meta(description="pictures never sent")] = None
    n_open: Annotated[Count | None, msgspec.Meta(description="bought and not judged yet")] = None
    n_known: Annotated[Count | None, msgspec.Meta(description="pictures in the ledger")] = None
    n_requests: Annotated[Count | None, msgspec.Meta(description="all tries that are left")] = None
    n_unknown: Annotated[
        Count, msgspec.Meta(description="demonstrations whose pictures are not known yet")
    ] = 0
    usd: Annotated[float | None, msgspec.Meta(description="of n_to_buy, each once")] = None
    usd_at_most: Annotated[float | None, msgspec.Meta(description="of n_requests")] = None
    is_bound: Annotated[bool, msgspec.Meta(description="true: usd is rather too high")] = False
    n_learned: Annotated[
        Count, msgspec.Meta(description="bought pictures that usd is learned from")
    ] = 0


class OfNewVersion(msgspec.Struct, frozen=True):
    """What is made again because the code is another one, and how long that takes."""

    n_partitions: Count
    n_pictures: Annotated[Count, msgspec.Meta(description="pictures to render among that")]
    n_answers: Annotated[Count, msgspec.Meta(description="answers to ask for among that")]
    hours: Annotated[
        float | None,
        msgspec.Meta(description="one run after the other; null: no time is known of a step"),
    ]


class ExpectedWork(msgspec.Struct, frozen=True):
    """How much the partitions of ``stale`` are."""

    n_pictures: Annotated[Count, msgspec.Meta(description="pictures to render again")]
    n_new_pictures: Annotated[
        Count, msgspec.Meta(description="partitions of pictures that were never made")
    ]
    n_answers: Annotated[Count, msgspec.Meta(description="answers to make again")]
    n_new_answers: Annotated[
        Count, msgspec.Meta(description="partitions of answers that were never made")
    ]
    hours: Annotated[
        float,
        msgspec.Meta(description="one run after the other, by the last runs of each step"),
    ]
    unknown: Annotated[
        list[str], msgspec.Meta(description="steps of which no time is known: not in it")
    ]
    hours_of_machine: Annotated[
        float,
        msgspec.Meta(
            description="the part of hours of steps that never ran here, by the last runs in other "
            "data roots on this machine"
        ),
    ]


class PlanFile(msgspec.Struct, frozen=True):
    """What `enact-assets plan --json` prints."""

    stale: Annotated[
        list[PlannedPartition],
        msgspec.Meta(description="every partition that is made for certain, in order"),
    ]
    may_follow: Annotated[
        dict[str, list[Key]],
        msgspec.Meta(description="step -> partitions that are made if an input changes"),
    ]
    n_fresh: Annotated[Count, msgspec.Meta(description="partitions that are not made")]
    rejected: Annotated[list[str], msgspec.Meta(description="messages about unusable names")]
    answers_to_buy: list[AnswersToBuy]
    pictures_to_buy: list[PicturesToBuy]
    new_version: OfNewVersion | None
    work: ExpectedWork


def plan_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of what `plan --json` prints."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **msgspec.json.schema(PlanFile),
    }


def plan_json(
    plan: "Verdicts",
    rejected: Sequence[str],
    answers: "Sequence[PlannedCost]",
    pictures: "Sequence[PlannedCost]",
    *,
    new_version: "NewVersion | None",
    work: "Work",
) -> bytes:
    """``plan`` as JSON of :func:`plan_schema`."""
    from enact_assets.pipeline.lineage.graph import STEP_NAMED

    return msgspec.json.encode(
        PlanFile(
            [
                PlannedPartition(
                    row.step,
                    list(STEP_NAMED[row.step].assets),
                    row.key,
                    [str(cause) for cause in row.causes],
                    row.is_asked_for,
                )
                for row in plan.stale
            ],
            {
                name: [partition.key or None for partition in partitions]
                for name, partitions in plan.may_follow.items()
            },
            plan.n_fresh,
            list(rejected),
            [msgspec.convert(cost.as_json(), AnswersToBuy) for cost in answers],
            [msgspec.convert(cost.as_json(), PicturesToBuy) for cost in pictures],
            None if new_version is None else OfNewVersion(*new_version),
            ExpectedWork(*work),
        )
    )


def print_new_version(console: Console, new: "NewVersion | None") -> None:
    """What an update of the package makes stale, nothing if there is nothing."""
    if new is None:
        return
    words = [f"{counted(new.n_partitions, 'partition')} to make again"]
    if new.n_pictures:
        words.append(f"{counted(new.n_pictures, 'picture')} to render")
    if new.n_answers:
        words.append(f"{counted(new.n_answers, 'answer')} to ask for")
    if new.hours is not None:
        words.append(f"about {new.hours:.1f} hours" if new.hours >= LEAST_HOURS else "minutes")
    console.print(f"New version: {', '.join(words)}.")


def print_work(console: Console, work: "Work") -> None:
    """How much a plan is, nothing if it makes nothing that anybody waits for."""
    words = []
    for n, n_new, what, where in (
        (work.n_pictures, work.n_new_pictures, "picture", "pictures"),
        (work.n_answers, work.n_new_answers, "answer", "answers"),
    ):
        if n:
            words.append(f"{counted(n, what)} again")
        if n_new:
            words.append(f"{counted(n_new, 'partition')} of {where} for the first time")
    seconds = 3600 * work.hours
    if seconds:
        from enact_assets.pipeline.driver.terminal import duration

        about = "more than" if work.unknown else "about"
        words.append(f"{about} {duration(seconds)} of work by {_runs_behind(work)}")
    if work.unknown:
        words.append(f"no time is known of {named(work.unknown, 3)}")
    if words:
        console.print(Text(f"\nExpected: {', '.join(words)}."))


def _runs_behind(work: "Work") -> str:
    """The runs from which the time of ``work`` is estimated."""
    from enact_assets.pipeline.driver.terminal import duration

    others = "other data roots on this machine"
    if not work.hours_of_machine:
        return "the last runs here"
    if work.hours_of_machine == work.hours:
        return f"the last runs in {others}"
    part = duration(3600 * work.hours_of_machine)
    return f"the last runs here ({part} of it by those in {others})"


def print_plan(console: Console, plan: "Verdicts", limit: int = PLAN_SHOWN) -> None:
    """Steps in the order in which they would be made, partitions with the same reasons together."""
    if not plan.stale and not plan.may_follow:
        console.print(f"Nothing to do: {all_fresh(plan.n_fresh)}.")
        return
    words = f"{counted(len(plan.stale), 'partition')} to make, {plan.n_fresh:,} fresh."
    if plan.n_following:
        words += f" {plan.n_following:,} more may become stale, depending on the results."
    console.print(f"{words}\n")
    named = [row for row in plan.stale if row.is_asked_for]
    for_others = [row for row in plan.stale if not row.is_asked_for]
    _print_steps(console, named, limit)
    if for_others:
        console.print("\nNeeded for these, so made as well:" if named else "Needed, so made:")
        _print_steps(console, for_others, limit)
    if plan.may_follow:
        console.print("\nMay become stale:")
        for name, partitions in plan.may_follow.items():
            some = _some(["|".join(p) for p in partitions], limit)
            console.print(_line(name, some))


def _print_steps(console: Console, rows: Sequence["Verdict"], limit: int) -> None:
    by_reason: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        by_reason.setdefault(row.step, {}).setdefault(row.why, []).append(row.key or "")
    for name, reasons in by_reason.items():
        shown, n_more = first_of(list(reasons.items()), limit)
        for why, keys in shown:
            console.print(_line(name, f"{_some(keys, limit)}: {why}"))
        if n_more:
            console.print(_line(name, f"and {n_more:,} more reasons (--limit)"))


def _line(step: str, text: str) -> Text:
    from enact_assets.pipeline.driver.terminal import STEP_WIDTH

    return Text(f"  {step:<{STEP_WIDTH}} {text}")


def _some(keys: Sequence[str], limit: int) -> str:
    if keys == [""]:
        return "the whole"
    return f"{counted(len(keys), 'partition')} ({named(keys, limit)})"


def print_costs(console: Console, costs: "Sequence[PlannedCost]") -> None:
    """What answers and pictures of a plan cost, nothing if none costs money."""
    if not costs:
        return
    from enact_assets.answers.models.not_asked import problems_of
    from enact_assets.pipeline.costs.expected import in_all

    console.print(
        "\nWhat costs money, for the questions there are now. It is bought within --max-usd, or "
        "`spending` of models.yaml:"
    )
    for problem in problems_of({c.name: c.model for c in costs if c.model is not None}.values()):
        console.print(Text(f"  {problem}", "yellow"))
    # A model that is known no more has nothing to say of each variant.
    told = [(c.name if c.model is None else f"{c.name} {c.variant}", c.words()) for c in costs]
    for partition, words in dict.fromkeys(told):
        console.print(Text(f"  {partition}: {words}"))
    if (total := in_all(costs)) is not None:
        console.print(Text(f"  {total}"))


@without_collector()
def run_plan(arguments: argparse.Namespace, console: Console) -> int:
    """Exit code 0 also if there is something to do: a plan that can be made has not failed."""
    if arguments.schema:
        console.print_json(data=plan_schema())
        return 0
    # A schema waits for none of these.
    from enact_assets.commands.planned_costs import answers_to_buy, pictures_to_buy
    from enact_assets.commands.walking import chosen_names, requested
    from enact_assets.pipeline.driver.materialize import Driver
    from enact_assets.pipeline.driver.terminal import TerminalObserver
    from enact_assets.pipeline.runs.instance import check_root
    from enact_assets.pipeline.runs.new_version import made_by_other_code, work_of
    from enact_assets.pipeline.runs.step_times import StepTimes

    registry = load_registry()
    if not arguments.data.exists():
        with TemporaryDirectory() as empty:
            if not arguments.json:
                console.print(Text(f"{arguments.data} does not exist yet. In a new data root:"))
            arguments.data = Path(empty)
            return run_plan(arguments, console)
    check_root(arguments.data)
    part = registry.demo if arguments.demo else None
    only = chosen_names(arguments, registry, part)
    # With JSON, nothing else is printed.
    observer = None if arguments.json else TerminalObserver(console)
    driver = Driver(arguments.data, registry=registry, observer=observer)
    plan, rejected = driver.plan(**requested(arguments, only, part))
    answers, pictures = answers_to_buy(driver, plan), pictures_to_buy(driver, plan)
    times = StepTimes(driver.instance)
    new_version = made_by_other_code(times, driver.data.lake, plan)
    work = work_of(times, driver.data.lake, plan.stale)
    if arguments.json:
        planned = plan_json(plan, rejected, answers, pictures, new_version=new_version, work=work)
        console.print_json(planned.decode())
        return 0
    for message in rejected:
        console.print(Text(f"Ignored: {message}", "bold red"))
    print_new_version(console, new_version)
    print_plan(console, plan, arguments.limit)
    print_work(console, work)
    print_costs(console, [*pictures, *answers])
    return 0
