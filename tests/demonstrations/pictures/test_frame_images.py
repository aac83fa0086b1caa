"""Pictures of key frames: made once, found again, the same by any number of processes."""

import dataclasses
import logging
import os
import signal
import time
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from demonstrations.pictures.small_tables import segmented, states_of, with_value
from simulator.painted_world import small_world

from enact_assets.demonstrations.pictures import images, render_pool
from enact_assets.demonstrations.pictures.images import render_key_frames, render_sha
from enact_assets.demonstrations.pictures.recorded_states import key_frame_states
from enact_assets.demonstrations.pictures.render_pool import encode_png
from enact_assets.engine.errors import RenderError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.progress import Progress
from enact_assets.settings.registry import (
    AppearanceSettings,
    CameraSettings,
    RendererSettings,
    Variant,
)
from enact_assets.simulator.rendering import backends
from enact_assets.simulator.rendering.renderer import Renderer
from enact_assets.simulator.shapes.world import World

WORLD = small_world()
STATES = states_of(WORLD)
VARIANT = Variant("small", "state", renderer=RendererSettings(2, 1, 48))
FRAMES = [20, 35, 50, 59]


def render(
    store: ImageStore,
    frames: list[int],
    variant: Variant = VARIANT,
    *,
    states: pl.DataFrame = STATES,
    world: World = WORLD,
    **more: Any,
) -> pl.DataFrame:
    """Pictures of a demonstration in the small world, which no name stands for."""
    key_frames = segmented(frames, variant.gating)
    with patch.object(images, "embedded_world", return_value=world):
        return render_key_frames(pl.DataFrame(), states, key_frames, variant, store, **more)


@pytest.fixture
def store(tmp_path: Path) -> ImageStore:
    return ImageStore(tmp_path / "images")


