-- probe_scores: one row per model, panel, variant, kind and length; length null: all lengths.
-- Reads: probes, asked_questions, evaluation.
-- Rule:  figures 19, 27, 31 and 35 of the paper. Each panel has its own rows of the baseline, so a
--        baseline repeats: never add panels. Questions with a score count, each side by itself, of
--        the baseline as many of each kind and length as the variants of the panel ask;
--        probe_deltas compares questions scored on both. pairwise_accuracy is right steps over all
--        steps, as everywhere but in the tests, which need questions. standard_error takes
--        questions as independent, as the paper does (each once, with the mean over its
--        repetitions); the clustered one does not, and is null where all questions are about one
--        demonstration. Both are of a ratio: residuals count by steps.
create table probe_scores as
with settings as (
    select model, panel, variant, false as is_baseline from probes where panel is not null
    union
    select model, panel, baseline, true from probes where panel is not null
),

asked_of as (
    select panel, asked.kind, asked.length, max(asked.place) as most
    from (select distinct panel, variant from probes where panel is not null)
    inner join asked_questions as asked using (variant)
    group by all
),

scores as (
    select
        settings.model, settings.panel, settings.variant, settings.is_baseline,
        evaluation.kind, evaluation.length, evaluation.demonstration, evaluation.question_id,
        evaluation.pairwise_accuracy as score, evaluation.length - 1 as n_steps
    from settings
    inner join evaluation
        on evaluation.model = settings.model
        and evaluation.variant = settings.variant
    inner join asked_questions as asked
        on asked.variant = evaluation.variant
        and asked.question_id = evaluation.question_id
    inner join asked_of
        on asked_of.panel = settings.panel
        and asked_of.kind = asked.kind
        and asked_of.length = asked.length
    where asked.place <= asked_of.most and evaluation.pairwise_accuracy is not null
),

centred as (
    select
        *,
        sum(score * n_steps) over of_length / sum(n_steps) over of_length as mean
    from (select * from scores union all select * replace (null::bigint as length) from scores)
    window of_length as (partition by model, panel, variant, kind, length)
),

by_question as (
    select
        model, panel, variant, is_baseline, kind, length, demonstration, question_id, mean,
        n_steps, sum(n_steps) as n, sum(n_steps * (score - mean)) as residual,
        (n_steps * (avg(score) - mean)) ** 2 as square
    from centred
    group by
        model, panel, variant, is_baseline, kind, length, demonstration, question_id, mean, n_steps
),

by_demonstration as (
    select
        model, panel, variant, is_baseline, kind, length, demonstration, mean,
        sum(n) as n, sum(n_steps) as n_steps, count(*) as n_questions,
        sum(residual) as residual, sum(square) as squares
    from by_question
    group by all
),

shares as (
    select
        *,
        1 - n / sum(n) over (partition by model, panel, variant, kind, length) as elsewhere
    from by_demonstration
)

select
    model, panel, variant, is_baseline, kind, length,
    sum(n_questions)::bigint as n_questions,
    count(*) as n_demonstrations,
    any_value(mean) as pairwise_accuracy,
    case when sum(n_questions) >= 2 then
        sqrt(sum(squares) * sum(n_questions) / (sum(n_questions) - 1)) / sum(n_steps)
    end as standard_error,
    case when count(*) >= 2 then
        sqrt(sum(residual ** 2 / elsewhere)) / sum(n)
    end as clustered_standard_error
from shares
group by model, panel, variant, is_baseline, kind, length
order by panel, kind, length nulls first, model, is_baseline desc, variant;

comment on column probe_scores.model is 'model that answered';
comment on column probe_scores.panel is 'what the variants of the panel change';
comment on column probe_scores.variant is 'setting of the pictures or questions';
comment on column probe_scores.is_baseline is 'whether it is the setting compared with';
comment on column probe_scores.kind is 'forward (order images) or inverse (order actions)';
comment on column probe_scores.length is 'key frames in the trajectory; null for all lengths';
comment on column probe_scores.n_questions is 'scored questions';
comment on column probe_scores.n_demonstrations is 'demonstrations they are about';
comment on column probe_scores.pairwise_accuracy is 'right steps over all steps';
comment on column probe_scores.standard_error is
'of it, questions independent; null for one question';
comment on column probe_scores.clustered_standard_error is
'of it, clustered by demonstration; null below 2 demonstrations';
