-- semantic_errors: one row per model, variant, kind, length, answers counted and semantic class.
-- Reads: compared_answers, compared_components.
-- Rule:  length null is all lengths, never add that row to the others. answers is all or wrong: the
--        paper's numbers may rest on wrong answers, as those of handedness seem to. Two components
--        taken for each other are one error, of the class of the true one. Only classes with an
--        error have a row.
create table semantic_errors as
with counted as (
    select
        model, variant, kind, length, is_accepted, semantic_class,
        count(*) as n
    from compared_components
    inner join compared_answers using (model, variant, question_id, repetition)
    where outcome <> 'matched'
    group by all
),

levels as (
    select *, 'all' as answers from counted
    union all
    select *, 'wrong' from counted where not is_accepted
),

totals as (
    select model, variant, kind, length, answers, semantic_class, sum(n)::bigint as n_errors
    from (select * from levels union all select * replace (null::bigint as length) from levels)
    group by all
)

select
    *,
    n_errors / sum(n_errors) over (partition by model, variant, kind, length, answers) as share
from totals
order by model, variant, kind, length nulls first, answers, semantic_class;

comment on column semantic_errors.model is 'model that answered';
comment on column semantic_errors.variant is
'setting under which the pictures were made and asked';
comment on column semantic_errors.kind is 'forward (order images) or inverse (order actions)';
comment on column semantic_errors.length is 'key frames in the trajectory; null for all lengths';
comment on column semantic_errors.answers is
'all that could be compared, or the wrong ones among them';
comment on column semantic_errors.semantic_class is
'spatial_relation, functional_state, material_state, agent_interaction or contact';
comment on column semantic_errors.n_errors is 'errors about predicates of the class';
comment on column semantic_errors.share is 'of all errors of these answers';
