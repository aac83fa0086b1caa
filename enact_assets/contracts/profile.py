"""Profiles: every constant of the benchmark's definitions in one frozen object.

``paper`` follows the ENACT paper, appendix A. No algorithm holds a constant of its own.
"""

from dataclasses import dataclass

from enact_assets.contracts.errors import UnknownNameError


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

    @property
    def lengths(self) -> range:
        """All trajectory lengths, shortest first."""
        return range(self.min_length, self.max_length + 1)


PAPER = Profile("paper")

PROFILES: dict[str, Profile] = {p.name: p for p in (PAPER,)}


def profile(name: str) -> Profile:
    """The profile called ``name``; raises :class:`UnknownNameError`."""
    try:
        return PROFILES[name]
    except KeyError:
        raise UnknownNameError.of("profile", name, PROFILES) from None
