-- variant_accuracies: one row per source, experiment, variant, noise, model, kind, length, metric.
-- Reads: model_accuracies, probes, evaluation, asked_questions, published_accuracies,
--        comparable_conditions.
-- Rule:  tables 2, 11, 12 and 14 of the paper, and ours beside them; experiment is the panel, or
--        real_world_video. Seeds of noise, variants called <name>_<seed> of one noise rate, are one
--        row: their mean, standard deviation and number. Ours are about what the variant asks
--        (with `asks: all` its whole set, so every length), the paper's about a subset of its own:
--        compare within a source. length null is all lengths, which the paper does not give.
--        Natural language (table 12: vanilla) is variant baseline of action_representation: the
--        baseline's answers to all questions that some variant asks in other words. Where variants
--        ask different numbers, compare each with probe_deltas.difference. Ours compare with the
--        paper's where is_comparable.
create table variant_accuracies as
with panels as (
    select distinct
        variant,
        case when panel is null then 'real_world_video' else panel end as experiment
    from probes
    where
        panel in ('contact_gating', 'action_representation', 'noise_robustness')
        or (panel is null and variant = 'real_world_video')
),

rates as (
    select distinct variant, noise_rate
    from asked_questions
),

of_variants as (
    select
        panels.experiment,
        case
            when panels.experiment = 'noise_robustness'
                then regexp_replace(panels.variant, '_[0-9]+$', '')
            else panels.variant
        end as stem,
        panels.variant,
        case when panels.experiment = 'noise_robustness' then rates.noise_rate end as noise_rate
    from panels
    left join rates using (variant)
),

ours as (
    select
        of_variants.experiment,
        case when count(distinct variant) > 1 then stem else min(variant) end as variant,
        noise_rate, model, kind, length, metric,
        count(accuracy) as n_seeds,
        avg(accuracy) as accuracy,
        stddev_samp(accuracy) as standard_deviation,
        sum(n_scored)::bigint as n_questions,
        bool_and(is_comparable) as is_comparable,
        -- Of several seeds one may be edited, which gives a reason more.
        max_by(why_not, len(why_not)) as why_not,
        max_by(caveat, len(caveat)) as caveat,
        case when count(*) = 1 then max(low) end as low,
        case when count(*) = 1 then max(high) end as high
    from model_accuracies
    inner join of_variants using (variant)
    left join (from comparable_conditions where beside = 'changes') as comparable
        using (variant, model)
    group by of_variants.experiment, stem, noise_rate, model, kind, length, metric
),

worded_otherwise as (
    select distinct question_id
    from asked_questions
    semi join (from panels where experiment = 'action_representation') using (variant)
),

natural_language as (
    select
        model, kind, length,
        count(distinct question_id) as n_questions,
        avg(is_accepted::double) as task_accuracy,
        sum(pairwise_accuracy * n_steps) / sum(n_steps) as pairwise_accuracy
    from evaluation
    semi join worded_otherwise using (question_id)
    where variant = 'baseline' and is_accepted is not null
    group by grouping sets ((model, kind, length), (model, kind))
),

sides as (
    select
        'ours' as source, experiment, variant, noise_rate, model, kind, length, metric, accuracy,
        standard_deviation, n_seeds, n_questions, low, high, is_comparable, why_not,
        caveat
    from ours
    union all
    select
        'ours', 'action_representation', 'baseline', null, model, kind, length, metric,
        accuracy, null, 1, n_questions, null, null, null, null, null
    from natural_language
    unpivot (accuracy for metric in (task_accuracy, pairwise_accuracy))
    union all
    select
        'published', experiment, published_variant, null, published_model, kind, length, metric,
        accuracy, standard_deviation, case when standard_deviation is null then 1 else 3 end,
        null, null, null, null, null, null
    from published_accuracies
    where experiment <> 'main'
)

select
    sides.* exclude (is_comparable, why_not, caveat),
    if(sides.variant = 'baseline', of_baseline.is_comparable, sides.is_comparable)
        as is_comparable,
    if(sides.variant = 'baseline', of_baseline.why_not, sides.why_not) as why_not,
    nullif(
        concat_ws(
            ' ', sides.caveat,
            case when sides.experiment <> 'real_world_video' then of_baseline.caveat end
        ),
        ''
    ) as caveat
from sides
left join comparable_conditions as of_baseline
    on sides.source = 'ours'
    and of_baseline.beside = 'words'
    and of_baseline.variant = 'baseline'
    and of_baseline.model = sides.model
order by
    sides.experiment, sides.variant, noise_rate nulls first, kind, metric desc, length nulls first,
    sides.source, sides.model;

comment on column variant_accuracies.source is 'ours or published';
comment on column variant_accuracies.experiment is
'contact_gating, action_representation, noise_robustness or real_world_video';
comment on column variant_accuracies.variant is
'setting that was asked under; what the names of several seeds begin with';
comment on column variant_accuracies.noise_rate is
'share of components that noise changes; null where there is none, and of published';
comment on column variant_accuracies.model is
'model that answered; its name in the paper if published';
comment on column variant_accuracies.kind is 'forward (order images) or inverse (order actions)';
comment on column variant_accuracies.length is 'key frames in the trajectory; null for all lengths';
comment on column variant_accuracies.metric is 'task_accuracy or pairwise_accuracy';
comment on column variant_accuracies.accuracy is
'share of accepted questions, or of right steps; of several seeds their mean';
comment on column variant_accuracies.standard_deviation is 'over seeds; null for a single one';
comment on column variant_accuracies.n_seeds is 'seeds that were scored; 1 where there is no noise';
comment on column variant_accuracies.n_questions is 'scored questions of all seeds';
comment on column variant_accuracies.low is
'95 % interval over demonstrations; null for several seeds, natural language and published';
comment on column variant_accuracies.high is 'its upper end';
comment on column variant_accuracies.is_comparable is
'whether ours may stand beside the paper''s, as in comparable_conditions; null of published';
comment on column variant_accuracies.why_not is 'reasons against it';
comment on column variant_accuracies.caveat is
'how the conditions of the variant and of the baseline differ from the paper''s all the same';
