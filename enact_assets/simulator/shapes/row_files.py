"""Files of rows: YAML in which an entry says what a kind of thing or furniture is like.

A file holds a theme. Its entry ``looks`` are looks that all its rows may name; names that begin
with an underscore are no kinds, but for others to be ``like`` them: what a row does not say is as
there. A text is read when its kind is first built, which takes 1 ms.
"""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from enact_assets.engine.errors import SettingsError, UnknownNameError
from enact_assets.engine.package_files import file_bytes
from enact_assets.settings.household import FOLDER, household_files

LOOKS = "looks"
Read = TypeVar("Read")


class Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Refuses fields that it does not know."""


def read_as(of: type[Read], given: Mapping[str, Any], where: str) -> Read:
    """``given`` as an ``of``, a structure or a dataclass. Errors: :class:`SettingsError`."""
    known = [field.name for field in fields(of)] if is_dataclass(of) else list(given)
    for name in given:
        if name not in known:
            raise SettingsError(f"{where}: unknown field {name!r} (known: {', '.join(known)})")
    try:
        return msgspec.convert(given, of)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{where}: {error}") from error


def read_given(of: type[Read], given: Mapping[str, Any] | None, where: str) -> Read | None:
    """As :func:`read_as`, or None for nothing."""
    return None if given is None else read_as(of, given, where)


def entries(text: str) -> dict[str, str]:
    """The entries of a file, each with its text, which is not read yet."""
    texts = re.split(r"^(?=\w+:)", text, flags=re.MULTILINE)[1:]
    return {text.partition(":")[0]: text for text in texts}


class RowFiles:
    """The files of rows in a ``folder`` of this package, and in the folder of a household that is
    called ``own``.
    """

    def __init__(self, folder: Path, own: str) -> None:
        self.folder, self.own = folder, own

    @cached_property
    def themes(self) -> dict[str, dict[str, str]]:
        """Theme (the name of a file) -> entry -> its text.

        Errors: :class:`SettingsError` for a kind of a household that there is already.
        """
        files = {path.stem: file_bytes(path) for path in sorted(self.folder.glob("*.yaml"))}
        found = {theme: entries(content.decode()) for theme, content in files.items()}
        known = {kind for rows in found.values() for kind in rows}
        for path in household_files(self.own):
            rows = entries(file_bytes(path).decode())
            both = sorted(known & {kind for kind in rows if kind != LOOKS and kind[0] != "_"})
            if both:
                raise SettingsError(f"{path}: there is a kind {both[0]!r} already. Rename yours.")
            known |= rows.keys()
            found[f"{FOLDER}/{path.stem}"] = rows
        return found

    def kinds_of(self, theme: str) -> list[str]:
        """The kinds of a theme, in the order of its file."""
        return [name for name in self.themes[theme] if name != LOOKS and name[0] != "_"]

    def place_of(self, theme: str, kind: str) -> str:
        """Where the row of a kind is, in words."""
        return f"{self.folder.name}/{theme}.yaml: {kind}"

    def read(self, of: type[Read], theme: str, kind: str) -> Read:
        """The row of a kind, with the looks of its file among its own.

        Errors: :class:`SettingsError` with file, kind and field for what a row cannot say.
        """
        given = self._given(theme, kind)
        shared = self._given(theme, LOOKS) if LOOKS in self.themes[theme] else {}
        looks = {**shared, **given.get(LOOKS, {})}
        return read_as(of, {**given, LOOKS: looks}, self.place_of(theme, kind))

    def _given(self, theme: str, kind: str) -> dict[str, Any]:
        """What is written of a kind, completed by what it is like."""
        known, where = self.themes[theme], self.place_of(theme, kind)
        try:
            row = msgspec.yaml.decode(known[kind], type=dict[str, dict[str, Any]])[kind]
        except msgspec.MsgspecError as error:
            text = " ".join(str(error).split()).replace('in "<unicode string>"', "of the row")
            raise SettingsError(f"{where}: {text}") from error
        like = row.pop("like", None)
        if like is None:
            return row
        if like not in known:
            raise UnknownNameError.of("row", like, known, f"Correct {where}.like.")
        base = self._given(theme, like)
        both = {name for name in base.keys() & row.keys() if isinstance(row[name], dict)}
        return {**base, **row, **{name: {**base[name], **row[name]} for name in both}}
