-- leaderboard_details: one row per variant, model, kind and length; length null: all lengths.
-- Reads: evaluation, model_accuracies, probes, stale_partitions, absent_evaluations,
--        asked_questions, world_filters.
-- Rule:  only the baseline, and variants that differ from it in their questions alone (recordings,
--        videos and WorldPrediction have their own); others are in probe_deltas. pairwise_accuracy
--        is passed steps over all steps (paper 2.3 and A.3.2), ..._by_question the mean over
--        questions of their shares of steps; within one length the two are equal. Rows without
--        scores are in no score: answers that were never obtained (n_missing) and, of gatings under
--        profile release, those that could not be parsed (n_unparsed). Under profile paper these
--        are scored, as wrong. Of repeated questions every answer counts: n_questions and n_scored
--        count questions, the other numbers answers. ..._sd are between repetitions, null with one
--        of them. No scored answer: null, not 0. Places are the range that the data allow, so they
--        overlap. A model whose evaluation is missing keeps its rows, with the questions it should
--        have answered and without scores. Annotators of one role are one row, people (3), solvers
--        (2) or simulated (5), without a place; n_questions are those assigned to any. Imported
--        questions without a replay have a task accuracy by exact match and no pairwise accuracy:
--        n_verified counts the others, those verified by segmented scene graphs too, which is
--        approximate (the report counts them). Scores are of the strict reading of answers;
--        ..._as_release are of the same answers as the public release reads them, by the same
--        rules, and n_read_otherwise counts those in which the two readings differ. A model that is
--        asked a declared part (subsets.yaml) has fewer n_questions than n_in_variant.
create table leaderboard_details as
with on_board as (
    select 'baseline' as variant
    union
    select variant from probes where panel is null
    union
    select variant from evaluation where variant like 'world:%'
),

pooled as (
    select
        role, variant,
        case role when 'person' then 'people' when 'solver' then 'solvers' else role end
            || ' (' || count(distinct model) || ')' as model
    from (
        select
            variant, model,
            regexp_extract(model, '^(person|solver|simulated)_[1-9][0-9]*$', 1) as role
        from evaluation
    )
    where role <> ''
    group by role, variant
),

scored as (
    select
        coalesce(pooled.model, evaluation.model) as model,
        evaluation.variant, kind, length, demonstration, question_id,
        if(pooled.model is null, repetition, 0) as repetition,
        answer_status, reason,
        is_accepted is not null as is_scored,
        is_accepted::double as accepted,
        pairwise_accuracy as pairwise,
        answer is distinct from release_answer as is_read_otherwise,
        is_accepted_as_release::double as accepted_as_release,
        (pairwise_accuracy_as_release * n_steps)::decimal(18, 9) as passed_as_release,
        -- Profile release divides too long a list by its own length, so this is no whole number.
        (pairwise_accuracy * n_steps)::decimal(18, 9) as passed,
        if(len(answer) = n_steps, passed, 0) as passed_whole,
        case when pairwise_accuracy is not null then n_steps end as steps
    from evaluation
    semi join on_board using (variant)
    left join pooled
        on pooled.variant = evaluation.variant
        and regexp_full_match(evaluation.model, pooled.role || '_[1-9][0-9]*')
),

levels as (
    select * from scored
    union all
    select * replace (null::bigint as length) from scored
),

-- Each answer's distance from its group's mean: the standard errors come from these.
residuals as (
    select
        *,
        accepted - avg(accepted) over same_row as accepted_residual,
        pairwise - avg(pairwise) over same_row as pairwise_residual,
        passed - steps * (sum(passed) over same_row / sum(steps) over same_row) as passed_residual
    from levels
    window same_row as (partition by variant, model, kind, length)
),

-- Questions of one demonstration share pictures and changes, so their answers go together. Its
-- residuals are divided by the share of the others, since its own effect on the mean shrinks them.
demonstrations_summed as (
    select
        variant, model, kind, length,
        case when count(*) >= 2 then
            sqrt(sum(accepted_sum ** 2 / n_elsewhere) * sum(n)) / sum(n)
        end as task_accuracy_clustered_se,
        case when count(n_steps) >= 2 then
            sqrt(sum(passed_sum ** 2 / n_steps_elsewhere) * sum(n_steps)) / sum(n_steps)
        end as pairwise_accuracy_clustered_se,
        case when count(n_steps) >= 2 then
            sqrt(sum(pairwise_sum ** 2 / n_pairwise_elsewhere) * sum(n_pairwise)) / sum(n_pairwise)
        end as pairwise_accuracy_by_question_clustered_se,
        count(*) as n_demonstrations
    from (
        select
            variant, model, kind, length, demonstration,
            sum(accepted_residual) as accepted_sum,
            sum(pairwise_residual) as pairwise_sum,
            sum(passed_residual) as passed_sum,
            count(*) as n,
            sum(count(*)) over same_row - count(*) as n_elsewhere,
            count(pairwise) as n_pairwise,
            nullif(sum(count(pairwise)) over same_row - count(pairwise), 0)
                as n_pairwise_elsewhere,
            sum(steps) as n_steps,
            nullif(sum(sum(steps)) over same_row - sum(steps), 0) as n_steps_elsewhere
        from residuals
        where is_scored
        group by variant, model, kind, length, demonstration
        window same_row as (partition by variant, model, kind, length)
    )
    group by all
),

