"""Rendering in several processes, one thread each.

Two processes with one thread beat one process with two: masks, guides and PNG files are made by
one thread either way. The processes stay for the next call, since importing the renderer costs a
second.
"""

import io
import multiprocessing
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from enact_assets.engine.errors import EnactError, RenderError
from enact_assets.engine.system.worker_process import kill_workers, worker_pool
from enact_assets.settings.registry import Variant
from enact_assets.simulator.rendering.renderer import Renderer
from enact_assets.simulator.shapes.world import World, WorldState

FEW = 2
"""Up to this many pictures are rendered in this process: starting others would take longer."""
PNG_LEVEL = 6


@dataclass(frozen=True)
class RenderTask:
    """A picture to make: its name, where it comes from (for messages), what it shows."""

    render_sha: str
    where: str
    state: WorldState


def render_all(
    world: World, variant: Variant, tasks: Sequence[RenderTask], workers: int
) -> Generator[tuple[str, bytes], None, None]:
    """Render every task and yield (render_sha, PNG file) as each is done, in any order.

    Errors: :class:`RenderError` names the frame if it cannot be rendered, or says that a process
    died. If the iteration ends early for any reason, tasks that have not begun are dropped. Ctrl-C,
    or a caller that stops iterating, also ends running tasks, as their pictures would be lost.
    """
    if workers < 1:
        raise RenderError(f"rendering needs at least one worker, not {workers}")
    # A daemonic process may not have children.
    alone = workers == 1 or multiprocessing.current_process().daemon
    if alone or len(tasks) <= FEW:
        yield from _render_here(world, variant, tasks, threads=workers)
        return
    # Compiled models cannot be sent to other processes: each compiles its own from the XML.
    bare = replace(world)
    pool = _pool(workers)
    done = 0
    futures: list[Future[tuple[str, bytes]]] = []
    try:
        futures = [pool.submit(_render, bare, variant, task) for task in tasks]
        for future in as_completed(futures):
            yield future.result()
            done += 1
    except BrokenProcessPool as error:
        _pools.pop(workers, None)
        raise RenderError(
            f"{tasks[0].where} and later: a rendering process ended unexpectedly after {done} of "
            f"{len(tasks)} pictures (out of memory?). Finished pictures are kept: run again."
        ) from error
    except Exception:
        for future in futures:
            future.cancel()
        raise
    except BaseException:
        # Without this, Python would not end before each process has finished its tasks: half a
        # minute.
        _pools.pop(workers, None)
        kill_workers(pool)
        raise


def encode_png(picture: NDArray[np.uint8]) -> bytes:
    """A picture (h, w, 3) as a PNG file; the same picture gives the same bytes."""
    out = io.BytesIO()
    Image.fromarray(picture).save(out, "PNG", compress_level=PNG_LEVEL)
    return out.getvalue()


def _render_here(
    world: World, variant: Variant, tasks: Sequence[RenderTask], threads: int
) -> Generator[tuple[str, bytes], None, None]:
    if tasks:
        renderer = Renderer(world, variant, threads)
        for task in tasks:
            yield task.render_sha, _png(renderer, task)


def _png(renderer: Renderer, task: RenderTask) -> bytes:
    try:
        picture = renderer.render(task.state)
    except EnactError as error:
        raise RenderError(f"{task.where}: {error}") from error
    except RuntimeError as error:
        # Mitsuba reports everything as a RuntimeError.
        raise RenderError(f"{task.where}: the renderer failed: {error}") from error
    return encode_png(picture)


_pools: dict[int, ProcessPoolExecutor] = {}


def _pool(workers: int) -> ProcessPoolExecutor:
    """The processes of this size, started on first use."""
    if workers not in _pools:
        _pools[workers] = worker_pool(workers)
    return _pools[workers]


def close() -> None:
    """End the idle rendering processes; the next call starts others."""
    while _pools:
        _pools.popitem()[1].shutdown(wait=False)


_kept: dict[tuple[str, str], Renderer] = {}
"""In a rendering process: its last renderer, by world and settings."""


def _render(world: World, variant: Variant, task: RenderTask) -> tuple[str, bytes]:
    settings = replace(variant, name="", gating="")
    key = (world.sha, repr(settings))
    if key not in _kept:
        _kept.clear()
        _kept[key] = Renderer(world, variant, threads=1)
    return task.render_sha, _png(_kept[key], task)
