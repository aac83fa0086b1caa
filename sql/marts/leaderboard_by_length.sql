-- leaderboard_by_length: one row per variant, model, kind and metric, lengths side by side.
-- Reads: leaderboard_details.
-- Rule:  lengths 3 to 10, the paper's, have a column; others show in leaderboard_details only.
create table leaderboard_by_length as
with metrics as (
    -- Who has no score stays, with nulls.
    select variant, model, kind, length, metric, score
    from leaderboard_details
    unpivot include nulls (
        score for metric in (
            task_accuracy, pairwise_accuracy, pairwise_accuracy_whole, pairwise_accuracy_by_question
        )
    )
)

select
    variant,
    model,
    kind,
    metric,
    max(score) filter (length is null) as all_lengths,
    max(score) filter (length = 3) as length_3,
    max(score) filter (length = 4) as length_4,
    max(score) filter (length = 5) as length_5,
    max(score) filter (length = 6) as length_6,
    max(score) filter (length = 7) as length_7,
    max(score) filter (length = 8) as length_8,
    max(score) filter (length = 9) as length_9,
    max(score) filter (length = 10) as length_10
from metrics
group by all
order by variant, kind, metric desc, all_lengths desc nulls last, model;

comment on column leaderboard_by_length.variant is
'baseline, or a variant that asks other questions under the same settings';
comment on column leaderboard_by_length.model is 'model that answered';
comment on column leaderboard_by_length.kind is 'forward (order images) or inverse (order actions)';
comment on column leaderboard_by_length.metric is
'task_accuracy, pairwise_accuracy, ..._whole or ..._by_question, as in leaderboard_details';
comment on column leaderboard_by_length.all_lengths is 'over all lengths together';
comment on column leaderboard_by_length.length_3 is '3 key frames, so 2 steps';
comment on column leaderboard_by_length.length_4 is '4 key frames';
comment on column leaderboard_by_length.length_5 is '5 key frames';
comment on column leaderboard_by_length.length_6 is '6 key frames';
comment on column leaderboard_by_length.length_7 is '7 key frames';
comment on column leaderboard_by_length.length_8 is '8 key frames';
comment on column leaderboard_by_length.length_9 is '9 key frames';
comment on column leaderboard_by_length.length_10 is '10 key frames';
