-- agreement_with_published: one row per variant, model, kind, length and metric of both sides.
-- Reads: accuracy_by_length, variants_with_published.
-- Rule:  models match if letters and digits of their names do, in either case: gpt-5-mini is the
--        paper's GPT-5 mini. Variants match if they have its settings, too: an edited one has no
--        rows here, and variants_with_published says what was edited. is_within looks at our
--        interval alone: the paper gives none, its own error comes on top, and it has other
--        questions and pictures.
create table agreement_with_published as
with named as (
    select *, regexp_replace(lower(model), '[^a-z0-9]', '', 'g') as letters
    from accuracy_by_length
)

select
    ours.variant,
    ours.model,
    published.model as published_model,
    ours.kind,
    ours.length,
    ours.metric,
    ours.n_questions,
    ours.accuracy,
    ours.low,
    ours.high,
    published.accuracy as published_accuracy,
    ours.accuracy - published.accuracy as difference,
    published.accuracy between ours.low and ours.high as is_within,
    condition.caveat
from named as ours
inner join named as published
    on published.letters = ours.letters
    and published.variant = ours.variant
    and published.kind = ours.kind
    and published.metric = ours.metric
    and published.length is not distinct from ours.length
    and published.source = 'published'
inner join variants_with_published as condition
    on condition.variant = ours.variant and condition.is_as_published
where ours.source = 'ours'
order by ours.variant, ours.model, ours.kind, ours.metric desc, ours.length nulls first;

comment on column agreement_with_published.variant is
'baseline, or one that asks other questions under the same settings';
comment on column agreement_with_published.model is 'model that answered';
comment on column agreement_with_published.published_model is 'its name in the paper';
comment on column agreement_with_published.kind is
'forward (order images) or inverse (order actions)';
comment on column agreement_with_published.length is
'key frames in the trajectory; null for all lengths';
comment on column agreement_with_published.metric is 'task_accuracy or pairwise_accuracy';
comment on column agreement_with_published.n_questions is 'questions that ours is about';
comment on column agreement_with_published.accuracy is 'as measured';
comment on column agreement_with_published.low is '95 % interval: bootstrap over demonstrations';
comment on column agreement_with_published.high is 'its upper end';
comment on column agreement_with_published.published_accuracy is 'as published';
comment on column agreement_with_published.difference is 'ours minus published';
comment on column agreement_with_published.is_within is
'whether the published one is in our interval; null without one';
comment on column agreement_with_published.caveat is
'how the condition of ours differs from the paper''s';
