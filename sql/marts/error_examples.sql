-- error_examples: one row per model, variant, kind, perspective, category and place, 1 to 3.
-- Reads: asked_questions, compared_answers, compared_components, evaluation.
-- Rule:  figures 42 to 46 and 48 to 51 of the paper. Every error has a structural category and a
--        semantic class, so it can be an example from both perspectives. The shortest questions
--        first, of these the answers with the fewest errors; of a repeated question the first
--        answer with the error. Pictures are in key_frames, by
--        demonstration, gating, variant and key frame. Forward, the given key frames are those of
--        the answer; inverse, they are the true ones, and the actions differ.
create table error_examples as
with errors as (
    select
        model, variant, question_id, repetition, perspective, category, step, reference,
        predicted,
        row_number() over (
            partition by model, variant, question_id, repetition, perspective, category
            order by step, place
        ) as nth
    from (
        select *, 'structural' as perspective, outcome as category from compared_components
        union all
        select *, 'semantic', semantic_class from compared_components
    )
    where outcome <> 'matched'
),

wrong as (
    select
        errors.* exclude (nth),
        answer.gating, answer.demonstration, answer.kind, answer.length,
        answer.n_missing + answer.n_hallucinated as n_errors
    from errors
    inner join compared_answers as answer
        on answer.model = errors.model
        and answer.variant = errors.variant
        and answer.question_id = errors.question_id
        and answer.repetition = errors.repetition
    where errors.nth = 1 and not answer.is_accepted
    qualify row_number() over (
        partition by
            errors.model, errors.variant, errors.question_id, errors.perspective, errors.category
        order by errors.repetition
    ) = 1
),

candidates as (
    select
        *,
        row_number() over (
            partition by model, variant, kind, perspective, category
            order by length, n_errors, question_id
        ) as place
    from wrong
),

chosen as (
    select * exclude (n_errors) from candidates where place <= 3
),

steps as (
    select
        model, variant, question_id, repetition, step,
        list(component.reference order by component.place)
            filter (component.reference is not null) as expected_components,
        list(component.predicted order by component.place)
            filter (component.predicted is not null) as given_components,
        list(component.reference order by component.place)
            filter (component.reference is not null and outcome <> 'matched') as missing,
        list(component.predicted order by component.place)
            filter (component.predicted is not null and outcome <> 'matched') as hallucinated
    from compared_components as component
    semi join chosen using (model, variant, question_id, repetition, step)
    group by all
)

select
    chosen.model, chosen.variant, chosen.kind, chosen.perspective, chosen.category, chosen.place,
    chosen.question_id, chosen.repetition, chosen.demonstration, chosen.gating, chosen.length,
    chosen.step,
    chosen.reference as expected, chosen.predicted as given,
    coalesce(steps.expected_components, []) as expected_components,
    coalesce(steps.given_components, []) as given_components,
    coalesce(steps.missing, []) as missing,
    coalesce(steps.hallucinated, []) as hallucinated,
    asked.answer as expected_order,
    evaluation.answer as given_order,
    asked.key_frames as expected_key_frames,
    case
        when chosen.kind = 'forward'
            then
                [asked.shown_key_frames[1]]
                || [asked.shown_key_frames[label + 1] for label in evaluation.answer]
        else asked.key_frames
    end as given_key_frames,
    case
        when chosen.kind = 'forward' then asked.actions
        else [asked.actions[label] for label in asked.answer]
    end as expected_actions,
    case
        when chosen.kind = 'forward' then asked.actions
        else [asked.actions[label] for label in evaluation.answer]
    end as given_actions
from chosen
inner join steps
    on steps.model = chosen.model
    and steps.variant = chosen.variant
    and steps.question_id = chosen.question_id
    and steps.repetition = chosen.repetition
    and steps.step = chosen.step
inner join asked_questions as asked
    on asked.variant = chosen.variant
    and asked.question_id = chosen.question_id
inner join evaluation
    on evaluation.model = chosen.model
    and evaluation.variant = chosen.variant
    and evaluation.question_id = chosen.question_id
    and evaluation.repetition = chosen.repetition
order by
    chosen.model, chosen.variant, chosen.kind, chosen.perspective, chosen.category, chosen.place;

comment on column error_examples.model is 'model that answered';
comment on column error_examples.variant is
'setting under which the pictures were made and asked';
comment on column error_examples.kind is 'forward (order images) or inverse (order actions)';
comment on column error_examples.perspective is 'structural or semantic';
comment on column error_examples.category is
'structural category or semantic class, as in structural_errors and semantic_errors';
comment on column error_examples.place is '1 is the shortest';
comment on column error_examples.question_id is 'id from the content of the question';
comment on column error_examples.repetition is
'how often the question was asked before, from 0';
comment on column error_examples.demonstration is 'demonstration the question is about';
comment on column error_examples.gating is 'which predicates make key frames: state or contact';
comment on column error_examples.length is 'key frames in the trajectory';
comment on column error_examples.step is 'first step with an error of the category, from 1';
comment on column error_examples.expected is 'the true component; null if it is made up';
comment on column error_examples.given is 'what the answer says; null if it is left out';
comment on column error_examples.expected_components is 'the true visible change of the step';
comment on column error_examples.given_components is 'components the answer gives for it';
comment on column error_examples.missing is 'true components that the answer omits';
comment on column error_examples.hallucinated is 'components that it makes up';
comment on column error_examples.expected_order is
'right answer: label, from 1, shown for each step in turn';
comment on column error_examples.given_order is 'the answer';
comment on column error_examples.expected_key_frames is 'key frames in true order';
comment on column error_examples.given_key_frames is
'key frames in the order answered; of orders of actions the true ones';
comment on column error_examples.expected_actions is 'action texts in true order';
comment on column error_examples.given_actions is
'action texts in the order answered; of orders of images the true ones';
