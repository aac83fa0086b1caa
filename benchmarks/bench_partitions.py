"""What Dagster holds of many demonstrations: partitions by name against partitions by shard.

``python -m benchmarks partitions``. Two parts for each number of demonstrations:

- *walks*: a data root of recordings of a few kilobytes, made by the driver; nothing is rendered.
- *instances*: the rows of real runs, copied for all demonstrations (``benchmarks/many_runs.py``),
  and what the UI and the sensors take there. Where that is too much it is calculated from them.
"""

import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

import yaml

from benchmarks.many_runs import Size, copy_instance, size_of
from benchmarks.measuring import HEADER, Row, in_fresh_process, megabytes
from benchmarks.tiny_root import write_tiny_recording
from benchmarks.web_server import KEYS, PAGE, WebServer
from enact_assets.engine.planning.shards import Shards
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.settings.paths import PARTITIONS_FILE, DataRoot
from enact_assets.settings.registry import DEFAULT_REGISTRY

N_DEMONSTRATIONS = (100, 1_000, 10_000)
PER_SHARD = 100
N_MODELS, N_MOVES = 30, 2
MOST_WALKED = {True: 1_000, False: 100}
"""Demonstrations of which everything is really run, with shards and without."""
MOST_COPIED = 1_000
"""Demonstrations without shards whose runs are copied; 10,000 would be 35 GB."""
RUNS_GOAL, BYTES_GOAL = 10_000, 1e9
EMBEDDED = "embedded"
NAME = "moving_cups-{}"
WIDEST = "frame_images"
WALKED = ("baseline", "high")


def main(n: int | None = None, parts: Sequence[str] = ()) -> bool:
    """Print the table, of ``n`` demonstrations alone if told; whether every row is reached."""
    numbers = N_DEMONSTRATIONS if n is None else (n,)
    print(HEADER, flush=True)
    is_reached = True
    with tempfile.TemporaryDirectory() as folder:
        for part in parts or PARTS:
            place = Path(folder, part)
            place.mkdir()
            for row in PARTS[part](place, numbers):
                print(row.as_text(), flush=True)
                is_reached = is_reached and row.is_reached
    return is_reached


def write_registry(path: Path, only: Collection[str] | None = None) -> Path:
    """The real one with one model and variants of embedded demonstrations, or ``only`` some of
    them: about recordings nothing is asked, and no picture is rendered. In force from now on.
    """
    entries = yaml.safe_load(DEFAULT_REGISTRY.read_text("utf-8"))
    entries.pop("demo", None)
    entries["demonstrations"] = []
    entries["variants"] = {
        name: entry
        for name, entry in entries["variants"].items()
        if set(entry.get("sources", [EMBEDDED])) == {EMBEDDED} and (only is None or name in only)
    }
    entries["models"] = ["oracle"]
    if only is not None:
        entries["gatings"] = {"state": entries["gatings"]["state"]}
    path.write_text(yaml.safe_dump(entries), "utf-8")
    os.environ["ENACT_REGISTRY"] = str(path)
    return path


def make_root(root: Path, n: int, shards: Shards | None) -> None:
    """``n`` recordings that share their files, and how Dagster's partitions of them are cut."""
    if shards is not None:
        root.mkdir(parents=True, exist_ok=True)
        (root / PARTITIONS_FILE).write_text(f"demonstration_shards: {shards.n}\n")
    recordings = DataRoot(root).recordings
    first = write_tiny_recording(recordings, NAME.format(0), N_MOVES)
    files = [path.relative_to(first) for path in first.rglob("*") if path.is_file()]
    for k in range(1, n):
        for file in files:
            path = recordings / NAME.format(k) / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.hardlink_to(first / file)


