"""Columns that several tables share: one meaning each. ``key`` says that it tells rows apart."""

from functools import partial

from enact_assets.engine.tables import integer, text

demonstration = partial(text, "recorded execution of an activity, e.g. setting_the_table-0")
gating = partial(text, "which predicates make key frames: state or contact")
question_set = partial(text, "named set of questions, which variants ask")
model = partial(text, "model that answered")
variant = partial(text, "setting under which the pictures were made and asked")
key_frame = partial(integer, "index of the key frame, from 0")
frame = partial(integer, "frame of the replay", "frame")
kind = partial(
    text,
    "forward (order images) or inverse (order actions); of WorldPrediction wm or pp and where "
    "clips come from, such as wm_same",
)
world_source = partial(
    text, "embedded, or the step file whose annotations the questions are made from"
)
length = partial(integer, "key frames in the trajectory; the answer has one entry fewer")
any_length = partial(integer, "trajectory length; null for all", null=True)
question_id = partial(text, "id from demonstration, gating, kind, frames and order shown")
object_name = partial(text, "name of the object, unique in its demonstration")
metric = partial(text, "task_accuracy or pairwise_accuracy")
published_model = partial(text, "model as the paper calls it; Human for its annotators")
published_variant = partial(text, "the paper's setting, by the name of our variant")
step = partial(integer, "step of the trajectory, from 1")
repetition = partial(integer, "how often the question was asked before, from 0")
