"""Reads signatures out of source text, without importing it: of OmniGibson's sdist, and the fake's.

``python tests/replay/omnigibson_signatures.py SOURCE`` prints what signatures.json should hold.
"""

import ast
import json
import sys
from pathlib import Path
from typing import Any

PLAYER = Path(__file__).parents[2] / "enact_assets/replay/omnigibson_player"
SIGNATURES = PLAYER / "signatures.json"


def signature_at(root: Path, file: str, name: str) -> dict[str, Any] | None:
    """Kind and parameters (name, default as text) of ``name`` in ``file`` below ``root``."""
    path = root / file
    if not path.is_file():
        return None
    body: list[ast.stmt] = ast.parse(path.read_text()).body
    *owners, last = name.split(".")
    for owner in owners:
        found = [n for n in _inside(body) if isinstance(n, ast.ClassDef) and n.name == owner]
        if not found:
            return None
        body = found[0].body
    functions = [n for n in body if isinstance(n, ast.FunctionDef) and n.name == last]
    if functions:
        return _described(functions)
    if any(isinstance(n, ast.ClassDef) and n.name == last for n in body):
        return {"kind": "class", "parameters": []}
    if last in _assigned(body):
        return {"kind": "variable", "parameters": []}
    return None


def _inside(body: list[ast.stmt]) -> list[ast.stmt]:
    """``body`` and the bodies of its functions: OmniGibson defines its simulator in one."""
    return [*body, *(n for f in body if isinstance(f, ast.FunctionDef) for n in f.body)]


def _described(functions: list[ast.FunctionDef]) -> dict[str, Any]:
    """A property and its setter are two functions of one name."""
    first = functions[0]
    marks = {ast.unparse(d) for f in functions for d in f.decorator_list}
    if {"property", "classproperty", "cached_property"} & marks:
        is_set = any(mark.endswith(".setter") for mark in marks)
        return {"kind": "settable property" if is_set else "property", "parameters": []}
    arguments = first.args
    defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + [
        ast.unparse(d) for d in arguments.defaults
    ]
    parameters = [[a.arg, d] for a, d in zip(arguments.args, defaults, strict=True)]
    for star, given in (("*", arguments.vararg), ("**", arguments.kwarg)):
        if given is not None:
            parameters.append([star + given.arg, None])
    kind = "class method" if "classmethod" in marks else "function"
    return {"kind": kind, "parameters": parameters}


def _assigned(body: list[ast.stmt]) -> set[str]:
    """Names assigned in ``body``, and attributes of ``self`` in the methods of a class."""
    names = set()
    for node in (n for statement in body for n in ast.walk(statement)):
        for target in getattr(node, "targets", [getattr(node, "target", None)]):
            if isinstance(target, ast.Name):
                names.add(target.id)
            elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                names.add(target.attr)
    return names


def recorded() -> dict[str, Any]:
    """What is checked in."""
    return dict(json.loads(SIGNATURES.read_text()))


if __name__ == "__main__":
    kept = recorded()
    for entry in kept["functions"]:
        entry.update(signature_at(Path(sys.argv[1]), entry["file"], entry["name"]) or {})
    print(json.dumps(kept, indent=1))
