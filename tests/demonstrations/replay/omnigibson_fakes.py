"""Makes a fake OmniGibson of each known version: one world, four ways to play it.

``omnigibson_fake/site`` is version 1.1.1. A later version is the same modules with the classes,
methods and values of its overlays in their place, and with the recorded signatures of
``later_signatures.json``, so that the player meets the parameters of the real one.

``python tests/demonstrations/replay/omnigibson_fakes.py 3.9 FOLDER`` makes one to look at.
"""

import ast
import json
import shutil
import sys
from pathlib import Path

FAKE = Path(__file__).with_name("omnigibson_fake")
OVERLAYS = {
    "1.1.1": (),
    "3.7": ("later",),
    "enact": ("later", "enact"),
    "3.9": ("later", "latest"),
}
"""Profile -> its overlays, in order."""
MOVED = {
    "3.9": {
        "omnigibson/robots/manipulation_robot.py": ("omnigibson/robots/robot.py", "Robot"),
        "omnigibson/object_states/contact_bodies.py": None,
        "omnigibson/robots/r1.py": None,
        "omnigibson/robots/r1pro.py": None,
        "omnigibson/robots/behavior_robot.py": None,
    }
}
"""Modules that are elsewhere, with another name for their class, or gone."""


def make_fake(profile: str, folder: Path) -> Path:
    """Write the package ``omnigibson`` of ``profile`` below ``folder``, for ``sys.path``."""
    shutil.copytree(FAKE / "site", folder)
    for name in OVERLAYS[profile]:
        if name == OVERLAYS[profile][-1]:
            _move(profile, folder)
        root = FAKE / "overlays" / name
        for path in sorted(root.rglob("*.py")):
            _overlay(path, folder / path.relative_to(root))
    for place, signature in signatures(profile).items():
        _set_signature(folder, place, signature)
    return folder


def signatures(profile: str) -> dict[str, str]:
    """Place -> parameters as text, as recorded; none for 1.1.1, whose modules have them."""
    recorded = json.loads((FAKE / "later_signatures.json").read_text())
    return dict(recorded.get(profile, {}))


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


def _move(profile: str, folder: Path) -> None:
    for old, new in MOVED.get(profile, {}).items():
        text = (folder / old).read_text()
        (folder / old).unlink()
        if new is not None:
            name = Path(old).stem.title().replace("_", "")
            (folder / new[0]).write_text(text.replace(name, new[1]))


def _overlay(path: Path, target: Path) -> None:
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
        return
    below, above = ast.parse(target.read_text()), ast.parse(path.read_text())
    for node in above.body:
        if not isinstance(node, ast.Expr):  # its docstring
            _put(below, node)
    target.write_text(ast.unparse(ast.fix_missing_locations(below)) + "\n")


def _put(owner: ast.Module | ast.ClassDef, node: ast.stmt) -> None:
    """Put ``node`` in place of what has its name; parts of a class into that class."""
    name = _name(node)
    same = [k for k, n in enumerate(owner.body) if name and _name(n) == name]
    if not same:
        is_import = isinstance(node, (ast.Import, ast.ImportFrom))
        owner.body.insert(1 if is_import else len(owner.body), node)
        return
    there = owner.body[same[0]]
    if isinstance(there, ast.ClassDef) and isinstance(node, ast.ClassDef):
        for part in node.body:
            _put(there, part)
    else:
        owner.body[same[0]] = node


def _name(node: ast.stmt) -> str:
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        return node.name
    return ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else ""


def _set_signature(folder: Path, place: str, signature: str) -> None:
    """Give the function at ``place`` the recorded parameters, if the fake has that function."""
    module, name = place.split(":")
    path = folder / (module.replace(".", "/") + ".py")
    if not path.exists():
        path = folder / module.replace(".", "/") / "__init__.py"
    tree = ast.parse(path.read_text())
    function = function_at(tree, name)
    if function is not None:
        function.args = arguments_of(signature)
        path.write_text(ast.unparse(ast.fix_missing_locations(tree)) + "\n")


if __name__ == "__main__":
    print(make_fake(sys.argv[1], Path(sys.argv[2])))
