"""Symbols of a module: its top-level definitions, what each of them reads, and a hash of its code.

Symbols are read from syntax trees; nothing is imported. The hash leaves out everything that cannot
change a row: docstrings, comments, layout, annotations of functions, texts of errors, meanings and
units of columns, sources and meanings of constants, the decorators by which steps are declared, and
the modules named by imports. A symbol reads the names that Python would look up in the module;
local variables do not count. The hash is the same in every version of Python.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import TypeGuard

import msgspec

EFFECTS = "<effects>"
"""Symbol of a module's import side effects: all statements that do more than bind names."""
DECLARING = frozenset({"step", "provides"})
"""Decorators of the engine: their arguments belong to the graph, not to the code."""
PURE = frozenset(
    {
        *("abstractmethod", "cache", "cached_property", "classmethod", "contextmanager"),
        *("dataclass", "final", "jit", "lru_cache", "njit", "overload", "override", "property"),
        *("rule", "runtime_checkable", "staticmethod", "total_ordering", "unique", "wraps"),
    }
)
"""Decorators that affect only their function. Any other decorator may register the function, so
importing the module has a side effect."""
COLUMNS = frozenset(
    {
        *("integer", "integers", "number", "numbers", "text", "text_lists", "texts", "truth"),
        *("Array", "Bool", "Float32", "Float64", "Int64", "List", "String", "Struct"),
    }
)
"""Functions that make columns of tables; texts among their arguments are for people."""
_OF_COLUMNS = frozenset({"dy", "pl", "tables"})
"""Modules that ``COLUMNS`` are called from: ``rng.integers`` and ``axes.text`` make no columns."""
CONSTANTS = frozenset({"constant"})
"""Functions that make the constants of a profile; their sources and meanings are for people."""
WORDS = frozenset({"description", "meaning", "metadata", "source", "unit"})


_IMPORTS = (ast.Import, ast.ImportFrom)


class Bound(msgspec.Struct, frozen=True):
    """What an import binds a name to: a module, or a symbol of it."""

    module: str
    symbol: str = ""


class Code(msgspec.Struct, frozen=True):
    """One symbol: hash of its code, dotted names that it reads, and imports within it.

    ``data`` are files and folders that it finds by ``__file__``, relative to the module's folder.
    """

    sha: str
    reads: tuple[tuple[str, ...], ...]
    imports: tuple[tuple[str, Bound], ...]
    data: tuple[str, ...] = ()


class Module(msgspec.Struct, frozen=True):
    """A module: its symbols by name, and what its own imports bind.

    A name can be bound by several imports, such as one for each platform. ``*`` is bound to the
    modules of ``from ... import *``.
    """

    symbols: dict[str, Code]
    imports: dict[str, tuple[Bound, ...]]


def read_module(text: str) -> Module:
    """The symbols of a module from its ``text``. Errors: ``SyntaxError``."""
    tree = _Stripped().visit(ast.parse(text))
    parts: dict[str, list[ast.AST]] = {}
    imports: dict[str, tuple[Bound, ...]] = {}
    for statement in _top_level(tree.body):
        for found in _run_at_import(statement):
            if isinstance(found, _IMPORTS):
                for name, bound in _bound(found):
                    imports[name] = (*imports.get(name, ()), bound)
        for name in _defines(statement):
            parts.setdefault(name, []).append(statement)
    return Module({name: _code(nodes) for name, nodes in parts.items()}, imports)


def short_sha(content: str | bytes) -> str:
    """24 hex digits of SHA-256."""
    data = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()[:24]


class _Stripped(ast.NodeTransformer):
    """Removes what cannot change a row."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        if isinstance(node.exc, ast.Call):
            node.exc = node.exc.func
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name, function = _last_name(node.func), node.func
        is_method = isinstance(function, ast.Attribute) and not (
            _is_name(function.value) and function.value.id in _OF_COLUMNS
        )
        if name in COLUMNS | CONSTANTS and not is_method:
            node.keywords = [k for k in node.keywords if k.arg not in WORDS]
        if name in COLUMNS and not is_method:
            node.args = [a for a in node.args if not _is_text(a)]
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        node.decorator_list = [d for d in node.decorator_list if _last_name(d) not in DECLARING]
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self.visit_FunctionDef(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node


def _top_level(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of the module; a block ``if TYPE_CHECKING`` is replaced by its statements."""
    for statement in body:
        if isinstance(statement, ast.If) and _last_name(statement.test) == "TYPE_CHECKING":
            yield from _top_level([*statement.body, *statement.orelse])
        else:
            yield statement


def _run_at_import(statement: ast.AST) -> Iterator[ast.AST]:
    """A statement and all nodes within it, without bodies of functions and classes."""
    yield statement
    if not isinstance(statement, _SCOPES):
        for child in ast.iter_child_nodes(statement):
            yield from _run_at_import(child)


