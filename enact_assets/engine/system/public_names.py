"""Public names of ``enact_assets``: the names in its stub, imported on first use.

Type checkers and editors read the stub. Reading it here, too, means that there is one list of
names, and importing the package stays fast.
"""

import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple


class Place(NamedTuple):
    """Source of a public name: dotted module, and its name there."""

    module: str
    name: str


def names_of_stub(stub: Path) -> dict[str, Place]:
    """Public name -> place, from the lines of ``stub``.

    ``from module import name as name`` gives the source of a name. Type checkers treat a name that
    ``as`` changes as private, so renaming takes two lines: ``... import name as _public``, ``public
    = _public``.
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

    ``given`` are its globals, where imported names are cached.
    """

    @cache
    def names() -> Mapping[str, Place]:
        return names_of_stub(Path(file).with_suffix(".pyi"))

    def get(name: str) -> Any:
        if name == "__all__":
            return sorted(names())
        # Python looks up dunder names all the time; the stub is not read for these.
        if name.startswith("__") or name not in names():
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=sys.modules[package])
        place = names()[name]
        given[name] = getattr(import_module(place.module), place.name)
        return given[name]

    return get, lambda: sorted({*given, *names()})
