-- shortcut_scores: one row per variant, kind, length and model that takes a shortcut.
-- Reads: leaderboard_details, evaluation, question_orders.
-- Rule:  pixel_continuity looks at no action and text_prior at no picture: a score
--        near the oracle's would mean that questions can be answered without connecting the two.
--        The limit, half of the oracle, applies to lengths from 6 on. random answers by chance.
create table shortcut_scores as
with chance as (
    select
        evaluation.variant, evaluation.kind, evaluation.length,
        sum(question_orders.expected_pairwise_accuracy * (evaluation.length - 1))
            / sum(evaluation.length - 1) as random_pairwise_accuracy
    from evaluation
    inner join question_orders
        on question_orders.gating = evaluation.gating
        and question_orders.demonstration = evaluation.demonstration
        and question_orders.question_id = evaluation.question_id
    where evaluation.model = 'oracle'
    group by all
)

select
    shortcut.variant,
    shortcut.kind,
    shortcut.length,
    shortcut.model,
    shortcut.n_scored,
    shortcut.pairwise_accuracy,
    oracle.pairwise_accuracy as oracle_pairwise_accuracy,
    chance.random_pairwise_accuracy,
    shortcut.pairwise_accuracy / nullif(oracle.pairwise_accuracy, 0) as share_of_oracle,
    case
        when shortcut.length >= 6 then
            shortcut.pairwise_accuracy < oracle.pairwise_accuracy / 2
    end as is_below_half
from leaderboard_details as shortcut
inner join leaderboard_details as oracle
    on oracle.variant = shortcut.variant
    and oracle.kind = shortcut.kind
    and oracle.length = shortcut.length
    and oracle.model = 'oracle'
left join chance
    on chance.variant = shortcut.variant
    and chance.kind = shortcut.kind
    and chance.length = shortcut.length
where shortcut.model in ('pixel_continuity', 'text_prior')
order by shortcut.variant, shortcut.model, shortcut.kind, shortcut.length;

comment on column shortcut_scores.variant is
'baseline, or a variant that asks other questions under the same settings';
comment on column shortcut_scores.kind is 'forward (order images) or inverse (order actions)';
comment on column shortcut_scores.length is 'key frames in the trajectory';
comment on column shortcut_scores.model is 'pixel_continuity or text_prior';
comment on column shortcut_scores.n_scored is 'questions that its score is about';
comment on column shortcut_scores.pairwise_accuracy is 'right steps over all steps';
comment on column shortcut_scores.oracle_pairwise_accuracy is 'the same of the oracle';
comment on column shortcut_scores.random_pairwise_accuracy is
'the same of a random order, exactly, over the questions the oracle was asked';
comment on column shortcut_scores.share_of_oracle is 'its score over the oracle''s';
comment on column shortcut_scores.is_below_half is
'whether that share is below half; null for lengths below 6';
