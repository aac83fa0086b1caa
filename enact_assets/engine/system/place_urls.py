"""Opens a place by its folder or URL."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from enact_assets.engine.errors import LakeError
from enact_assets.engine.system.local_places import LocalPlace
from enact_assets.engine.system.places import Place

LOCAL_PROTOCOLS = ("file", "local")


def open_place(root: Path | str) -> Place:
    """A folder (``file://`` names one too) or, for any other URL, its fsspec file system.

    Errors: :class:`LakeError` for a protocol that fsspec does not know or has no package for.
    """
    text = str(root)
    protocol, found, rest = text.partition("://")
    if isinstance(root, Path) or not found:
        return LocalPlace(Path(root))
    if protocol in LOCAL_PROTOCOLS:
        host = urlsplit(text).netloc
        if host not in ("", "localhost"):
            raise LakeError(
                f"{text}: the URL names a machine, {host!r}. Write {protocol}:///{rest}"
            )
        return LocalPlace(Path(unquote(urlsplit(text).path)))
    # Imported here, as only a lake at a URL needs fsspec.
    from enact_assets.engine.system.remote_places import RemotePlace

    return RemotePlace.at(text)
