"""Code version of a step: a hash over all symbols that its function reaches.

The hash covers functions, classes, constants, kernels, imports within functions, import side
effects of a reached module, data files that a symbol opens by ``__file__``, modules in the same
folder as one that imports by computed names, and the versions of named libraries. A class is hashed
as a whole. Module names are not hashed, so moving, splitting or merging modules changes no version.
A symbol is hashed with its name, its code, and everything that it reads, by name and to any depth,
so two symbols of the same name differ. Of symbols outside the package, such as libraries, only the
names are hashed. Two assumptions: rows contain no text of errors, and modules that are not reached
do not change modules that are.
"""

import os
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
"""Symbol of data files that a module opens; their path follows it (``<data>prompts``)."""
DATA_SUFFIXES = frozenset({".css", ".csv", ".html", ".json", ".sql", ".toml", ".txt", ".yaml"})
LIBRARY = ""
"""Module of symbols that are not hashed (libraries and cut modules); their names are dotted."""
IMPORTERS = frozenset({("importlib", "import_module"), ("pkgutil", "iter_modules")})
_FORMAT = "4"


class Symbol(NamedTuple):
    """A symbol of a module; of a library its dotted name, in module :data:`LIBRARY`."""

    module: str
    name: str


class CodeVersions:
    """Versions of code in ``package``, found in ``folder``.

    ``cut`` are modules and packages that are not followed, because their effect is hashed in
    another way. ``libraries`` maps import name -> version of the libraries that are hashed.
    ``cache`` is a file of modules read before; if it is damaged or cannot be written, only time is
    lost.
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
        self._known_versions, self._encoded = _load(cache)
        self._sources: dict[Path, bytes] = {}
        self._modules: dict[str, Module] = {}
        self._keys: dict[str, str] = {}
        self._next: dict[Symbol, dict[str, list[Symbol]]] = {}
        self._full_shas: dict[Symbol, str] = {}
        self._shas: dict[Symbol, str] = {}

    def versions(self, roots: Mapping[str, Iterable[Symbol]]) -> dict[str, str]:
        """:meth:`version` of each of ``roots``, by name; from the cache if no file of the package
        changed since they were computed. Errors: as :meth:`reached`.
        """
        begins = {name: sorted(symbols) for name, symbols in roots.items()}
        sha = self._whole_sha(begins)
        if sha not in self._known_versions:
            found = {name: self.version(symbols) for name, symbols in begins.items()}
            self._known_versions = {sha: found}
            self._save()
        return dict(self._known_versions[sha])

    def _whole_sha(self, roots: Mapping[str, Sequence[Symbol]]) -> str:
        """Hash of all that versions can depend on: every source and data file, and settings."""
        files = [path for path in self._folder.rglob("*") if path.suffix in DATA_SUFFIXES]
        contents = {path: file_bytes(path) for path in files if path.is_file()}
        contents |= {path: self._source(path) for path in self._files.values()}
        named = [
            f"{p.relative_to(self._folder)} {short_sha(c)}" for p, c in sorted(contents.items())
        ]
        parts = self._package, self._cut, sorted(self._libraries.items()), sorted(roots.items())
        return short_sha("\n".join([*named, repr(parts)]))

    def version(self, roots: Iterable[Symbol]) -> str:
        """24 hex digits. Errors: as :meth:`reached`."""
        begins = list(roots)
        self._check(begins)
        return short_sha("\n".join(sorted(map(self._full_sha, begins))))

    def _full_sha(self, root: Symbol) -> str:
        """Hash of a symbol and of all that it reaches, by Tarjan's algorithm.

        Symbols that reach each other are hashed together. They belong to one module, as imports are
        not circular, so their names are unique.
        """
        numbers: dict[Symbol, int] = {}
        lowest: dict[Symbol, int] = {}
        path: list[Symbol] = []
        todo: list[tuple[Symbol, Iterator[Symbol]]] = []

        def begin(symbol: Symbol) -> None:
            numbers[symbol] = lowest[symbol] = len(numbers)
            path.append(symbol)
            todo.append((symbol, (s for of in self._leads_to(symbol).values() for s in of)))

        if root not in self._full_shas:
            begin(root)
        while todo:
            symbol, further = todo[-1]
            for other in further:
                if other in self._full_shas:
                    continue
                if other not in numbers:
                    begin(other)
                    break
                lowest[symbol] = min(lowest[symbol], numbers[other])
            else:
                todo.pop()
                if todo:
                    before = todo[-1][0]
                    lowest[before] = min(lowest[before], lowest[symbol])
                if lowest[symbol] == numbers[symbol]:
                    at = path.index(symbol)
                    self._hash_together(path[at:])
                    del path[at:]
        return self._full_shas[root]

    def _hash_together(self, symbols: Sequence[Symbol]) -> None:
        lines = {symbol: self._line(symbol) for symbol in symbols}
        whole = short_sha("\n".join(sorted(lines.values())))
        for symbol, line in lines.items():
            self._full_shas[symbol] = short_sha(f"{line}\n{whole}")

    def _line(self, symbol: Symbol) -> str:
        reads = (
            f"{name}={','.join(sorted(map(self._named, of)))}"
            for name, of in sorted(self._leads_to(symbol).items())
        )
        return " ".join((self._own(symbol), *reads))

    def _named(self, symbol: Symbol) -> str:
        return self._full_shas.get(symbol) or self._own(symbol)

    def _own(self, symbol: Symbol) -> str:
        name = DATA if symbol.name.startswith(DATA) else symbol.name
        return f"{name}:{self._sha(symbol)}"

    def hashes(self, roots: Iterable[Symbol]) -> dict[str, str]:
        """Symbol -> hash of its code, for all reached, sorted. Errors: as :meth:`reached`."""
        return {f"{s.module}:{s.name}": self._sha(s) for s in sorted(self.reached(roots))}

    def reached(self, roots: Iterable[Symbol]) -> set[Symbol]:
        """All symbols that ``roots`` reach, including the roots.

        Errors: :class:`DeclarationError` if a root does not exist.
        """
        todo, seen = list(roots), set[Symbol]()
        self._check(todo)
        while todo:
            symbol = todo.pop()
            if symbol in seen or (symbol.module == LIBRARY and not self._sha(symbol)):
                continue
            seen.add(symbol)
            todo += {s for of in self._leads_to(symbol).values() for s in of} - seen
        return seen

    def _check(self, roots: Iterable[Symbol]) -> None:
        for module, name in roots:
            if module not in self._files or name not in self._module(module).symbols:
                raise DeclarationError(f"{module} has no function or class {name!r}")

    def _leads_to(self, symbol: Symbol) -> dict[str, list[Symbol]]:
        """Dotted name that a symbol reads -> the symbols it refers to. Builtins are left out."""
        if symbol.module == LIBRARY or symbol.name.startswith(DATA):
            return {}
        if symbol not in self._next:
            symbols = self._module(symbol.module).symbols
            code = symbols[symbol.name]
            inner: dict[str, list[Bound]] = {}
            for name, bound in code.imports:
                inner.setdefault(name, []).append(bound)
            found = {
                ".".join(dotted): self._meaning(symbol.module, dotted, inner.get(dotted[0], ()))
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

    def _source(self, path: Path) -> bytes:
        """Content of a source file as first read, for versions and the hash they are kept under."""
        if path not in self._sources:
            self._sources[path] = path.read_bytes()
        return self._sources[path]

    @cached_property
    def _remembered(self) -> dict[str, Module]:
        """Hash of a source file -> what was read in it."""
        with suppress(ValueError, msgspec.MsgspecError):  # also names that are not UTF-8
            return msgspec.msgpack.decode(self._encoded, type=dict[str, Module])
        return {}

    def _module(self, name: str) -> Module:
        if name not in self._modules:
            content = self._source(self._files[name])
            key = self._keys[name] = short_sha(content)
            if key not in self._remembered:
                self._remembered[key] = read_module(content.decode())
            self._modules[name] = self._remembered[key]
        return self._modules[name]

    def _meaning(
        self, module: str, name: tuple[str, ...], inner: Sequence[Bound] = ()
    ) -> list[Symbol]:
        """All symbols that a dotted ``name`` in ``module`` can refer to.

        ``inner`` are imports in the same function. The list is empty for builtins and local
        variables.
        """
        read = self._module(module)
        found = [Symbol(module, name[0])] if name[0] in read.symbols else []
        bounds = [(bound, name[1:]) for bound in (*inner, *read.imports.get(name[0], ()))]
        if not found and not bounds:
            bounds = [
                (Bound(bound.module), name)
                for bound in read.imports.get("*", ())
                if bound.module in self._files and self._has(bound.module, name[0])
            ]
        for bound, rest in dict.fromkeys(bounds):
            found += self._bound_to(module, bound, rest)
        return list(dict.fromkeys(found))

    def _has(self, module: str, name: str) -> bool:
        read = self._module(module)
        return name in read.symbols or name in read.imports or "*" in read.imports

    def _bound_to(self, module: str, bound: Bound, rest: tuple[str, ...]) -> list[Symbol]:
        """The symbols that a name refers to: an import in ``module`` binds its beginning to
        ``bound``, and ``rest`` follows.
        """
        path = tuple(filter(None, (*bound.module.split("."), bound.symbol, *rest)))
        if path[:2] in IMPORTERS:
            return self._beside(module)
        at = next((n for n in range(len(path), 0, -1) if ".".join(path[:n]) in self._files), 0)
        if not at:
            return [Symbol(LIBRARY, ".".join(path))]
        target, rest = ".".join(path[:at]), path[at:]
        read = self._module(target)
        if rest and rest[0] not in read.symbols and self._has(target, rest[0]):
            return self._meaning(target, rest) or self._whole(target)  # handed on
        if any(target == c or target.startswith(f"{c}.") for c in self._cut):
            return [Symbol(LIBRARY, rest[0])] if rest else []
        if rest and rest[0] in read.symbols:
            return self._meaning(target, rest[:1])
        return self._whole(target)

    def _whole(self, module: str) -> list[Symbol]:
        return [Symbol(module, name) for name in self._module(module).symbols]

    def _beside(self, module: str) -> list[Symbol]:
        folder = self._files[module].parent
        beside = [name for name, path in self._files.items() if path.is_relative_to(folder)]
        return [symbol for name in beside for symbol in self._whole(name)]

    def _sha(self, symbol: Symbol) -> str:
        if symbol.module == LIBRARY:
            return self._libraries.get(symbol.name.partition(".")[0], "")
        if symbol.name.startswith(DATA) and symbol not in self._shas:
            place = self._files[symbol.module].parent / symbol.name.removeprefix(DATA)
            found = sorted(place.rglob("*")) if place.is_dir() else [place]
            files = [path for path in found if path.suffix in DATA_SUFFIXES and path.is_file()]
            # File names are hashed too, relative to the folder; the folder's own name is not.
            named = [f"{p.relative_to(place).as_posix()} {short_sha(file_bytes(p))}" for p in files]
            self._shas[symbol] = short_sha("\n".join(named))
        if symbol in self._shas:
            return self._shas[symbol]
        return self._module(symbol.module).symbols[symbol.name].sha

    def _save(self) -> None:
        """Write the modules that were read, and versions, to the cache file."""
        if self._cache_file is None:
            return
        temporary = self._cache_file.with_name(f".{self._cache_file.name}.{uuid.uuid4().hex}.tmp")
        used = {self._keys[name]: module for name, module in self._modules.items()}
        with suppress(OSError):
            temporary.write_bytes(msgspec.msgpack.encode((_FORMAT, self._known_versions, used)))
            os.replace(temporary, self._cache_file)  # noqa: PTH105 - as atomic, and shorter


def _load(cache: Path | None) -> tuple[dict[str, dict[str, str]], msgspec.Raw]:
    """Versions, and modules that were read, of the cache file."""
    kept = tuple[str, dict[str, dict[str, str]], msgspec.Raw]
    with suppress(OSError, ValueError, msgspec.MsgspecError):
        if cache is not None:
            found, versions, modules = msgspec.msgpack.decode(cache.read_bytes(), type=kept)
            if found == _FORMAT:
                return versions, modules
    return {}, msgspec.Raw(b"")
