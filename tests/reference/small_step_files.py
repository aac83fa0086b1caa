"""Step files made by hand."""

from collections.abc import Sequence
from pathlib import Path

STEPS = "recording_id,step_id,start_time,end_time,description,has_errors"
VIDEOS = "recording_id,environment_id,person_id,duration(sec)"


def write_step_file(folder: Path, steps: Sequence[str], videos: Sequence[str]) -> Path:
    """Rows of both tables; steps 1 to 9 are known as ``step 1`` and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "step_annotations.csv").write_text("\n".join([STEPS, *steps, ""]))
    (folder / "video_information.csv").write_text("\n".join([VIDEOS, *videos, ""]))
    known = [f"{k},step {k}" for k in range(1, 10)]
    (folder / "step_idx_description.csv").write_text(
        "\n".join(["step_idx,step_description", *known, ""])
    )
    return folder


def step(
    recording: str, number: int | str, start: object, end: object, wrong: str = "False"
) -> str:
    """A row of the steps."""
    return f"{recording},{number},{start},{end},step {number},{wrong}"


def kitchen(recording: str, order: Sequence[int]) -> list[str]:
    """Rows of ten seconds each, in ``order``."""
    return [step(recording, n, 10 * k, 10 * k + 10) for k, n in enumerate(order)]


def three_kitchens(folder: Path) -> Path:
    """Three people cook alike in two environments."""
    steps = [
        *kitchen("a", range(1, 7)),
        *kitchen("b", range(1, 7)),
        *kitchen("c", (2, 1, 3, 4, 5, 6)),
    ]
    return write_step_file(folder, steps, ["a,1,1,60", "b,2,2,60", "c,2,3,60"])
