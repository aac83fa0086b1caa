"""Replays: demonstrations, facts over time, objects, and states for rendering."""

from enact_assets.engine.tables import Table, integer, integers, number, numbers, text, texts, truth
from enact_assets.settings import columns as common


class Demonstrations(Table):
    """One row per demonstration.

    Holds every replayed demonstration, with or without questions, and (source questions) those that
    imported questions name and no replay came of: their n_frames ends with the last frame named.
    """

    by = ("demonstration",)

    demonstration = common.demonstration(key=True)
    source = text("source of the recording: embedded, recorded, omnigibson, video; or questions")
    activity = text("household activity")
    seed = integer("seed of placement, order and timing", null=True)
    n_frames = integer("length of the replay", "frame")
    frame_rate_hz = number("frames per second; 0: key frames only, at no even pace", "Hz")
    world_sha = text("hash of the simulated world, or of the recorded file")
    frame_id_runs = integers(
        "how the recording numbers its frames: frame, id, frame, id, ... where ids jump"
    )
    attempts = integer("versions drawn until one could be carried out; null: not drawn", null=True)
    replaced = texts(
        "what stands for something else of BEHAVIOR's definition, as 'ours: synset'; null if it is "
        "not known",
        null=True,
    )


class Facts(Table):
    """One row per maximal interval in which an atomic fact holds.

    Intervals are half open: a fact holds from frame_from up to, not including, frame_to.
    """

    by = ("demonstration",)
    keys = ("demonstration", "predicate", "subject", "object", "frame_from")

    demonstration = common.demonstration()
    predicate = text("name in the predicate catalogue; of recorded replays, any state's name")
    subject = common.object_name()
    object = text("second object; null for unary facts", null=True)
    frame_from = integer("first frame in which it holds", "frame")
    frame_to = integer("first frame in which it no longer holds", "frame")


class Objects(Table):
    """One row per object of a demonstration.

    `object_name` is unique in its demonstration only; category is what objects share.
    """

    by = ("demonstration",)

    demonstration = common.demonstration(key=True)
    object_name = common.object_name(key=True)
    category = text("kind of object; several may share it; empty if a recording says none")
    parents = texts(
        "objects it came from by a transition (recorded replays: or their categories); "
        "null if a recording says nothing",
        null=True,
    )
    is_particle_system = truth("whether it is a particle system")


class LaterParents(Table):
    """One row per change of an object's parents in the course of a demonstration.

    Nearly always empty: a substance that is made a second time, of other objects, has a row.
    Objects has the parents before the first row; those of a row hold until the object's next row.
    """

    by = ("demonstration",)
    is_published = False

    demonstration = common.demonstration(key=True)
    object_name = common.object_name(key=True)
    frame_from = integer("first frame at which these are its parents", "frame", key=True)
    parents = texts("as in objects, in order; null if the recording says nothing", null=True)


class Actions(Table):
    """One row per step of the plan that an embedded demonstration carries out.

    Recordings of other sources have none: nothing says where their actions begin.
    """

    by = ("demonstration",)

    demonstration = common.demonstration(key=True)
    action = integer("place in the plan, from 1", key=True)
    verb = text("what is done, e.g. grasp, place, open, pour; together and wait are not askable")
    arguments = texts("the thing or fixture, then the place or target, by name")
    frame_from = integer("first frame of the step", "frame")
    frame_to = integer("first frame after it", "frame")
    environment = text("activity, room, style, and side of a fixture, which a mirror image swaps")


class Observability(Table):
    """One row per maximal interval in which a recorded camera sees an object unchanged."""

    by = ("demonstration",)
    is_published = False

    demonstration = common.demonstration(key=True)
    camera = text("name of the sensor", key=True)
    object_name = common.object_name(key=True)
    frame_from = integer("first frame it is seen like this", "frame", key=True)
    frame_to = integer("first frame it no longer is", "frame")
    pixels = integer("size of its mask", "px")
    x_min_px = integer("left edge of its box, from 0", "px")
    y_min_px = integer("top edge of its box, from 0", "px")
    x_max_px = integer("right edge of its box, inclusive", "px")
    y_max_px = integer("bottom edge of its box, inclusive", "px")
    height_px = integer("height of the picture", "px")
    width_px = integer("width of the picture", "px")


class States(Table):
    """One row per frame of an embedded demonstration: what re-rendering needs."""

    by = ("demonstration",)
    is_published = False

    demonstration = common.demonstration(key=True)
    frame = common.frame(key=True)
    qpos = numbers("generalized positions, (nq,)", "m, rad, wxyz")
    mocap_pos = numbers("positions of scripted bodies, (nmocap * 3,)", "m")
    mocap_quat = numbers("their orientations, (nmocap * 4,)", "wxyz")
    appearance = numbers("state cues by World.cues, e.g. 1 for a lit burner")
