"""The OmniGibson source: a raw BEHAVIOR demonstration -> replay tables.

A demonstration is a folder of the data root with ``omnigibson.json``: which HDF5 file, which
episode, and where the camera is. The player (``omnigibson_player/``) plays it back in OmniGibson's
own interpreter and writes facts and views as intervals, in JSON lines; what it wrote is kept, so
that the GPU is asked once.
"""

import dataclasses
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
import polars as pl

from enact_assets.demonstrations.replay.omnigibson_player.reply import FORMAT
from enact_assets.demonstrations.replay.omnigibson_player.request import (
    ALL,
    BASE_LINK,
    BASE_ORIENTATION_XYZW,
    BASE_POSITION_M,
    PLAYER_VERSION,
    REPLAY_FILE,
    PlaybackRequest,
    View,
)
from enact_assets.demonstrations.replay.omnigibson_runs import Player
from enact_assets.demonstrations.replay.result import ReplayTables, columns_of, described
from enact_assets.demonstrations.replay.tables import Facts, Objects, Observability
from enact_assets.engine.errors import PlaybackError
from enact_assets.engine.given_files import open_given, read_given
from enact_assets.engine.ids import content_sha, sha256_bytes
from enact_assets.engine.progress import OnProgress, unheard
from enact_assets.engine.tables import Table
from enact_assets.settings.classes import OMNIGIBSON
from enact_assets.settings.fisheye_lens import lens_of


class RawDemonstration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``omnigibson.json`` says; ``n_frames`` and the fields after it come from the imported
    file.

    ``link`` of the robot carries the camera, at ``position_m`` with ``orientation_xyzw`` in the
    link's frame. ``gpu_dynamics`` is whether it was recorded with them; None: as the file looks.
    ``rules`` is which objects and relations become facts: ``enact`` as in the authors' replay.
    ``full_scene_file``: a scene of OmniGibson whose objects are added to the recorded part of it.
    ``renders``: how often a frame is rendered before the camera is read.
    Relative paths begin at the folder of ``omnigibson.json``.
    """

    file: str
    episode: int
    n_frames: int
    activity: str = ""
    frame_rate_hz: float = 30.0
    link: str = BASE_LINK
    position_m: tuple[float, float, float] = BASE_POSITION_M
    orientation_xyzw: tuple[float, float, float, float] = BASE_ORIENTATION_XYZW
    size_px: int = View.size_px
    gpu_dynamics: bool | None = None
    rules: Literal["enact", "all"] = "all"
    full_scene_file: str | None = None
    renders: Annotated[int, msgspec.Meta(ge=1)] = PlaybackRequest.renders

    def view(self, **lens: Any) -> View:
        """Its camera, with the ``lens`` and offset of a variant."""
        return View(
            link=self.link,
            position_m=self.position_m,
            orientation_xyzw=self.orientation_xyzw,
            **{"size_px": self.size_px, **lens},
        )


def read_demonstration(path: Path) -> RawDemonstration:
    """The demonstration that ``path`` (``omnigibson.json``) describes.

    Errors: :class:`PlaybackError` names file and field.
    """
    try:
        return msgspec.json.decode(read_given(path), type=RawDemonstration)
    except OSError as error:
        raise PlaybackError(f"{path}: cannot be read ({error.strerror})") from error
    except msgspec.DecodeError as error:
        raise PlaybackError(
            f"{path}: {error}. `enact-assets import FILE.hdf5` writes such a file."
        ) from None


def write_demonstration(path: Path, demonstration: RawDemonstration) -> None:
    """Write ``omnigibson.json``, to be read and edited by people."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(demonstration), indent=2) + b"\n")


def named_file(description: Path, name: str) -> Path:
    """Path of a file that ``omnigibson.json`` names: a relative one begins at its folder."""
    return description.resolve().parent / name


def replay_omnigibson(
    demonstration: str,
    description: Path,
    output: Path,
    player: Player,
    on_progress: OnProgress = unheard,
) -> ReplayTables:
    """Replay tables of ``demonstration``; ``output`` is the folder of what was played of it.

    It is played unless that was done with the same file and settings before. Errors:
    :class:`PlaybackError`.
    """
    request = playback_request(demonstration, description, output)
    file = Path(request.output) / REPLAY_FILE
    if not file.is_file():
        player.run(request, file.is_file, on_progress)
    return read_played(file, demonstration)


