"""Code version of a step: a hash over all symbols that its function reaches.

Reached are functions, classes and constants, kernels, imports within functions, what importing a
reached module does besides binding names, data files that a symbol finds by ``__file__``, modules
beside one that imports by computed names, and the versions of named libraries. A class counts as a
whole. Modules do not count by their names: what moves, or is split or merged, stays as it is. Each
symbol counts with its name, its code, and the name and code of all that it reads, so that two of
one name are told apart. Two things are assumed: that rows hold no words of errors, and that modules
which are not reached do not change those that are.
"""

import os
import uuid
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from enact_assets.engine.errors import DeclarationError
from enact_assets.engine.package_files import file_bytes
from enact_assets.engine.symbols import EFFECTS, Bound, Module, read_module, short_sha

DATA = "<data>"
"""Symbol of data files that a module finds; their place is behind it (``<data>prompts``)."""
DATA_SUFFIXES = frozenset({".css", ".csv", ".html", ".json", ".sql", ".toml", ".txt", ".yaml"})
LIBRARY = ""
"""Module of symbols that are libraries."""
IMPORTERS = frozenset({("importlib", "import_module"), ("pkgutil", "iter_modules")})
_FORMAT = "2"


class Symbol(NamedTuple):
    """A symbol of a module; of a library its name, in module :data:`LIBRARY`."""

    module: str
    name: str


