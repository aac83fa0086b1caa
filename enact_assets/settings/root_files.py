"""Settings that people write into a data root, as YAML."""

from pathlib import Path
from typing import TypeVar

import msgspec

from enact_assets.engine.errors import SettingsError
from enact_assets.engine.given_files import read_given

_T = TypeVar("_T")


def read_root_file(path: Path, kind: type[_T], advice: str) -> _T | None:
    """The content of the file at ``path``; None without a file.

    Errors: :class:`SettingsError` names the file, what is wrong in it, and ends with ``advice``.
    """
    try:
        return msgspec.yaml.decode(read_given(path), type=kind)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror})") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: {' '.join(str(error).split())}. {advice}") from error
