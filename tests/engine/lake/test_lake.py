"""The lake: what is written is read, what is not whole is never read, and errors say what to do."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.demonstrations.replay.tables import Facts, Objects
from enact_assets.engine.errors import (
    DamagedFileError,
    LakeError,
    MisfitFileError,
    MissingPartitionError,
    OutputError,
    TableContractError,
    UnknownNameError,
    UnreadableFileError,
)
from enact_assets.engine.ids import table_sha
from enact_assets.engine.lake.lake import Lake, check_partition_value
from enact_assets.engine.lake.parquet_files import HELD, N_ROWS
from enact_assets.engine.lake.seals import sealed_parquet
from enact_assets.engine.provenance import InputVersion, Provenance
from enact_assets.engine.tables import TABLES, table
from enact_assets.questions.paths.tables import PathCounts
from enact_assets.settings.paths import DataRoot

DEMONSTRATION = {"demonstration": "setting_the_table-0"}
STATE = {"demonstration": "setting_the_table-0", "gating": "state"}


def facts(demonstration: str = "setting_the_table-0", n_rows: int = 2) -> pl.DataFrame:
    return Facts.build(
        [
            {
                "demonstration": demonstration,
                "predicate": "OnTop",
                "subject": f"cup_{i:05}",
                "object": "table_0",
                "frame_from": i,
                "frame_to": i + 10,
            }
            for i in range(n_rows)
        ]
    )


def path_counts(demonstration: str = "setting_the_table-0", gating: str = "state") -> pl.DataFrame:
    return PathCounts.build(
        [
            {
                "demonstration": demonstration,
                "gating": gating,
                "length": 3,
                "key_frame": 2,
                "n_paths": str(2**70),
            }
        ]
    )


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def test_a_partition_reads_back_as_written(lake: Lake) -> None:
    """Types, nulls and nested lists survive the file."""
    rows = facts().with_columns(object=pl.lit(None, pl.String))
    lake.write("facts", rows, DEMONSTRATION)
    assert lake.read("facts", DEMONSTRATION).equals(rows, null_equal=True)
    assert lake.read("facts", DEMONSTRATION).schema == Facts.schema()


@pytest.mark.parametrize("name", sorted(TABLES))
def test_every_table_can_be_written_empty(lake: Lake, name: str) -> None:
    """A demonstration without key frames has tables without rows; their types must survive."""
    contract = table(name)
    partition = dict.fromkeys(contract.by, "a-0")
    sha = lake.write(name, contract.empty(), partition)
    assert lake.read(name, partition).equals(contract.empty())
    assert lake.content_sha(name, partition) == sha == table_sha(contract.empty(), contract.key())


def test_files_stand_where_the_architecture_says(lake: Lake) -> None:
    """Dimensions keep the contract's order, whatever order the caller names them in."""
    swapped = {"gating": "state", "demonstration": "setting_the_table-0"}
    assert lake.path("facts", DEMONSTRATION) == lake.root / "facts/setting_the_table-0.parquet"
    assert lake.path("qa", swapped) == lake.root / "qa/setting_the_table-0/state.parquet"
    assert lake.path("qa", swapped) == lake.path("qa", STATE)


def test_the_content_hash_ignores_row_order_and_is_found_without_reading_rows(lake: Lake) -> None:
    """Dagster sees a change only if rows changed, however they were ordered on the way."""
    rows = facts(n_rows=50)
    first = lake.write("facts", rows, DEMONSTRATION)
    assert lake.write("facts", rows.reverse(), DEMONSTRATION) == first
    assert lake.content_sha("facts", DEMONSTRATION) == first
    assert lake.read("facts", DEMONSTRATION).equals(rows)
    assert lake.write("facts", rows.head(49), DEMONSTRATION) != first


def test_rows_of_another_partition_are_refused_and_the_old_file_stays(lake: Lake) -> None:
    """A wrong partition key would file one demonstration's facts under another's name."""
    lake.write("facts", facts(), DEMONSTRATION)
    with pytest.raises(TableContractError, match=r"1 of 3 rows belong to another demonstration.*x"):
        lake.write("facts", pl.concat([facts(), facts("x-1", 1)]), DEMONSTRATION)
    with pytest.raises(TableContractError, match=r"columns differ from those of .*\.Facts"):
        lake.write("facts", facts().drop("subject"), DEMONSTRATION)
    assert lake.read("facts", DEMONSTRATION).equals(facts())


