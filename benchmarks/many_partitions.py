"""The data root of thousands of demonstrations, every partition fresh, none of it computed.

For what it costs to look at a lake: one real Parquet file per partition with a few made-up rows,
whose provenance says what lineage would say. What is not looked at is not true: rows mean nothing,
content hashes are of names, one picture per partition stands for dozens.
"""

import hashlib
import io
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from PIL import Image

from enact_assets import __version__
from enact_assets.engine.graph import Names
from enact_assets.engine.grids import Partition
from enact_assets.engine.lake.file_metadata import FileMetadata, contract_sha, partition_text
from enact_assets.engine.lake.image_store import picture_name
from enact_assets.engine.lake.lake import file_name
from enact_assets.engine.lake.parquet_files import encoded_file
from enact_assets.engine.planning.lineage import Lineage
from enact_assets.engine.planning.states import State, States, with_settings_and_files
from enact_assets.engine.provenance import Provenance
from enact_assets.engine.tables import TABLES, Table
from enact_assets.pipeline.lineage.code import code_version
from enact_assets.pipeline.lineage.graph import ROOTS, STEPS, WHOLE, names_now
from enact_assets.pipeline.lineage.versions import root_version
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.settings.paths import IMAGES_FOLDER, LAKE_FOLDER
from enact_assets.settings.registry import Registry

N_ROWS = 3
CHUNK = 5_000
"""Files that a process writes at a time."""
LONG_AGO = (1_700_000_000, 1_700_000_000)

FileToWrite = tuple[str, Partition, str, str]
"""Table, partition, version, provenance as text."""


def demonstration_names(n: int, activity: str = "setting_the_table") -> list[str]:
    """Names of embedded demonstrations that nobody has to simulate."""
    return [f"{activity}-{seed}" for seed in range(n)]


def build(root: Path, n_demonstrations: int, registry: Registry, processes: int = 2) -> int:
    """Make the data root, known to its Dagster instance; returns the number of its tables' files.

    Its warehouse is not there, and no config root was ever reported.
    """
    demonstrations = demonstration_names(n_demonstrations)
    instance = open_instance(root)
    instance.add_dynamic_partitions("demonstration", demonstrations)
    instance.add_dynamic_partitions("model", list(registry.models))
    instance.dispose()
    names = names_now(registry, demonstrations, registry.models, [])
    versions = DataResource(root=str(root), lake_url=None).states(registry).external_version
    files = list(_files(registry, names, versions))
    chunks = [files[first : first + CHUNK] for first in range(0, len(files), CHUNK)]
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for _ in pool.map(_write, [root] * len(chunks), chunks):
            pass
    return len(files)


def _files(
    registry: Registry, names: Names, external_version: Callable[[str, Partition], str | None]
) -> Iterator[FileToWrite]:
    """Every partition of every table, what is made from others after these."""
    of = with_settings_and_files(
        names, lambda root, partition: root_version(registry, root, partition), external_version
    )
    states = States(of)
    lineage = Lineage(names, states, code_version, {})
    for step in STEPS:
        if step.name in ROOTS or step.name in WHOLE:
            continue
        codes = {asset: code_version(asset) for asset in step.assets}
        for asset in step.assets:
            of[asset] = {}
        for partition in lineage.partitions(step):
            inputs = lineage.inputs(step, partition)
            for asset in step.assets:
                version = _version(asset, partition)
                states.set(asset, partition, State(version))
                yield asset, partition, version, Provenance(codes[asset], inputs).encoded()


def _version(asset: str, partition: Partition) -> str:
    return hashlib.sha256(f"{asset} {partition}".encode()).hexdigest()


def _write(root: Path, files: Sequence[FileToWrite]) -> None:
    tables: dict[str, tuple[pa.Table, str]] = {}
    for name, partition, version, provenance in files:
        contract = TABLES[name]
        if name not in tables:
            tables[name] = (_rows(contract), contract_sha(contract))
        rows, contract_hash = tables[name]
        values = dict(zip(contract.by, partition, strict=True))
        if contract.image_column is not None:
            sha = _version(f"picture {name}", partition)
            _put(root / IMAGES_FOLDER / picture_name(sha), _PICTURE)
            column = rows.schema.get_field_index(contract.image_column)
            shas = pa.array([sha] * N_ROWS, rows.schema.field(column).type)
            rows = rows.set_column(column, rows.schema.field(column), shas)
        text = partition_text(values)
        metadata = FileMetadata(name, text, version, contract_hash, __version__, provenance)
        _put(
            root / LAKE_FOLDER / file_name(contract, values), encoded_file(contract, rows, metadata)
        )


def _put(path: Path, content: bytes) -> None:
    """Without waiting for the disk: half a million files would take an hour. As old as a lake is
    of which nobody writes a file at this moment.
    """
    try:
        path.write_bytes(content)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    os.utime(path, LONG_AGO)


def _rows(contract: type[Table]) -> pa.Table:
    columns = {name: [_value(c.dtype)] * N_ROWS for name, c in contract.columns().items()}
    return pl.DataFrame(columns, schema=contract.schema()).to_arrow()


def _value(dtype: Any) -> object:
    if dtype == pl.String:
        return "setting_the_table-0"
    if isinstance(dtype, pl.List):
        return [_value(dtype.inner)] * 4
    return dtype == pl.Boolean


def _png() -> bytes:
    out = io.BytesIO()
    Image.fromarray(np.zeros((2, 2, 3), np.uint8)).save(out, "PNG")
    return out.getvalue()


_PICTURE = _png()
