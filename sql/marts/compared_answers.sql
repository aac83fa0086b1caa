-- compared_answers: one row per answer that could be compared with what happened, steps summed up.
-- Reads: compared_steps, evaluation, demonstrations.
-- Rule:  leaves out unparsed and missing answers, orders of another length, and orders with an
--        unknown label, which profile release scores. A step is inexact if it passes and
--        its components differ from the true ones, a strict subset if it only omits some.
create table compared_answers as
with summed as (
    select
        model, variant, question_id, repetition,
        count(*) as n_steps,
        count(*) filter (is_passed) as n_steps_passed,
        count(*) filter (is_passed and n_missing + n_hallucinated > 0) as n_steps_inexact,
        count(*) filter (is_passed and n_missing > 0 and n_hallucinated = 0)
            as n_steps_strict_subset,
        sum(columns('^n_(reference|predicted|matched|missing|hallucinated)$'))::bigint as '\0',
        sum(columns('^n_.*_(inversions|substitutions)$|^n_(omissions|hallucinations)$'))::bigint
            as '\0',
        sum(columns('^n_(left|right)_'))::bigint as '\0'
    from compared_steps
    group by all
)

select
    summed.model, summed.variant, evaluation.gating, evaluation.demonstration,
    demonstrations.activity, evaluation.kind, evaluation.length, summed.question_id,
    summed.repetition,
    evaluation.is_accepted, evaluation.is_semantic,
    summed.* exclude (model, variant, question_id, repetition)
from summed
inner join evaluation
    on evaluation.model = summed.model
    and evaluation.variant = summed.variant
    and evaluation.question_id = summed.question_id
    and evaluation.repetition = summed.repetition
left join demonstrations on demonstrations.demonstration = evaluation.demonstration;

comment on column compared_answers.model is 'model that answered';
comment on column compared_answers.variant is
'setting under which the pictures were made and asked';
comment on column compared_answers.gating is 'which predicates make key frames: state or contact';
comment on column compared_answers.demonstration is 'demonstration the question is about';
comment on column compared_answers.activity is 'household activity';
comment on column compared_answers.kind is 'forward (order images) or inverse (order actions)';
comment on column compared_answers.length is 'key frames in the trajectory';
comment on column compared_answers.question_id is 'id from the content of the question';
comment on column compared_answers.repetition is
'how often the question was asked before, from 0';
comment on column compared_answers.is_accepted is
'equals the reference or is consistent at every step';
comment on column compared_answers.is_semantic is 'consistent at every step';
comment on column compared_answers.n_steps is 'steps compared: all of the question';
comment on column compared_answers.n_steps_passed is 'steps that pass the rule of verification';
comment on column compared_answers.n_steps_inexact is
'of these, steps whose components differ from the true ones';
comment on column compared_answers.n_steps_strict_subset is
'of these, steps that only omit true components';
comment on column compared_answers.n_reference is 'components of the true visible changes';
comment on column compared_answers.n_predicted is 'components that the answer gives';
comment on column compared_answers.n_matched is 'components in both sets';
comment on column compared_answers.n_missing is 'true components that the answer omits';
comment on column compared_answers.n_hallucinated is 'components that it makes up';
comment on column compared_answers.n_polarity_inversions is
'pairs of opposite sign and all else equal';
comment on column compared_answers.n_predicate_substitutions is 'pairs of equal objects and sign';
comment on column compared_answers.n_entity_substitutions is 'pairs of equal predicate and sign';
comment on column compared_answers.n_omissions is 'missing components without a partner';
comment on column compared_answers.n_hallucinations is 'made-up components without a partner';
comment on column compared_answers.n_left_reference is 'true components about the left hand';
comment on column compared_answers.n_left_predicted is 'given components about the left hand';
comment on column compared_answers.n_left_matched is 'left-hand components that are in both';
comment on column compared_answers.n_left_mixed is
'left-hand components taken for right-hand ones: paper, algorithm 4';
comment on column compared_answers.n_right_reference is 'true components about the right hand';
comment on column compared_answers.n_right_predicted is 'given components about the right hand';
comment on column compared_answers.n_right_matched is 'right-hand components that are in both';
comment on column compared_answers.n_right_mixed is
'right-hand components taken for left-hand ones: paper, algorithm 4';
