"""Questions: forward and inverse questions from trajectories, and the sample that is asked."""

import dataclasses
from collections.abc import Mapping
from typing import Annotated, Any

from enact_assets.demonstrations.pictures.tables import Visibility
from enact_assets.demonstrations.replay.tables import Demonstrations, LaterParents, Objects
from enact_assets.engine.ids import content_sha
from enact_assets.engine.parameters import All, Each, Versions
from enact_assets.engine.steps import step
from enact_assets.engine.tables import Of
from enact_assets.pipeline.handles.given import GivenQuestions
from enact_assets.pipeline.handles.tools import QuestionFile, RecordedVariants
from enact_assets.pipeline.steps.changes import Changes
from enact_assets.pipeline.steps.inputs import (
    EVIDENCE,
    IF_EMBEDDED_WORLD,
    IF_ENACT_SET,
    IF_GIVEN,
    IF_PROMPTS_OF_FILE,
    IF_RELEASE,
    IF_WORLD_SET,
    OF_ENACT,
    WorldTables,
    Written,
)
from enact_assets.pipeline.steps.profiles import WRITE
from enact_assets.questions.asked.by_variant import ask_questions
from enact_assets.questions.asked.given_questions import given_qa
from enact_assets.questions.asked.noise import Vocabulary
from enact_assets.questions.asked.official_rows import to_rows
from enact_assets.questions.asked.selection import chosen_by_variant, select_questions
from enact_assets.questions.asked.shared_prompts import shared_prompts
from enact_assets.questions.asked.tables import (
    AskedQuestions,
    OfficialQuestions,
    Qa,
    QuestionSet,
    VariantSettings,
)
from enact_assets.questions.asked.variant_settings import variant_settings
from enact_assets.questions.key_frames.tables import SceneGraphs, SegmentedFrames
from enact_assets.questions.paths.release_draws import why_no_questions
from enact_assets.questions.paths.tables import Trajectories, TransitionGraph
from enact_assets.questions.world.shown_questions import (
    ask_world_questions,
    clips_by_place,
    clips_of_films,
)
from enact_assets.questions.world.tables import FilmImages, WantedClips
from enact_assets.settings.registry import (
    Gating,
    QuestionSetSettings,
    QuestionSettings,
    Variant,
    settings_sha,
)

NO_QUESTIONS = "no questions"


def _why_none(changes: Changes | None) -> Mapping[str, Any]:
    why = None if changes is None else why_no_questions(changes.index)
    return {} if why is None else {NO_QUESTIONS: why}


@step(group="questions", job="write_questions", summary=_why_none)
def qa(
    drawn: Of[Trajectories],
    graph: Of[TransitionGraph],
    frames: Of[SegmentedFrames],
    changes: Annotated[Changes, IF_RELEASE] | None,
    gating: Gating,
    questions: QuestionSettings,
    asked: Annotated[GivenQuestions, IF_GIVEN] | None,
) -> Of[Qa]:
    """Forward questions (order the pictures, given the actions) and inverse questions (order the
    actions, given the pictures). Imported questions are asked unchanged.
    """
    if asked is not None:
        return Qa.of(given_qa(frames, asked.found))
    index = None if changes is None else changes.index
    write = WRITE.of(gating.profile)
    rows = write(
        *(frames, drawn, graph, index),
        settings=questions,
        profile=gating.profile,
        own_words=gating.own_words,
    )
    return Qa.of(rows)


@step(group="questions", job="choose_questions", when=OF_ENACT)
def question_set(
    written: All[Qa],
    demonstrations: All[Demonstrations],
    frames: Versions[SegmentedFrames],
    graphs: Versions[SceneGraphs],
    seen: Versions[Visibility],
    objects: Versions[Objects],
    recorded: Versions[Demonstrations],
    later: All[LaterParents],
    asked: QuestionSetSettings,
    gating: Gating,
    questions: QuestionSettings,
) -> Of[QuestionSet]:
    """A sample stratified over source, kind and length and balanced over demonstrations. Its rows
    carry a hash of everything that verifies them, so steps downstream depend on this table instead
    of many demonstrations.
    """
    tables = (graphs, seen, objects, frames, recorded)
    complete = sorted(set(graphs).intersection(*tables))
    settings = settings_sha(gating)
    # Only if there are any, so that the evidence of other demonstrations has the same hash as
    # before this table existed.
    changed: dict[str, list[Any]] = {}
    for demonstration, *row in later.iter_rows():
        changed.setdefault(demonstration, []).append(row)
    evidence = {
        d: content_sha([*(shas[d] for shas in tables), settings, *changed.get(d, [])])
        for d in complete
    }
    sources = dict(demonstrations.select("demonstration", "source").iter_rows())
    return QuestionSet.of(select_questions(written, evidence, asked, questions, sources))


@step(group="questions", job="assign_questions")
def asked_questions(
    chosen: Annotated[Of[QuestionSet], IF_ENACT_SET] | None,
    demonstrations: All[Demonstrations],
    written: Annotated[Each[Written], EVIDENCE],
    recorded: RecordedVariants,
    variant: Variant,
    gating: Gating,
    questions: QuestionSettings,
    world: Annotated[WorldTables, IF_WORLD_SET] | None,
    clips: Annotated[All[WantedClips], IF_EMBEDDED_WORLD] | None,
    films: Annotated[Of[FilmImages], IF_WORLD_SET] | None,
    prompted: Annotated[All[OfficialQuestions], IF_PROMPTS_OF_FILE] | None,
) -> tuple[Of[AskedQuestions], Of[VariantSettings]]:
    """The questions of each variant in full text: all questions of its set, or the probe questions;
    and its settings, which say whether its scores can be compared with the paper's.
    """
    if prompted is not None and variant.prompts_of is not None:
        found = shared_prompts(prompted, variant.prompts_of)
        variant = dataclasses.replace(variant, prompts=found)
    settings = VariantSettings.of(variant_settings(variant, gating))
    if world is not None:
        pictures = clips_of_films(films) if clips is None else clips_by_place(clips)
        rows = ask_world_questions(world.questions, world.candidates, variant, pictures)
        return AskedQuestions.of(rows), settings
    if chosen is None:
        return AskedQuestions.of(AskedQuestions.empty()), settings
    asked = chosen_by_variant(
        chosen,
        variant,
        # Imported questions have their own pictures.
        not_shown=() if gating.question_file else recorded.lacking(demonstrations, variant),
    )
    names = sorted(asked.get_column("demonstration").unique())
    vocabularies = None
    if variant.noise.rate:
        predicates = gating.predicates
        vocabularies = {n: Vocabulary.of(written[n].objects, predicates) for n in names}
    ids = asked.select("question_id")
    texts = [written[n].questions.join(ids, on="question_id", how="semi") for n in names]
    rows = ask_questions(
        asked,
        Qa.concat(texts),
        variant,
        questions,
        vocabularies=vocabularies,
        own_words=gating.own_words,
    )
    return AskedQuestions.of(rows), settings


@step(group="imports", job="import_questions")
def official_questions(file: QuestionFile) -> Of[OfficialQuestions]:
    """Questions of an imported file, text and image references as it has them: `enact-assets
    export` writes the same bytes again.
    """
    return OfficialQuestions.of(to_rows(file.name, file.questions(), file.sha()))