-- Where questions are taken as independent, a repeated one counts once.
questions_summed as (
    select
        variant, model, kind, length,
        count(*) as n_scored,
        count(steps) as n_verified,
        stddev_samp(accepted) / sqrt(count(accepted)) as task_accuracy_se,
        sqrt(sum(passed_residual ** 2) * count(steps) / nullif(count(steps) - 1, 0)) / sum(steps)
            as pairwise_accuracy_se,
        stddev_samp(pairwise) / sqrt(count(pairwise)) as pairwise_accuracy_by_question_se
    from (
        select
            variant, model, kind, length, demonstration, question_id,
            avg(accepted) as accepted,
            avg(pairwise) as pairwise,
            sum(passed_residual) as passed_residual,
            sum(steps) as steps
        from residuals
        where is_scored
        group by variant, model, kind, length, demonstration, question_id
    )
    group by all
),

repetitions_summed as (
    select
        variant, model, kind, length,
        count(*) as repetitions,
        stddev_samp(task_accuracy) as task_accuracy_sd,
        stddev_samp(pairwise_accuracy) as pairwise_accuracy_sd
    from (
        select
            variant, model, kind, length, repetition,
            avg(accepted) as task_accuracy,
            sum(passed) / sum(steps) as pairwise_accuracy
        from levels
        group by variant, model, kind, length, repetition
    )
    group by all
),

in_variants as (
    select variant, kind, length, count(*) as n_in_variant
    from asked_questions
    anti join (from world_filters where removed_by is not null) as removed
        using (variant, question_id)
    group by grouping sets ((variant, kind, length), (variant, kind))
),

totals as (
    select
        model, variant, kind, length,
        count(distinct question_id) as n_questions,
        count(*) as n_answers,
        count(*) filter (answer_status = 'parsed') as n_parsed,
        count(*) filter (answer_status = 'parsed' and reason = 'wrong_length') as n_wrong_length,
        count(*) filter (answer_status = 'unparsed') as n_unparsed,
        count(*) filter (answer_status = 'unparsed' and reason = 'refused') as n_refused,
        count(*) filter (answer_status = 'unparsed' and reason = 'declined') as n_declined,
        count(*) filter (answer_status = 'unparsed' and reason = 'cut') as n_cut,
        count(*) filter (answer_status = 'missing') as n_missing,
        count(*) filter (is_read_otherwise) as n_read_otherwise,
        avg(accepted_as_release) as task_accuracy_as_release,
        sum(passed_as_release) / sum(steps) as pairwise_accuracy_as_release,
        avg(accepted) as task_accuracy,
        sum(passed) / sum(steps) as pairwise_accuracy,
        sum(passed_whole) filter (steps is not null) / sum(steps) as pairwise_accuracy_whole,
        avg(pairwise) as pairwise_accuracy_by_question
    from residuals
    group by all
)

