"""Entries of the registry's YAML, read strictly: errors name file, entry and field."""

import dataclasses
import math
import re
import reprlib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml

from enact_assets.engine.errors import SettingsError, UnknownNameError
from enact_assets.engine.given_files import read_given
from enact_assets.settings.classes import (
    KNOWN,
    LIMITS,
    MAX_NAME_CHARACTERS,
    PerLength,
    is_partition_name,
    twins,
    world_source_of,
)

MAX_SCALAR_CHARACTERS = 200
MAX_BYTES = 2_000_000
"""PyYAML reads half a megabyte a second."""
MAX_MERGED = 10_000
"""Most keys of one mapping after `<<`: nine mappings that each merge the one before ten times would
have 10^9.
"""
_SURPRISING = re.compile(r"[-+]?0[0-9_]+|.*:.*")
"""Numbers that YAML 1.1 reads as octal (0777 is 511) or in base 60 (1:30 is 90)."""

_SHORT = reprlib.Repr()
_SHORT.maxstring = 80
Settings = TypeVar("Settings")


class _StrictLoader(yaml.SafeLoader):
    """Refuses keys given twice, of which PyYAML silently takes the last value.

    Checked while composing, because constructing a mapping merges the keys of ``<<`` into it.
    """

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        first_lines: dict[tuple[str, str], int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue  # a list or mapping as key: refused by the constructor
            name, mark = (key.tag, key.value), key.start_mark
            if name in first_lines:
                problem = f"key {key.value!r} is a duplicate, first in line {first_lines[name]}"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=mark)
            first_lines[name] = mark.line + 1
        return node

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
        node = super().compose_scalar_node(anchor)
        # Also keeps integers printable: Python refuses to write out more than 4300 digits.
        if len(node.value) > MAX_SCALAR_CHARACTERS:
            problem = f"a value of more than {MAX_SCALAR_CHARACTERS} characters"
            problem += " (prompts may be in files: docs/models.md)"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
        is_number = node.tag in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
        if is_number and _SURPRISING.fullmatch(node.value):
            problem = (
                f"{node.value} is another number in YAML (octal, or in base 60): write a decimal "
                "number, or put text in quotes"
            )
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
        return node

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        super().flatten_mapping(node)
        if len(node.value) > MAX_MERGED:
            problem = f"more than {MAX_MERGED} keys in one mapping after merging with `<<`"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)


def read_text(path: Path) -> str:
    """The text of ``path``; raises :class:`SettingsError` if it is not UTF-8 text."""
    try:
        return read_given(path, MAX_BYTES).decode("utf-8")
    except OSError as error:
        raise SettingsError(f"registry {path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"registry {path}: not a text file in UTF-8 (byte {error.start}: {error.reason})"
        ) from error


def parse_yaml(text: str, path: Path) -> Any:
    """The content of ``text``; raises :class:`SettingsError` with the line if it is not YAML."""
    try:
        return yaml.load(text, _StrictLoader)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f"line {mark.line + 1}: " if mark else ""
        raise SettingsError(f"registry {path}: not valid YAML: {line}{error.problem}") from error
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, RecursionError) as error:
        # Not only YAMLError: PyYAML raises other errors for a month 13, or a tag that does not fit
        # its value.
        text = " ".join(str(error).split())
        raise SettingsError(f"registry {path}: not valid YAML: {text}") from error


def changed(base: Settings, entry: Any, where: str) -> Settings:
    """``base``, a frozen dataclass, with the fields that ``entry`` sets; type and range checked."""
    fields = dataclasses.fields(base)  # type: ignore[arg-type] # a TypeVar cannot say dataclass
    defaults = {field.name: getattr(base, field.name) for field in fields}
    entry = mapping(entry, where, known=defaults)
    values = {
        name: checked_value(name, given, defaults[name], f"{where}.{name}")
        for name, given in entry.items()
    }
    return dataclasses.replace(base, **values)  # type: ignore[type-var] # as above


