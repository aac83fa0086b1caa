"""WorldPrediction: questions of both tasks, their candidates, answers and scores."""

from enact_assets.engine.tables import (
    Reference,
    Table,
    integer,
    integers,
    number,
    text,
    texts,
    truth,
)
from enact_assets.settings import columns as common


class WorldQuestions(Table):
    """One row per question of WorldPrediction.

    `wm` shows two states and four clips and asks which action leads from one to the other; `pp`
    shows two states and a numbered pool of clips and asks which of four plans does. No text of an
    action is shown. Four `wm` questions of one `set_id` show the same clips, each right once.
    """

    by = ("world_source",)

    world_source = common.world_source(key=True)
    question_id = text("id from recording, states, condition and candidates", key=True)
    task = text("wm (world modelling) or pp (procedural planning)")
    condition = text(
        "where clips come from: same (the recording of the states), view (that recording under "
        "another camera) or equivalent (another environment, under that camera)"
    )
    set_id = text("balanced set that it belongs to; null for pp", null=True)
    length = integer("actions between the states: 1 for wm")
    recording = text("demonstration, or recording of the step file, that shows the states")
    first_action = integer("its first action between the states, from 1")
    key_frame_before = integer("key frame before the first action; null without", null=True)
    key_frame_after = integer("key frame after the last action; null without", null=True)
    before_s = number("when the state before was filmed; null for embedded", "s", null=True)
    after_s = number("when the state after was filmed; null for embedded", "s", null=True)
    plan = texts("true categories, in order")
    answer = text("letter of the right option, A to D")
    classes = texts(
        "of each option: truth, or why it is wrong: incompatible; of pp internal, initial, final"
    )
    n_videos = integer("recordings that the clips of all options come from")
    is_decidable = truth(
        "whether orders never seen reversed exclude every wrong plan; null where not measured",
        null=True,
    )
    evidence_sha = text("hash of the question and of all that it was made from")


class WorldCandidates(Table):
    """One row per question, option and place in the option.

    An option of `wm` has one place. Options of `pp` are orders of the same pool: equal `pool`
    numbers are the same clip.
    """

    by = ("world_source",)

    world_source = common.world_source(key=True)
    question_id = text("as in world_questions", key=True)
    option = text("letter, A to D", key=True)
    place = integer("place in the plan, from 1", key=True)
    pool = integer("number under which the clip is shown, from 1")
    recording = text("demonstration, or recording of the step file, that the clip is of")
    action = integer("the action that it shows, from 1")
    view = text("camera that shows it: baseline or view; null for step files", null=True)
    category = text("of the action: what equivalents share")


class WorldPredictions(Table):
    """One row per model and question.

    `raw_answer` is null if the model never answered: missing, not wrong.
    """

    by = ("world_model", "world_source")
    refers_to = Reference("question_id", "world_questions", "world_questions")

    world_source = common.world_source(key=True)
    world_model = text("baseline or model that answers questions of WorldPrediction", key=True)
    question_id = text("as in world_questions", key=True)
    raw_answer = text("the model's answer; null if it never answered", null=True)
    error = text("why there is no answer; null if there is one", null=True)
    stop = text("complete, cut or refused; null if unknown", null=True)


class WorldCaptions(Table):
    """One row per model and picture of a state, or clip, that it wrote a caption for.

    Only pairs of a captioner and a reader have rows; `world_model` names both.
    """

    by = ("world_model", "world_source")

    world_source = common.world_source(key=True)
    world_model = text("captioner and reader, joined by +", key=True)
    caption_id = text("hash of what is shown", key=True)
    shows = text("state or clip")
    image_shas = texts("the pictures in order, by their names in images/")
    caption = text("null if the captioner never answered", null=True)
    error = text("why there is no caption; null if there is one", null=True)


class WorldEvaluation(Table):
    """One row per model and question.

    An answer that cannot be read is wrong; a missing one has no score.
    """

    by = ("world_model", "world_source")
    refers_to = Reference("question_id", "world_questions", "world_questions")

    world_source = common.world_source(key=True)
    world_model = text("baseline or model that answers questions of WorldPrediction", key=True)
    question_id = text("as in world_questions", key=True)
    task = text("wm or pp")
    condition = text("same, view or equivalent")
    length = integer("actions between the states")
    recording = text("recording that shows the states")
    n_videos = integer("recordings that the clips come from")
    answer_status = text("parsed, unparsed or missing")
    reason = text("why an unparsed answer could not be read: cut, refused, ...", null=True)
    answer = text("letter that was read", null=True)
    is_correct = truth("whether it is the right one; null if missing", null=True)


class WorldAccuracies(Table):
    """One row per task, condition, length and model.

    `length` is null for all lengths together; never add that row to the others. Embedded results
    are no results of WorldPrediction. Annotators of one role are one row, such as `people (2)`,
    which counts answers instead of questions.
    """

    by = ("world_source",)
    keys = ("world_source", "task", "condition", "length", "world_model")

    world_source = common.world_source()
    task = text("wm or pp")
    condition = text("same, view or equivalent")
    length = common.any_length()
    world_model = text("baseline, model or people (n)")
    is_reference = truth("a baseline: not ranked")
    n_scored = integer("questions with a score")
    n_missing = integer("questions without an answer")
    n_correct = integer("right answers")
    n_recordings = integer("recordings that show the states")
    accuracy = number("share of scored questions; chance is 0.25", null=True)
    exact_low = number("exact binomial 95 % interval, as if questions were independent", null=True)
    exact_high = number("its upper end", null=True)
    low = number("95 % interval over recordings: bootstrap, or t below 6 of them", null=True)
    high = number("its upper end", null=True)
    reason = text("why there is no interval over recordings", null=True)


