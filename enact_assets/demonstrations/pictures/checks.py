"""Checks pictures that came with a recording before it is imported.

Videos are decoded to their end, since frames are matched by number. Of picture files those of key
frames are decoded, which is what is made of them later; of others the checksums are read.
Oddities that work are findings, but not problems.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from enact_assets.demonstrations.pictures.recorded_pictures import (
    first_shown,
    frame_id_of,
    picture_files,
    picture_name,
)
from enact_assets.demonstrations.recordings.folders import (
    CAMERA,
    VIDEO_SUFFIXES,
    camera_of_variant,
    has_picture_files,
    has_pictures,
    is_picture_name,
    variant_of,
    variant_places,
    video_files,
)
from enact_assets.demonstrations.recordings.videos import read_frames, read_times
from enact_assets.engine.errors import DamagedFileError, RenderError
from enact_assets.engine.given_pictures import (
    TINY_PX,
    GivenPicture,
    read_picture_file,
    undecoded_size,
)
from enact_assets.engine.progress import OnProgress, Progress, about, unheard
from enact_assets.settings.arrays import Ints
from enact_assets.settings.frame_ids import FrameIds

MAX_SIZES = 5

PROBLEMS: dict[str, tuple[str, str]] = {
    "no_pictures": (
        "no pictures and no video of this name, but {n} key frames need a picture",
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
    "broken": (
        "{n} of {n_all} picture files cannot be used, first {reason}",
        "Copy or convert them again.",
    ),
    "several": ("{names} show one frame", "Keep one of them."),
    "sizes": (
        "pictures of {n} sizes: {sizes}, first of the rarest {first}",
        "All pictures of one camera must have one size: export them again.",
    ),
    "bad_video": ("{reason}", "No picture is taken from it."),
    "unknown_variant": ("not a variant of the registry (known: {known})", "Rename or remove it."),
    "no_folder": (
        "a file, not a folder with pictures",
        f"A video needs its suffix, such as {CAMERA}.mp4.",
    ),
    "no_place": (
        "neither a folder with pictures nor a video ({suffixes})",
        "Convert, rename or remove it.",
    ),
}
"""Kind of problem -> what is wrong, and what to do about it."""
NOTES: dict[str, tuple[str, str]] = {
    "other_frames": (
        "{n} of {n_all} picture files match no frame of the replay, first {first}",
        "They are ignored; check that frame ids start at the same number.",
    ),
    "outranked": (
        "{n} of {n_all} picture files show a frame that another shows, first {first}",
        "They are ignored; remove the unwanted ones.",
    ),
    "unused_video": ("{counts} counts instead", "Remove the unwanted one."),
    "no_variant_picture_of": (
        "{n} of {n_all} key frames have no picture under this variant, first {first}",
        "That matters only if they are asked about.",
    ),
    "on_white": (
        "{n} of {n_all} pictures of key frames are transparent in part, first {first}",
        "That part is shown white.",
    ),
    "turned": (
        "{n} of {n_all} pictures of key frames say how the camera was held (EXIF), first {first}",
        "They are shown upright.",
    ),
    "tiny": (
        "{n} of {n_all} pictures of key frames are below {least} px: {first}, {width} x {height}",
        "They show almost nothing; check that they are the right ones.",
    ),
    "other_size": (
        "{width} x {height} px, but boxes of the recording are in {wanted_width} x {wanted_height}",
        "Places of objects come from the recording: these must be pictures of the same camera.",
    ),
    "as_recorded": ("the variant shows the baseline's pictures", "Nothing uses these."),
}
"""The same for oddities that work."""


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
    """The pictures that a recording should have.

    ``key_frames`` (n,) are positions of frames that need one. ``variants`` are those with pictures
    of their own, each with its key frames (n,); ``as_recorded`` are the others.
    """

    n_frames: int
    frame_ids: FrameIds
    key_frames: Ints
    variants: Mapping[str, Ints]
    as_recorded: Collection[str] = ()
    size_px: tuple[int, int] | None = None
    """Width and height of the pictures in which the recording says what is visible, if it does."""


def check_pictures(
    folder: Path, wanted: Wanted, on_progress: OnProgress = unheard
) -> list[Finding]:
    """All problems and oddities of the pictures of the recording in ``folder``; raises no
    errors.
    """
    return _Look(folder, wanted, on_progress).findings


class _Look:
    def __init__(self, folder: Path, wanted: Wanted, on_progress: OnProgress) -> None:
        self._folder = folder
        self._wanted = wanted
        self._on_progress = on_progress
        self.findings: list[Finding] = []
        if has_pictures(folder, CAMERA):
            self._at_camera(CAMERA, wanted.key_frames)
        elif (folder / CAMERA).is_file():
            self._tell("no_folder", folder / CAMERA)
        elif len(wanted.key_frames):
            n, [first, *_] = len(wanted.key_frames), self._names(wanted.key_frames)
            self._tell("no_pictures", folder / CAMERA, n=n, first=first, camera=CAMERA)
        for variant in dict.fromkeys(variant_of(place) for place in variant_places(folder)):
            self._at_variant(variant)

    def _tell(self, kind: str, place: Path, **values: object) -> None:
        what, advice = (PROBLEMS | NOTES)[kind]
        self.findings.append(Finding(kind, place, what.format(**values), advice.format(**values)))

    def _ids(self, frames: Ints) -> list[int]:
        ids: list[int] = self._wanted.frame_ids.at(frames).tolist()
        return ids

    def _names(self, frames: Ints) -> list[str]:
        """Expected names of the PNG files of ``frames``."""
        return [picture_name(k) for k in self._ids(frames)]

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
        if has_picture_files(folder):
            for video in videos:
                self._tell("unused_video", video, counts=f"{camera}/ with pictures")
            shown = picture_files(folder, self._ids(key_frames))
            self._at_files(folder, {path for paths in shown.values() for path in paths})
            self._find_missing(folder, key_frames, shown)
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
            times = read_times(video)
            self._at_size(video, times.width_px, times.height_px)

    def _at_files(self, folder: Path, shown: Collection[Path]) -> None:
        """``shown`` are those of key frames, which materializing decodes: so does this."""
        files = sorted(path for path in folder.iterdir() if is_picture_name(path.name))
        broken: list[str] = []
        pictures: dict[Path, GivenPicture] = {}
        sizes: dict[Path, tuple[int, int]] = {}
        for done, path in enumerate(files, start=1):
            try:
                if path in shown:
                    pictures[path] = read_picture_file(path)
                    sizes[path] = pictures[path][1:3]
                else:
                    sizes[path] = undecoded_size(path)
            except DamagedFileError as error:
                broken.append(str(error).removeprefix(f"{folder}/"))
            self._on_progress(Progress(done, len(files), "pictures", folder.name))
        if broken:
            self._tell("broken", folder, n=len(broken), n_all=len(files), reason=broken[0])
        self._at_sizes(folder, sizes)
        for kind, values in odd_looks({p.name: found for p, found in pictures.items()}).items():
            self._tell(kind, folder, **values)
        known = picture_files(folder, self._ids(np.arange(self._wanted.n_frames)))
        used = {path for paths in known.values() for path in paths}
        others: dict[str, list[str]] = {"outranked": [], "other_frames": []}
        for path in files:
            if path not in used:
                is_shown = frame_id_of(path) in known
                others["outranked" if is_shown else "other_frames"].append(path.name)
        for kind, names in others.items():
            if names:
                self._tell(kind, folder, n=len(names), n_all=len(files), first=names[0])
        for paths in known.values():
            if len(paths) > 1:
                self._tell("several", folder, names=" and ".join(path.name for path in paths))

    def _at_size(self, place: Path, width_px: int, height_px: int) -> None:
        wanted = self._wanted.size_px
        if wanted is not None and (width_px, height_px) != wanted:
            size = {"width": width_px, "height": height_px}
            self._tell("other_size", place, wanted_width=wanted[0], wanted_height=wanted[1], **size)

    def _at_sizes(self, folder: Path, sizes: Mapping[Path, tuple[int, int]]) -> None:
        common = Counter(sizes.values()).most_common()
        if len(common) > 1:
            shown = ", ".join(f"{n} of {w} x {h} px" for (w, h), n in common[:MAX_SIZES])
            first = next(path.name for path in sizes if sizes[path] == common[-1][0])
            self._tell("sizes", folder, n=len(common), sizes=shown, first=first)
        elif common:
            self._at_size(folder, *common[0][0])

    def _find_missing(
        self, folder: Path, key_frames: Ints, shown: Mapping[int, Sequence[Path]]
    ) -> None:
        missing = [picture_name(k) for k in self._ids(key_frames) if k not in shown]
        if missing:
            kind = "no_picture_of" if folder.name == CAMERA else "no_variant_picture_of"
            n, n_all = len(missing), len(key_frames)
            self._tell(kind, folder, n=n, n_all=n_all, first=missing[0])


def odd_looks(pictures: Mapping[str, GivenPicture]) -> dict[str, dict[str, object]]:
    """What is odd in how ``pictures`` of key frames look, and works: kind of note -> its values."""
    of_kind = {
        "on_white": [name for name, picture in pictures.items() if picture.is_on_white],
        "turned": [name for name, picture in pictures.items() if picture.is_turned],
        "tiny": [name for name, picture in pictures.items() if picture.is_tiny],
    }
    return {
        kind: {
            "n": len(found),
            "n_all": len(pictures),
            "first": found[0],
            "least": TINY_PX,
            "width": pictures[found[0]].width_px,
            "height": pictures[found[0]].height_px,
        }
        for kind, found in of_kind.items()
        if found
    }


def noted_looks(pictures: Mapping[str, GivenPicture]) -> list[str]:
    """The same in words."""
    return [
        f"{NOTES[kind][0].format(**values)}. {NOTES[kind][1]}"
        for kind, values in odd_looks(pictures).items()
    ]
