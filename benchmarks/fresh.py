"""What must be measured in a process of its own: start-up, memory, work on one polars thread.

``python -m benchmarks.fresh start``, ``... recording SMALL LARGE``, ``... questions PROFILE
KEY_FRAMES FRAMES N``, ``... definitions``, ``... walk FOLDER N``, ``... wide ROOT``, ``... ticks
ROOT [automation]``, ``... plan ROOT``, ``... publish LAKE FILE``, ``... source FILE N`` and ``...
asking CLIENT URL FOLDER N IN_FLIGHT MS`` print one line of JSON; ``python -m benchmarks`` runs
them.
"""

import json
import sys
import time
from itertools import islice
from pathlib import Path
from statistics import median


def start() -> dict[str, float]:
    """CPU seconds of the imports, and of the first demonstration under either profile."""
    began = time.process_time()
    from benchmarks.chains import PROFILES, make
    from benchmarks.synthetic import generate

    imported = time.process_time()
    replay = generate(0, 3_000)
    generated = time.process_time()
    for name in PROFILES:
        make(replay, name)
    first = time.process_time()
    for name in PROFILES:
        make(replay, name)
    again = time.process_time()
    return {
        "imports_s": imported - began,
        "kernels_s": (first - generated) - (again - first),
    }


def recording(small: Path, large: Path) -> dict[str, float]:
    """CPU seconds and memory of reading and segmenting ``large``, kernels loaded by ``small``."""
    began = time.process_time()
    from benchmarks.chains import PROFILES
    from enact_assets.demonstrations.replay.recorded import read_recorded
    from enact_assets.pipeline.bulk.run import peak_bytes
    from enact_assets.questions.key_frames.release import segment_release

    imported = time.process_time()
    gating = PROFILES["release"]
    for path in (small, large):
        start = time.process_time()
        replay = read_recorded(path, "recorded-0")
        read = time.process_time()
        found = segment_release(replay.demonstrations, replay.facts, replay.objects, gating)
        end = time.process_time()
    return {
        "imports_s": imported - began,
        "read_s": read - start,
        "segment_s": end - read,
        "n_key_frames": found.segmented_frames.height,
        "peak_bytes": peak_bytes(),
    }


def questions(profile: str, n_key_frames: int, n_frames: int, n: int) -> dict[str, float]:
    """Median CPU seconds of making the questions of ``n`` demonstrations, each made once.

    Sentences and draws that were made before are remembered, so none is made twice; one more
    loads the kernels.
    """
    from benchmarks.chains import PROFILES, works_with

    works = works_with(n_key_frames, n_frames, PROFILES[profile])
    n_questions = next(works).run()["qa"].height
    spent = []
    for work in islice(works, n):
        begun = time.process_time()
        work.run()
        spent.append(time.process_time() - begun)
    return {"n_questions": n_questions, "median_s": median(spent)}


def definitions() -> dict[str, float]:
    """Wall seconds from an interpreter that has just started to a resolved asset graph."""
    began = time.monotonic()
    from enact_assets.definitions import defs

    imported = time.monotonic()
    n_assets = len(defs.resolve_asset_graph().get_all_asset_keys())
    resolved = time.monotonic()
    return {
        "import_s": imported - began,
        "resolve_s": resolved - imported,
        "n_assets": n_assets,
        "is_heavy": float(bool({"mujoco", "mitsuba", "pyoidn"} & sys.modules.keys())),
    }


def walk(folder: Path, n: int) -> dict[str, float]:
    """Wall seconds of the chain over ``n`` tiny recordings by the driver, and without it.

    One more is made before, so that kernels are loaded and the instance is there.
    """
    from benchmarks.tiny_root import CHAIN, chain_by_hand, write_tiny_recording
    from enact_assets.pipeline.driver.materialize import Driver
    from enact_assets.pipeline.lineage.graph import STEP_NAMED
    from enact_assets.settings.paths import DataRoot

    root = DataRoot(folder / "data")

    def run() -> tuple[float, float, int]:
        driver = Driver(root.root, workers=1)
        begun, cpu = time.monotonic(), time.process_time()
        report = driver.run(assets=CHAIN)
        assert report.is_success, report
        return time.monotonic() - begun, time.process_time() - cpu, len(report.made)

    write_tiny_recording(root.recordings, "moving_cups-0", has_pictures=False)
    Driver(root.root, workers=1).run(assets=["gating_config", "variant_config", "question_config"])
    run()
    places = [
        write_tiny_recording(root.recordings, f"moving_cups-{k}", has_pictures=False)
        for k in range(1, n + 1)
    ]
    walk_s, walk_cpu_s, n_steps = run()
    nothing_s, _, n_more = run()
    assert n_more == 0, "a second walk made something"
    begun = time.monotonic()
    for place in places:
        chain_by_hand(place)
    return {
        "walk_s": walk_s,
        "walk_cpu_s": walk_cpu_s,
        "n_steps": n_steps,
        "n_tables": n * sum(len(STEP_NAMED[step].assets) for step in CHAIN),
        "nothing_s": nothing_s,
        "work_s": time.monotonic() - begun,
    }