class WorldComparisons(Table):
    """One row per task, condition, length and pair of models.

    Over questions scored for both. `length` is null for all lengths together.
    """

    by = ("world_source",)
    keys = ("world_source", "task", "condition", "length", "model_a", "model_b")

    world_source = common.world_source()
    task = text("wm or pp")
    condition = text("same, view or equivalent")
    length = common.any_length()
    model_a = text("the one whose name comes first")
    model_b = text("the other one")
    n_paired = integer("questions scored for both")
    n_recordings = integer("recordings that show the states")
    difference = number("accuracy of a minus that of b", null=True)
    low = number("95 % interval by t, clustered by recording", null=True)
    high = number("its upper end", null=True)
    clustered_p = number("clustered t-test", null=True)
    clustered_bh_p = number("the same by Benjamini and Hochberg, over all pairs", null=True)
    reason = text("why clustered_p is null", null=True)


class AnnotatedActions(Table):
    """One row per annotated step of a step file.

    Of source `embedded` there are none: its actions are in `action_states`.
    """

    by = ("world_source",)

    world_source = common.world_source(key=True)
    recording = text("recording that was annotated", key=True)
    action = integer("its place in time, from 1", key=True)
    category = text("id of the step: what equivalents share")
    label = text("the step in words")
    start_s = number("begin", "s")
    end_s = number("end", "s")
    has_error = truth("whether the person made an error in it")
    environment = text("where it was filmed")
    person = text("who carried it out")
    is_askable = truth("whether questions may show it")
    reason = text("why not", null=True)


class FilmImages(Table):
    """One row per action of a step file that a question shows and picture of it.

    States have no rows of their own: the one before is the first picture of the first action, the
    one after the last picture of the last. Recordings without a film have none.
    """

    by = ("world_source",)
    image_column = "image_sha"

    world_source = common.world_source(key=True)
    recording = text("recording that was filmed", key=True)
    action = integer("as in annotated_actions", key=True)
    place = integer("place in the clip, from 1", key=True)
    time_s = number("time in the film; a film that ends before it shows its last frame", "s")
    image_sha = text("SHA-256 of the PNG file, its name in images/")
    width_px = integer("width", "px")
    height_px = integer("height", "px")


class TrainingPlans(Table):
    """One row per action of a plan that baselines learn orders from.

    Embedded: plans of seeds that nothing is asked about, never simulated. Step files: recordings
    without an error; what one person did teaches nothing about questions that show that person.
    """

    by = ("world_source",)

    world_source = common.world_source(key=True)
    plan = text("activity and seed, or recording", key=True)
    action = integer("place in the plan, from 1", key=True)
    person = text("who carried it out; null for embedded", null=True)
    category = text("of the action: what equivalents share")


class ActionStates(Table):
    """One row per action of a demonstration and gating.

    Whether it is askable says that pictures before and after differ visibly in one to five
    changes.
    """

    by = ("demonstration", "gating")

    demonstration = common.demonstration(key=True)
    gating = common.gating(key=True)
    action = integer("place in the plan, from 1", key=True)
    category = text("verb, kind of thing and kind of place: what equivalents share; no hand")
    environment = text("as in actions")
    frame_from = integer("first frame of the step", "frame")
    frame_to = integer("first frame after it", "frame")
    key_frame_before = common.key_frame()
    key_frame_after = common.key_frame()
    changes = texts("visible changes between the two, by object label, sorted")
    has_clip = truth("whether a clip shows it alone: together and wait have none")
    is_askable = truth("whether wm may ask about it")
    reason = text("why not", null=True)
    plan_lengths = integers("actions of plans that begin here and change something visibly")


class WantedClips(Table):
    """One row per frame of a clip that is to have a picture.

    Clips that several questions show are listed once.
    """

    by = ("demonstration",)

    demonstration = common.demonstration(key=True)
    view = text("camera that shows it: baseline or view", key=True)
    action = integer("place in the plan, from 1", key=True)
    place = integer("place in the clip, from 1", key=True)
    frame = common.frame()


class ClipImages(Table):
    """One row per frame of a clip.

    `image_sha` names a file that several rows may share.
    """

    by = ("demonstration",)
    image_column = "image_sha"

    demonstration = common.demonstration(key=True)
    view = text("camera that shows it: baseline or view", key=True)
    action = integer("place in the plan, from 1", key=True)
    place = integer("place in the clip, from 1", key=True)
    frame = common.frame()
    image_sha = text("SHA-256 of the PNG file, its name in images/")
    render_sha = text("hash of everything that determines the picture")
    width_px = integer("width", "px")
    height_px = integer("height", "px")
