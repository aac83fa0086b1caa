"""Provenance of a partition: its inputs and code versions, kept in the same file as its rows."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import msgspec

from enact_assets.engine.fingerprints import inputs_number
from enact_assets.engine.ids import sha256_bytes


class InputVersion(NamedTuple):
    """Version and number of the partitions of one input that a partition was made from.

    If exactly one partition is read, the version is its data version, otherwise :func:`combined`.
    """

    version: str
    n_partitions: int


@dataclass(frozen=True)
class Provenance:
    """Version of the code that made a partition, and input asset -> the version that was read."""

    code_version: str
    inputs: Mapping[str, InputVersion]

    @cached_property
    def inputs_number(self) -> int:
        """Fingerprint of the inputs."""
        return inputs_number((asset, *of) for asset, of in self.inputs.items())

    def encoded(self) -> str:
        """As JSON: the inverse of :meth:`decoded`."""
        inputs = {n: [v.version, v.n_partitions] for n, v in sorted(self.inputs.items())}
        return json.dumps({"code": self.code_version, "inputs": inputs}, separators=(",", ":"))

    @classmethod
    def decoded(cls, text: str) -> "Provenance | None":
        """Inverse of :meth:`encoded`; None for any other text."""
        try:
            found = _READER.decode(text)
        except msgspec.MsgspecError:
            return None
        return cls(found.code, {n: InputVersion(*v) for n, v in found.inputs.items()})


class _Written(msgspec.Struct):
    code: str
    inputs: dict[str, tuple[str, int]]


_READER = msgspec.json.Decoder(_Written)


def combined(versions: Mapping[str, str]) -> InputVersion:
    """One version for several partitions: partition -> its data version, in any order."""
    lines = "".join(f"{partition}\t{version}\n" for partition, version in sorted(versions.items()))
    return InputVersion(sha256_bytes(lines.encode()), len(versions))
