"""The Python API by task: python_api.toml says what is on which page, docstrings say the rest."""

import importlib
import inspect
import tomllib
from pathlib import Path
from typing import Any

CONTENTS = Path(__file__).with_name("python_api.toml")
HEAD = """\
# Python API

Every stage of the pipeline is a plain function on polars tables: call it from a notebook, without
Dagster and without files. These pages list what people call, by task; other modules are internal.
The columns of each table are in [SQL relations](/pages/sql.md).

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
    """Page -> title, about, place, optional example, and names of functions, classes, modules."""
    return tomllib.loads(CONTENTS.read_text(encoding="utf-8"))


def _page(task: dict[str, Any]) -> str:
    parts = [f"# {task['title']}\n", task["place"].strip() + "\n"]
    if "example" in task:
        parts.append(f"```python\n{task['example'].strip()}\n```\n")
    for name in task.get("names", []):
        parts.append(f"*In* `{name.rpartition('.')[0]}`\n")
        parts.append(_directive(name))
    for name in task.get("modules", []):
        module = importlib.import_module(name)
        about, _, tree = inspect.cleandoc(module.__doc__ or "").partition("\n\n")
        parts.append(f"{about}\n\n```text\n{tree}\n```\n")
        parts += [
            _directive(f"{name}.{found.__name__}")
            for found in vars(module).values()
            if isinstance(found, type) and found.__module__ == name
        ]
    return "\n".join(parts)


def _directive(name: str) -> str:
    if not name.rpartition(".")[2][0].isupper():
        return f"```{{eval-rst}}\n.. autofunction:: {name}\n```\n"
    return f"```{{eval-rst}}\n.. autoclass:: {name}\n   :members:\n   :show-inheritance:\n```\n"