def checked_value(name: str, given: Any, default: object, where: str) -> Any:
    """``given`` as the setting ``name``, of the type of its ``default`` and within its limits."""
    if isinstance(default, str):
        return one_of(name, given, KNOWN[name], where)
    if isinstance(default, tuple):
        if not isinstance(given, list) or not all(type(v) is int for v in given):
            raise wrong(where, "expected a list of whole numbers", given)
        return tuple(given)
    if isinstance(default, Mapping):
        return per_length(name, given, where)
    if isinstance(default, bool):
        if not isinstance(given, bool):
            raise wrong(where, "expected true or false", given)
        return given
    # By exact type, as to isinstance true and false are whole numbers.
    if type(given) is not int and (isinstance(default, int) or type(given) is not float):
        kind = "whole number" if isinstance(default, int) else "number"
        raise wrong(where, f"expected a {kind}", given)
    least, greatest = LIMITS[name]
    if not least <= given <= greatest:  # in these words NaN is out of range too
        span = f"from {least} to {greatest}" if greatest < math.inf else f"{least} or more"
        raise wrong(where, f"must be {span}", given)
    return float(given) if isinstance(default, float) else given


def per_length(name: str, given: Any, where: str) -> PerLength:
    """``given`` as the setting ``name``: a whole number, or a mapping from lengths to numbers."""
    if not isinstance(given, dict):
        if type(given) is not int:
            wanted = "expected a whole number, or a mapping from lengths to whole numbers"
            raise wrong(where, wanted, given)
        number: int = checked_value(name, given, 1, where)
        return number
    for length in given:
        if type(length) is not int:
            raise wrong(where, "a length must be a whole number", length)
    return {
        length: checked_value(name, given[length], 1, f"{where}.{length}")
        for length in sorted(given)
    }


def wrong(where: str, wanted: str, given: object) -> SettingsError:
    """The error with the expected and the found value at ``where``."""
    return SettingsError(f"registry {where}: {wanted}; found {_SHORT.repr(given)}")


def one_of(what: str, given: Any, known: Collection[str], where: str) -> str:
    """``given`` if it is one of ``known``; raises :class:`UnknownNameError` for another text."""
    if not isinstance(given, str):
        raise wrong(where, f"expected one of {', '.join(sorted(known))}", given)
    if given not in known:
        raise UnknownNameError.of(what, given, known, f"Correct registry {where}.")
    return given


def mapping(
    entry: Any, where: str, known: Collection[str] = (), required: Collection[str] = ()
) -> dict[str, Any]:
    """``entry`` if it maps text to anything, with the ``required`` keys and only ``known`` ones."""
    if not isinstance(entry, dict):
        raise wrong(where, "expected a mapping", entry)
    for key in entry:
        if not isinstance(key, str):
            raise wrong(where, "a key must be text (put it in quotes)", key)
        if known and key not in known:
            raise SettingsError(f"registry {where}: unknown {key!r} (known: {', '.join(known)})")
    missing = [key for key in required if key not in entry]
    if missing:
        raise SettingsError(f"registry {where}: {missing[0]!r} is missing")
    return entry


def named_entries(entry: Any, where: str) -> dict[str, Any]:
    """``entry`` if it maps valid names of partitions to anything."""
    found = {_name(key, where): inner for key, inner in mapping(entry, where).items()}
    check_cases(found, where)
    for name in found:
        if world_source_of(name) is not None:
            raise wrong(f"{where}.{name}", "names of WorldPrediction's own begin so", name)
    return found


def name_list(entry: Any, where: str) -> tuple[str, ...]:
    """``entry`` if it is a list of different, valid names of partitions."""
    if not isinstance(entry, list):
        raise wrong(where, "expected a list of names", entry)
    found = tuple(_name(name, where) for name in entry)
    for index, name in enumerate(found):
        if name in found[:index]:
            raise SettingsError(f"registry {where}: {name!r} is a duplicate; delete one")
    check_cases(found, where)
    return found


def check_cases(names: Iterable[str], where: str) -> None:
    """Errors: :class:`SettingsError` if two names differ only in case, which some disks ignore."""
    for name, other in twins(names).items():
        raise SettingsError(
            f"registry {where}: {name!r} differs from {other!r} in case only; rename one"
        )


def _name(given: Any, where: str) -> str:
    if not isinstance(given, str) or not is_partition_name(given):
        rule = (
            "a name has letters a to z and A to Z, digits and _.:+@- only, starts with a letter, "
            f"digit or _, has no '..' and at most {MAX_NAME_CHARACTERS} characters"
        )
        raise wrong(where, rule, given)
    return given
