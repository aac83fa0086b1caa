"""Makes a fake OmniGibson of each known version: one world, four ways to play it.

``omnigibson_fake/fake.py`` is the code, ``versions.json`` beside it the table of differences: a row
has what the version does not share with the one that it is ``like``. Row 1.1.1 has the signatures,
properties, variables and classes of the release, by ``omnigibson_signatures.py``; ``homes`` are
modules of names that the release does not have there. Rows after it have signatures as facts: 3.7
is main, enact is commit 51f38a22, 3.9 is main 3.9.2; return types are left out. ``does`` is what
the code asks, ``shows`` what a module hands on, ``stubs`` are functions that are only looked at,
``instead`` is other text in a module, ``order`` that of the statements of a function's loop.

``python tests/demonstrations/replay/omnigibson_fakes.py 3.9 FOLDER`` makes one to look at.
"""

import ast
import json
import re
import sys
from pathlib import Path
from typing import Any

FAKE = Path(__file__).with_name("omnigibson_fake")
ROWS: dict[str, dict[str, Any]] = json.loads((FAKE / "versions.json").read_text())
PROFILES = list(ROWS)
REST = "world"
"""The module of names for which the table has none."""
Modules = dict[str, ast.Module]


def make_fake(profile: str, folder: Path) -> Path:
    """Write the package ``omnigibson`` of ``profile`` below ``folder``, for ``sys.path``."""
    row, source = row_of(profile), (FAKE / "fake.py").read_text()
    for old, new in row.get("renamed", {}).items():
        source = re.sub(rf"\b{re.escape(old)}\b", new, source)
        row = json.loads(json.dumps(row).replace(old, new))
    row["functions"] |= ROWS[profile]["functions"]  # of the name that it has here
    source = source.replace("DIFFERS = {}", f"DIFFERS = {row['does']!r}")
    imports, modules = _dealt_out(ast.parse(source), row)
    _complete(modules, row)
    homes = {_name(node): module for module, tree in modules.items() for node in tree.body}
    for module, tree in modules.items():
        text = _changed(module, tree, row)
        needed = _imports(text, module, row, homes | imports)
        path = folder / "omnigibson" / f"{module.replace('.', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{needed}\n{text}\n")
    for path in (folder / "omnigibson").glob("*/"):
        (path / "__init__.py").touch()
    return folder


def row_of(profile: str) -> dict[str, Any]:
    """All that the table says of ``profile``, with what it shares with others."""
    own = ROWS[profile]
    found = row_of(own["like"]) if "like" in own else {}
    for key, value in own.items():
        if isinstance(value, dict):
            found[key] = found.get(key, {}) | value
        elif isinstance(value, list):
            found[key] = found.get(key, []) + value
        else:
            found[key] = value
    return found


def signatures(profile: str) -> dict[str, str]:
    """Place -> parameters as text, as recorded for ``profile`` itself."""
    return {f"omnigibson.{place}": text for place, text in ROWS[profile]["functions"].items()}


def arguments_of(signature: str) -> ast.arguments:
    """``(self, x: int=1)`` as arguments without annotations."""
    (made,) = ast.parse(f"def f{signature}: pass").body
    assert isinstance(made, ast.FunctionDef)
    for argument in ast.walk(made.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return made.args


def function_at(module: ast.Module, name: str) -> ast.FunctionDef | None:
    """The method or function ``name`` of ``module``."""
    *owners, last = name.split(".")
    body = module.body
    for owner in owners:
        found = [n for n in body if isinstance(n, ast.ClassDef) and n.name == owner]
        if not found:
            return None
        body = found[0].body
    functions = [n for n in body if isinstance(n, ast.FunctionDef) and n.name == last]
    return functions[-1] if functions else None


def _dealt_out(tree: ast.Module, row: dict[str, Any]) -> tuple[dict[str, ast.stmt], Modules]:
    """Imports by the name that they give, and everything else by its module."""
    keys = ("functions", "properties", "settable properties", "variables", "homes", "classes")
    row["classes"] = {place: of for place, of in row["classes"].items() if of is not None}
    places = [place.partition(":") for key in keys for place in row[key]]
    homes = {name.partition(".")[0]: module for module, _, name in places}
    imports: dict[str, ast.stmt] = {}
    modules = {module: ast.Module([], []) for module in [REST, *homes.values(), *row["shows"]]}
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imports |= {alias.asname or alias.name: node for alias in node.names}
        elif _name(node):
            modules[homes.get(_name(node), REST)].body.append(node)
    return imports, modules


def _complete(modules: Modules, row: dict[str, Any]) -> None:
    """Add what the table alone has, and the recorded parameters."""
    for place, bases in row["classes"].items():
        module, _, name = place.partition(":")
        modules[module].body += ast.parse(f"class {name}({bases}): pass").body
    for place, text in row["stubs"].items():
        _add(modules, place, text)
    for place in (*row["properties"], *row["settable properties"]):
        name = place.rpartition(".")[2]
        text = f"@property\ndef {name}(self): return self._{name}"
        if place in row["settable properties"]:
            text += f"\n@{name}.setter\ndef {name}(self, value): self._{name} = value"
        _add(modules, place, text)
    for place in row["variables"]:
        _add(modules, place, f"{place.rpartition('.')[2]} = None")
    for place, signature in row["functions"].items():
        name = re.split(r"[.:]", place)[-1]
        mark = "@classmethod\n" if signature.startswith("(cls") else ""
        _add(modules, place, f"{mark}def {name}(): raise NotImplementedError")
        module, _, path = place.partition(":")
        function = function_at(modules[module], path)
        assert function is not None, place
        function.args = arguments_of(signature)


def _add(modules: Modules, place: str, text: str) -> None:
    """Add ``text`` to the class at ``place``, unless something is there."""
    module, _, path = place.partition(":")
    owner, _, name = path.partition(".")
    classes = [n for n in modules[module].body if isinstance(n, ast.ClassDef) and n.name == owner]
    if name and classes and name not in map(_name, classes[0].body):
        classes[0].body += ast.parse(text).body


def _changed(module: str, tree: ast.Module, row: dict[str, Any]) -> str:
    """The source of ``module``, with other text and another order where the table says so."""
    text = ast.unparse(tree)
    for place, changes in row.get("instead", {}).items():
        for old, new in changes.items() if place.partition(":")[0] == module else ():
            assert old in text, (place, old)
            text = text.replace(old, new)
    changed = ast.parse(text)
    for place, order in row.get("order", {}).items():
        if place.partition(":")[0] == module:
            function = function_at(changed, place.partition(":")[2])
            assert function is not None, place
            (loop,) = [n for n in function.body if isinstance(n, ast.For)]
            loop.body = [loop.body[k] for k in order]
    return ast.unparse(changed)


def _imports(text: str, module: str, row: dict[str, Any], known: dict[str, Any]) -> str:
    """Imports of the names that ``text`` uses and ``known`` places, and of those to be shown."""
    used = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}
    lines = set()
    for name in sorted({*used, *row["shows"].get(module, ())} & set(known)):
        if isinstance(known[name], ast.stmt):
            lines.add(ast.unparse(known[name]))
        elif known[name] != module:
            home = f"omnigibson.{known[name]}".removesuffix(".__init__")
            lines.add(f"from {home} import {name}")
    return "\n".join(sorted(lines))


def _name(node: ast.stmt) -> str:
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        return node.name
    return ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else ""


if __name__ == "__main__":
    print(make_fake(sys.argv[1], Path(sys.argv[2])))
