-- errors_by_activity: one row per model, variant, kind and household activity.
-- Reads: compared_answers.
-- Rule:  all answers that could be compared; two components taken for each other are one error.
create table errors_by_activity as
select
    model, variant, kind, activity,
    count(*) as n_answers,
    sum(n_steps)::bigint as n_steps,
    sum(n_reference)::bigint as n_reference,
    sum(n_predicted)::bigint as n_predicted,
    sum(n_matched)::bigint as n_matched,
    sum(n_polarity_inversions)::bigint as n_polarity_inversions,
    sum(n_predicate_substitutions)::bigint as n_predicate_substitutions,
    sum(n_entity_substitutions)::bigint as n_entity_substitutions,
    sum(n_omissions)::bigint as n_omissions,
    sum(n_hallucinations)::bigint as n_hallucinations,
    sum(n_matched) / nullif(sum(n_reference), 0) as recall,
    sum(n_matched) / nullif(sum(n_predicted), 0) as precision,
    (
        sum(n_missing) + sum(n_hallucinated) - sum(n_polarity_inversions)
        - sum(n_predicate_substitutions) - sum(n_entity_substitutions)
    ) / sum(n_steps) as errors_per_step
from compared_answers
group by all
order by all;

comment on column errors_by_activity.model is 'model that answered';
comment on column errors_by_activity.variant is
'setting under which the pictures were made and asked';
comment on column errors_by_activity.kind is 'forward (order images) or inverse (order actions)';
comment on column errors_by_activity.activity is 'household activity';
comment on column errors_by_activity.n_answers is 'answers counted';
comment on column errors_by_activity.n_steps is 'their steps';
comment on column errors_by_activity.n_reference is 'components of the true visible changes';
comment on column errors_by_activity.n_predicted is 'components that answers give';
comment on column errors_by_activity.n_matched is 'components in both sets';
comment on column errors_by_activity.n_polarity_inversions is
'true components given with the opposite sign';
comment on column errors_by_activity.n_predicate_substitutions is
'true components given with another predicate';
comment on column errors_by_activity.n_entity_substitutions is
'true components given for other objects';
comment on column errors_by_activity.n_omissions is 'true components that the answer omits';
comment on column errors_by_activity.n_hallucinations is 'components that were made up';
comment on column errors_by_activity.recall is 'matched over true components';
comment on column errors_by_activity.precision is 'matched over predicted components';
comment on column errors_by_activity.errors_per_step is 'errors of all categories over steps';