select
    totals.model, totals.variant, totals.kind, totals.length,
    coalesce(stale_partitions.state, 'current') as state,
    coalesce(task_ties.is_reference, false) as is_reference,
    task_ties.trained_on,
    totals.n_questions,
    case when not regexp_full_match(totals.model, '(people|solvers|simulated) \([0-9]+\)') then
        in_variants.n_in_variant
    end as n_in_variant,
    coalesce(questions_summed.n_scored, 0) as n_scored,
    coalesce(questions_summed.n_verified, 0) as n_verified,
    totals.n_answers, repetitions_summed.repetitions,
    totals.n_parsed, totals.n_wrong_length,
    totals.n_unparsed, totals.n_refused, totals.n_declined, totals.n_cut, totals.n_missing,
    totals.n_read_otherwise,
    coalesce(demonstrations_summed.n_demonstrations, 0) as n_demonstrations,
    totals.task_accuracy,
    repetitions_summed.task_accuracy_sd,
    questions_summed.task_accuracy_se,
    demonstrations_summed.task_accuracy_clustered_se,
    totals.pairwise_accuracy,
    repetitions_summed.pairwise_accuracy_sd,
    questions_summed.pairwise_accuracy_se,
    demonstrations_summed.pairwise_accuracy_clustered_se,
    totals.pairwise_accuracy_whole,
    totals.pairwise_accuracy_by_question,
    questions_summed.pairwise_accuracy_by_question_se,
    demonstrations_summed.pairwise_accuracy_by_question_clustered_se,
    case when
        totals.task_accuracy is not null and not coalesce(task_ties.is_reference, false)
    then
        rank() over (
            partition by
                totals.variant, totals.kind, totals.length,
                coalesce(task_ties.is_reference, false)
            order by totals.task_accuracy desc nulls last
        )
    end as task_accuracy_rank,
    case when
        totals.pairwise_accuracy is not null and not coalesce(task_ties.is_reference, false)
    then
        rank() over (
            partition by
                totals.variant, totals.kind, totals.length,
                coalesce(task_ties.is_reference, false)
            order by totals.pairwise_accuracy desc nulls last
        )
    end as pairwise_accuracy_rank,
    totals.task_accuracy_as_release, totals.pairwise_accuracy_as_release,
    task_ties.low as task_accuracy_low,
    task_ties.high as task_accuracy_high,
    task_ties.place_best as task_accuracy_place_best,
    task_ties.place_worst as task_accuracy_place_worst,
    task_ties.tied_with as task_accuracy_tied_with,
    pairwise_ties.low as pairwise_accuracy_low,
    pairwise_ties.high as pairwise_accuracy_high,
    pairwise_ties.place_best as pairwise_accuracy_place_best,
    pairwise_ties.place_worst as pairwise_accuracy_place_worst,
    pairwise_ties.tied_with as pairwise_accuracy_tied_with
from totals
inner join repetitions_summed
    on repetitions_summed.variant = totals.variant
    and repetitions_summed.model = totals.model
    and repetitions_summed.kind = totals.kind
    and repetitions_summed.length is not distinct from totals.length
left join questions_summed
    on questions_summed.variant = totals.variant
    and questions_summed.model = totals.model
    and questions_summed.kind = totals.kind
    and questions_summed.length is not distinct from totals.length
left join demonstrations_summed
    on demonstrations_summed.variant = totals.variant
    and demonstrations_summed.model = totals.model
    and demonstrations_summed.kind = totals.kind
    and demonstrations_summed.length is not distinct from totals.length
left join model_accuracies as task_ties
    on task_ties.variant = totals.variant
    and task_ties.model = totals.model
    and task_ties.kind = totals.kind
    and task_ties.length is not distinct from totals.length
    and task_ties.metric = 'task_accuracy'
left join model_accuracies as pairwise_ties
    on pairwise_ties.variant = totals.variant
    and pairwise_ties.model = totals.model
    and pairwise_ties.kind = totals.kind
    and pairwise_ties.length is not distinct from totals.length
    and pairwise_ties.metric = 'pairwise_accuracy'
left join in_variants
    on in_variants.variant = totals.variant
    and in_variants.kind = totals.kind
    and in_variants.length is not distinct from totals.length
left join stale_partitions
    on stale_partitions.asset = 'evaluation'
    and stale_partitions.partition = totals.model || '|' || totals.variant
union all by name
select
    model, variant, kind, length,
    'missing' as state, false as is_reference,
    n_questions, 0 as n_scored, 0 as n_verified, n_questions as n_answers,
    0 as n_parsed, 0 as n_wrong_length,
    0 as n_unparsed, 0 as n_refused, 0 as n_declined, 0 as n_cut, n_questions as n_missing,
    0 as n_read_otherwise,
    0 as n_demonstrations
from absent_evaluations
semi join on_board using (variant)
order by variant, kind, length nulls first, task_accuracy_rank nulls last, model;

