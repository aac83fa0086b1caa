-- structural_errors: one row per model, variant, kind, length, answers counted and error category.
-- Reads: compared_answers.
-- Rule:  length null is all lengths, never add that row to the others. answers is all or wrong: the
--        paper's numbers may rest on wrong answers, as those of handedness seem to. A pair of
--        components taken for each other is one error. Categories without an error have a row of 0.
create table structural_errors as
with counted as (
    unpivot (
        select
            model, variant, kind, length, is_accepted, n_steps,
            n_polarity_inversions as polarity_inversion,
            n_predicate_substitutions as predicate_substitution,
            n_entity_substitutions as entity_substitution,
            n_omissions as omission,
            n_hallucinations as hallucination
        from compared_answers
    )
    on
        polarity_inversion, predicate_substitution, entity_substitution, omission, hallucination
    into name category value n
),

levels as (
    select *, 'all' as answers from counted
    union all
    select *, 'wrong' from counted where not is_accepted
),

totals as (
    select
        model, variant, kind, length, answers, category,
        count(*) as n_answers,
        sum(n_steps)::bigint as n_steps,
        sum(n)::bigint as n_errors
    from (select * from levels union all select * replace (null::bigint as length) from levels)
    group by all
)

select
    *,
    n_errors / nullif(sum(n_errors) over same_row, 0) as share,
    n_errors / n_steps as errors_per_step
from totals
window same_row as (partition by model, variant, kind, length, answers)
order by model, variant, kind, length nulls first, answers, category;

comment on column structural_errors.model is 'model that answered';
comment on column structural_errors.variant is
'setting under which the pictures were made and asked';
comment on column structural_errors.kind is 'forward (order images) or inverse (order actions)';
comment on column structural_errors.length is 'key frames in the trajectory; null for all lengths';
comment on column structural_errors.answers is
'all that could be compared, or the wrong ones among them';
comment on column structural_errors.category is
'polarity_inversion, predicate_substitution, entity_substitution, omission or hallucination';
comment on column structural_errors.n_answers is 'answers counted';
comment on column structural_errors.n_steps is 'their steps';
comment on column structural_errors.n_errors is 'errors of the category';
comment on column structural_errors.share is 'of all errors of these answers; null without one';
comment on column structural_errors.errors_per_step is 'errors of the category over steps';
