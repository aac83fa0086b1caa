"""``make next-dagster``: what the newest release of Dagster would change for us.

Installs it into an environment of its own, lists which of Dagster's private parts that we use
moved or take other arguments there, and runs the tests of runs. It lists and never fails: what
others publish must not stop our work.
"""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "enact_assets"
NEXT = ROOT / ".venv-next"
DISTRIBUTIONS = ("dagster", "dagster-webserver", "dagster-pipes")
"""Those that are upgraded. Of dagster-postgres pip would take an old one, to please all."""
MISMATCH = "ignore:Found version mismatch:UserWarning"
TESTS = ("tests/pipeline/runs", "tests/pipeline/driver/test_steps.py")
PROBE = """
import importlib, inspect, json, sys
found = {}
for name in json.load(sys.stdin):
    module, _, path = name.partition(":")
    try:
        there = importlib.import_module(module)
        for part in filter(None, path.split(".")):
            there = getattr(there, part)
    except (ImportError, AttributeError) as error:
        found[name] = f"gone ({error})"
        continue
    try:
        found[name] = str(inspect.signature(there)) if callable(there) else type(there).__name__
    except (TypeError, ValueError):
        found[name] = type(there).__name__
print(json.dumps(found))
"""


def main() -> None:
    """Print what moved, and the end of the tests."""
    private = sorted(set(private_parts()))
    pinned = _versions(Path(sys.executable))
    _install()
    newest = _versions(NEXT / "bin" / "python")
    print(f"Pinned: Dagster {pinned}. Newest: {newest}.")
    if pinned == newest:
        return
    before, after = (_probed(p, private) for p in (Path(sys.executable), NEXT / "bin" / "python"))
    moved = [name for name in private if before[name] != after[name]]
    print(f"{len(moved)} of {len(private)} private parts that we use moved or changed.")
    for name in moved:
        print(f"  {name}\n    {before[name]}\n    {after[name]}")
    command = [NEXT / "bin" / "python", "-m", "pytest", "-n", "2", "-W", MISMATCH, *TESTS]
    print("\n".join(_run(command, may_fail=True).splitlines()[-20:]))


def private_parts() -> Iterator[str]:
    """``module:name`` of what the package uses of Dagster's modules with a leading underscore."""
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "dagster._" in text:
            yield from _private_of(ast.parse(text))


def _private_of(tree: ast.Module) -> Iterator[str]:
    aliases = dict[str, str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dagster._"):
            for name in node.names:
                yield f"{node.module}:{name.name}"
                aliases[name.asname or name.name] = f"{node.module}:{name.name}"
    names = dict(_constants(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (whole := _dotted(node, aliases)):
            yield whole
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"getattr", "setattr"}:
            of, name = _dotted(node.args[0], aliases), node.args[1]
            if of and isinstance(name, ast.Name) and name.id in names:
                yield f"{of}.{names[name.id]}"


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Variables that are given a text, also several at once."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target, value = node.targets[0], node.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts, strict=True))
        for name, given in pairs:
            if isinstance(name, ast.Name) and isinstance(given, ast.Constant):
                yield name.id, str(given.value)


def _dotted(node: ast.expr, aliases: dict[str, str]) -> str:
    """``module:name.attribute`` of what begins with one of ``aliases``; else nothing."""
    if isinstance(node, ast.Name):
        return aliases.get(node.id, "")
    if isinstance(node, ast.Attribute) and (of := _dotted(node.value, aliases)):
        return f"{of}.{node.attr}"
    return ""


def _install() -> None:
    python = NEXT / "bin" / "python"
    if not python.exists():
        _run([sys.executable, "-m", "venv", NEXT])
        _run([python, "install.py", "requirements.lock"])
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--quiet"]
    _run([*pip, "--upgrade", *DISTRIBUTIONS])


def _versions(python: Path) -> str:
    return _run([python, "-c", "import dagster; print(dagster.__version__)"]).strip()


def _probed(python: Path, names: list[str]) -> dict[str, str]:
    said = _run([python, "-W", "ignore", "-c", PROBE], json.dumps(names))
    found: dict[str, str] = json.loads(said.splitlines()[-1])
    return found


def _run(command: Sequence[str | Path], given: str = "", *, may_fail: bool = False) -> str:
    """What ``command`` prints, in the project's folder."""
    done = subprocess.run(  # noqa: S603 - our own commands
        command, cwd=ROOT, input=given, stdout=subprocess.PIPE, text=True, check=not may_fail
    )
    return done.stdout


if __name__ == "__main__":
    main()
