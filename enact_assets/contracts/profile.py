"""Profiles: every constant of the benchmark's definitions in one frozen object.

``paper`` follows the ENACT paper, appendix A. ``release`` reproduces the public release of the
benchmark, quirks included; :class:`ReleaseRules` has the constants that only it needs. No algorithm
holds a constant of its own. Which algorithms a profile uses: ``enact_assets/profiles.py``.
"""

from dataclasses import dataclass

from enact_assets.contracts.errors import SettingsError, UnknownNameError


@dataclass(frozen=True)
class ReleaseRules:
    """Constants of the public release that the paper's definitions have no place for.

    Frames are counted by their position in the recording unless a line says ids.
    """

    window_stride: int = 5
    """The transient filter anchors a window at every so many frames."""
    min_window: int = 2
    max_window: int = 9
    """Windows span this many frames from base to end, shortest first."""
    first_key_frame: int = 59
    """The first key frame is always this one, whatever it shows."""
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
    """Every draw of questions starts from it, whatever seed is asked for."""
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

    Frames are counted at ``frame_rate_hz``. Fractions are of all pixels of one picture.
    """

    name: str
    frame_rate_hz: int = 30
    flicker_frames: int = 10
    """Interior runs of a fact shorter than this are flipped (A.2.1, fluctuations)."""
    settle_frames: int = 20
    """A picture is taken this many frames after its change, when it can be seen."""
    persistence_frames: int = 40
    """A change counts only if it holds this long (A.2.1, about 1.3 s)."""
    max_signature_similarity: float = 0.97
    """A change is accepted below this cosine with the last accepted change (A.2.1)."""
    min_visible_fraction: float = 0.00005
    """An object is visible if its mask covers more than this share of the picture."""
    min_changes: int = 1
    max_changes: int = 5
    min_length: int = 3
    max_length: int = 10
    """Trajectory lengths in key frames (A.2.2); a question has one step fewer."""
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

    @property
    def release_constants(self) -> ReleaseRules:
        """Constants of the public release. Errors: :class:`SettingsError` if there are none."""
        if self.release is None:
            raise SettingsError(
                f"profile {self.name!r} has no constants of the public release. Give profile "
                "'release', or choose the function by profile (enact_assets/profiles.py)."
            )
        return self.release


PAPER = Profile("paper")
RELEASE = Profile("release", release=ReleaseRules())

PROFILES: dict[str, Profile] = {p.name: p for p in (PAPER, RELEASE)}


def profile(name: str) -> Profile:
    """The profile called ``name``; raises :class:`UnknownNameError`."""
    try:
        return PROFILES[name]
    except KeyError:
        raise UnknownNameError.of("profile", name, PROFILES) from None
