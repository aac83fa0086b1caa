-- accuracy_by_length: one row per source, variant, model, kind, length, metric; null: all lengths.
-- Reads: model_accuracies, probes, absent_evaluations, published_accuracies,
--        published_question_counts.
-- Rule:  tables 1, 2, 9 and 10 of the paper. source is ours (measured, as set) or published
--        (read from the paper, of other questions on other pictures): never average over both. For
--        all lengths, pairwise accuracy is steps over steps on both sides (2.3 and A.3.2); of
--        published videos every length counts alike. The paper gives no errors, so published ones
--        have no interval. Models whose evaluation is missing have no accuracy.
create table accuracy_by_length as
with on_board as (
    select 'baseline' as variant
    union
    select variant from probes where panel is null
),

published as (
    select
        if(experiment = 'main', 'baseline', experiment) as variant,
        published_model, model_class, kind, length, metric, accuracy,
        if(experiment = 'main', n_questions, null) as n_questions,
        -- Of the 960 questions about videos the paper does not say how many have which length.
        if(experiment = 'main', n_questions, 1)
            * if(metric = 'pairwise_accuracy', length - 1, 1) as weight
    from published_accuracies
    left join published_question_counts using (length)
    where experiment in ('main', 'real_world_video')
)

select
    'ours' as source, variant, model, case when is_reference then 'reference' end as model_class,
    trained_on, kind, length, metric,
    n_scored as n_questions, n_demonstrations, accuracy, standard_error, low, high, reason
from model_accuracies
semi join on_board using (variant)
anti join absent_evaluations using (model, variant)
union all
select
    'ours', variant, model, null, null, kind, length,
    unnest(['task_accuracy', 'pairwise_accuracy']),
    0, 0, null, null, null, null, 'missing'
from absent_evaluations
semi join on_board using (variant)
union all
select
    'published', variant, published_model, model_class, null, kind, length, metric,
    n_questions, null, accuracy, null, null, null, 'published'
from published
union all
select
    'published', variant, published_model, model_class, null, kind, null, metric,
    sum(n_questions)::bigint, null, sum(accuracy * weight) / sum(weight),
    null, null, null, 'published'
from published
group by variant, published_model, model_class, kind, metric
order by variant, kind, metric desc, length nulls first, source, model;

comment on column accuracy_by_length.source is 'ours or published';
comment on column accuracy_by_length.variant is
'baseline, or one that asks other questions under the same settings; table 2 is real_world_video';
comment on column accuracy_by_length.model is
'model that answered; its name in the paper if published';
comment on column accuracy_by_length.model_class is
'proprietary, open_weight or human; of ours reference, or null for models';
comment on column accuracy_by_length.trained_on is
'what a reference of ours was trained on; else null';
comment on column accuracy_by_length.kind is 'forward (order images) or inverse (order actions)';
comment on column accuracy_by_length.length is 'key frames in the trajectory; null for all lengths';
comment on column accuracy_by_length.metric is 'task_accuracy or pairwise_accuracy';
comment on column accuracy_by_length.n_questions is
'questions that the accuracy is about; null: not published';
comment on column accuracy_by_length.n_demonstrations is 'demonstrations; not published';
comment on column accuracy_by_length.accuracy is
'share of accepted questions, or of right steps';
comment on column accuracy_by_length.standard_error is 'clustered by demonstration';
comment on column accuracy_by_length.low is '95 % interval: bootstrap over demonstrations';
comment on column accuracy_by_length.high is 'its upper end';
comment on column accuracy_by_length.reason is
'why there is no interval: published, missing, no_scores, one_demonstration, no_variation';
