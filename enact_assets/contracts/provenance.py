"""What a partition was made from and by: kept with its rows, so that neither is there alone."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from enact_assets.contracts.ids import sha256_bytes


@dataclass(frozen=True)
class InputVersion:
    """Version of all partitions of one input that a partition was made from, and their number.

    Where exactly one partition is an input it is its data version, otherwise :func:`combined`.
    """

    version: str
    n_partitions: int


@dataclass(frozen=True)
class Provenance:
    """Version of the code that made a partition, and input asset -> version of what it read."""

    code_version: str
    inputs: Mapping[str, InputVersion]

    def encoded(self) -> str:
        """As JSON: the inverse of :meth:`decoded`."""
        inputs = {n: [v.version, v.n_partitions] for n, v in sorted(self.inputs.items())}
        return json.dumps({"code": self.code_version, "inputs": inputs}, separators=(",", ":"))

    @classmethod
    def decoded(cls, text: str) -> "Provenance | None":
        """What :meth:`encoded` wrote; None for any other text."""
        try:
            found = json.loads(text)
            inputs = {str(n): InputVersion(str(v), int(k)) for n, (v, k) in found["inputs"].items()}
            return cls(str(found["code"]), inputs)
        except (ValueError, TypeError, KeyError, AttributeError):
            return None


def combined(versions: Mapping[str, str]) -> InputVersion:
    """One version for several partitions: partition -> its data version, in any order."""
    lines = "".join(f"{partition}\t{version}\n" for partition, version in sorted(versions.items()))
    return InputVersion(sha256_bytes(lines.encode()), len(versions))
