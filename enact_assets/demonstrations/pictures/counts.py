"""A quick look at the videos of a recording: how many pictures they have for how many frames."""

from pathlib import Path

from enact_assets.demonstrations.pictures.recorded_pictures import may_lack_first, shown_video
from enact_assets.demonstrations.recordings.folders import (
    CAMERA,
    camera_of_variant,
    variant_of,
    variant_places,
)
from enact_assets.demonstrations.recordings.videos import count_pictures
from enact_assets.demonstrations.replay.frame_order import frame_ids
from enact_assets.engine.errors import RenderError
from enact_assets.engine.progress import OnProgress, unheard
from enact_assets.settings.frame_ids import FrameIds


def check_picture_counts(graphs: Path, on_progress: OnProgress = unheard) -> None:
    """Compare each video beside the file ``graphs`` with it: packets and frame ids are counted,
    nothing is decoded. Without a video nothing is read.

    Errors: :class:`RenderError` names a video that has another number of pictures, or cannot be
    read to its end; :class:`RecordingError` if ``graphs`` cannot be read.
    """
    folder = graphs.parent
    variants = (camera_of_variant(variant_of(place)) for place in variant_places(folder))
    videos = [shown_video(folder, camera) for camera in dict.fromkeys((CAMERA, *variants))]
    counts = {video: count_pictures(video) for video in videos if video is not None}
    if not counts:
        return
    ids = frame_ids(graphs, on_progress)
    n_frames, runs = len(ids), FrameIds.of(ids).runs
    for video, n_pictures in counts.items():
        is_one_fewer = n_pictures == n_frames - 1
        if n_pictures != n_frames and not (is_one_fewer and may_lack_first(video, runs)):
            raise RenderError(
                f"{video}: has {n_pictures} pictures, the replay {n_frames} frames. Copy or export "
                "the video again, or remove it to import the replay without pictures. "
                "docs/sources.md, Official replays, says which numbers are understood."
            )
