-- world_leaderboard: one row per source, task and model, conditions side by side.
-- Reads: world_accuracies.
-- Rule:  an old name, which leaves with the next version.
-- Successor: leaderboard_details.
create view world_leaderboard as
select
    world_source,
    task,
    world_model,
    max(is_reference) as is_reference,
    max(n_scored) filter (condition = 'equivalent') as n_scored,
    sum(n_missing) as n_missing,
    round(max(accuracy) filter (condition = 'same'), 4) as same_recording,
    round(max(accuracy) filter (condition = 'view'), 4) as other_view,
    round(max(accuracy) filter (condition = 'equivalent'), 4) as equivalent,
    round(max(exact_low) filter (condition = 'equivalent'), 4) as equivalent_low,
    round(max(exact_high) filter (condition = 'equivalent'), 4) as equivalent_high
from world_accuracies
where length is null
group by world_source, task, world_model
having sum(n_scored) > 0;
