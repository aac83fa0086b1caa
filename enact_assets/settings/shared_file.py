"""The published file in the object store of the lake, for readers on other machines.

``<ENACT_LAKE>/enact.duckdb`` is uploaded as a whole after the local file was swapped in.
``enact.duckdb.json`` beside it names the publication, and is written after it. If an upload is
interrupted, or a file there is replaced or removed, the next publication uploads it again.
"""

from pathlib import Path

import msgspec

from enact_assets.engine.system.local_places import LocalPlace
from enact_assets.engine.system.place_urls import open_place
from enact_assets.settings.paths import WAREHOUSE_FILE

SAID = f"{WAREHOUSE_FILE}.json"


class Put(msgspec.Struct, frozen=True):
    """The uploaded file: hash of its inputs and code, and its entry in the store's listing."""

    version: str
    size: int
    mark: int


def share_published(warehouse: Path, lake_url: str | None, version: str) -> str | None:
    """Copy the file ``warehouse`` to the object store ``lake_url``, unless ``version`` is there.

    Returns its address; None if the lake is in a folder, where nothing is copied. Errors:
    :class:`OutputError` if it cannot be written, :class:`LakeError` if the store does not answer;
    in both cases the earlier file stays.
    """
    place = open_place(lake_url) if lake_url is not None else None
    if place is None or isinstance(place, LocalPlace):
        return None
    address = place.where(WAREHOUSE_FILE)
    there = place.entry(WAREHOUSE_FILE)
    try:
        said = msgspec.json.decode(place.read(SAID), type=Put)
    except (FileNotFoundError, msgspec.MsgspecError):
        said = None
    if there is not None and said == Put(version, there.size, there.mark):
        return address
    place.put_file(warehouse, WAREHOUSE_FILE)
    put = place.entry(WAREHOUSE_FILE)
    if put is not None and put.size == warehouse.stat().st_size:  # not replaced since
        with place.publishing(SAID) as file:
            file.write(msgspec.json.encode(Put(version, put.size, put.mark)))
    return address
