-- scores_are_fractions: one row per score or share outside 0 to 1.
-- Reads: evaluation, leaderboard_details, probes, visibility.
-- Rule:  not a number counts as outside.
-- Fix:   materialize the partition named in the row again.
with numbers as (
    select
        'evaluation' as relation,
        concat_ws(' ', model, variant, question_id, repetition) as place,
        unnest([pairwise_accuracy, n_steps_passed / n_steps]) as number
    from evaluation
    union all
    select
        'leaderboard_details',
        concat_ws(' ', model, kind, length),
        unnest([task_accuracy, pairwise_accuracy, pairwise_accuracy_by_question])
    from leaderboard_details
    union all
    select
        'probes',
        concat_ws(' ', model, variant, kind, length),
        unnest([mean_variant, mean_baseline, welch_p, paired_p])
    from probes
    union all
    select 'visibility', concat_ws(' ', demonstration, gating, key_frame, object_name), fraction
    from visibility
)

select relation, place, number
from numbers
where number is not null and not (number between 0 and 1)
order by all;
