-- world_comparisons: one row per task, condition, length and pair of models.
-- Reads: model_comparisons.
-- Rule:  an old name, which leaves with the next version.
-- Successor: model_comparisons.
create view world_comparisons as
select
    variant[7:] as world_source,
    split_part(kind, '_', 1) as task,
    split_part(kind, '_', 2) as condition,
    length, model_a, model_b, n_paired, n_demonstrations as n_recordings, difference, low, high,
    clustered_p, clustered_bh_p, reason
from model_comparisons
where metric = 'task_accuracy' and variant like 'world:%';
