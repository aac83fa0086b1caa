"""Key frames and the scene graphs that hold at them."""

from enact_assets.engine.tables import Table, integer, number, text, texts
from enact_assets.settings import columns as common


class SegmentedFrames(Table):
    """One row per key frame.

    `frame` is when the picture is taken, some frames after change_frame.
    """

    by = ("demonstration", "gating")

    demonstration = common.demonstration(key=True)
    gating = common.gating(key=True)
    key_frame = common.key_frame(key=True)
    frame = integer("frame recorded as the key frame, when settled", "frame")
    frame_id = integer("what the recording calls that frame")
    change_frame = integer(
        "frame at which the change began; null for the first", "frame", null=True
    )
    similarity = number("cosine with the last accepted signature; null for two", null=True)
    changes = texts("signature against the key frame before, by object name")


class SceneGraphs(Table):
    """One row per fact that holds at a key frame (after smoothing).

    Only key frames have a graph, and Exists is a fact like any other.
    """

    by = ("demonstration", "gating")
    keys = ("demonstration", "gating", "key_frame", "predicate", "subject", "object")

    demonstration = common.demonstration()
    gating = common.gating()
    key_frame = common.key_frame()
    predicate = text("name in the predicate catalogue, Exists included")
    subject = common.object_name()
    object = text("second object; null for unary facts", null=True)
