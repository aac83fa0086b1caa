"""What may follow what, how many ways there are, and which of them are drawn."""

from enact_assets.engine.tables import Table, integer, integers, number, text, texts, truth
from enact_assets.settings import columns as common
from enact_assets.settings.ambiguities import AMBIGUITIES
from enact_assets.settings.rules import MEANINGS


class TransitionGraph(Table):
    """One row per valid edge between two key frames.

    `changes` name object labels, `segmented_frames.changes` object names.
    """

    by = ("demonstration", "gating")

    demonstration = common.demonstration(key=True)
    gating = common.gating(key=True)
    key_frame_from = common.key_frame(key=True)
    key_frame_to = common.key_frame(key=True)
    n_changes = integer("components of the visible change")
    changes = texts("the components, by object label, sorted")


class EditedObjects(Table):
    """One row per valid edge and object that its visible change names.

    `pixels` is what decides whether it can be seen; empty for gatings of profile release.
    """

    by = ("demonstration", "gating")

    demonstration = common.demonstration(key=True)
    gating = common.gating(key=True)
    key_frame_from = common.key_frame(key=True)
    key_frame_to = common.key_frame(key=True)
    object_name = common.object_name(key=True)
    in_transition = truth("whether it turns into something, or came of it")
    pixels_from = integer("size of its mask before, 0 if it is not seen", "px")
    pixels_to = integer("size of its mask after, 0 if it is not seen", "px")
    pixels = integer(
        "the smaller of the two, as it must be seen in both; in a transition the larger", "px"
    )


class AmbiguousChanges(Table):
    """One row per valid edge, reason why its change is hard to tell, and label it is about.

    Most edges have several rows, and nearly all questions can be solved all the same. Empty for
    gatings of profile release.
    """

    by = ("demonstration", "gating")

    demonstration = common.demonstration(key=True)
    gating = common.gating(key=True)
    key_frame_from = common.key_frame(key=True)
    key_frame_to = common.key_frame(key=True)
    ambiguity = text("; ".join(f"{name}: {of}" for name, of in AMBIGUITIES.items()), key=True)
    object = text("what sentences call the thing", key=True)
    share = number("of hand_near: share of the thing that the hand hides; else null", null=True)


class PathCounts(Table):
    """One row per length and end key frame.

    `n_paths` is text, because counts outgrow 64 bits: cast it to bignum.
    """

    by = ("demonstration", "gating")

    demonstration = common.demonstration(key=True)
    gating = common.gating(key=True)
    length = common.length(key=True)
    key_frame = common.key_frame(key=True)
    n_paths = text("valid trajectories that end here; exact, in decimal")


class Trajectories(Table):
    """One row per sampled key-frame trajectory.

    `rank` is text, because ranks outgrow 64 bits: cast it to bignum.
    """

    by = ("demonstration", "gating")
    keys = ("demonstration", "gating", "length", "trajectory_id")

    demonstration = common.demonstration()
    gating = common.gating()
    trajectory_id = text("id from demonstration and frames")
    length = common.length()
    rank = text("rank among all of its length; exact, in decimal")
    key_frames = integers("its key frames, ascending")
    frames = integers("their frames", "frame")


class RuleEffects(Table):
    """One row per rule of segmentation and validation: what it decides.

    Without the rule, everything else is computed in the same way. Key frames are the same if their
    frames are, edges if both of their frames are. Null with a `reason` where something cannot be
    computed without the rule, or, of settling, is not. Empty for imported questions and
    environments of WorldPrediction.
    """

    by = ("demonstration", "gating")

    demonstration = common.demonstration(key=True)
    gating = common.gating(key=True)
    rule = text("; ".join(f"{name}: {of}" for name, of in MEANINGS.items()), key=True)
    is_in_force = truth("whether the gating has it; if not, `with` is the gating with it")
    n_frames_decided = integer(
        "frames at which it changed a fact (smoothing, filter), or that it rejected (persistence, "
        "similarity, gap); null for rules about something else",
        null=True,
    )
    n_key_frames_with = integer("key frames with the rule", null=True)
    n_key_frames_without = integer("key frames without it", null=True)
    n_key_frames_only_with = integer("key frames that exist with it only", null=True)
    n_key_frames_only_without = integer("key frames that exist without it only", null=True)
    n_edges_with = integer("edges of the transition graph with the rule", null=True)
    n_edges_without = integer("edges without it", null=True)
    n_edges_only_with = integer("edges that exist with it only", null=True)
    n_edges_only_without = integer("edges that exist without it only", null=True)
    n_edges_changed = integer("edges of both whose visible changes differ", null=True)
    n_paths_with = text("trajectories of all lengths with it; exact, in decimal", null=True)
    n_paths_without = text("trajectories without it; exact, in decimal", null=True)
    n_questions = integer(
        "questions of `qa` with a step that exists with it only; null if it is not in force",
        null=True,
    )
    reason = text("why numbers are null; null where all are there", null=True)
