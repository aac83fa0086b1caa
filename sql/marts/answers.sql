-- answers: one row per model, variant, question and repetition, with the question and answer.
-- Reads: evaluation, asked_questions, predictions.
-- Rule:  a view, so that prompts are stored once; scores are null where the answer is not scored.
create view answers as
select
    evaluation.model,
    evaluation.variant,
    evaluation.gating,
    evaluation.demonstration,
    evaluation.kind,
    evaluation.length,
    evaluation.question_id,
    evaluation.repetition,
    asked_questions.prompt,
    asked_questions.actions,
    asked_questions.key_frames,
    asked_questions.shown_key_frames,
    asked_questions.answer as reference,
    predictions.raw_answer,
    evaluation.answer,
    evaluation.answer_status as status,
    evaluation.reason,
    predictions.error,
    predictions.stop,
    predictions.served_model,
    evaluation.is_exact,
    evaluation.is_accepted,
    evaluation.release_answer,
    evaluation.is_accepted_as_release,
    evaluation.pairwise_accuracy_as_release,
    evaluation.unverified,
    evaluation.n_steps,
    evaluation.n_steps_passed,
    evaluation.pairwise_accuracy
from evaluation
left join asked_questions
    on asked_questions.variant = evaluation.variant
    and asked_questions.question_id = evaluation.question_id
left join predictions
    on predictions.model = evaluation.model
    and predictions.variant = evaluation.variant
    and predictions.question_id = evaluation.question_id
    and predictions.repetition = evaluation.repetition;

comment on column answers.model is 'model that answered';
comment on column answers.variant is 'setting under which the pictures were made and asked';
comment on column answers.gating is 'which predicates make key frames: state or contact';
comment on column answers.demonstration is 'demonstration the question is about';
comment on column answers.kind is 'forward (order images) or inverse (order actions)';
comment on column answers.length is 'key frames in the trajectory';
comment on column answers.question_id is 'id from the content of the question';
comment on column answers.repetition is 'how often the question was asked before, from 0';
comment on column answers.prompt is 'the text the model was given';
comment on column answers.actions is 'action texts as they were asked, in the order shown';
comment on column answers.key_frames is 'key frames in true order';
comment on column answers.shown_key_frames is 'key frames in the order shown, current state first';
comment on column answers.reference is 'right answer: label, from 1, shown for each step in turn';
comment on column answers.raw_answer is 'what the model said; null if it never answered';
comment on column answers.answer is 'the order parsed from it; null if none';
comment on column answers.status is 'parsed, unparsed or missing';
comment on column answers.reason is
'why it is unparsed (also refused, declined, cut) or missing; wrong_length also if only too short';
comment on column answers.error is 'why the model never answered: the message of its service';
comment on column answers.stop is
'why the model stopped: complete, cut (a limit of tokens) or refused; null if unknown';
comment on column answers.served_model is 'model that answered, as its provider names it';
comment on column answers.is_exact is 'equals the reference';
comment on column answers.is_accepted is 'equals the reference or is consistent at every step';
comment on column answers.release_answer is
'the labels that the public release reads; null if none. All else is of the strict reading';
comment on column answers.is_accepted_as_release is 'is_accepted of release_answer';
comment on column answers.pairwise_accuracy_as_release is 'pairwise_accuracy of release_answer';
comment on column answers.unverified is
'why accepted is exact, and steps are unknown: no_replay; null if the rule applied';
comment on column answers.n_steps is 'steps of the question';
comment on column answers.n_steps_passed is 'steps that pass the rule';
comment on column answers.pairwise_accuracy is 'share of steps that pass';