def playback_request(
    demonstration: str, description: Path, output: Path, **changes: Any
) -> PlaybackRequest:
    """What to ask of the player; ``changes`` are fields of it, such as ``view`` and ``frames``.

    Its folder below ``output`` is named by everything that determines what comes out, frames aside.
    """
    about = read_demonstration(description)
    source = named_file(description, about.file)
    request = PlaybackRequest(
        **{
            "demonstration": demonstration,
            "file": str(source),
            "episode": about.episode,
            "output": "",
            "view": about.view(),
            "gpu_dynamics": about.gpu_dynamics,
            "rules": about.rules,
            "renders": about.renders,
            "full_scene_file": about.full_scene_file,
            **changes,
        }
    )
    lens = lens_of(request.view.projection)
    request = dataclasses.replace(request, lens=lens)
    try:
        found = source.stat()
        if request.full_scene_file is not None:
            scene = named_file(description, request.full_scene_file)
            sha = sha256_bytes(scene.read_bytes())
            request = dataclasses.replace(request, full_scene_file=str(scene), full_scene_sha=sha)
    except OSError as error:
        raise PlaybackError(
            f"{description}: its file {error.filename} cannot be read ({error.strerror})"
        ) from error
    asked = dataclasses.asdict(dataclasses.replace(request, frames=None))
    asked["view"] |= asked.pop("lens")
    kind = "facts" if request.frames is None else "pictures"
    if asked["rules"] == ALL or kind == "pictures":  # nothing then depends on it
        del asked["rules"]
    if request.full_scene_sha is None:
        del asked["full_scene_sha"]
    mark = content_sha([PLAYER_VERSION, kind, asked, found.st_size, found.st_mtime_ns])
    return dataclasses.replace(request, output=str(output / f"{kind}-{mark[:16]}"))


class _Replay(msgspec.Struct, tag="replay"):
    format: str
    activity: str
    frame_rate_hz: float
    source_sha: str
    camera: str


class _Object(msgspec.Struct, tag="object"):
    name: str
    category: str
    parents: list[str] | None
    is_particle_system: bool


class _Fact(msgspec.Struct, tag="fact"):
    predicate: str
    subject: str
    object: str | None
    frame_from: int
    frame_to: int


class _Seen(msgspec.Struct, tag="seen"):
    name: str
    frame_from: int
    frame_to: int
    box: tuple[int, int, int, int, int, int, int]


class _End(msgspec.Struct, tag="end"):
    n_frames: int
    counts: dict[str, int]


_DECODER = msgspec.json.Decoder(_Replay | _Object | _Fact | _Seen | _End)
_BOX = ("pixels", "x_min_px", "y_min_px", "x_max_px", "y_max_px", "height_px", "width_px")


class _Columns:
    """Rows by column, numbers as arrays: an hour of replay has millions of views."""

    def __init__(self, of: type[Table], columns: tuple[str, ...]) -> None:
        self._table, schema = of, of.schema()
        self._columns: dict[str, Any] = {
            c: array("q") if schema[c] == pl.Int64 else [] for c in columns
        }
        self._once: dict[Any, Any] = {}

    def add(self, values: Iterable[Any]) -> None:
        for column, value in zip(self._columns.values(), values, strict=True):
            column.append(self._once.setdefault(value, value) if type(value) is str else value)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def built(self, demonstration: str, **same: str) -> pl.DataFrame:
        columns = {
            name: np.frombuffer(values, np.int64) if isinstance(values, array) else values
            for name, values in self._columns.items()
        }
        return columns_of(self._table, demonstration, columns, **same)


def read_played(path: Path, demonstration: str) -> ReplayTables:
    """What the player wrote to ``path``, as replay tables.

    Errors: :class:`PlaybackError` names file and line if it is not such a file, or was cut off.
    """
    objects = _Columns(Objects, ("object_name", "category", "parents", "is_particle_system"))
    facts = _Columns(Facts, ("predicate", "subject", "object", "frame_from", "frame_to"))
    seen = _Columns(Observability, ("object_name", "frame_from", "frame_to", *_BOX))
    records = _records(path)
    head, end = next(records, None), None
    if not isinstance(head, _Replay) or head.format != FORMAT:
        raise PlaybackError(f"{path}, line 1: not a replay in format {FORMAT}. Delete the file.")
    for record in records:
        if isinstance(record, _Fact):
            facts.add(_values(record))
        elif isinstance(record, _Seen):
            seen.add((record.name, record.frame_from, record.frame_to, *record.box))
        elif isinstance(record, _Object):
            objects.add(_values(record))
        elif isinstance(record, _End):
            end = record
    found = {"object": len(objects), "fact": len(facts), "seen": len(seen)}
    if end is None or end.counts != found:
        raise PlaybackError(
            f"{path}: was cut off (found {found}, expected {end and end.counts}). Delete the file "
            "and materialize again."
        )
    return ReplayTables(
        described(
            demonstration,
            source=OMNIGIBSON,
            activity=head.activity or demonstration,
            n_frames=end.n_frames,
            frame_rate_hz=head.frame_rate_hz,
            world_sha=head.source_sha,
        ),
        facts.built(demonstration),
        objects.built(demonstration),
        seen.built(demonstration, camera=head.camera),
    )


def _values(record: msgspec.Struct) -> tuple[Any, ...]:
    return msgspec.structs.astuple(record)


def _records(path: Path) -> Iterator[Any]:
    try:
        with open_given(path) as file:
            for number, line in enumerate(file, start=1):
                try:
                    yield _DECODER.decode(line)
                except msgspec.DecodeError as error:
                    raise PlaybackError(
                        f"{path}, line {number}: {error}. Delete the file and materialize again."
                    ) from None
    except OSError as error:
        raise PlaybackError(f"{path}: cannot be read ({error.strerror})") from error
