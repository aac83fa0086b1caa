-- world_leaderboard: one row per source, task and model, conditions side by side.
-- Reads: world_accuracies.
-- Rule:  accuracies over all lengths; chance is 0.25. These are no WorldPrediction results: they
--        are about other questions, which no person has filtered. A high score under `same` that
--        falls under `equivalent` comes from the background: the same questions are asked under
--        both. n_scored and the exact interval are those of `equivalent`.
create table world_leaderboard as
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
having sum(n_scored) > 0
order by world_source, task desc, equivalent desc nulls last, world_model;

comment on column world_leaderboard.world_source is
'embedded, or the step file whose annotations the questions are made from';
comment on column world_leaderboard.task is 'wm (world modelling) or pp (procedural planning)';
comment on column world_leaderboard.world_model is 'baseline or model that answered';
comment on column world_leaderboard.is_reference is 'a baseline: not ranked';
comment on column world_leaderboard.n_scored is
'questions that the accuracy under condition equivalent is about';
comment on column world_leaderboard.n_missing is
'questions without an answer, under all conditions';
comment on column world_leaderboard.same_recording is
'accuracy where clips are of the recording that shows the states';
comment on column world_leaderboard.other_view is
'accuracy where clips are of that recording under another camera';
comment on column world_leaderboard.equivalent is
'accuracy where clips are of another environment, as the paper asks';
comment on column world_leaderboard.equivalent_low is
'exact binomial 95 % interval of it, as if questions were independent';
comment on column world_leaderboard.equivalent_high is 'its upper end';
