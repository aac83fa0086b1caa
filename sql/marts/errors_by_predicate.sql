-- errors_by_predicate: one row per model, variant, kind and predicate.
-- Reads: compared_answers, compared_components.
-- Rule:  all answers that could be compared. Of two predicates taken for each other, each counts on
--        its side (n_reference, n_predicted); the error is that of the true one.
create table errors_by_predicate as
with components as (
    select
        model, variant, kind, outcome, predicate, reference is not null as is_true,
        regexp_extract(predicted, '^[-+~]([A-Za-z]+)', 1) as predicted_predicate,
        count(*) as n
    from compared_components
    inner join compared_answers using (model, variant, question_id, repetition)
    group by all
),

sides as (
    select *, n as n_here, case when is_true then n else 0 end as n_true, 0 as n_said
    from components
    union all
    select * replace (predicted_predicate as predicate), 0, 0, n
    from components
    where predicted_predicate is not null
)

select
    model, variant, kind, predicate,
    sum(n_true)::bigint as n_reference,
    sum(n_said)::bigint as n_predicted,
    coalesce(sum(n_here) filter (outcome = 'matched'), 0)::bigint as n_matched,
    coalesce(sum(n_here) filter (outcome = 'polarity_inversion'), 0)::bigint
        as n_polarity_inversions,
    coalesce(sum(n_here) filter (outcome = 'predicate_substitution'), 0)::bigint
        as n_predicate_substitutions,
    coalesce(sum(n_here) filter (outcome = 'entity_substitution'), 0)::bigint
        as n_entity_substitutions,
    coalesce(sum(n_here) filter (outcome = 'omission'), 0)::bigint as n_omissions,
    coalesce(sum(n_here) filter (outcome = 'hallucination'), 0)::bigint as n_hallucinations,
    n_matched / nullif(n_reference, 0) as recall,
    n_matched / nullif(n_predicted, 0) as precision
from sides
group by model, variant, kind, predicate
order by all;

comment on column errors_by_predicate.model is 'model that answered';
comment on column errors_by_predicate.variant is
'setting under which the pictures were made and asked';
comment on column errors_by_predicate.kind is 'forward (order images) or inverse (order actions)';
comment on column errors_by_predicate.predicate is 'name in the predicate catalogue';
comment on column errors_by_predicate.n_reference is 'true components of it';
comment on column errors_by_predicate.n_predicted is 'components of it that answers give';
comment on column errors_by_predicate.n_matched is 'components of it in both sets';
comment on column errors_by_predicate.n_polarity_inversions is
'true components given with the opposite sign';
comment on column errors_by_predicate.n_predicate_substitutions is
'true components given with another predicate';
comment on column errors_by_predicate.n_entity_substitutions is
'true components given for other objects';
comment on column errors_by_predicate.n_omissions is 'true components that the answer omits';
comment on column errors_by_predicate.n_hallucinations is 'components of it that were made up';
comment on column errors_by_predicate.recall is 'matched over true components';
comment on column errors_by_predicate.precision is 'matched over predicted components';
