"""Reads signatures out of source text, without importing it: of OmniGibson's sdist, and the fake's.

``python tests/demonstrations/replay/omnigibson_signatures.py SOURCE`` prints what the row of 1.1.1
in versions.json should say of the release.
"""

import ast
import json
import re
import sys
from pathlib import Path
from typing import Any

from omnigibson_fakes import ROWS, arguments_of

PLAYER = Path(__file__).parents[3] / "enact_assets/demonstrations/replay/omnigibson_player"
KINDS = {
    "properties": "property",
    "settable properties": "settable property",
    "variables": "variable",
    "classes": "class",
}
"""Key of the table -> kind of what stands there."""


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
    marks = {ast.unparse(d) for f in functions for d in f.decorator_list}
    if {"property", "classproperty", "cached_property"} & marks:
        is_set = any(mark.endswith(".setter") for mark in marks)
        return {"kind": "settable property" if is_set else "property", "parameters": []}
    kind = "class method" if "classmethod" in marks else "function"
    return {"kind": kind, "parameters": parameters_of(functions[0].args)}


def parameters_of(arguments: ast.arguments) -> list[list[str | None]]:
    """Name and default of each, as text."""
    defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + [
        ast.unparse(d) for d in arguments.defaults
    ]
    parameters: list[list[str | None]] = [
        [a.arg, d] for a, d in zip(arguments.args, defaults, strict=True)
    ]
    for star, given in (("*", arguments.vararg), ("**", arguments.kwarg)):
        if given is not None:
            parameters.append([star + given.arg, None])
    return parameters


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


def _classes(root: Path, folder: str) -> dict[str, ast.ClassDef]:
    """All classes defined in ``folder`` below ``root``, by name."""
    return {
        node.name: node
        for path in sorted((root / folder).glob("*.py"))
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
    }


def _ancestors(name: str, classes: dict[str, ast.ClassDef]) -> set[str]:
    found = {base.id for base in classes[name].bases if isinstance(base, ast.Name)}
    return found.union(*(_ancestors(base, classes) for base in found if base in classes))


def boolean_states(root: Path) -> list[str]:
    """States that hold or do not: what the builder of scene graphs asks for."""
    classes = _classes(root, "omnigibson/object_states")
    return sorted(c for c in classes if "BooleanStateMixin" in _ancestors(c, classes))


def gpu_states(root: Path) -> list[str]:
    """States with numbers of their own that refuse to be without GPU dynamics, or whose ability
    does: those that decide how long a row is.
    """
    classes = _classes(root, "omnigibson/object_states")
    factory = (root / "omnigibson/object_states/factory.py").read_text()
    bound = re.findall(r"states=\[(\w+)\], requirements=\[ParticleRequirement\]", factory)
    asking = {n for n, c in classes.items() if "not gm.USE_GPU_DYNAMICS" in ast.unparse(c)}
    found = [n for n in classes if n in bound or ({n} | _ancestors(n, classes)) & asking]
    return sorted(n for n in found if _has_size(n, classes))


def _has_size(name: str, classes: dict[str, ast.ClassDef]) -> bool:
    owners = [classes[n] for n in ({name} | _ancestors(name, classes)) if n in classes]
    sizes = [
        n
        for c in owners
        for n in c.body
        if isinstance(n, ast.FunctionDef) and n.name == "state_size"
    ]
    return any("return 0" not in ast.unparse(size) for size in sizes)


def grasping_modes(root: Path) -> dict[str, str]:
    """How robots grasp by default, by class, where that is said."""
    found = {}
    for name, node in _classes(root, "omnigibson/robots").items():
        for made in node.body:
            if isinstance(made, ast.FunctionDef) and made.name == "__init__":
                parameters = dict(_described([made])["parameters"])
                if "grasping_mode" in parameters:
                    found[name] = str(ast.literal_eval(parameters["grasping_mode"]))
    return found


def recorded() -> dict[str, Any]:
    """What is checked in about the release."""
    return ROWS["1.1.1"]


def entries() -> list[dict[str, Any]]:
    """File, name, kind and parameters of all that is recorded of the release."""
    told: list[tuple[str, str, list[Any]]] = []
    for place, text in recorded()["functions"].items():
        kind = "class method" if text.startswith("(cls") else "function"
        told.append((place, kind, parameters_of(arguments_of(text))))
    told += [(place, kind, []) for key, kind in KINDS.items() for place in recorded()[key]]
    return [
        {
            "file": f"omnigibson/{place.partition(':')[0].replace('.', '/')}.py",
            "name": place.partition(":")[2],
            "kind": kind,
            "parameters": parameters,
        }
        for place, kind, parameters in told
    ]


if __name__ == "__main__":
    source = Path(sys.argv[1])
    for entry in entries():
        print(entry["file"], entry["name"], signature_at(source, entry["file"], entry["name"]))
    made = {f.__name__: f(source) for f in (boolean_states, gpu_states, grasping_modes)}
    print(json.dumps(made, indent=1))