def plan(root: Path) -> dict[str, float]:
    """One plan of a whole data root as the command makes it, and CPU seconds of listing its lake
    once more; ``listing_s`` are all wall seconds after the plan.
    """
    from enact_assets.engine.system.collector import without_collector

    with without_collector():
        from enact_assets.pipeline.driver.materialize import Driver

        driver = Driver(root)
        started, begun = time.process_time(), time.monotonic()
        found, _ = driver.plan()
        planned, ended = time.process_time(), time.monotonic()
    from enact_assets.engine.tables import TABLES
    from enact_assets.pipeline.bulk.run import peak_bytes

    peak = peak_bytes()
    listing = time.process_time()
    n_files = sum(1 for name in TABLES for _ in driver.data.lake.files(name))
    return {
        "n_files": n_files,
        "start_cpu_s": started,
        "plan_s": ended - begun,
        "cpu_s": planned - started,
        "listing_cpu_s": time.process_time() - listing,
        "listing_s": time.monotonic() - ended,
        "n_stale": len(found.stale),
        "n_following": sum(len(partitions) for partitions in found.may_follow.values()),
        "n_fresh": found.n_fresh,
        "peak_bytes": peak,
    }


def wide(root: Path) -> dict[str, float]:
    """Wall and CPU seconds of everything but warehouse and report, and of the walk after it."""
    from enact_assets.pipeline.driver.materialize import Driver
    from enact_assets.pipeline.lineage.graph import STEPS, WHOLE

    steps = [step.name for step in STEPS if step.name not in WHOLE]
    driver = Driver(root, workers=1)
    begun, cpu = time.monotonic(), time.process_time()
    report = driver.run(assets=steps)
    walked, spent = time.monotonic(), time.process_time()
    again = driver.run(assets=steps)
    return {
        "walk_s": walked - begun,
        "cpu_s": spent - cpu,
        "n_made": len(report.made),
        "n_failed": len(report.failures) + len(report.blocked),
        "nothing_s": time.monotonic() - walked,
        "n_more": len(again.made),
    }


def ticks(root: Path, *more: str) -> dict[str, float]:
    """Wall seconds of a look of each sensor, the first in its process; ``more`` may be
    ``automation``, whose looks read the lake as a plan does.
    """
    import dagster as dg

    from enact_assets.definitions import defs
    from enact_assets.pipeline.dagster.sensors import changed_sources, registered_partitions
    from enact_assets.pipeline.runs.instance import open_instance
    from enact_assets.pipeline.runs.resources import DataResource

    instance, repository = open_instance(root), defs.get_repository_def()
    found = {}
    for sensor in (registered_partitions, changed_sources):
        context = dg.build_sensor_context(
            instance=instance, repository_def=repository, resources={"data": DataResource()}
        )
        begun = time.monotonic()
        sensor(context)
        found[sensor.name] = time.monotonic() - begun
    if "automation" in more:
        begun = time.monotonic()
        dg.evaluate_automation_conditions(defs, instance, asset_selection=dg.AssetSelection.all())
        found["automation"] = time.monotonic() - begun
    instance.dispose()
    return found


def publishing(lake: Path, warehouse: Path) -> dict[str, float]:
    """Wall seconds of publishing a lake, all checks included, imports not."""
    from enact_assets.engine.lake.lake import Lake
    from enact_assets.engine.publishing.warehouse import publish
    from enact_assets.pipeline.bulk.run import peak_bytes

    begun, cpu = time.monotonic(), time.process_time()
    report = publish(Lake(lake), warehouse)
    return {
        "publish_s": time.monotonic() - begun,
        "cpu_s": time.process_time() - cpu,
        "n_questions": report.rows["qa"],
        "n_ran": len(report.ran),
        "n_bytes": warehouse.stat().st_size,
        "peak_bytes": peak_bytes(),
    }


def source(file: Path, n_pictures: int) -> dict[str, float]:
    """CPU seconds and memory of one recording: read, checked, and so many pictures of a video."""
    from enact_assets.demonstrations.pictures.recorded_pictures import read_pictures
    from enact_assets.demonstrations.replay.annotated import read_annotated
    from enact_assets.demonstrations.replay.recorded import read_recorded
    from enact_assets.demonstrations.replay.validation import check_replay
    from enact_assets.pipeline.bulk.run import peak_bytes

    is_annotated = file.suffix == ".csv"
    began = time.process_time()
    tables = (read_annotated if is_annotated else read_recorded)(file, "hour-0")
    read = time.process_time()
    check_replay(tables.demonstrations, tables.facts, tables.objects)
    found = {"read_s": read - began, "check_s": time.process_time() - read}
    if is_annotated:
        n_frames = tables.demonstrations.item(0, "n_frames")
        frames = {k * n_frames // n_pictures: k * n_frames // n_pictures for k in range(n_pictures)}
        began = time.process_time()
        n_found = sum(1 for _ in read_pictures(file.parent, frames, n_frames))
        assert n_found == n_pictures, n_found
        found["pictures_s"] = time.process_time() - began
    return {**found, "peak_bytes": peak_bytes()}


def main() -> int:
    """Run what is named; returns 2 for another name."""
    match sys.argv[1:]:
        case ["start"]:
            found = start()
        case ["definitions"]:
            found = definitions()
        case ["walk", folder, n]:
            found = walk(Path(folder), int(n))
        case ["publish", lake, warehouse]:
            found = publishing(Path(lake), Path(warehouse))
        case ["wide", root]:
            found = wide(Path(root))
        case ["ticks", root, *more]:
            found = ticks(Path(root), *more)
        case ["plan", root]:
            found = plan(Path(root))
        case ["recording", small, large]:
            found = recording(Path(small), Path(large))
        case ["source", file, n]:
            found = source(Path(file), int(n))
        case ["questions", profile, *numbers]:
            found = questions(profile, *map(int, numbers))
        case ["asking", client, address, folder, *numbers]:
            from benchmarks.bench_asking import ask

            names = ("n", "in_flight", "latency_ms")
            given = dict(zip(names, map(int, numbers), strict=True))
            found = ask(client, address, Path(folder), **given)
        case other:
            print(f"unknown measurement {other}", file=sys.stderr)
            return 2
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
