"""The embedded simulator: physics, predicates, masks, pictures, on one demonstration each."""

import time

from enact_assets.contracts.registry import BASELINE, load_registry
from enact_assets.replay.embedded import parse_demonstration, tables_of
from enact_assets.simulator.activities import ACTIVITIES
from enact_assets.simulator.masks import object_masks
from enact_assets.simulator.rendering import Renderer
from enact_assets.simulator.simulate import simulate

N_PICTURES = 6


def main() -> None:
    """Print a row per activity: how long it is, and what simulating and showing it costs."""
    variant = load_registry().variant(BASELINE)
    size = variant.renderer.size_px
    picture = f"{size} px picture, wall s"
    print(f"| activity | robot s | simulate, CPU s | x real time | mask s | {picture} | CPU s |")
    print("|---|---|---|---|---|---|---|")
    for activity in ACTIVITIES:
        cpu = time.process_time()
        recording = simulate(*parse_demonstration(f"{activity}-0"))
        cpu = time.process_time() - cpu
        row = tables_of(f"{activity}-0", recording).demonstrations.row(0, named=True)
        seconds = row["n_frames"] / row["frame_rate_hz"]
        frames = [k * (row["n_frames"] - 1) // N_PICTURES for k in range(N_PICTURES + 1)]
        states = [recording.state(frame) for frame in frames]
        began = time.perf_counter()
        for state in states[1:]:
            object_masks(recording.world, state, variant.camera, size)
        mask = (time.perf_counter() - began) / N_PICTURES
        renderer = Renderer(recording.world, variant)
        renderer.render(states[0])
        began, cpu_began = time.perf_counter(), time.process_time()
        for state in states[1:]:
            renderer.render(state)
        wall = (time.perf_counter() - began) / N_PICTURES
        spent = (time.process_time() - cpu_began) / N_PICTURES
        print(
            f"| {activity} | {seconds:.0f} | {cpu:.1f} | {seconds / cpu:.0f} | {mask:.2f} "
            f"| {wall:.2f} | {spent:.2f} |"
        )


if __name__ == "__main__":
    main()
