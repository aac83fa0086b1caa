"""WorldPrediction: questions of both tasks, their candidates, what is shown, and captions."""

from enact_assets.engine.tables import (
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

    by = ("question_set",)

    question_set = common.question_set(key=True)
    world_source = common.world_source()
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

    An option of `wm` has one place. Options of `pp` are made of clips of one pool: equal `pool`
    numbers are the same clip. Embedded, two of four options lack some of them.
    """

    by = ("question_set",)

    question_set = common.question_set(key=True)
    world_source = common.world_source()
    question_id = text("as in world_questions", key=True)
    option = text("letter, A to D", key=True)
    place = integer("place in the plan, from 1", key=True)
    pool = integer("number under which the clip is shown, from 1")
    recording = text("demonstration, or recording of the step file, that the clip is of")
    action = integer("the action that it shows, from 1")
    view = text("camera that shows it: baseline or view; null for step files", null=True)
    category = text("of the action: what equivalents share")


class WorldFilters(Table):
    """One row per question of a world source, if a filter of the pictures of its states is on.

    A question with `removed_by` is not asked of models or people. All of them are in
    `world_questions` and `asked_questions`.
    """

    by = ("variant",)

    variant = common.variant(key=True)
    question_id = text("as in world_questions", key=True)
    distance = number("of the vectors of both states; null if not measured", null=True)
    is_occluded = truth(
        "whether the model named says that something hides what matters in a state; null if it was "
        "not asked, or did not say",
        null=True,
    )
    removed_by = text("too_different, too_alike or occluded; null: it is asked", null=True)


class Captions(Table):
    """One row per model, variant and picture of a state, or clip, that it wrote a caption for.

    Only pairs of a captioner and a reader have rows; `model` names both.
    """

    by = ("model", "variant")

    model = text("captioner and reader, joined by +", key=True)
    variant = common.variant(key=True)
    caption_id = text("hash of what is shown", key=True)
    shows = text("state or clip")
    image_shas = texts("the pictures in order, by their names in images/")
    caption = text("null if the captioner never answered", null=True)
    error = text("why there is no caption; null if there is one", null=True)


class AnnotatedActions(Table):
    """One row per annotated step of a step file.

    Of source `embedded` there are none: its actions are in `action_states`.
    """

    by = ("question_set",)

    question_set = common.question_set(key=True)
    world_source = common.world_source()
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

    by = ("question_set",)
    image_column = "image_sha"

    question_set = common.question_set(key=True)
    world_source = common.world_source()
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

    by = ("question_set",)

    question_set = common.question_set(key=True)
    world_source = common.world_source()
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
