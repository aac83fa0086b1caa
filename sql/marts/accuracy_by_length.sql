-- accuracy_by_length: one row per source, model, kind, length and metric; length null: all lengths.
-- Reads: model_accuracies, absent_evaluations, published_accuracies, published_question_counts.
-- Rule:  tables 1, 9 and 10 of the paper. source is ours (measured, baseline pictures) or published
--        (read from the paper, of other questions on other pictures): never average over both. For
--        all lengths, pairwise accuracy is steps over steps on both sides (2.3 and A.3.2). The
--        paper gives no errors, so published ones have no interval. Models whose evaluation is
--        missing have no accuracy, unless older ones were kept.
create table accuracy_by_length as
with published as (
    select
        published_model, model_class, kind, length, metric, accuracy, n_questions,
        n_questions * if(metric = 'pairwise_accuracy', length - 1, 1) as weight
    from published_accuracies
    left join published_question_counts using (length)
    where experiment = 'main'
)

select
    'ours' as source, model, case when is_reference then 'reference' end as model_class,
    kind, length, metric,
    n_scored as n_questions, n_demonstrations, accuracy, standard_error, low, high, reason
from model_accuracies
where variant = 'baseline'
union all
select
    'ours', model, null, kind, length, unnest(['task_accuracy', 'pairwise_accuracy']),
    0, 0, null, null, null, null, 'missing'
from absent_evaluations
anti join model_accuracies using (model, variant)
where variant = 'baseline'
union all
select
    'published', published_model, model_class, kind, length, metric,
    n_questions, null, accuracy, null, null, null, 'published'
from published
union all
select
    'published', published_model, model_class, kind, null, metric,
    sum(n_questions)::bigint, null, sum(accuracy * weight) / sum(weight),
    null, null, null, 'published'
from published
group by published_model, model_class, kind, metric
order by kind, metric desc, length nulls first, source, model;

comment on column accuracy_by_length.source is 'ours or published';
comment on column accuracy_by_length.model is
'model that answered; its name in the paper if published';
comment on column accuracy_by_length.model_class is
'proprietary, open_weight or human; of ours reference, or null for models';
comment on column accuracy_by_length.kind is 'forward (order images) or inverse (order actions)';
comment on column accuracy_by_length.length is 'key frames in the trajectory; null for all lengths';
comment on column accuracy_by_length.metric is 'task_accuracy or pairwise_accuracy';
comment on column accuracy_by_length.n_questions is 'questions that the accuracy is about';
comment on column accuracy_by_length.n_demonstrations is 'demonstrations; not published';
comment on column accuracy_by_length.accuracy is
'share of accepted questions, or of right steps';
comment on column accuracy_by_length.standard_error is 'clustered by demonstration';
comment on column accuracy_by_length.low is '95 % interval: bootstrap over demonstrations';
comment on column accuracy_by_length.high is 'its upper end';
comment on column accuracy_by_length.reason is
'why there is no interval: published, missing, no_scores, one_demonstration, no_variation';