comment on column leaderboard_details.model is 'model that answered';
comment on column leaderboard_details.variant is
'baseline, or a variant that asks other questions under the same settings';
comment on column leaderboard_details.kind is
'forward (order images) or inverse (order actions); of WorldPrediction wm or pp and condition';
comment on column leaderboard_details.length is
'key frames in the trajectory; null for all lengths';
comment on column leaderboard_details.state is
'current; stale: its evaluation is older than its inputs; missing: it has none';
comment on column leaderboard_details.is_reference is
'reference (chance, the oracle, a shortcut, or trained here): not ranked; false where missing';
comment on column leaderboard_details.trained_on is
'what a reference was trained on; null for models, and for references that were not trained';
comment on column leaderboard_details.n_questions is 'questions asked';
comment on column leaderboard_details.n_in_variant is
'questions of the variant; a model of subsets.yaml is asked fewer. Null for people and if missing';
comment on column leaderboard_details.n_scored is 'questions that the scores are about';
comment on column leaderboard_details.n_verified is
'of n_scored: verified step by step (approximately by segmented graphs); others by exact match';
comment on column leaderboard_details.n_answers is
'answers asked for: each question as often as it was repeated; parsed, unparsed and missing ones';
comment on column leaderboard_details.repetitions is
'times that each question was asked; null if the evaluation is missing';
comment on column leaderboard_details.n_parsed is 'answers that contain an order; all are scored';
comment on column leaderboard_details.n_wrong_length is
'of n_parsed: with too few labels, so not accepted; their steps count where they match in order';
comment on column leaderboard_details.n_unparsed is
'answers without an order; scored as wrong (profile paper) or not scored (release)';
comment on column leaderboard_details.n_refused is
'of n_unparsed: the model or its provider refused';
comment on column leaderboard_details.n_declined is
'of n_unparsed: the answer refuses in words, and the provider says nothing of it';
comment on column leaderboard_details.n_cut is
'of n_unparsed: a limit of tokens cut them before they named a whole order';
comment on column leaderboard_details.n_missing is
'answers that were never obtained; all of them if the evaluation is missing';
comment on column leaderboard_details.n_read_otherwise is
'answers in which the public release reads other labels, or none, or some where we read none';
comment on column leaderboard_details.task_accuracy_as_release is
'task_accuracy of the same answers as the public release reads them (the others: strict)';
comment on column leaderboard_details.pairwise_accuracy_as_release is
'pairwise_accuracy of the same answers as the public release reads them';
comment on column leaderboard_details.n_demonstrations is
'demonstrations the scored questions are about';
comment on column leaderboard_details.task_accuracy is 'share of scored answers accepted';
comment on column leaderboard_details.task_accuracy_sd is
'standard deviation between repetitions; null with one of them';
comment on column leaderboard_details.task_accuracy_se is
'its standard error, questions independent';
comment on column leaderboard_details.task_accuracy_clustered_se is
'its standard error, clustered by demonstration; null below 2 demonstrations';
comment on column leaderboard_details.pairwise_accuracy is 'right steps over all steps';
comment on column leaderboard_details.pairwise_accuracy_sd is
'standard deviation between repetitions; null with one of them';
comment on column leaderboard_details.pairwise_accuracy_se is
'its standard error as a ratio, questions independent';
comment on column leaderboard_details.pairwise_accuracy_clustered_se is
'its standard error, clustered by demonstration; null below 2 demonstrations';
comment on column leaderboard_details.pairwise_accuracy_whole is
'the same if only whole orders had right steps: shorter lists earn more by chance';
comment on column leaderboard_details.pairwise_accuracy_by_question is
'mean over answers of the share of right steps';
comment on column leaderboard_details.pairwise_accuracy_by_question_se is
'its standard error, questions independent';
comment on column leaderboard_details.pairwise_accuracy_by_question_clustered_se is
'its standard error, clustered by demonstration; null below 2 demonstrations';
comment on column leaderboard_details.task_accuracy_rank is
'1 is best within variant, kind and length; equals share a rank';
comment on column leaderboard_details.pairwise_accuracy_rank is
'1 is best within variant, kind and length; equals share a rank';
comment on column leaderboard_details.task_accuracy_low is
'95 % interval over demonstrations; null below 2 of them, or if all score the same';
comment on column leaderboard_details.task_accuracy_high is 'its upper end';
comment on column leaderboard_details.task_accuracy_place_best is
'1 + number of models that are significantly better';
comment on column leaderboard_details.task_accuracy_place_worst is
'number of models minus those significantly worse';
comment on column leaderboard_details.task_accuracy_tied_with is
'models without a significant difference, by model_comparisons; ties are not transitive';
comment on column leaderboard_details.pairwise_accuracy_low is
'95 % interval over demonstrations; null below 2 of them, or if all score the same';
comment on column leaderboard_details.pairwise_accuracy_high is 'its upper end';
comment on column leaderboard_details.pairwise_accuracy_place_best is
'1 + number of models that are significantly better';
comment on column leaderboard_details.pairwise_accuracy_place_worst is
'number of models minus those significantly worse';
comment on column leaderboard_details.pairwise_accuracy_tied_with is
'models without a significant difference, by model_comparisons; ties are not transitive';