def test_a_missing_partition_names_the_asset_to_materialize(lake: Lake) -> None:
    """'No such file' alone leaves the user searching for who writes it."""
    expected = r"qa \(demonstration=setting_the_table-0, gating=state\).*Materialize asset 'qa'"
    with pytest.raises(MissingPartitionError, match=expected):
        lake.read("qa", STATE)
    with pytest.raises(MissingPartitionError):
        lake.content_sha("qa", STATE)
    assert not lake.exists("qa", STATE)


@pytest.mark.parametrize(
    "value",
    [
        "",
        ".",
        "..",
        "a..b",
        "a/b",
        "a\\b",
        "a|b",
        ".hidden",
        "-x",
        "a b",
        "a\n",
        "ä",
        "a*",
        "x" * 121,
    ],
)
def test_values_that_cannot_be_file_names_are_refused(lake: Lake, value: str) -> None:
    """A partition key from the UI must never write outside the lake."""
    with pytest.raises(LakeError, match="cannot name a partition"):
        lake.path("facts", {"demonstration": value})


@given(st.text(max_size=130))
def test_an_accepted_value_names_one_file_below_its_table(value: str) -> None:
    """Whatever is let through stays inside the folder and comes back as the same value."""
    lake = Lake(Path("/nowhere"))
    try:
        path = lake.path("facts", {"demonstration": check_partition_value(value, "here")})
    except LakeError:
        return
    assert path.parent == Path("/nowhere/facts")
    assert path.name == value + ".parquet"


def test_wrong_dimensions_and_unknown_tables_are_named(lake: Lake) -> None:
    """A key of one dimension too few would silently address another file."""
    with pytest.raises(LakeError, match=r"qa is partitioned by \['demonstration', 'gating'\]"):
        lake.path("qa", DEMONSTRATION)
    with pytest.raises(LakeError, match="facts has no dimension 'gating'"):
        lake.read_all("facts", gating="state")
    with pytest.raises(UnknownNameError, match="unknown table 'fact'"):
        lake.partitions("fact")


def test_partitions_are_listed_in_order_and_read_together(lake: Lake) -> None:
    """Roll-ups read what is there: all of it, once, and nothing else."""
    for demonstration in ("b-0", "a-0", "a.b-1"):
        for gating in ("state", "contact"):
            partition = {"demonstration": demonstration, "gating": gating}
            lake.write("path_counts", path_counts(demonstration, gating), partition)
    assert [tuple(p.values()) for p in lake.partitions("path_counts")] == [
        ("a-0", "contact"),
        ("a-0", "state"),
        ("a.b-1", "contact"),
        ("a.b-1", "state"),
        ("b-0", "contact"),
        ("b-0", "state"),
    ]
    together = lake.read_all("path_counts", gating="state")
    assert together.get_column("demonstration").to_list() == ["a-0", "a.b-1", "b-0"]
    assert lake.read_all("path_counts", gating="other").equals(PathCounts.empty())
    assert lake.read_all("path_counts").height == 6
    # A damaged file of somebody who left is in nobody's way.
    lake.path("path_counts", {"demonstration": "b-0", "gating": "state"}).write_bytes(b"PAR1")
    some = lake.read_all("path_counts", among={"demonstration": {"a-0", "c-0"}}, gating="state")
    assert some.get_column("demonstration").to_list() == ["a-0"]


def test_foreign_files_are_left_out_and_reported(lake: Lake) -> None:
    """A spreadsheet or an editor's backup in the lake is no partition, but is not hidden either."""
    lake.write("path_counts", path_counts(), STATE)
    strays = [
        "notes.txt",
        "path_counts/too_high.parquet",
        "path_counts/setting_the_table-0/state.parquet.bak",
        "path_counts/setting_the_table-0/deeper/state.parquet",
        "path_counts/setting_the_table-0/bad name.parquet",
        "unknown/a.parquet",
    ]
    for stray in strays:
        (lake.root / stray).parent.mkdir(parents=True, exist_ok=True)
        (lake.root / stray).write_text("x")
    assert lake.partitions("path_counts") == [STATE]
    assert lake.foreign_files() == [str(lake.root / stray) for stray in sorted(strays)]


