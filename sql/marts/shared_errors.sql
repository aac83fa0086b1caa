-- shared_errors: one row per variant, kind, unit and combination of the best models, up to four.
-- Reads: evaluation, compared_steps, model_accuracies.
-- Rule:  n counts what exactly these models get wrong, n_at_least what all of them do, whoever else
--        does: only the n of one variant, kind and unit add up. The combination without a model is
--        what none gets wrong. Counted are the questions that all models of `models` have a score
--        for, and those of their steps of which it is known whether they pass: of too short a list
--        it is not, and an answer without a readable order passes none. Reference baselines fill up
--        places that no model takes; a model without an error, or with scores for less than half
--        of the questions, takes none. One model alone has no row. A question or step is wrong or
--        right as a whole, so of a repeated one the mean decides: wrong in half of the answers
--        or more is wrong.
create table shared_errors as
with scored as (
    select
        model, variant, kind, question_id, repetition, n_steps, n_steps_passed, is_accepted,
        -- Which of its steps a short list gets right, nobody wrote down.
        answer_status = 'parsed' and reason = 'wrong_length' as is_short
    from evaluation
    where pairwise_accuracy is not null
),

questions as (
    select
        model, variant, kind, question_id,
        sum(n_steps) as n_steps,
        sum(n_steps_passed) as n_steps_passed,
        2 * count(*) filter (is_accepted) > count(*) as is_right
    from scored
    group by all
),

reference_baselines as (
    select distinct model, variant from model_accuracies where is_reference
),

totals as (
    select
        questions.model, questions.variant, questions.kind,
        count(*) as n_scored,
        sum(n_steps_passed) / sum(n_steps) as pairwise_accuracy,
        bool_and(is_right) as is_right,
        count(reference_baselines.model) > 0 as is_reference
    from questions
    left join reference_baselines
        on reference_baselines.model = questions.model
        and reference_baselines.variant = questions.variant
    group by all
),

ranked as (
    select
        variant, kind, model,
        row_number() over (
            partition by variant, kind order by is_reference, pairwise_accuracy desc, model
        ) as place
    from (
        select *, max(n_scored) over (partition by variant, kind) as n_most from totals
    )
    where not is_right and 2 * n_scored >= n_most
),

chosen as (
    select *, count(*) over (partition by variant, kind) as n_models
    from ranked
    where place <= 4
),

verdicts as (
    select
        'question' as unit, model, variant, kind, question_id, 0 as step,
        not is_accepted as is_wrong
    from scored
    union all
    select
        'step', scored.model, scored.variant, kind, scored.question_id, step, not is_passed
    from scored
    inner join compared_steps
        on compared_steps.model = scored.model
        and compared_steps.variant = scored.variant
        and compared_steps.question_id = scored.question_id
        and compared_steps.repetition = scored.repetition
    union all
    select 'step', model, variant, kind, question_id, unnest(range(1, n_steps + 1)), true
    from scored
    anti join compared_steps using (model, variant, question_id, repetition)
    where n_steps_passed = 0 and not coalesce(is_short, false)
),

judged as (
    select
        unit, variant, kind, question_id, step, place, n_models,
        2 * count(*) filter (is_wrong) >= count(*) as is_wrong
    from verdicts
    inner join chosen using (model, variant, kind)
    group by all
),

-- Bit p - 1 of a code is the model at place p.
coded as (
    select
        unit, variant, kind, question_id, step,
        sum(case when is_wrong then 1 << (place - 1) else 0 end)::bigint as code
    from judged
    group by unit, variant, kind, question_id, step, n_models
    having count(*) = n_models
),

counted as (
    select unit, variant, kind, code, count(*) as n from coded group by all
),

compared as (
    select variant, kind, list(model order by place) as models
    from chosen
    group by all
    having count(*) >= 2
),

units as (
    select *, unnest(['question', 'step']) as unit from compared
),

codes as (
    select *, unnest(range(1 << len(models))) as code from units
)

select
    codes.variant, codes.kind, codes.unit, codes.models,
    [
        codes.models[place] for place in range(1, len(codes.models) + 1)
        if (codes.code >> (place - 1)) & 1 = 1
    ] as wrong_models,
    bit_count(codes.code)::bigint as n_wrong_models,
    coalesce(sum(n) filter (counted.code = codes.code), 0)::bigint as n,
    coalesce(sum(n) filter (counted.code & codes.code = codes.code), 0)::bigint as n_at_least,
    coalesce(sum(n) filter (counted.code = codes.code), 0) / sum(n) as share
from codes
left join counted
    on counted.variant = codes.variant
    and counted.kind = codes.kind
    and counted.unit = codes.unit
group by codes.variant, codes.kind, codes.unit, codes.models, codes.code
order by codes.variant, codes.kind, codes.unit, n_wrong_models, codes.code;

comment on column shared_errors.variant is
'setting under which the pictures were made and asked';
comment on column shared_errors.kind is 'forward (order images) or inverse (order actions)';
comment on column shared_errors.unit is 'what is counted: question or step';
comment on column shared_errors.models is
'models compared, the best first: by passed steps over all steps';
comment on column shared_errors.wrong_models is 'those of them that are wrong';
comment on column shared_errors.n_wrong_models is 'how many are wrong';
comment on column shared_errors.n is 'questions or steps that exactly these models get wrong';
comment on column shared_errors.n_at_least is
'those that these models get wrong, and perhaps others too';
comment on column shared_errors.share is 'n over all counted; null if nothing could be counted';
