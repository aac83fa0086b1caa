-- mismatch_rates: one row per model, variant, kind and length; nulls: both kinds, all lengths.
-- Reads: compared_answers.
-- Rule:  how often are answers accepted that omit changes (paper B.2.5)? Among questions
--        that are consistent at every step, and among steps that pass: those with a strict subset
--        of the true visible change. Inexact ones may also state more, or something else.
--        How the paper counts a question is unknown: one step with a strict subset, as the
--        question_mismatch_rate takes it, or no step that differs in another way, the strict rate.
--        Of repeated questions every answer counts.
create table mismatch_rates as
with kinds as (
    select * from compared_answers
    union all
    select * replace (null::varchar as kind) from compared_answers
),

levels as (
    select * from kinds
    union all
    select * replace (null::bigint as length) from kinds
)

select
    model, variant, kind, length,
    count(*) filter (is_semantic) as n_accepted_questions,
    count(*) filter (is_semantic and n_steps_strict_subset > 0) as n_subset_questions,
    count(*) filter (
        is_semantic and n_steps_strict_subset > 0 and n_steps_inexact = n_steps_strict_subset
    ) as n_strict_subset_questions,
    count(*) filter (is_semantic and n_steps_inexact > 0) as n_inexact_questions,
    sum(n_steps_passed)::bigint as n_passed_steps,
    sum(n_steps_strict_subset)::bigint as n_subset_steps,
    sum(n_steps_inexact)::bigint as n_inexact_steps,
    n_subset_questions / nullif(n_accepted_questions, 0) as question_mismatch_rate,
    n_strict_subset_questions / nullif(n_accepted_questions, 0) as question_mismatch_strict_rate,
    n_subset_steps / nullif(n_passed_steps, 0) as step_mismatch_rate,
    n_inexact_questions / nullif(n_accepted_questions, 0) as question_inexact_rate,
    n_inexact_steps / nullif(n_passed_steps, 0) as step_inexact_rate
from levels
group by model, variant, kind, length
order by model, variant, kind nulls first, length nulls first;

comment on column mismatch_rates.model is 'model that answered';
comment on column mismatch_rates.variant is
'setting under which the pictures were made and asked';
comment on column mismatch_rates.kind is
'forward (order images) or inverse (order actions); null for both';
comment on column mismatch_rates.length is 'key frames in the trajectory; null for all lengths';
comment on column mismatch_rates.n_accepted_questions is 'answers consistent at every step';
comment on column mismatch_rates.n_subset_questions is
'of these, answers with a step that omits true components and makes nothing up';
comment on column mismatch_rates.n_strict_subset_questions is
'of these, answers in which each differing step only omits true components';
comment on column mismatch_rates.n_inexact_questions is
'of these, answers with a step that differs from the true one';
comment on column mismatch_rates.n_passed_steps is 'steps that pass, of all answers compared';
comment on column mismatch_rates.n_subset_steps is
'of these, steps that only omit true components';
comment on column mismatch_rates.n_inexact_steps is
'of these, steps that differ from the true ones';
comment on column mismatch_rates.question_mismatch_rate is
'share of accepted questions with a strict subset at a step; data-level in the paper';
comment on column mismatch_rates.question_mismatch_strict_rate is
'share of accepted questions with a strict subset at each step that differs';
comment on column mismatch_rates.step_mismatch_rate is
'share of passing steps with a strict subset; pair-level in the paper';
comment on column mismatch_rates.question_inexact_rate is
'share of accepted questions that differ anywhere';
comment on column mismatch_rates.step_inexact_rate is 'share of passing steps that differ';