def test_an_empty_lake_has_no_partitions_and_no_foreign_files(lake: Lake) -> None:
    """The first run starts without the folder."""
    assert lake.partitions("qa") == []
    assert lake.foreign_files() == []


NEW_KEYS = (b"enact.seal", b"enact.n_rows")


def _foreign(path: Path) -> None:
    facts().write_parquet(path)


def _other_partition(path: Path) -> None:
    Lake(path.parents[1]).write("facts", facts("x-1"), {"demonstration": "x-1"})
    path.with_name("x-1.parquet").replace(path)


def _other_table(path: Path) -> None:
    lake = Lake(path.parents[1])
    lake.write("objects", Objects.empty(), DEMONSTRATION)
    lake.path("objects", DEMONSTRATION).replace(path)


def _unsealed(path: Path) -> pa.Table:
    """Rows and metadata as a version without seals wrote them."""
    rows = pq.ParquetFile(path).read()
    kept = {k: v for k, v in rows.schema.metadata.items() if k not in NEW_KEYS}
    return rows.replace_schema_metadata(kept)


def _other_contract(path: Path) -> None:
    rows = _unsealed(path)
    metadata = rows.schema.metadata | {b"enact.contract_sha": b"0" * 64}
    pq.write_table(rows.replace_schema_metadata(metadata), path)


def _other_columns(path: Path) -> None:
    pq.write_table(_unsealed(path).drop_columns(["object"]), path)


def _other_types(path: Path) -> None:
    rows = _unsealed(path)
    position = rows.schema.get_field_index("frame_to")
    pq.write_table(rows.set_column(position, "frame_to", rows["frame_to"].cast(pa.int32())), path)


def _sealed_by_another(path: Path) -> None:
    """Written again by a program that keeps metadata it does not know."""
    pq.write_table(pq.ParquetFile(path).read(), path)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-20]), "truncated or damaged"),
        (lambda path: path.write_bytes(b""), "truncated or damaged"),
        (lambda path: path.write_text("demonstration,frame\n"), "truncated or damaged"),
        (_foreign, "written by something else"),
        (_other_partition, r"its file is of facts \(demonstration=x-1\)"),
        (_other_table, r"its file is of objects"),
        (_other_contract, "an older version of the table"),
        (_other_columns, "its columns differ"),
        (_other_types, "its columns differ"),
        (_sealed_by_another, "changed since it was written"),
    ],
)
def test_a_file_that_is_not_the_partition_is_refused_by_name(
    lake: Lake, damage: object, reason: str
) -> None:
    """Each of these would otherwise be read as data, or end in a message about Thrift."""
    lake.write("facts", facts(), DEMONSTRATION)
    path = lake.path("facts", DEMONSTRATION)
    damage(path)  # type: ignore[operator]
    before = path.read_bytes()
    with pytest.raises(DamagedFileError, match=reason) as caught:
        lake.read("facts", DEMONSTRATION)
    assert str(path) in str(caught.value)
    assert "enact-assets materialize" in str(caught.value)
    assert path.read_bytes() == before  # reading repairs and removes nothing


def test_a_file_that_the_system_does_not_give_is_not_damaged(lake: Lake) -> None:
    """Rights, a failing disk: to make the partition again would buy its answers again."""
    lake.write("facts", facts(), DEMONSTRATION)
    _folder(lake.path("facts", DEMONSTRATION))
    for ask in (lake.read, lake.metadata, lake.verify):
        with pytest.raises(UnreadableFileError, match=r"facts/setting.*cannot be read \(Is a dir"):
            ask("facts", DEMONSTRATION)


@pytest.fixture(scope="module")
def whole_file(tmp_path_factory: pytest.TempPathFactory) -> tuple[Lake, bytes]:
    lake = Lake(tmp_path_factory.mktemp("lake"))
    lake.write("facts", facts(n_rows=2000), DEMONSTRATION)
    return lake, lake.path("facts", DEMONSTRATION).read_bytes()


