"""Questions: all that are written, those that are chosen, and as variants ask them."""

from enact_assets.engine.tables import (
    Table,
    integer,
    integers,
    number,
    text,
    text_lists,
    texts,
    truth,
)
from enact_assets.settings import columns as common


class Qa(Table):
    """One row per question.

    Holds every question written; question_set says which are asked.
    """

    by = ("demonstration", "gating")
    keys = ("demonstration", "gating", "kind", "length", "question_id")

    demonstration = common.demonstration()
    gating = common.gating()
    question_id = common.question_id()
    trajectory_id = text("trajectory it was made from")
    kind = common.kind()
    length = common.length()
    key_frames = integers("key frames in true order")
    shown_key_frames = integers("key frames in the order shown, the current state first")
    actions = texts("action texts in the order shown")
    action_components = text_lists("components of each action, in the order shown")
    answer = integers("label, from 1, shown for each step in turn")
    draw = integer("place among those of its kind and length, from 0")
    wording = text("wording of actions: natural, symbolic or emoji")
    prompt = text("the text a model is given")
    question_file = text("imported file that it is from; null if it was written here", null=True)


class QuestionSet(Table):
    """One row per question chosen.

    Each source has a sample of its own, and variants say which sources they ask about. Probe
    questions keep their text under every variant, only pictures change.
    """

    by = ("question_set",)

    question_set = common.question_set(key=True)
    question_id = common.question_id(key=True)
    gating = common.gating()
    demonstration = common.demonstration()
    kind = common.kind()
    length = common.length()
    source = text("of its demonstration: embedded, recorded, omnigibson, video or questions")
    place = integer("from 1 within source, kind and length: the first ones are balanced")
    in_question_set = truth("of the question set, which the baseline asks")
    in_probe_set = truth("of the probe set, which variants ask unless they say otherwise")
    evidence_sha = text("hash of the question and of the graphs and masks that verify it")


class AskedQuestions(Table):
    """One row per variant and question, as the variant asks it.

    The truth of a question is the same under every variant. Its actions may be worded differently
    and be wrong under noise: told_components is what they say, action_components what happened.
    """

    by = ("variant",)

    variant = common.variant(key=True)
    question_id = common.question_id(key=True)
    question_set = common.question_set()
    gating = common.gating()
    demonstration = common.demonstration()
    kind = common.kind()
    length = common.length()
    source = text("as in question_set")
    place = integer("as in question_set")
    in_probe_set = truth("compared between variants of the pictures")
    key_frames = integers("key frames in true order")
    shown_key_frames = integers("key frames in the order shown, the current state first")
    actions = texts("action texts as they are asked, in the order shown")
    told_components = text_lists("components that each of these texts states; noise included")
    action_components = text_lists("true components of each action, in the order shown")
    answer = integers("label, from 1, shown for each step in turn")
    wording = text("wording of actions: natural, symbolic or emoji")
    noise_rate = number("probability with which a component is perturbed")
    n_perturbed = integer("true components that noise perturbed")
    prompt = text("the text a model is given")
    evidence_sha = text("as in question_set")


class VariantSettings(Table):
    """One row per variant and setting that decides what it shows and asks, as in force when its
    questions were assigned.

    Settings have the names of the registry, with the baseline's values filled in. `footage` and
    `noise` sum up `sources` and `noise.rate`; `published_settings` has the paper's values.
    """

    by = ("variant",)

    variant = common.variant(key=True)
    setting = text("name in the registry, e.g. camera.aperture_mm", key=True)
    value = text("names as they are, numbers and lists as JSON")


class OfficialQuestions(Table):
    """One row per question of an imported question file, as the file has it.

    `question_id` is unique in its question_file only; images are paths beside that file.
    """

    by = ("question_file",)

    question_file = text("name of the imported file", key=True)
    line = integer("its line in the file, from 1")
    question_id = text("id the file gives it", key=True)
    type = text("what the file calls its kind and length")
    kind = common.kind()
    length = common.length()
    task_name = text("demonstration it was made from")
    key_frame_ids = texts("ids of its key frames in the recording, true order")
    images = texts("paths of the pictures in the order shown, beside the file")
    question = text("the text a model is given")
    options = text("JSON list; the release leaves it empty")
    gt_answer = integers("label, from 1, shown for each step in turn")
    as_found = text("the whole line where the columns do not give it back byte for byte", null=True)
    source_sha = text("SHA-256 of the file")
