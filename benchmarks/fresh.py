"""What must be measured in a process of its own: start-up, memory, work on one polars thread.

``python -m benchmarks.fresh start``, ``... recording SMALL LARGE`` and ``... questions PROFILE
KEY_FRAMES FRAMES N`` print one line of JSON; ``python -m benchmarks`` runs them.
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
    from enact_assets.bulk.run import peak_bytes
    from enact_assets.replay.recorded import read_recorded
    from enact_assets.segmentation.segment import segment

    imported = time.process_time()
    gating = PROFILES["release"]
    for path in (small, large):
        start = time.process_time()
        replay = read_recorded(path, "recorded-0")
        read = time.process_time()
        found = segment(replay.demonstrations, replay.facts, replay.objects, gating)
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
    n_questions = next(works).run().height
    spent = []
    for work in islice(works, n):
        begun = time.process_time()
        work.run()
        spent.append(time.process_time() - begun)
    return {"n_questions": n_questions, "median_s": median(spent)}


def main() -> int:
    """Run what is named; returns 2 for another name."""
    match sys.argv[1:]:
        case ["start"]:
            found = start()
        case ["recording", small, large]:
            found = recording(Path(small), Path(large))
        case ["questions", profile, *numbers]:
            found = questions(profile, *map(int, numbers))
        case other:
            print(f"unknown measurement {other}", file=sys.stderr)
            return 2
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
