-- world_accuracies: one row per task, condition, length and model; length null: all lengths.
-- Reads: model_accuracies, evaluation.
-- Rule:  an old name, which leaves with the next version.
-- Successor: model_accuracies.
create view world_accuracies as
with counted as (
    select
        variant, kind, length,
        regexp_replace(
            model, '^(person|solver|simulated)_[1-9][0-9]*$', '\1'
        ) as model,
        count(is_accepted) as n_scored,
        count(*) filter (is_accepted is null) as n_missing,
        count(*) filter (is_accepted) as n_correct
    from evaluation
    where variant like 'world:%'
    group by grouping sets ((1, 2, 3, 4), (1, 2, 4))
)

select
    found.variant[7:] as world_source,
    split_part(found.kind, '_', 1) as task,
    split_part(found.kind, '_', 2) as condition,
    found.length,
    found.model as world_model,
    found.is_reference and counted.model not in ('person', 'solver', 'simulated') as is_reference,
    counted.n_scored,
    counted.n_missing,
    counted.n_correct,
    found.n_demonstrations as n_recordings,
    found.accuracy, found.exact_low, found.exact_high, found.low, found.high, found.reason
from model_accuracies as found
inner join counted
    on counted.variant = found.variant
    and counted.kind = found.kind
    and counted.length is not distinct from found.length
    and counted.model = case split_part(found.model, ' (', 1)
        when 'people' then 'person'
        when 'solvers' then 'solver'
        else split_part(found.model, ' (', 1)
    end
where found.metric = 'task_accuracy' and found.variant like 'world:%';
