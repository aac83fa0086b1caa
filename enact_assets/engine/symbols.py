"""Symbols of a module: its top-level definitions, what each of them reads, and a hash of its code.

Read from syntax trees; nothing is imported. Left out is what cannot decide a row: docstrings,
comments, layout, annotations of functions, the words of errors, meanings and units of columns,
sources and meanings of constants, and the decorators by which steps are declared. A local variable
that is called as something at the top level counts as reading it: too much is made again then,
never too little.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator

import msgspec

EFFECTS = "<effects>"
"""Symbol of what importing a module does besides binding names."""
DECLARING = frozenset({"step", "provides"})
"""Decorators of the engine: their arguments belong to the graph, not to the code."""
PURE = frozenset(
    {
        *("abstractmethod", "cache", "cached_property", "classmethod", "contextmanager"),
        *("dataclass", "final", "jit", "lru_cache", "njit", "overload", "override", "property"),
        *("rule", "runtime_checkable", "staticmethod", "total_ordering", "unique", "wraps"),
    }
)
"""Decorators that concern their function alone. Any other may file it somewhere, so that importing
the module has an effect."""
COLUMNS = frozenset(
    {
        *("integer", "integers", "number", "numbers", "text", "text_lists", "texts", "truth"),
        *("Array", "Bool", "Float32", "Float64", "Int64", "List", "String", "Struct"),
    }
)
"""What makes columns of tables; texts among its arguments are words for people."""
CONSTANTS = frozenset({"constant"})
"""What makes the constants of a profile; where one comes from and what it means are words, too."""
WORDS = frozenset({"description", "meaning", "metadata", "source", "unit"})


class Bound(msgspec.Struct, frozen=True):
    """What an import binds a name to: a module, or a symbol of it."""

    module: str
    symbol: str = ""


class Code(msgspec.Struct, frozen=True):
    """One symbol: hash of its code, dotted names that it reads, and imports within it."""

    sha: str
    reads: tuple[tuple[str, ...], ...]
    imports: tuple[tuple[str, Bound], ...]


class Module(msgspec.Struct, frozen=True):
    """A module: its symbols by name, and what its own imports bind."""

    symbols: dict[str, Code]
    imports: dict[str, Bound]


def read_module(text: str) -> Module:
    """The symbols of a module from its ``text``. Errors: ``SyntaxError``."""
    tree = _Stripped().visit(ast.parse(text))
    parts: dict[str, list[ast.AST]] = {}
    imports: dict[str, Bound] = {}
    for statement in _top_level(tree.body):
        if isinstance(statement, ast.Import | ast.ImportFrom):
            imports.update(_bound(statement))
            continue
        for name in _defines(statement):
            parts.setdefault(name, []).append(statement)
    return Module({name: _code(nodes) for name, nodes in parts.items()}, imports)


def short_sha(content: str | bytes) -> str:
    """24 hex digits of SHA-256."""
    data = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()[:24]


class _Stripped(ast.NodeTransformer):
    """Leaves what can decide a row."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        if isinstance(node.exc, ast.Call):
            node.exc = node.exc.func
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = _last_name(node.func)
        if name in COLUMNS | CONSTANTS:
            node.keywords = [k for k in node.keywords if k.arg not in WORDS]
        if name in COLUMNS:
            node.args = [a for a in node.args if not isinstance(a, ast.Constant | ast.JoinedStr)]
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        node.decorator_list = [d for d in node.decorator_list if _last_name(d) not in DECLARING]
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node


def _top_level(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run when the module is imported, those in blocks one by one."""
    for statement in body:
        if isinstance(statement, ast.If | ast.Try | ast.With):
            yield from _top_level(
                child
                for found in ast.iter_child_nodes(statement)
                for child in (found.body if isinstance(found, ast.ExceptHandler) else [found])
                if isinstance(child, ast.stmt)
            )
        else:
            yield statement


def _defines(statement: ast.stmt) -> set[str]:
    """Names of the symbols that a statement is part of."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        is_filed = any(_last_name(d) not in PURE for d in statement.decorator_list)
        return {statement.name, EFFECTS} if is_filed else {statement.name}
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        if all(isinstance(t, ast.Name | ast.Tuple | ast.List) for t in targets):
            return {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    return {EFFECTS}


def _code(nodes: list[ast.AST]) -> Code:
    reads = {name for node in nodes for name in _reads(node)}
    inner = [found for node in nodes for found in ast.walk(node)]
    imports = (
        bound
        for found in inner
        if isinstance(found, ast.Import | ast.ImportFrom)
        for bound in _bound(found)
    )
    return Code(short_sha("\n".join(map(ast.dump, nodes))), tuple(sorted(reads)), tuple(imports))


def _bound(statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Bound]]:
    for alias in statement.names:
        if isinstance(statement, ast.ImportFrom):
            yield alias.asname or alias.name, Bound(statement.module or "", alias.name)
        elif alias.asname:
            yield alias.asname, Bound(alias.name)
        else:
            top = alias.name.partition(".")[0]
            yield top, Bound(top)


def _reads(node: ast.AST) -> Iterator[tuple[str, ...]]:
    """Dotted names as they are written, such as ``("np", "linalg", "norm")``."""
    parts: list[str] = []
    inner = node
    while isinstance(inner, ast.Attribute):
        parts, inner = [inner.attr, *parts], inner.value
    if isinstance(inner, ast.Name):
        yield (inner.id, *parts)
        return
    if isinstance(node, ast.AnnAssign) and isinstance(node.annotation, ast.Constant):
        yield from _reads(ast.parse(str(node.annotation.value), mode="eval"))
    for child in ast.iter_child_nodes(node):
        yield from _reads(child)


def _last_name(node: ast.expr) -> str:
    """``njit`` of ``numba.njit(cache=True)``; empty for what has no name."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
