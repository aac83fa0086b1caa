"""A finished simulation as a recording: its states, its facts, and the goal they reach."""

from collections.abc import Sequence
from dataclasses import dataclass

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.shapes.world import World, WorldState
from enact_assets.simulator.simulation.facts import Fact, find_facts
from enact_assets.simulator.simulation.performed import Performed
from enact_assets.simulator.simulation.physics import Physics
from enact_assets.simulator.simulation.physics_log import physics_log

GoalFact = tuple[str, str, str | None]


@dataclass(frozen=True)
class Recording:
    """One simulated demonstration at ``frame_rate_hz``.

    Shapes: qpos (t, nq), mocap_pos (t, nmocap, 3), mocap_quat (t, nmocap, 4), appearance
    (t, n_cues). All facts of ``goal`` hold in the last frame: without that there is no recording.
    """

    activity: str
    seed: int
    world: World
    frame_rate_hz: float
    qpos: Floats
    mocap_pos: Floats
    mocap_quat: Floats
    appearance: Floats
    facts: tuple[Fact, ...]
    goal: tuple[GoalFact, ...]
    performed: tuple[Performed, ...] = ()
    """The steps of its plan, in order."""
    environment: str = ""
    """The room as its seed drew it: kind, style, and whether it is a mirror image."""
    attempts: int = 1
    """How many versions of its places and order were drawn until one could be carried out."""
    stands_for: tuple[tuple[str, str], ...] = ()
    """What is in it, and the synset of BEHAVIOR's definition that it replaces."""

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return len(self.qpos)

    def state(self, frame: int) -> WorldState:
        """One frame, to be shown."""
        return WorldState(
            self.qpos[frame], self.mocap_pos[frame], self.mocap_quat[frame], self.appearance[frame]
        )


def missing_goals(facts: Sequence[Fact], goal: Sequence[GoalFact], n_frames: int) -> list[GoalFact]:
    """Goal facts that do not hold in the last frame."""
    holding = {(f.predicate, f.subject, f.object) for f in facts if f.frame_to == n_frames}
    return [g for g in goal if g not in holding]


def facts_of(physics: Physics, covers: frozenset[str]) -> tuple[Fact, ...]:
    """All facts of a finished simulation."""
    return tuple(find_facts(physics_log(physics, covers)))
