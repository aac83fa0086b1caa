"""Checks pictures that came with a recording before it is imported.

Videos are decoded to their end, since frames are matched by number; PNG files are read and checked.
What is odd but works is a finding too, but no problem.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from enact_assets.demonstrations.pictures.recorded_pictures import first_shown
from enact_assets.demonstrations.recordings.folders import (
    CAMERA,
    VIDEO_SUFFIXES,
    camera_of_variant,
    has_pictures,
    has_png,
    variant_of,
    variant_places,
    video_files,
)
from enact_assets.demonstrations.recordings.videos import read_frames
from enact_assets.engine.errors import DamagedFileError, RenderError
from enact_assets.engine.lake.image_store import png_size
from enact_assets.engine.progress import OnProgress, Progress, about, unheard
from enact_assets.settings.arrays import Ints
from enact_assets.settings.frame_ids import FrameIds

MAX_SIZES = 5

PROBLEMS: dict[str, tuple[str, str]] = {
    "no_pictures": (
        "no PNG files and no video of this name, but {n} key frames need a picture",
        "Put them there: {first} and so on, or {camera}.mp4 with all frames.",
    ),
    "no_picture_of": (
        "{n} of {n_all} key frames have no picture, first {first}",
        "Name PNG files by frame id, five digits.",
    ),
    "no_first_picture": (
        "begins at the second frame of the replay, but the first is a key frame",
        "Set settle_frames of the gating above 0.",
    ),
    "broken_png": ("{n} of {n_all} PNG files cannot be used, first {reason}", "Copy them again."),
    "sizes": (
        "pictures of {n} sizes: {sizes}, first of the rarest {first}",
        "All pictures of one camera must have one size: export them again.",
    ),
    "bad_video": ("{reason}", "No picture is taken from it."),
    "unknown_variant": ("not a variant of the registry (known: {known})", "Rename or remove it."),
    "no_place": (
        "neither a folder with PNG files nor a video ({suffixes})",
        "Convert, rename or remove it.",
    ),
}
"""Kind of problem -> what is wrong, and what to do about it."""
NOTES: dict[str, tuple[str, str]] = {
    "other_frames": (
        "{n} of {n_all} PNG files match no frame of the replay, first {first}",
        "They are ignored; check that frame ids start at the same number.",
    ),
    "unused_video": ("{counts} counts instead", "Remove the unwanted one."),
    "no_variant_picture_of": (
        "{n} of {n_all} key frames have no picture under this variant, first {first}",
        "That matters only if they are asked about.",
    ),
    "as_recorded": ("the variant shows the baseline's pictures", "Nothing uses these."),
}
"""The same of what is odd, but works."""


@dataclass(frozen=True)
class Finding:
    """Something about the pictures at ``place``; a problem keeps them from being used."""

    kind: str
    place: Path
    what: str
    advice: str

    @property
    def is_problem(self) -> bool:
        """Whether something will fail."""
        return self.kind in PROBLEMS

    def __str__(self) -> str:
        note = "" if self.is_problem else "note: "
        return f"{note}{self.place}: {self.what}. {self.advice}"


@dataclass(frozen=True)
class Wanted:
    """What pictures there should be.

    ``key_frames`` (n,) are positions of frames that need one. ``variants`` are those with pictures
    of their own, each with its key frames (n,); ``as_recorded`` are the others.
    """

    n_frames: int
    frame_ids: FrameIds
    key_frames: Ints
    variants: Mapping[str, Ints]
    as_recorded: Collection[str] = ()


def check_pictures(
    folder: Path, wanted: Wanted, on_progress: OnProgress = unheard
) -> list[Finding]:
    """All that is wrong or odd in the pictures of the recording in ``folder``; raises nothing."""
    return _Look(folder, wanted, on_progress).findings


class _Look:
    def __init__(self, folder: Path, wanted: Wanted, on_progress: OnProgress) -> None:
        self._folder = folder
        self._wanted = wanted
        self._on_progress = on_progress
        self.findings: list[Finding] = []
        if has_pictures(folder, CAMERA):
            self._at_camera(CAMERA, wanted.key_frames)
        elif len(wanted.key_frames):
            n, [first, *_] = len(wanted.key_frames), self._names(wanted.key_frames)
            self._tell("no_pictures", folder / CAMERA, n=n, first=first, camera=CAMERA)
        for variant in dict.fromkeys(variant_of(place) for place in variant_places(folder)):
            self._at_variant(variant)

    def _tell(self, kind: str, place: Path, **values: object) -> None:
        what, advice = (PROBLEMS | NOTES)[kind]
        self.findings.append(Finding(kind, place, what.format(**values), advice.format(**values)))

    def _names(self, frames: Ints) -> list[str]:
        """Names of the PNG files of ``frames``."""
        return [f"{k:05d}.png" for k in self._wanted.frame_ids.at(frames).tolist()]

    def _at_variant(self, variant: str) -> None:
        camera = camera_of_variant(variant)
        place = next(p for p in variant_places(self._folder) if variant_of(p) == variant)
        if not has_pictures(self._folder, camera):
            self._tell("no_place", place, suffixes=", ".join(VIDEO_SUFFIXES))
        elif variant in self._wanted.as_recorded:
            self._tell("as_recorded", place)
        elif variant not in self._wanted.variants:
            known = ", ".join(sorted(self._wanted.variants)) or "none"
            self._tell("unknown_variant", place, known=known)
        else:
            self._at_camera(camera, self._wanted.variants[variant])

    def _at_camera(self, camera: str, key_frames: Ints) -> None:
        folder, videos = self._folder / camera, video_files(self._folder, camera)
        if has_png(folder):
            for video in videos:
                self._tell("unused_video", video, counts=f"{camera}/ with PNG files")
            self._at_png_files(folder)
            self._find_missing(folder, key_frames)
            return
        for video in videos[1:]:
            self._tell("unused_video", video, counts=videos[0].name)
        self._at_video(videos[0], key_frames)

    def _at_video(self, video: Path, key_frames: Ints) -> None:
        n_frames = self._wanted.n_frames
        # Only the first frame can be without a picture: whether that matters is seen by asking.
        wanted = key_frames[key_frames == 0].tolist()
        decoded = about(video.name, self._on_progress)
        try:
            # Otherwise no picture is asked for: this only counts.
            first = first_shown(video, n_frames, self._wanted.frame_ids.runs)
            found = list(read_frames(video, wanted, n_frames, decoded, first=first))
        except RenderError as error:
            reason = str(error).removeprefix(str(video)).lstrip(":, ").rstrip(".")
            self._tell("bad_video", video, reason=reason)
        else:
            if len(found) < len(wanted):
                self._tell("no_first_picture", video)

    def _at_png_files(self, folder: Path) -> None:
        files = sorted(folder.glob("*.png"))
        broken: list[str] = []
        first_of: dict[tuple[int, int], str] = {}
        sizes: Counter[tuple[int, int]] = Counter()
        for done, path in enumerate(files, start=1):
            try:
                size = png_size(path)
            except DamagedFileError as error:
                broken.append(str(error).removeprefix(f"{folder}/"))
            else:
                sizes[size] += 1
                first_of.setdefault(size, path.name)
            self._on_progress(Progress(done, len(files), "pictures", folder.name))
        if broken:
            self._tell("broken_png", folder, n=len(broken), n_all=len(files), reason=broken[0])
        if len(sizes) > 1:
            common = sizes.most_common()
            shown = ", ".join(f"{n} of {w} x {h} px" for (w, h), n in common[:MAX_SIZES])
            self._tell("sizes", folder, n=len(sizes), sizes=shown, first=first_of[common[-1][0]])
        known = set(self._names(np.arange(self._wanted.n_frames)))
        others = [path.name for path in files if path.name not in known]
        if others:
            n, n_all = len(others), len(files)
            self._tell("other_frames", folder, n=n, n_all=n_all, first=others[0])

    def _find_missing(self, folder: Path, key_frames: Ints) -> None:
        is_there = {path.name for path in folder.glob("*.png")}
        missing = [name for name in self._names(key_frames) if name not in is_there]
        if missing:
            kind = "no_picture_of" if folder.name == CAMERA else "no_variant_picture_of"
            n, n_all = len(missing), len(key_frames)
            self._tell(kind, folder, n=n, n_all=n_all, first=missing[0])
