"""Profiles: every constant of the benchmark's definitions in one frozen object.

``paper`` follows the definitions of the ENACT paper. The paper does not give all constants: each
constant of :class:`Profile` names its source. ``release`` reproduces the public release of the
benchmark, quirks included; :class:`ReleaseRules` has the constants that only it needs. Algorithms
have no constants of their own. Which algorithms a profile uses:
``enact_assets/pipeline/steps/profiles.py``.
"""

import dataclasses
from dataclasses import dataclass
from typing import TypeVar

from enact_assets.engine.errors import SettingsError, entry_named

OURS = "ours"
"""Source of a constant that neither the paper nor the public release gives."""
FROM_RELEASE = "release"
"""Source of a constant that the public release gives and the paper does not."""

CHANGES, STATES = "changes", "states"
"""What the similarity of key frames compares: the change since the last key frame with the last
accepted change, or the facts that hold with those of the last key frame.
"""

T = TypeVar("T")


def constant(value: T, *, source: str, meaning: str) -> T:
    """A field of a profile. ``source`` is a section of the paper, or one of the two above.

    Source and meaning are texts for people, and not part of the code version
    (``engine/symbols.py``).
    """
    return dataclasses.field(default=value, metadata={"source": source, "meaning": meaning})


@dataclass(frozen=True)
class ReleaseRules:
    """Constants that only the public release needs.

    Frames are counted by their position in the recording unless a line says ids.
    """

    window_stride: int = 5
    """The transient filter anchors a window at every so many frames."""
    min_window: int = 2
    max_window: int = 9
    """Windows span this many frames from base to end, shortest first."""
    first_key_frame: int = 59
    """The first key frame is always this frame."""
    first_compared: int = 61
    """The first frame that is compared with a key frame; the last one of a replay never is."""
    max_similarity: float = 0.98
    """A frame is dissimilar below this cosine of feature counts."""
    min_gap_ids: int = 200
    """Key frames lie more than this apart, in ids."""
    settle_ids: int = 10
    """A candidate's successor is saved this many ids after it at the earliest."""
    min_visible_percent: float = 0.005
    """An object is visible above this percentage of the picture's pixels."""
    seed: int = 42
    """Seed of every draw of questions; the seed of the settings is ignored."""
    trajectories_per_length: int = 5
    """Default of the release's command line."""
    attempts_per_trajectory: int = 10
    max_inverse_questions: int = 25
    """Inverse questions kept per length and demonstration."""
    added_wordings: int = 4
    removed_wordings: int = 2
    """Equally probable wordings of a state that appears, and of one that ends."""


@dataclass(frozen=True)
class Profile:
    """Constants of segmentation, visibility, trajectories and verification.

    Frames are counted at ``frame_rate_hz``. Fractions are of all pixels of one picture. Defaults
    and sources are those of profile ``paper``; :data:`CONSTANTS` lists them.
    """

    name: str
    frame_rate_hz: int = constant(30, source="A.2.1", meaning="Frames per second.")
    flicker_frames: int = constant(
        10,
        source=OURS,
        meaning="Runs of a fact that are shorter than this, in frames, are flipped. The paper "
        "suppresses fluctuations (A.2.1) and gives no number.",
    )
    settle_frames: int = constant(
        20,
        source=OURS,
        meaning="A picture is taken this many frames after its change, which can be seen by then.",
    )
    persistence_frames: int = constant(
        40, source="A.2.1", meaning="A change counts only if it holds for this many frames (1.3 s)."
    )
    max_signature_similarity: float = constant(
        0.97,
        source="A.2.1",
        meaning="A change is accepted below this cosine with the last accepted change. It rejects "
        "nothing while `settle_frames` is less than `persistence_frames`: two accepted changes "
        "then have no component in common, and the cosine is 0. See `similarity_of`.",
    )
    similarity_of: str = constant(
        CHANGES,
        source=FROM_RELEASE,
        meaning="What this cosine compares: `changes` (A.2.1), or `states`: the facts that hold at "
        "a change with those of the last key frame, as the release does.",
    )
    min_visible_fraction: float = constant(
        0.00005,
        source=FROM_RELEASE,
        meaning="An object is visible if its mask covers more than this share of the picture. For "
        "embedded demonstrations the gating's `embedded_min_visible_fraction` takes its place.",
    )
    drops_ambiguous: bool = constant(
        value=True,
        source=FROM_RELEASE,
        meaning="Whether changes are dropped that name one of several changed objects of one label "
        "(ambiguous ones).",
    )
    min_changes: int = constant(
        1, source="2.2", meaning="Visible changes between two key frames, at least."
    )
    max_changes: int = constant(
        5, source=FROM_RELEASE, meaning="Visible changes between two key frames, at most."
    )
    min_length: int = constant(3, source="2.3", meaning="Key frames of the shortest trajectories.")
    max_length: int = constant(
        10,
        source="2.3",
        meaning="Key frames of the longest trajectories; a question has one step fewer.",
    )
    release: ReleaseRules | None = None
    """Set if the rules of the public release apply in place of the paper's."""

    @property
    def lengths(self) -> range:
        """All trajectory lengths, shortest first."""
        return range(self.min_length, self.max_length + 1)

    @property
    def counts_every_state(self) -> bool:
        """Whether key frames follow from every recorded state, so that no gating selects any."""
        return self.release is not None

    @property
    def has_own_words(self) -> bool:
        """Whether questions have one fixed wording, so that no setting can change it."""
        return self.release is not None

    def most_questions(self, kind: str, n_trajectories: int) -> int:
        """Most questions of ``kind`` from ``n_trajectories`` of one length and demonstration."""
        if self.release is not None and kind == "inverse":
            return min(n_trajectories, self.release.max_inverse_questions)
        return n_trajectories

    @property
    def release_constants(self) -> ReleaseRules:
        """Constants of the public release. Errors: :class:`SettingsError` if there are none."""
        if self.release is None:
            raise SettingsError(
                f"profile {self.name!r} has no constants of the public release. Give profile "
                "'release', or choose the function by profile "
                "(enact_assets/pipeline/steps/profiles.py)."
            )
        return self.release


@dataclass(frozen=True)
class Constant:
    """One constant of profile ``paper``: its value, its source and what it means."""

    name: str
    value: int | float | bool | str
    source: str
    meaning: str

    @property
    def is_settable(self) -> bool:
        """Whether a gating of the registry may set it; constants of the paper are fixed."""
        return self.source in (OURS, FROM_RELEASE)


PAPER = Profile("paper")
RELEASE = Profile("release", release=ReleaseRules())

CONSTANTS: dict[str, Constant] = {
    field.name: Constant(field.name, getattr(PAPER, field.name), **field.metadata)
    for field in dataclasses.fields(Profile)
    if field.metadata
}
"""Name -> constant of profile ``paper``, in the order of :class:`Profile`."""

PROFILES: dict[str, Profile] = {p.name: p for p in (PAPER, RELEASE)}


def profile(name: str) -> Profile:
    """The profile called ``name``; raises :class:`UnknownNameError`."""
    return entry_named(PROFILES, name, "profile")
