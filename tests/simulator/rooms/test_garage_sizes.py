"""What lies in a garage can be told apart in a picture."""

from simulator import room_pieces

from enact_assets.settings.registry import CameraSettings
from enact_assets.simulator.activities.base import HEAD_PITCH_RAD
from enact_assets.simulator.rooms import garage
from enact_assets.simulator.shapes.world import WorldState
from enact_assets.simulator.skills.executor import Executor
from enact_assets.simulator.stage.stage_builder import StageBuilder
from enact_assets.simulator.things.thing_rows import CATALOGUE
from enact_assets.simulator.view.masks import mask_sizes, object_masks


def test_everything_in_the_garage_is_large_enough_to_be_told_apart() -> None:
    """Below 25 px at 512 px a hammer and a wrench look the same."""
    themes = ("tools", "supplies", "rubbish", "laundry")
    kinds = [k for theme in themes for k in CATALOGUE.kinds_of(theme) if k != "laundry_basket"]
    size_px, n_shown = 256, 4
    for start in range(0, len(kinds), n_shown):
        stage = StageBuilder()
        stage.furnish(room_pieces.add_workbench(stage.scene, garage.STYLES[0]))
        shown = kinds[start : start + n_shown]
        for k, kind in enumerate(shown):
            # So near to each other some push, but in the first frame they all stand.
            stage.put(kind, kind, (0.5, 0.1, 0.1), "workbench", (-0.33 + 0.22 * k, 0.08))
        built = stage.finish(HEAD_PITCH_RAD)
        log = Executor(built, "a full bench").physics.log
        state = WorldState(log.qpos[0], log.mocap_pos[0], log.mocap_quat[0], log.appearance[0])
        sizes = mask_sizes(object_masks(built.world, state, CameraSettings(), size_px))
        seen = {built.world.objects[k].name: size for k, size in sizes.items()}
        for kind in shown:
            size = seen[kind]
            across = max(size.x_max - size.x_min, size.y_max - size.y_min) + 1
            assert across * 512 / size_px >= 25, kind
