"""One page per embedded activity, from its file, its registry entry and docs/activities.md."""

import re
from collections.abc import Iterable
from pathlib import Path

from enact_assets.settings.registry import load_registry
from enact_assets.simulator.activities import ACTIVITIES, SHIPPED
from enact_assets.simulator.activities.declared.declaration import read_declaration
from enact_assets.simulator.simulate import build_episode, random_draws

DOCS = Path(__file__).parents[1]
_TABLE = re.compile(r"<!-- made by [^>]*--constructs -->\n(.*?)<!-- end -->", re.DOTALL)
HEAD = """\
# The thirty-nine activities

Each page shows one household activity of the embedded simulator. Names are those of BEHAVIOR-1K;
the scenes, the robot and the plans are our own. Twenty-nine have the names of the paper's
activities: they are carried out after BEHAVIOR's definition, with our kinds of things, and each
page lists what stands for what and what is left out. A *seed* draws what varies:
`setting_the_table-7` is seed 7. [Writing an activity](/docs/activities.md) explains how one is
declared and how the constructs are counted.

| activity | what the robot does |
|---|---|
"""


def activity_pages(names: Iterable[str] = tuple(SHIPPED)) -> dict[str, str]:
    """Path -> Markdown: a list of activities, then a page for each."""
    constructs = _constructs()
    pages = {f"pages/activities/{name}.md": _page(name, constructs[name]) for name in names}
    rows = [
        f"| [{name}](/pages/activities/{name}.md) | {ACTIVITIES[name].description} |"
        for name in names
    ]
    return {"pages/activities.md": HEAD + "\n".join(rows) + "\n"} | pages


def _constructs() -> dict[str, list[tuple[str, str]]]:
    """Activity -> (construct, its evidence), from the table that a script makes."""
    found = _TABLE.search((DOCS / "activities.md").read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit("docs/activities.md has no table of constructs")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1].splitlines()]
    names = rows[0][1:]
    return {row[0]: list(zip(names, row[1:], strict=True)) for row in rows[2:]}


def _page(name: str, constructs: list[tuple[str, str]]) -> str:
    declared, text = read_declaration(SHIPPED[name]), SHIPPED[name].read_text(encoding="utf-8")
    episode = build_episode(name, 0, random_draws(name, 0))
    goal = [f"{fact}({', '.join(filter(None, objects))})" for fact, *objects in episode.goal]
    things = sorted({thing.category for thing in episode.stage.things.values()})
    registry = load_registry()
    mine = [d for d in registry.demonstrations if d.rpartition("-")[0] == name]
    in_registry = f"The registry has {', '.join(f'`{d}`' for d in mine)}." if mine else ""
    if set(mine) & set(registry.demo["demonstration"]):
        in_registry += " `make demo` makes it."
    replaced = [f"- `{ours}` stands for `{synset}`" for ours, synset in declared.stands_for.items()]
    replaced += [f"- Left out: {sentence}" for sentence in declared.leaves_out]
    if replaced:
        replaced = ["## After BEHAVIOR's definition, with our kinds\n", *replaced, ""]
    return "\n".join(
        [
            f"# {name}\n",
            f"{declared.says}\n",
            f"![Key frames of {name}, seed 0](/docs/key_frames_{name}.jpg)\n",
            "*Key frames of seed 0, evenly spread and numbered, under variant `baseline`.*\n",
            f"{in_registry} Any other seed:\n".lstrip(),
            f"    enact-assets materialize --demonstration {name}-7",
            f"    enact-assets show {name}-7\n",
            "## How it is declared\n",
            f"```yaml\n{text}```\n",
            *replaced,
            "## What must hold at the end of seed 0\n",
            *(f"- `{fact}`" for fact in goal),
            "\nA demonstration that misses one of these facts is rejected.\n",
            "## What is there\n",
            f"Things (seed 0): {', '.join(things)}.\n",
            f"Furniture: {', '.join(sorted(episode.stage.fixtures))}.\n",
            "## What its questions exercise\n",
            "| construct, and how it is counted | seed 0 |",
            "|---|---|",
            *(f"| {construct} | {evidence} |" for construct, evidence in constructs),
            f"\nSource: `enact_assets/simulator/activities/declarations/{name}.yaml`.",
        ]
    )
