-- agreement_with_published: one row per variant, model, kind, length and metric of both sides.
-- Reads: accuracy_by_length, comparable_with_published, published_models.
-- Rule:  a model of ours is the paper's if published_models lists its name, letter for letter: a
--        later, tuned or smaller version is another one. Only variants that ask imported questions
--        have rows: others ask other questions, as comparable_with_published says. difference is
--        null unless is_comparable, and low and high are of ours alone: the paper gives no
--        interval, its own error comes on top.
create table agreement_with_published as
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
    published.n_questions as n_published,
    if(comparable.is_comparable, ours.accuracy - published.accuracy, null) as difference,
    comparable.is_comparable,
    comparable.why_not,
    comparable.caveat
from accuracy_by_length as ours
inner join published_models as known
    on known.known_as = ours.model
inner join comparable_with_published as comparable
    on comparable.variant = ours.variant
    and comparable.model = ours.model
    and comparable.source is null
    and comparable.experiment = 'main'
    and comparable.is_imported
inner join accuracy_by_length as published
    on published.model = known.published_model
    and published.variant = comparable.published_variant
    and published.kind = ours.kind
    and published.metric = ours.metric
    and published.length is not distinct from ours.length
    and published.source = 'published'
where ours.source = 'ours'
order by ours.variant, ours.model, ours.kind, ours.metric desc, ours.length nulls first;

comment on column agreement_with_published.variant is
'one that asks the questions of imported files';
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
comment on column agreement_with_published.n_published is 'questions that it is about';
comment on column agreement_with_published.difference is
'ours minus published; null unless is_comparable';
comment on column agreement_with_published.is_comparable is
'whether ours may stand beside it, as in comparable_with_published';
comment on column agreement_with_published.why_not is 'reasons against it';
comment on column agreement_with_published.caveat is 'what to say beside it all the same';