@given(st.data())
def test_any_flipped_bit_or_cut_is_noticed(
    whole_file: tuple[Lake, bytes], data: st.DataObject
) -> None:
    """A flipped bit in a compressed page decodes as other rows unless pages carry checksums."""
    lake, whole = whole_file
    content = bytearray(whole)
    position = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        content[position] ^= 1 << data.draw(st.integers(0, 7))
    else:
        content = content[:position]
    lake.path("facts", DEMONSTRATION).write_bytes(content)
    for ask in (lake.verify, lake.read):
        with pytest.raises(DamagedFileError):
            ask("facts", DEMONSTRATION)


def test_killed_between_write_and_rename_nothing_is_visible(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error on the way must leave the old rows and no litter."""
    lake.write("facts", facts(n_rows=2), DEMONSTRATION)

    def full_disk(path: Path) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("enact_assets.engine.system.atomic.flush_to_disk", full_disk)
    with pytest.raises(OutputError, match=r"No space left.*earlier file is unchanged.*Free some"):
        lake.write("facts", facts(n_rows=5), DEMONSTRATION)
    assert lake.read("facts", DEMONSTRATION).height == 2
    assert [p.name for p in (lake.root / "facts").iterdir()] == ["setting_the_table-0.parquet"]


KILLED_WRITER = """
import os, signal, sys
from pathlib import Path
from enact_assets.demonstrations.replay.tables import Facts
from enact_assets.engine.system import atomic
from enact_assets.engine.lake.lake import Lake

def die(path):
    os.kill(os.getpid(), signal.SIGKILL)

atomic.flush_to_disk = die  # all bytes are written, the rename has not happened
key = {"demonstration": "setting_the_table-0"}
Lake(Path(sys.argv[1])).write("facts", Facts.empty(), key)
"""


@pytest.mark.slow
def test_kill_9_during_a_write_leaves_the_old_rows_and_a_leftover_that_is_swept(lake: Lake) -> None:
    """The leftover is neither read nor listed, stays while it may be alive, goes after a day."""
    lake.write("facts", facts(), DEMONSTRATION)
    command = [sys.executable, "-c", KILLED_WRITER, str(lake.root)]
    finished = subprocess.run(command, check=False, capture_output=True)  # noqa: S603 - our own code
    assert finished.returncode == -signal.SIGKILL, finished.stderr.decode()
    leftovers = [p for p in (lake.root / "facts").iterdir() if p.suffix == ".tmp"]
    assert len(leftovers) == 1
    assert lake.read("facts", DEMONSTRATION).equals(facts())
    assert lake.partitions("facts") == [DEMONSTRATION]
    assert lake.foreign_files() == []

    lake.write("facts", facts("b-0"), {"demonstration": "b-0"})
    assert leftovers[0].exists()  # young: perhaps another process is still writing it
    yesterday = time.time() - 25 * 3600
    os.utime(leftovers[0], (yesterday, yesterday))
    lake.write("facts", facts("b-0"), {"demonstration": "b-0"})
    assert not leftovers[0].exists()


def test_a_reader_that_opened_the_old_file_reads_the_old_rows(lake: Lake) -> None:
    """A rebuild in the middle of a scan must not mix two versions."""
    lake.write("facts", facts(n_rows=2), DEMONSTRATION)
    with lake.place.open("facts/setting_the_table-0.parquet") as handle:
        file = pq.ParquetFile(handle)
        lake.write("facts", facts(n_rows=5), DEMONSTRATION)
        assert file.read().num_rows == 2
    assert lake.read("facts", DEMONSTRATION).height == 5


PROVENANCE = Provenance("c0de", {"recording": InputVersion("ab" * 32, 1)})


def test_rows_and_what_they_were_made_from_appear_together(lake: Lake) -> None:
    """Freshness is decided by the file alone: no second place that a crash could leave behind."""
    sha = lake.write("facts", facts(), DEMONSTRATION, PROVENANCE)
    found = lake.metadata("facts", DEMONSTRATION)
    assert (found.content_sha, found.provenance) == (sha, PROVENANCE)
    assert lake.read("facts", DEMONSTRATION).equals(facts())
    # What they were made from is no part of the rows: early cut-off compares these only.
    assert lake.write("facts", facts(), DEMONSTRATION) == sha
    assert lake.metadata("facts", DEMONSTRATION).provenance is None


def test_files_written_before_there_was_provenance_or_a_seal_are_usable(lake: Lake) -> None:
    """A lake of an older version is not to be simulated again for want of two footnotes."""
    sha = lake.write("facts", facts(), DEMONSTRATION, PROVENANCE)
    path = lake.path("facts", DEMONSTRATION)
    rows = _unsealed(path)
    kept = {k: v for k, v in rows.schema.metadata.items() if k != b"enact.provenance"}
    pq.write_table(rows.replace_schema_metadata(kept), path, write_page_checksum=True)
    assert lake.verify("facts", DEMONSTRATION) == sha
    assert lake.metadata("facts", DEMONSTRATION).provenance is None
    assert lake.read("facts", DEMONSTRATION).equals(facts())


@pytest.mark.parametrize(
    "forged",
    [{N_ROWS: "three"}, {N_ROWS: "9" * 5000}, {HELD: "{half"}, {HELD: "[1]"}, {HELD: '{"a": 1}'}],
)
def test_a_forged_file_is_refused_by_name(lake: Lake, forged: dict[str, str]) -> None:
    """Its seal fits, what it says of itself is nonsense."""
    lake.write("facts", facts(), DEMONSTRATION)
    path = lake.path("facts", DEMONSTRATION)
    more = {N_ROWS: str(facts().height)} | forged
    path.write_bytes(sealed_parquet(_unsealed(path), more, write_page_checksum=True))
    with pytest.raises(MisfitFileError, match=r"facts/.*\.parquet"):
        lake.verify("facts", DEMONSTRATION)


def test_a_path_that_cannot_be_written_is_told_in_one_message(lake: Lake) -> None:
    """Not as a traceback about a temporary file nobody knows."""
    lake.write("facts", facts(), DEMONSTRATION)
    (lake.root / "objects").write_text("a file where a folder should be")
    with pytest.raises(OutputError, match=r"objects/x-1\.parquet: cannot be written \(File ex"):
        lake.write("objects", Objects.empty(), {"demonstration": "x-1"})


def test_the_data_root_comes_from_the_environment_or_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty variable means unset, not the root of the file system."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ENACT_HOME", "")
    assert DataRoot.from_environment().root == tmp_path / "data"
    monkeypatch.setenv("ENACT_HOME", str(tmp_path / "elsewhere"))
    data = DataRoot.from_environment()
    assert data.lake == tmp_path / "elsewhere/lake"
    assert data.images == tmp_path / "elsewhere/images"
    assert data.warehouse == tmp_path / "elsewhere/enact.duckdb"
    # A printed command works in a shell without the variable, whatever the folder is called.
    assert data.option == f" --data {tmp_path}/elsewhere"
    assert DataRoot(tmp_path / "my data").option == f" --data '{tmp_path}/my data'"
    monkeypatch.delenv("ENACT_HOME")
    assert DataRoot.from_environment().option == ""


@pytest.mark.parametrize(
    ("shared", "lake", "images"),
    [
        ("s3://bucket/a", "s3://bucket/a/lake", "s3://bucket/a/images"),
        ("s3://bucket/a/", "s3://bucket/a/lake", "s3://bucket/a/images"),
        ("/mnt/all", Path("/mnt/all/lake"), Path("/mnt/all/images")),
        ("", Path("/srv/data/lake"), Path("/srv/data/images")),
    ],
)
def test_tables_and_pictures_may_stand_where_several_machines_reach_them(
    monkeypatch: pytest.MonkeyPatch, shared: str, lake: Path | str, images: Path | str
) -> None:
    """Everything else, the warehouse among it, stays on this machine."""
    monkeypatch.setenv("ENACT_LAKE", shared)
    root = DataRoot(Path("/srv/data"))
    assert (root.lake, root.images) == (lake, images)
    assert root.warehouse == Path("/srv/data/enact.duckdb")
    assert all(isinstance(folder, Path) for folder in root.folders)
