"""Write the list of all tables: ``python docs/make_tables.py``."""

from pathlib import Path

from enact_assets.lineage.table_docs import table_rows

PAGE = Path(__file__).parent / "tables.md"
HEAD = """\
# Tables

All tables of the lake, in the order data flow. `python docs/make_tables.py` writes this page from
the table classes (`enact_assets/*/*_tables.py`) and the steps (`enact_assets/steps/`).

- *made from* names tables, settings of the registry (`*_config`) and imported files (`recording`,
  `recorded_variant`, `question_source`).
- *published* tables are copied to the warehouse, which explains their columns: `enact-assets sql
  "select column_name, comment from duckdb_columns() where table_name = 'facts'"`.

"""


def page() -> str:
    """The page."""
    return HEAD + "\n".join(table_rows()) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
