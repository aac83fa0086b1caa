"""Documentation of all tables, from their classes and from the steps that make them."""

from enact_assets.engine.graph import Input, StepSpec
from enact_assets.engine.tables import Table, table
from enact_assets.pipeline.lineage.graph import ROOTS, STEPS, WHOLE

COLUMNS = ("table", "grain", "key", "partitions", "made by", "made from", "published")


def table_rows() -> list[str]:
    """A Markdown table: one row per table of the lake, in the order data flow."""
    lines = [_line(COLUMNS), "|" + "---|" * len(COLUMNS)]
    for step in STEPS:
        if step.name not in WHOLE and step.name not in ROOTS:
            lines += [_line(_cells(table(asset), step)) for asset in step.assets]
    return lines


def _cells(found: type[Table], step: StepSpec) -> tuple[str, ...]:
    return (
        f"`{found.table_name()}`",
        found.grain().replace("|", "\\|"),
        ", ".join(found.key()),
        ", ".join(found.by),
        step.name,
        ", ".join(map(_said, step.inputs)),
        "yes" if found.is_published else "no",
    )


def _said(given: Input) -> str:
    """``evaluation (its own and baseline)``: an input and its special rule, if it has one."""
    names = " ".join(name for _, name in given.fixed)
    if given.is_also_own:
        return f"{given.asset} (its own and {names})"
    if names:
        return f"{given.asset} ({names})"
    return f"{given.asset} (if {given.when})" if given.when else given.asset


def _line(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cells) + " |"
