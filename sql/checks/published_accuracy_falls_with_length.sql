-- published_accuracy_falls_with_length: one row per published curve unlike what was found.
-- Reads: published_accuracies, published_question_counts.
-- Rule:  the paper says that accuracy declines steadily with length, universally. Of all 30 models,
--        kinds and metrics length 10 is below 3, and 3 above 6 above 9, but for the inverse
--        pairwise accuracy of Gemma-3-4b-it, which rises from 7 on. From one length to the next it
--        is no rule: 8 of 420 steps of task accuracy rise, 25 of 420 of pairwise accuracy. People
--        are left out: theirs stays, as the paper says. If fewer are there a row says how many.
-- Fix:   the published numbers were changed: install the package again and materialize
--        published_results.
with courses as (
    select
        published_model, kind, metric,
        max(accuracy) filter (length = 3) as length_3,
        max(accuracy) filter (length = 6) as length_6,
        max(accuracy) filter (length = 9) as length_9,
        max(accuracy) filter (length = 10) as length_10
    from published_accuracies
    where experiment = 'main' and model_class <> 'human'
    group by all
),

judged as (
    select
        *,
        length_3 > length_6 and length_6 > length_9 as is_falling,
        published_model = 'Gemma-3-4b-it' and kind = 'inverse' and metric = 'pairwise_accuracy'
            as is_exception
    from courses
)

select published_model, kind, metric, length_3, length_10, null as n_courses
from judged
where not coalesce(length_10 < length_3 and is_falling <> is_exception, false)
union all
select null, null, null, null, null, count(*)
from judged
having count(*) <> 30 * 2 * 2 and exists (from published_question_counts)
order by all;
