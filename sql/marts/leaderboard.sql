-- leaderboard: one row per variant, kind and model, over all lengths, best pairwise accuracy first.
-- Reads: leaderboard_details.
-- Rule:  what is quoted; leaderboard_details has lengths, ranks, ties, states and counts of each
--        kind of failure, leaderboard_by_length the lengths side by side. Scores are about n_scored
--        questions. Failed answers are missing, and then in no score, or unparsed, and then wrong
--        (profile paper) or in no score (release): many of them, and few questions scored, are a
--        score over a part of the questions. Both stand before the scores, so that a terminal that
--        has no room for all columns shows them. Numbers have four decimals, those of
--        leaderboard_details all.
create table leaderboard as
select
    variant,
    kind,
    model,
    n_scored,
    n_unparsed + n_missing as n_failed,
    round(task_accuracy, 4) as task_accuracy,
    round(pairwise_accuracy, 4) as pairwise_accuracy,
    round(pairwise_accuracy_whole, 4) as pairwise_accuracy_whole,
    round((pairwise_accuracy_high - pairwise_accuracy_low) / 2, 4) as margin
from leaderboard_details
where length is null
order by
    variant <> 'baseline', variant, kind, leaderboard_details.pairwise_accuracy desc nulls last,
    leaderboard_details.task_accuracy desc nulls last, model;

comment on column leaderboard.variant is
'baseline, or a variant that asks other questions under the same settings';
comment on column leaderboard.kind is
'forward (order images) or inverse (order actions); of WorldPrediction wm or pp and condition';
comment on column leaderboard.model is 'model or reference baseline that answered';
comment on column leaderboard.n_scored is 'questions that the scores are about';
comment on column leaderboard.n_failed is
'answers that are missing or unparsed: n_missing and n_unparsed of leaderboard_details';
comment on column leaderboard.task_accuracy is 'share of scored answers accepted';
comment on column leaderboard.pairwise_accuracy is
'right steps over all steps; null where no answer was verified step by step';
comment on column leaderboard.pairwise_accuracy_whole is
'pairwise_accuracy if only whole orders had right steps';
comment on column leaderboard.margin is
'half the width of the 95 % interval of pairwise_accuracy; null below 2 demonstrations';
