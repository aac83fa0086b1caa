"""What the installed OmniGibson can play of a demonstration, found before it is started."""

from enact_assets.demonstrations.replay.omnigibson_player import code_probes
from enact_assets.demonstrations.replay.omnigibson_player.demonstration_file import (
    INIT_METADATA,
    DemonstrationFile,
)
from enact_assets.demonstrations.replay.omnigibson_player.grasps import PHYSICAL
from enact_assets.demonstrations.replay.omnigibson_player.installed import GRASP_MARKER, Installed
from enact_assets.demonstrations.replay.omnigibson_player.request import RefusalError


def check_playable(source: DemonstrationFile, episode: int, installed: Installed) -> None:
    """Errors: :class:`RefusalError` says in one message why this OmniGibson cannot play it."""
    reason = _reason(source, episode, installed)
    if not reason:
        return
    recorded = f"recorded with OmniGibson {source.recorded_with}, " if source.recorded_with else ""
    raise RefusalError(
        f"{source.path}, demo_{episode}: {recorded}but OMNIGIBSON_PYTHON has OmniGibson "
        f"{installed.version}: {reason} docs/sources.md says how each version is installed."
    )


def restores_grasps(source: DemonstrationFile, episode: int, installed: Installed) -> bool:
    """Whether loading a row of ``episode`` restores what assisted grasps hold: rows of older
    recordings load without error in 3.9, and then nothing is held.
    """
    if installed.grasps != "in_rows" or source.robot().grasping_mode == PHYSICAL:
        return False
    return source.has_in_state(episode, float(code_probes.find(GRASP_MARKER)))


def _reason(source: DemonstrationFile, episode: int, installed: Installed) -> str:
    """Why it cannot be played; empty if nothing is known against it."""
    if source.is_nested and installed.registry == "flat":
        return (
            "its states begin with the pose of the scene, as OmniGibson 3.7 and later write them, "
            "and this version cannot read that."
        )
    if not source.is_nested and installed.registry == "nested":
        return (
            "its states do not begin with the pose of the scene: OmniGibson 1.1.1 wrote them, and "
            "this version cannot read that."
        )
    robot = source.robot()
    if robot.made_by is not None and not code_probes.exists(robot.made_by):
        return f"its robot {robot.name!r} is made by {robot.made_by}, which this version lacks."
    if installed.needs_init_metadata == "yes" and INIT_METADATA not in source.group(episode):
        return (
            f"the episode has no group {INIT_METADATA!r}, without which this version plays nothing "
            "and says nothing."
        )
    if installed.grasps == "unloadable" and robot.grasping_mode != PHYSICAL:
        # ManipulationRobot.serialize leaves out what is held, and _load_state expects it.
        return (
            f"it was recorded with grasping_mode {robot.grasping_mode!r}, whose states this "
            "version cannot load again. Record with grasping_mode 'physical'."
        )
    return ""
