"""Write the lists of all tables, constants and claims: ``python docs/make_tables.py``."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from enact_assets.pipeline.lineage.table_docs import table_rows
from enact_assets.results.faithfulness.claims import PARTS, Claim, as_text, load_claims
from enact_assets.settings.classes import KNOWN, LIMITS
from enact_assets.settings.profile import CONSTANTS

PAGE = Path(__file__).parent / "tables.md"
CONSTANTS_PAGE = Path(__file__).parent / "constants.md"
CLAIMS_PAGE = Path(__file__).parent / "faithfulness.md"
BEGIN, END = "<!-- made by docs/make_tables.py -->\n", "<!-- end -->\n"
HEAD = """\
# Tables

All tables of the lake, in the order data flow. `python docs/make_tables.py` writes this page from
the table classes (`enact_assets/**/*tables.py`) and the steps (`enact_assets/pipeline/steps/`).

- *made from* names tables, settings of the registry (`*_config`) and imported files (`recording`,
  `recorded_variant`, `question_source`).
- *published* tables are copied to the warehouse, which explains their columns: `enact-assets sql
  "select column_name, comment from duckdb_columns() where table_name = 'facts'"`.

"""


def page() -> str:
    """The page."""
    return HEAD + "\n".join(table_rows()) + "\n"


VERDICTS = ("same", "differs", "missing", "cannot be had here")
METHODS = ("computed", "inspected", "by argument")
SHOWN = 90
"""Longest value that the page shows."""
TITLES = {
    "benchmark": "The benchmark: sections 2 and A",
    "people_and_models": "People, models and prompts: sections 3.1, B.1 and B.2.1",
    "results": "Results: sections 3.1 and B.2.2 to B.2.5",
    "probes": "Probes: sections 3.2 to 3.4 and B.3 to B.6",
    "errors": "Errors: sections 3.5 and C",
    "contradictions": "Places of the ENACT paper held against each other",
    "other_texts": "The first version of the ENACT paper, and a review of it",
    "worldprediction": "WorldPrediction",
}


def constants_page() -> str:
    """The page of constants as it is, with its table made anew."""
    lines = ["| constant | value | source | can be set | meaning |", "|---|---|---|---|---|"]
    for constant in CONSTANTS.values():
        span = ", ".join(KNOWN.get(constant.name, ("true", "false")))
        if constant.name in LIMITS:
            span = " to ".join(map(str, LIMITS[constant.name]))
        settable = span if constant.is_settable else "no"
        value = json.dumps(constant.value).strip('"')
        if isinstance(constant.value, float):
            value = f"{constant.value:f}".rstrip("0")
        source = constant.source if constant.is_settable else f"paper, {constant.source}"
        cells = (f"`{constant.name}`", value, source, settable, constant.meaning)
        lines.append(f"| {' | '.join(cells)} |")
    return _with_table(CONSTANTS_PAGE, lines)


def claims_page() -> str:
    """The page of claims as it is, with its tables made anew."""
    return _with_table(CLAIMS_PAGE, [*_counts(), *_tables()])


def _with_table(page: Path, lines: list[str]) -> str:
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    return before + BEGIN + "\n".join(lines) + "\n" + END + rest.partition(END)[2]


def _counts() -> Iterator[str]:
    claims = [claim for _, claim in load_claims().values()]
    n_of: Counter[tuple[str, str]] = Counter((claim.verdict, claim.method) for claim in claims)
    yield f"| {len(claims)} claims | {' | '.join(METHODS)} | all |"
    yield "|---|" + "---:|" * (len(METHODS) + 1)
    for verdict in VERDICTS:
        numbers = [n_of[verdict, method] for method in METHODS]
        yield f"| {verdict} | {' | '.join(map(str, numbers))} | {sum(numbers)} |"


def _tables() -> Iterator[str]:
    for part in PARTS:
        yield from ("", f"## {TITLES[part]}")
        yield "| | place | claim | here | found | paper | verdict | why |"
        yield "|---|---|---|---|---|---|---|---|"
        for number, (of_part, claim) in load_claims().items():
            if of_part == part:
                yield _line(number, claim)


def _line(number: int, claim: Claim) -> str:
    how = {"computed": claim.verdict}.get(claim.method, f"{claim.verdict} ({claim.method})")
    source = "" if _is_clear(claim) else f"{claim.source}: "
    values = (_shown(claim.found), _shown(claim.of_paper))
    cells = (source + claim.place, claim.claim, claim.here or "", *values, how, claim.why or "")
    return f"| {number} | {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _is_clear(claim: Claim) -> bool:
    """Whether the heading says of which text a claim is."""
    return claim.source in ("ENACT v2", "WorldPrediction")


def _shown(value: object) -> str:
    text = as_text(value)
    if not text:
        return "" if text is None else "(empty)"
    return f"`{text}`" if len(text) <= SHOWN else f"`{text[:SHOWN]} ...`"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    CONSTANTS_PAGE.write_text(constants_page(), encoding="utf-8")
    CLAIMS_PAGE.write_text(claims_page(), encoding="utf-8")