def shards_of(n: int) -> Shards:
    """About one for every hundred demonstrations."""
    return Shards("demonstration", max(1, n // PER_SHARD))


def walks(place: Path, numbers: Sequence[int]) -> Iterator[Row]:
    """Everything but warehouse and report, really made, for a few variants and a model."""
    write_registry(place / "registry.yaml", WALKED)
    for is_sharded in (True, False):
        for n in (n for n in numbers if n <= MOST_WALKED[is_sharded]):
            shards = shards_of(n) if is_sharded else None
            root = place / f"walk_{n}_{shards is not None}"
            make_root(root, n, shards)
            found = in_fresh_process("wide", str(root))
            size = size_of(root)
            yield Row(
                f"walk over {n:,} recordings, {len(WALKED)} variants, 1 model, {_cut(shards)}",
                "none set",
                f"{size.n_runs:,} runs, {size.n_events:,} events, {megabytes(size.n_bytes)}",
                found["n_failed"] == 0 and found["n_more"] == 0,
                f"{found['n_made']:,} partition steps, {found['walk_s']:.0f} s, "
                f"{found['cpu_s'] / found['n_made']:.3f} CPU s a step, planning included; again "
                f"with nothing to do: {found['nothing_s']:.1f} s; one process; {_ticks(root)}",
            )


def instances(place: Path, numbers: Sequence[int]) -> Iterator[Row]:
    """Dagster's side of everything made: size, what the UI asks for, what sensors take."""
    registry = write_registry(place / "registry.yaml")
    for cut in (None, Shards("demonstration", 1)):
        real = place / f"real_{cut is not None}"
        make_root(real, 1, cut)
        in_fresh_process("wide", str(real))
        measured: list[tuple[int, Size]] = []
        for n in numbers:
            shards = shards_of(n) if cut is not None else None
            root = place / f"instance_{n}_{cut is not None}"
            make_root(root, 1, shards)
            names = [NAME.format(k) for k in range(n)]
            is_copied = cut is not None or n <= MOST_COPIED
            if not is_copied and len(measured) < 2:
                continue  # nothing to calculate it from
            if is_copied:
                models = [f"oracle_{k}" for k in range(1, N_MODELS)]
                copy_instance(real, root, names, models, shards)
                measured.append((n, size_of(root)))
            else:
                instance = open_instance(root)
                instance.add_dynamic_partitions("demonstration", names)
                instance.dispose()
            yield _size_row(n, shards, measured, is_copied=is_copied)
            yield from _served(root, registry, shards, is_copied=is_copied)


def _size_row(
    n: int, shards: Shards | None, measured: Sequence[tuple[int, Size]], *, is_copied: bool
) -> Row:
    size, how = measured[-1][1], "rows of real runs, copied"
    if not is_copied:
        size, how = _grown(n, *measured[-2:]), "not made: calculated from the two rows before"
    is_small = size.n_runs <= RUNS_GOAL and size.n_bytes <= BYTES_GOAL
    return Row(
        f"{n:,} demonstrations, everything made once, {_cut(shards)}",
        "none set" if shards is None else f"{RUNS_GOAL:,} runs, {megabytes(BYTES_GOAL)}",
        f"{size.n_runs:,} runs, {size.n_events:,} events, {megabytes(size.n_bytes)}",
        shards is None or is_small,
        f"{N_MODELS} models; {how}",
    )


def _grown(n: int, fewer: tuple[int, Size], more: tuple[int, Size]) -> Size:
    """Size for ``n`` demonstrations, if it grows as between two numbers of them."""
    (n_0, before), (n_1, after) = fewer, more
    steps = (n - n_1) / (n_1 - n_0)
    pairs = zip(vars(before).values(), vars(after).values(), strict=True)
    return Size(*(round(b + steps * (b - a)) for a, b in pairs))


def _served(root: Path, registry: Path, shards: Shards | None, *, is_copied: bool) -> Iterator[Row]:
    """What the web server answers about the asset with most partitions, and looks of sensors."""
    n = len(_names(root))
    with WebServer(root, registry) as server:
        server.ask(KEYS, "facts")  # the first question of all waits for the definitions
        keys_s, n_bytes = server.ask(KEYS, WIDEST)
        first_s, n_page = server.ask(PAGE, WIDEST)
        again_s, _ = server.ask(PAGE, WIDEST)
    yield Row(
        f"{n:,} demonstrations, {_cut(shards)}: partitions of {WIDEST} in the UI",
        "none set",
        f"keys {keys_s:.2f} s, {n_bytes / 1e6:.2f} MB; page {first_s:.2f} s, {again_s:.2f} s again",
        is_reached=True,
        note=f"GraphQL over HTTP; the page is {n_page / 1e6:.2f} MB, "
        + ("everything is materialized" if is_copied else "nothing is materialized"),
    )
    yield Row(
        f"{n:,} demonstrations, {_cut(shards)}: looks of the daemon",
        "none set",
        _ticks(root, "automation"),
        is_reached=True,
        note="no file is in the lake, so automation finds everything missing and asks for what "
        "comes first",
    )


def _ticks(root: Path, *more: str) -> str:
    found = in_fresh_process("ticks", str(root), *more, ENACT_HOME=str(root))
    return ", ".join(f"{name} {seconds:.1f} s" for name, seconds in found.items())


def _names(root: Path) -> list[str]:
    instance = open_instance(root)
    names = instance.get_dynamic_partitions("demonstration")
    instance.dispose()
    return list(names)


def _cut(shards: Shards | None) -> str:
    return "by name" if shards is None else f"{shards.n} shard{'s' * (shards.n > 1)}"


PARTS: Mapping[str, Callable[[Path, Sequence[int]], Iterator[Row]]] = {
    "walks": walks,
    "instances": instances,
}