@pytest.fixture
def renders(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every state rendered in this process, in order; the real renderer does the work."""
    seen: list[object] = []
    render = Renderer.render

    def counted(self: Renderer, state: object) -> object:
        seen.append(state)
        return render(self, state)  # type: ignore[arg-type]

    monkeypatch.setattr(Renderer, "render", counted)
    return seen


def test_rows_name_stored_pictures_of_the_size_asked_for(
    store: ImageStore, renders: list[object]
) -> None:
    """Key frames out of order would pair pictures with the wrong changes."""
    rows = render(store, FRAMES)
    assert rows.get_column("frame").to_list() == FRAMES
    assert rows.get_column("key_frame").to_list() == [0, 1, 2, 3]
    assert set(rows.get_column("variant")) == {"small"}
    assert rows.select("width_px", "height_px").unique().rows() == [(48, 48)]
    assert rows.get_column("image_sha").n_unique() == 4
    pictures = [store.read(sha).astype(float) for sha in rows.get_column("image_sha")]
    assert all(p.shape == (48, 48, 3) for p in pictures)
    # The burner is on from frame 30: redder than green where it is.
    reddest = [(p[..., 0] - p[..., 1]).max() for p in pictures]
    fresh = Renderer(WORLD, VARIANT)
    assert len(renders) == 4
    for state, picture in zip(list(renders), pictures, strict=True):
        np.testing.assert_array_equal(fresh.render(state), picture)  # type: ignore[arg-type]
    assert reddest[1] > 100


def test_a_second_call_renders_nothing(store: ImageStore, renders: list[object]) -> None:
    """A quarter of an hour of rendering again, after every restart."""
    heard: list[tuple[float, float, float]] = []

    def hear(progress: Progress) -> None:
        assert progress.unit.startswith("pictures")
        heard.append((progress.done, progress.total, progress.free))

    first = render(store, FRAMES[:2], on_progress=hear)
    assert heard == [(0, 2, 0), (1, 2, 0), (2, 2, 0)]
    heard.clear()
    again = render(store, FRAMES[:2], on_progress=hear)
    assert again.equals(first)
    assert heard == [(2, 2, 2)]
    assert len(renders) == 2


def test_a_killed_run_goes_on_where_it_stopped(store: ImageStore, renders: list[object]) -> None:
    """Pictures stored only at the end would be lost with the run."""

    def stop(progress: Progress) -> None:
        if progress.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        render(store, FRAMES, on_progress=stop)
    assert len(renders) == 2
    assert not [p for p in store.root.rglob("*") if p.name.endswith(".tmp")]
    render(store, FRAMES)
    assert len(renders) == 4


def test_the_same_picture_under_other_names_is_not_rendered_again(
    store: ImageStore, renders: list[object]
) -> None:
    """Contact gating shares most of its pictures with the baseline; a camera change shares none."""
    first = render(store, [20, 50])
    contact = dataclasses.replace(VARIANT, name="contact", gating="contact")
    again = render(store, [20, 35, 50], contact)
    assert len(renders) == 3
    assert again["image_sha"].to_list()[::2] == first["image_sha"].to_list()
    assert again["gating"].unique().to_list() == ["contact"]
    wide = dataclasses.replace(VARIANT, camera=CameraSettings(aperture_mm=80.0))
    other = render(store, [20, 50], wide)
    assert len(renders) == 5
    assert not set(other["render_sha"]) & set(again["render_sha"])


def test_two_key_frames_of_one_state_share_one_picture(
    store: ImageStore, renders: list[object]
) -> None:
    """Nothing moved between them: one render, two rows."""
    qpos = STATES.row(20, named=True)["qpos"]
    still = with_value(STATES, 25, "qpos", qpos)
    rows = render(store, [20, 25], states=still)
    assert len(renders) == 1
    assert rows["image_sha"].n_unique() == 1
    assert rows.height == 2


def test_every_setting_and_every_number_of_the_state_takes_part_in_the_name(
    store: ImageStore,
) -> None:
    """What is left out of the hash serves stale pictures for ever."""
    shas = set()
    for variant in (
        VARIANT,
        dataclasses.replace(VARIANT, camera=CameraSettings(height_offset_m=0.5)),
        dataclasses.replace(VARIANT, renderer=RendererSettings(3, 1, 48)),
        dataclasses.replace(VARIANT, renderer=RendererSettings(2, 2, 48)),
        dataclasses.replace(VARIANT, renderer=RendererSettings(2, 1, 32)),
        dataclasses.replace(VARIANT, renderer=RendererSettings(2, 1, 48, "ray_tracing_only")),
        dataclasses.replace(VARIANT, appearance=AppearanceSettings("white")),
    ):
        shas.update(render(store, [20], variant)["render_sha"])
    lit = with_value(STATES, 20, "appearance", [0.0, 1.0])
    shas.update(render(store, [20], states=lit)["render_sha"])
    tilted = dataclasses.replace(WORLD, head_pitch_rad=0.5)
    shas.update(render(store, [20], world=tilted)["render_sha"])
    assert len(shas) == 9


def test_llvm_and_its_version_take_part_in_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version may compile to other bits. The scalar backend, which was the only one
    before, keeps its names.
    """
    [key_frame] = key_frame_states(WORLD, STATES, segmented([20]))
    shas = {render_sha(WORLD, key_frame, VARIANT)}
    for version in (19, 20):
        monkeypatch.setattr(backends, "llvm_major", lambda version=version: version)
        settings = dataclasses.replace(VARIANT.renderer, backend="llvm", llvm_version=version)
        variant = dataclasses.replace(VARIANT, renderer=settings)
        shas.add(render_sha(WORLD, key_frame, variant))
    assert len(shas) == 3
    # A new LLVM left old pictures fresh and drew the next ones otherwise, within one variant.
    monkeypatch.setattr(backends, "llvm_major", lambda: 21)
    with pytest.raises(RenderError, match=r"llvm_version: 20`.* found LLVM 21.*PATH; or"):
        render_sha(WORLD, key_frame, variant)


def test_a_damaged_cached_picture_is_rendered_again_with_a_note(
    store: ImageStore, renders: list[object], caplog: pytest.LogCaptureFixture
) -> None:
    """A truncated file must neither stop the run nor be asked about."""
    rows = render(store, [20, 50])
    path = store.path(rows["image_sha"][0])
    path.write_bytes(path.read_bytes()[:200])
    with caplog.at_level(logging.WARNING):
        again = render(store, [20, 50])
    assert (
        "demonstration 'small-0' frame 20: the cached picture is missing or damaged" in caplog.text
    )
    assert len(renders) == 3
    assert again.equals(rows)
    assert store.read(rows["image_sha"][0]).shape == (48, 48, 3)


def test_a_cached_picture_of_another_size_is_rendered_again(
    store: ImageStore, renders: list[object], caplog: pytest.LogCaptureFixture
) -> None:
    """A cache entry that names a foreign picture: intact, but not the one asked for."""
    rows = render(store, [20])
    foreign = store.put(encode_png(np.zeros((5, 5, 3), dtype=np.uint8)))
    store.remember(rows["render_sha"][0], foreign)
    again = render(store, [20])
    assert "has shape (5, 5, 3) instead of 48 px" in caplog.text
    assert again.equals(rows)
    assert len(renders) == 2


def test_a_frame_that_cannot_be_rendered_is_named(
    store: ImageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mitsuba says only that something went wrong."""

    def fail(*_: object) -> None:
        raise RuntimeError("Embree ran out of memory")

    monkeypatch.setattr(Renderer, "render", fail)
    with pytest.raises(RenderError, match=r"'small-0' frame 20: the renderer failed: Embree"):
        render(store, [20])


@pytest.mark.slow
def test_the_number_of_processes_changes_nothing(store: ImageStore, tmp_path: Path) -> None:
    """Rows in the order of completion, or noise by thread."""
    alone = render(store, FRAMES, workers=1)
    other = ImageStore(tmp_path / "other")
    both = render(other, FRAMES, workers=2)
    assert both.equals(alone)
    for sha in alone["image_sha"]:
        assert other.path(sha).read_bytes() == store.path(sha).read_bytes()
    render_pool.close()


@pytest.mark.slow
def test_a_dead_process_is_an_error(store: ImageStore) -> None:
    """And no hang after an out-of-memory kill; what was finished is kept."""

    def kill(progress: Progress) -> None:
        if progress.done == 1:
            for process in list(render_pool._pools[2]._processes.values()):
                os.kill(process.pid, signal.SIGKILL)  # type: ignore[arg-type]

    slow = dataclasses.replace(VARIANT, renderer=RendererSettings(6, 8, 128))
    frames = list(range(20, 60, 4))
    with pytest.raises(RenderError, match=r"ended unexpectedly after \d of 10 pictures"):
        render(store, frames, slow, on_progress=kill, workers=2)
    assert not [p for p in store.root.rglob("*") if p.name.endswith(".tmp")]
    heard: list[int] = []
    rows = render(store, frames, slow, on_progress=lambda p: heard.append(p.free), workers=2)
    assert rows.height == 10
    assert heard[0] >= 1
    render_pool.close()


@pytest.mark.slow
@pytest.mark.parametrize("is_stopped", [True, False])
def test_ctrl_c_does_not_wait_for_pictures_that_nobody_will_keep(
    store: ImageStore, is_stopped: bool
) -> None:
    """Python ends after its pools, and each process had two pictures of two seconds to render."""
    processes: list[BaseProcess] = []

    def stop(progress: Progress) -> None:
        if progress.done == 1:
            processes.extend(render_pool._pools[2]._processes.values())
            raise KeyboardInterrupt if is_stopped else RenderError("the disk is full")

    slow = dataclasses.replace(VARIANT, renderer=RendererSettings(6, 16, 256))
    frames = list(range(20, 60, 4))
    with pytest.raises((KeyboardInterrupt, RenderError)):
        render(store, frames, slow, on_progress=stop, workers=2)
    began = time.monotonic()
    for process in processes:
        process.join(60.0)
    assert len(processes) == 2
    assert time.monotonic() - began < 1.0
    assert len(list(store.root.glob("??/*.png"))) == 1, "what was finished is kept"
    assert render_pool._pools == {}


def test_rendering_without_workers_is_refused(store: ImageStore) -> None:
    """Zero from a miscounted machine would wait for ever."""
    with pytest.raises(RenderError, match="at least one worker, not 0"):
        render(store, [20], workers=0)


def test_png_files_are_lossless_and_always_the_same(store: ImageStore) -> None:
    """A date inside the file would store every picture anew."""
    picture = np.random.default_rng(0).integers(0, 256, (9, 7, 3)).astype(np.uint8)
    assert encode_png(picture) == encode_png(picture.copy())
    np.testing.assert_array_equal(store.read(store.put(encode_png(picture))), picture)


def test_no_key_frames_give_an_empty_table(store: ImageStore) -> None:
    """A demonstration too short for a key frame is a finding, not a failure."""
    rows = render(store, [], workers=2)
    assert rows.is_empty()
    assert rows.schema["key_frame"] == pl.Int64
