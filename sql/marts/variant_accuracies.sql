-- variant_accuracies: one row per source, experiment, variant, model, kind, length and metric.
-- Reads: model_accuracies, probes, published_accuracies.
-- Rule:  tables 2, 11, 12 and 14 of the paper, and ours beside them; experiment is the panel. Seeds
--        of noise, variants called <name>_<seed>, are one row: their mean, standard deviation and
--        number. Ours are about probe questions, the paper's about a subset of its question set:
--        compare within a source. length null is all lengths, which the paper does not give.
create table variant_accuracies as
with panels as (
    select distinct variant, panel
    from probes
    where panel in ('contact_gating', 'action_representation', 'noise_robustness')
),

ours as (
    select
        panel as experiment,
        case
            when panel = 'noise_robustness' then regexp_replace(variant, '_[0-9]+$', '')
            else variant
        end as variant,
        model, kind, length, metric,
        count(accuracy) as n_seeds,
        avg(accuracy) as accuracy,
        stddev_samp(accuracy) as standard_deviation,
        sum(n_scored)::bigint as n_questions,
        case when count(*) = 1 then max(low) end as low,
        case when count(*) = 1 then max(high) end as high
    from model_accuracies
    inner join panels using (variant)
    group by all
)

select
    'ours' as source, experiment, variant, model, kind, length, metric, accuracy,
    standard_deviation, n_seeds, n_questions, low, high
from ours
union all
select
    'published', experiment, published_variant, published_model, kind, length, metric, accuracy,
    standard_deviation, case when standard_deviation is null then 1 else 3 end, null, null, null
from published_accuracies
where experiment <> 'main'
order by experiment, variant, kind, metric desc, length nulls first, source, model;

comment on column variant_accuracies.source is 'ours or published';
comment on column variant_accuracies.experiment is
'contact_gating, action_representation, noise_robustness or real_world_video';
comment on column variant_accuracies.variant is 'setting that was asked under';
comment on column variant_accuracies.model is 'who answered; as the paper calls it if published';
comment on column variant_accuracies.kind is 'forward (order images) or inverse (order actions)';
comment on column variant_accuracies.length is 'key frames in the trajectory; null for all lengths';
comment on column variant_accuracies.metric is 'task_accuracy or pairwise_accuracy';
comment on column variant_accuracies.accuracy is 'mean over questions, then over seeds';
comment on column variant_accuracies.standard_deviation is 'over seeds; null for a single one';
comment on column variant_accuracies.n_seeds is 'seeds that were scored; 1 where there is no noise';
comment on column variant_accuracies.n_questions is 'scored questions of all seeds';
comment on column variant_accuracies.low is
'95 % interval: bootstrap over demonstrations; null for several seeds and published';
comment on column variant_accuracies.high is 'its upper end';