def _defines(statement: ast.stmt) -> set[str]:
    """Names of the symbols that a statement defines; for a block, of all statements within it."""
    if isinstance(statement, _IMPORTS):
        return set()
    if isinstance(statement, ast.If | ast.Try | ast.With):
        inner = [s for s in _statements_in(statement) if not isinstance(s, ast.Pass)]
        return {name for found in inner for name in _defines(found)}
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        is_filed = any(_last_name(d) not in PURE for d in statement.decorator_list)
        return {statement.name, EFFECTS} if is_filed else {statement.name}
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        if all(isinstance(t, ast.Name | ast.Tuple | ast.List) for t in targets):
            return {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    return {EFFECTS}


def _statements_in(block: ast.stmt) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(block):
        inside = child.body if isinstance(child, ast.ExceptHandler) else [child]
        yield from (found for found in inside if isinstance(found, ast.stmt))


def _code(nodes: list[ast.AST]) -> Code:
    reads = {name for node in nodes for name in _reads(node, frozenset())}
    data = {place for node in nodes for place in _data(node)}
    inner = [found for node in nodes for found in ast.walk(node)]
    imports = (bound for found in inner if isinstance(found, _IMPORTS) for bound in _bound(found))
    code = Code("", tuple(sorted(reads)), tuple(imports), tuple(sorted(data)))
    dumps = "\n".join(map(_dump, nodes))
    return msgspec.structs.replace(code, sha=short_sha(dumps))


def _dump(node: object) -> str:
    """As ``ast.dump``, without imports, as their targets are among the names that are read. Empty
    fields and contexts of names are left out, too, as versions of Python differ in writing them.
    """
    if isinstance(node, ast.AST):
        found = [(name, getattr(node, name, None)) for name in node._fields if name != "ctx"]
        fields = (f"{name}={_dump(value)}" for name, value in found if _is_said(node, value))
        return f"{type(node).__name__}({', '.join(fields)})"
    if isinstance(node, list):
        return f"[{', '.join(_dump(n) for n in node if not isinstance(n, _IMPORTS))}]"
    return repr(node)


def _is_said(node: ast.AST, value: object) -> bool:
    if isinstance(value, list):
        return not all(isinstance(one, _IMPORTS) for one in value)
    return value is not None or isinstance(node, ast.Constant)


def _bound(statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Bound]]:
    for alias in statement.names:
        if isinstance(statement, ast.ImportFrom):
            yield alias.asname or alias.name, Bound(statement.module or "", alias.name)
        elif alias.asname:
            yield alias.asname, Bound(alias.name)
        else:
            top = alias.name.partition(".")[0]
            yield top, Bound(top)


def _reads(node: ast.AST, local: frozenset[str]) -> Iterator[tuple[str, ...]]:
    """Dotted names as written, such as ``("np", "linalg", "norm")``, without ``local`` ones."""
    parts: list[str] = []
    inner = node
    while isinstance(inner, ast.Attribute):
        parts, inner = [inner.attr, *parts], inner.value
    if isinstance(inner, ast.Name):
        if inner.id not in local:
            yield (inner.id, *parts)
        return
    if isinstance(node, ast.AnnAssign) and isinstance(node.annotation, ast.Constant):
        yield from _reads(ast.parse(str(node.annotation.value), mode="eval"), local)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        outside = [*getattr(node, "decorator_list", ()), node.args]
        body = node.body if isinstance(node.body, list) else [node.body]
        yield from (name for part in outside for name in _reads(part, local))
        bound, elsewhere = _bound_in(node.args, body)
        local = (local | bound) - elsewhere
        yield from (name for part in body for name in _reads(part, local))
        return
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        first = node.generators[0].iter
        yield from _reads(first, local)
        local |= {n.id for g in node.generators for n in ast.walk(g.target) if _is_name(n)}
        rest = [part for part in ast.iter_child_nodes(node) if part is not node.generators[0]]
        rest += [node.generators[0].target, *node.generators[0].ifs]
        yield from (name for part in rest for name in _reads(part, local))
        return
    for child in ast.iter_child_nodes(node):
        yield from _reads(child, local)


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def _bound_in(arguments: ast.arguments, body: Iterable[ast.AST]) -> tuple[set[str], set[str]]:
    """Names that a function binds itself, and names that it declares ``global``.

    Names bound by imports within the function count as global, even if they are assigned, too.
    """
    found = {node.arg for node in ast.iter_child_nodes(arguments) if isinstance(node, ast.arg)}
    elsewhere: set[str] = set()
    todo = list(body)
    for node in todo:  # the list grows in the loop
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Global):
            elsewhere.update(node.names)
        elif isinstance(node, _IMPORTS):
            elsewhere.update(name for name, _ in _bound(node))
        elif isinstance(node, ast.comprehension):
            todo += [node.iter, *node.ifs]
        elif _is_name(node) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
        if not isinstance(node, (*_SCOPES, ast.comprehension)):
            todo += ast.iter_child_nodes(node)
    return found, elsewhere


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "value", None), str)


def _is_name(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name)


def _data(node: ast.AST) -> Iterator[str]:
    """Files and folders that are opened by ``__file__`` in the module's folder (``""``: the
    folder).
    """
    place = _place(node)
    if place is None:
        for child in ast.iter_child_nodes(node):
            yield from _data(child)
    elif ".." not in place.parts:
        yield "" if place in {_MODULE, PurePosixPath()} else str(place)


_MODULE = PurePosixPath("<module>")


def _place(node: ast.AST) -> PurePosixPath | None:
    """Path that an expression gives, relative to the module's folder; None if it gives none.

    A path out of that folder begins with ``..``.
    """
    match node:
        case ast.Name("__file__"):
            return _MODULE
        case ast.Call(ast.Name("Path" | "str"), [inner]):
            steps: list[str] = []
        case ast.Call(ast.Attribute(inner, "resolve" | "absolute"), []):
            steps = []
        case ast.Call(ast.Attribute(inner, "with_name"), [ast.Constant(str(name))]):
            steps = ["..", name]
        case ast.Attribute(inner, "parent"):
            steps = [".."]
        case ast.Subscript(ast.Attribute(inner, "parents"), ast.Constant(int(n))):
            steps = [".."] * (n + 1)
        case ast.BinOp(inner, ast.Div(), ast.Constant(str(name))):
            steps = [name]
        case _:
            return None
    place = _place(inner)
    if place is not None:
        for step in steps:
            is_up = step == ".." and place.name not in {"", ".."}
            place = place.parent if is_up else place / step
    return place


def _last_name(node: ast.expr) -> str:
    """``njit`` of ``numba.njit(cache=True)``; empty for an expression without a name."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
