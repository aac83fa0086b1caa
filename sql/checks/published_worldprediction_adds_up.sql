-- published_worldprediction_adds_up: one row per figure that differs from the one printed.
-- Reads: published_worldprediction.
-- Rule:  in the paper samples by data set add up to 825 (wm) and 570 (pp), unique actions to 749
--        (pp) and to 1,600 (wm, where the paper prints 1,800), annotators to 80; 55 and 38 % of the
--        samples were kept. Table 4 repeats the 72B captioner of table 1. The best of each group in
--        table 1 are those that the text names. Every accuracy is k of 825 or of 570 questions as
--        printed, but for one (40.3 %, table 4). Without rows of the paper nothing is checked.
-- Fix:   the published numbers were changed: install the package again and materialize
--        published_results.
with published as (from published_worldprediction),

found as (
    select task || ' ' || metric || ' by data set' as what, sum(value) as value
    from published
    where method = 'dataset' and published_name <> 'All' and metric <> 'mean_duration_s'
    group by task, metric
    union all
    select task || ' ' || metric || ' in all', value
    from published
    where published_name = 'All' and metric <> 'mean_duration_s'
    union all
    select 'annotators by task', sum(value)
    from published
    where published_name = 'annotators' and task <> 'both'
    having count(*) > 0
    union all
    select 'annotators in all', value
    from published
    where published_name = 'annotators' and task = 'both'
    union all
    select
        task || ' share kept',
        max(value) filter (published_name = 'samples_kept')
        / max(value) filter (published_name = 'samples_built')
    from published
    where published_name in ('samples_kept', 'samples_built')
    group by task
    union all
    select 'captioner 72B, ' || lower(place_in_paper), value
    from published
    where
        (method = 'captioner' and published_name = 'Qwen2.5VL (72B)')
        or (method = 'socratic_llm' and published_name = 'Qwen2.5 (72B)' and task = 'wm')
    union all
    select task || ' best ' || method, max(value)
    from published
    where place_in_paper = 'Table 1'
    group by task, method
    union all
    select task || ' accuracies that are no share of its questions', count(*)
    from (
        select task, value, case task when 'wm' then 825 else 570 end as n
        from published
        where metric = 'accuracy'
    )
    where abs(round(value * n) / n - value) > 0.0005 + 1e-9
    group by task
    union all
    select task || ' accuracies', count(*)
    from published
    where metric = 'accuracy'
    group by task
),

printed (what, value) as (
    values
    ('wm samples by data set', 825), ('wm samples in all', 825),
    ('pp samples by data set', 570), ('pp samples in all', 570),
    ('wm unique_actions by data set', 1600), ('wm unique_actions in all', 1800),
    ('pp unique_actions by data set', 749), ('pp unique_actions in all', 749),
    ('annotators by task', 80), ('annotators in all', 80),
    ('wm share kept', 0.55), ('pp share kept', 0.38),
    ('captioner 72B, table 1', 0.485), ('captioner 72B, table 4', 0.485),
    ('wm best vlm', 0.57), ('pp best vlm', 0.367),
    ('wm best socratic_llm', 0.556), ('pp best socratic_llm', 0.381),
    ('wm best video_diffusion', 0.305), ('pp best oepp', 0.368),
    ('wm accuracies that are no share of its questions', 1),
    ('wm accuracies', 32), ('pp accuracies', 24)
)

select
    what,
    printed.value as printed,
    found.value as found
from printed
full join found using (what)
where
    exists (from published)
    and (printed.value is null or found.value is null or abs(printed.value - found.value) > 1e-9)
order by what;
