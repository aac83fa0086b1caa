"""Write the lists of all tables and of all constants: ``python docs/make_tables.py``."""

import json
from pathlib import Path

from enact_assets.pipeline.lineage.table_docs import table_rows
from enact_assets.settings.classes import KNOWN, LIMITS
from enact_assets.settings.profile import CONSTANTS

PAGE = Path(__file__).parent / "tables.md"
CONSTANTS_PAGE = Path(__file__).parent / "constants.md"
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


def constants_page() -> str:
    """The page of constants as it is, with its table made anew."""
    before, _, rest = CONSTANTS_PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
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
    return before + BEGIN + "\n".join(lines) + "\n" + END + after


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    CONSTANTS_PAGE.write_text(constants_page(), encoding="utf-8")
