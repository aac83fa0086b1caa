"""Logged states of key frames: rows of ``states`` as the simulator's :class:`WorldState`."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.engine.errors import RenderError
from enact_assets.engine.ids import sha256_bytes
from enact_assets.simulator.shapes.world import World, WorldState
from enact_assets.simulator.view.poses import check_state

ARRAYS = ("qpos", "mocap_pos", "mocap_quat", "appearance")


@dataclass(frozen=True)
class KeyFrameState:
    """What one key frame's picture shows. ``state_sha`` hashes the logged numbers."""

    demonstration: str
    gating: str
    key_frame: int
    frame: int
    state: WorldState
    state_sha: str

    @property
    def where(self) -> str:
        """How messages name it."""
        return f"demonstration {self.demonstration!r} frame {self.frame}"


def key_frame_states(
    world: World, states: pl.DataFrame, segmented_frames: pl.DataFrame
) -> list[KeyFrameState]:
    """The state of every key frame, in key-frame order.

    Errors: :class:`RenderError` names demonstration and frame if a key frame's state is missing,
    or does not fit ``world``.
    """
    wanted = segmented_frames.select("demonstration", "gating", "key_frame", "frame")
    rows = wanted.join(
        states.select("demonstration", "frame", *ARRAYS),
        on=["demonstration", "frame"],
        how="left",
        validate="m:1",
    ).sort("demonstration", "gating", "key_frame")
    missing = rows.filter(pl.col("qpos").is_null())
    if missing.height:
        first = missing.row(0, named=True)
        raise RenderError(
            f"demonstration {first['demonstration']!r}: {missing.height} of {rows.height} key "
            f"frames have no logged state, first key frame {first['key_frame']} at frame "
            f"{first['frame']}. Materialize states and segmented_frames again."
        )
    return list(_converted(world, rows))


def _converted(world: World, rows: pl.DataFrame) -> Iterator[KeyFrameState]:
    for row in rows.iter_rows(named=True):
        arrays = [np.asarray(row[name], dtype=np.float32) for name in ARRAYS]
        # Lengths take part, so that numbers cannot move from one array to the next unseen.
        lengths = np.array([len(a) for a in arrays], dtype="<i8")
        logged = lengths.tobytes() + b"".join(a.astype("<f4").tobytes() for a in arrays)
        qpos, mocap_pos, mocap_quat, appearance = (a.astype(np.float64) for a in arrays)
        found = KeyFrameState(
            demonstration=row["demonstration"],
            gating=row["gating"],
            key_frame=row["key_frame"],
            frame=row["frame"],
            state=WorldState(qpos, _in_rows(mocap_pos, 3), _in_rows(mocap_quat, 4), appearance),
            state_sha=sha256_bytes(logged),
        )
        try:
            check_state(world, found.state)
        except RenderError as error:
            raise RenderError(f"{found.where}: {error}") from error
        yield found


def _in_rows(flat: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """Logged numbers in rows of ``width``, where their length allows it."""
    return flat.reshape(-1, width) if flat.size % width == 0 else flat
