"""The Python API by task: python_api.toml says what is on which page, docstrings say the rest."""

import inspect
import tomllib
from pathlib import Path
from typing import Any

import enact_assets

CONTENTS = Path(__file__).with_name("python_api.toml")
HEAD = """\
# Python API

Every stage of the pipeline is a plain function on polars tables: call it from a notebook, without
Dagster and without files. These pages list what people call, by task. Every name is imported from
`enact_assets`, and stays when modules move:

```python
from enact_assets import load_registry, replay_embedded, segment
```
Modules below `enact_assets` are internal. The columns of each table are in
[SQL relations](/pages/sql.md).

"""


def api_pages() -> dict[str, str]:
    """Path -> Markdown: a list of the tasks, then a page for each."""
    tasks = contents()
    lines = [
        f"- [{t['title']}](/pages/python/{name}.md): {t['about']}" for name, t in tasks.items()
    ]
    first = {"pages/python.md": HEAD + "\n".join(lines) + "\n"}
    return first | {f"pages/python/{name}.md": _page(task) for name, task in tasks.items()}


def contents() -> dict[str, dict[str, Any]]:
    """Page -> title, about, place, optional example, names of functions and classes, and optional
    ``tree``: a name whose module begins with a drawing that the page shows.
    """
    return tomllib.loads(CONTENTS.read_text(encoding="utf-8"))


def _page(task: dict[str, Any]) -> str:
    parts = [f"# {task['title']}\n", task["place"].strip() + "\n"]
    if "example" in task:
        parts.append(f"```python\n{task['example'].strip()}\n```\n")
    if "tree" in task:
        module = inspect.getmodule(getattr(enact_assets, task["tree"]))
        tree = inspect.cleandoc(module.__doc__ or "").partition("\n\n")[2]
        parts.append(f"```text\n{tree}\n```\n")
    parts += map(_directive, task["names"])
    return "\n".join(parts)


def _directive(name: str) -> str:
    if not isinstance(getattr(enact_assets, name), type):
        return f"```{{eval-rst}}\n.. autofunction:: enact_assets.{name}\n```\n"
    options = "   :members:\n   :show-inheritance:\n"
    return f"```{{eval-rst}}\n.. autoclass:: enact_assets.{name}\n{options}```\n"