class CodeVersions:
    """Versions of code in ``package``, found in ``folder``.

    ``cut`` are modules and packages that are not followed, because what they give is hashed
    otherwise. ``libraries`` are versions of those that count, by import name. ``cache`` is a file
    that remembers what was read: what is damaged or cannot be written only costs time.
    """

    def __init__(
        self,
        package: str,
        folder: Path,
        *,
        cut: Collection[str] = (),
        libraries: Mapping[str, str] = MappingProxyType({}),
        cache: Path | None = None,
    ) -> None:
        self._package, self._folder = package, folder
        self._cut = tuple(cut)
        self._libraries = libraries
        self._cache_file = cache
        self._remembered = _load(cache)
        self._modules: dict[str, Module] = {}
        self._keys: dict[str, str] = {}
        self._is_changed = False
        self._next: dict[Symbol, dict[str, list[Symbol]]] = {}
        self._lines: dict[Symbol, str] = {}
        self._shas: dict[Symbol, str] = {}

    def version(self, roots: Iterable[Symbol]) -> str:
        """24 hex digits. Errors: as :meth:`reached`."""
        reached = self.reached(roots)
        for symbol in reached - self._lines.keys():
            self._lines[symbol] = self._line(symbol)
        return short_sha("\n".join(sorted(map(self._lines.__getitem__, reached))))

    def _line(self, symbol: Symbol) -> str:
        reads = (
            f"{name}={','.join(sorted(map(self._named, of)))}"
            for name, of in sorted(self._leads_to(symbol).items())
        )
        return " ".join((self._named(symbol), *reads))

    def _named(self, symbol: Symbol) -> str:
        name = DATA if symbol.name.startswith(DATA) else symbol.name
        return f"{name}:{self._sha(symbol)}"

    def hashes(self, roots: Iterable[Symbol]) -> dict[str, str]:
        """Symbol -> hash of its code, for all reached, sorted. Errors: as :meth:`reached`."""
        return {f"{s.module}:{s.name}": self._sha(s) for s in sorted(self.reached(roots))}

    def reached(self, roots: Iterable[Symbol]) -> set[Symbol]:
        """All symbols that ``roots`` reach, themselves among them.

        Errors: :class:`DeclarationError` for a root that is not there.
        """
        todo, seen = list(roots), set[Symbol]()
        for module, name in todo:
            if module not in self._files or name not in self._module(module).symbols:
                raise DeclarationError(f"{module} has no function or class {name!r}")
        while todo:
            symbol = todo.pop()
            if symbol in seen:
                continue
            seen.add(symbol)
            todo += {s for of in self._leads_to(symbol).values() for s in of} - seen
        return seen

    def _leads_to(self, symbol: Symbol) -> dict[str, list[Symbol]]:
        """Dotted name that a symbol reads -> what it means, where that is code of the package."""
        if symbol.module == LIBRARY or symbol.name.startswith(DATA):
            return {}
        if symbol not in self._next:
            symbols = self._module(symbol.module).symbols
            code = symbols[symbol.name]
            inner = dict(code.imports)
            found = {
                ".".join(dotted): self._meaning(symbol.module, dotted, inner.get(dotted[0]))
                for dotted in code.reads
            }
            if EFFECTS in symbols:
                found[EFFECTS] = [Symbol(symbol.module, EFFECTS)]
            found[DATA] = [Symbol(symbol.module, DATA + place) for place in code.data]
            self._next[symbol] = {name: of for name, of in found.items() if of}
        return self._next[symbol]

    @cached_property
    def _files(self) -> dict[str, Path]:
        found = {}
        for path in self._folder.rglob("*.py"):
            parts = (self._package, *path.relative_to(self._folder).with_suffix("").parts)
            found[".".join(parts).removesuffix(".__init__")] = path
        return found

    def _module(self, name: str) -> Module:
        if name not in self._modules:
            content = self._files[name].read_bytes()
            key = self._keys[name] = short_sha(content)
            if key not in self._remembered:
                self._remembered[key] = read_module(content.decode())
                self._is_changed = True
            self._modules[name] = self._remembered[key]
        return self._modules[name]

    def _meaning(  # noqa: PLR0911 - one for each meaning
        self, module: str, name: tuple[str, ...], bound: Bound | None = None
    ) -> list[Symbol]:
        """What a dotted ``name`` in ``module`` means; ``bound`` by an import beside it."""
        read = self._module(module)
        if bound is None:
            if name[0] in read.symbols:
                return [Symbol(module, name[0])]
            bound = read.imports.get(name[0])
        if bound is None:
            return []  # a builtin or a local variable
        path = tuple(filter(None, (*bound.module.split("."), bound.symbol, *name[1:])))
        if path[:2] in IMPORTERS:
            return self._beside(module)
        at = next((n for n in range(len(path), 0, -1) if ".".join(path[:n]) in self._files), 0)
        if not at:
            return [Symbol(LIBRARY, path[0])] if path[0] in self._libraries else []
        target, rest = ".".join(path[:at]), path[at:]
        symbols = self._module(target)
        if rest and rest[0] not in symbols.symbols and rest[0] in symbols.imports:
            return self._meaning(target, rest)  # handed on
        if any(target == c or target.startswith(f"{c}.") for c in self._cut):
            return []
        if rest and rest[0] in symbols.symbols:
            return [Symbol(target, rest[0])]
        return self._whole(target)

    def _whole(self, module: str) -> list[Symbol]:
        return [Symbol(module, name) for name in self._module(module).symbols]

    def _beside(self, module: str) -> list[Symbol]:
        folder = self._files[module].parent
        beside = [name for name, path in self._files.items() if path.is_relative_to(folder)]
        return [symbol for name in beside for symbol in self._whole(name)]

    def _sha(self, symbol: Symbol) -> str:
        if symbol.module == LIBRARY:
            return self._libraries[symbol.name]
        if symbol.name.startswith(DATA) and symbol not in self._shas:
            place = self._files[symbol.module].parent / symbol.name.removeprefix(DATA)
            found = sorted(place.rglob("*")) if place.is_dir() else [place]
            files = [path for path in found if path.suffix in DATA_SUFFIXES and path.is_file()]
            self._shas[symbol] = short_sha("\n".join(short_sha(file_bytes(p)) for p in files))
        if symbol in self._shas:
            return self._shas[symbol]
        return self._module(symbol.module).symbols[symbol.name].sha

    def save(self) -> None:
        """Remember what was read, for the next process."""
        if self._cache_file is None or not self._is_changed:
            return
        temporary = self._cache_file.with_name(f".{self._cache_file.name}.{uuid.uuid4().hex}.tmp")
        used = {self._keys[name]: module for name, module in self._modules.items()}
        with suppress(OSError):
            temporary.write_bytes(msgspec.msgpack.encode((_FORMAT, used)))
            os.replace(temporary, self._cache_file)  # noqa: PTH105 - as atomic, and shorter
        self._is_changed = False


def _load(cache: Path | None) -> dict[str, Module]:
    if cache is None:
        return {}
    try:
        content = cache.read_bytes()
        found, modules = msgspec.msgpack.decode(content, type=tuple[str, dict[str, Module]])
    except (OSError, msgspec.MsgspecError):
        return {}
    return modules if found == _FORMAT else {}
