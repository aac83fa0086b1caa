"""What ``enact_assets`` itself gives: the names of its stub, imported when first asked for.

A stub is what type checkers and editors read. Reading it here too leaves one list, and importing
the package stays cheap.
"""

import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple


class Place(NamedTuple):
    """Where a public name lives: dotted module, and what it is called there."""

    module: str
    name: str


def names_of_stub(stub: Path) -> dict[str, Place]:
    """Public name -> place, from the lines of ``stub``.

    ``from module import name as name`` says where a name lives. Type checkers take one that ``as``
    renames for private, so two lines rename: ``... import name as _public``, ``public = _public``.
    """
    import ast

    imported, public = dict[str, Place](), dict[str, str]()
    for line in ast.parse(stub.read_text(encoding="utf-8")).body:
        match line:
            case ast.ImportFrom(module=str(module), names=names):
                for alias in names:
                    imported[alias.asname or alias.name] = Place(module, alias.name)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=private)):
                public[name] = private
    public |= {name: name for name in imported if not name.startswith("_")}
    return {name: imported[private] for name, private in public.items()}


def names_by_need(
    package: str, file: str, given: dict[str, Any]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of ``package``, whose ``__init__.py`` is ``file``.

    ``given`` are its globals: a name is kept there once it was imported.
    """

    @cache
    def names() -> Mapping[str, Place]:
        return names_of_stub(Path(file).with_suffix(".pyi"))

    def get(name: str) -> Any:
        if name == "__all__":
            return sorted(names())
        # Python asks for others of its own all the time: the stub is not read for these.
        if name.startswith("__") or name not in names():
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=sys.modules[package])
        place = names()[name]
        given[name] = getattr(import_module(place.module), place.name)
        return given[name]

    return get, lambda: sorted({*given, *names()})
