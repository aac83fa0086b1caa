-- handedness: one row per model, variant, kind, length, answers counted and hand.
-- Reads: compared_answers.
-- Rule:  components are LeftGrasping and RightGrasping. answers is all or wrong: the paper's
--        standard errors imply the sizes of wrong answers, so compare these with it.
--        Standard errors take components as independent, as there, those of repeated questions
--        too; the clustered ones do not, and are null where all components of a rate are about one
--        demonstration. length null is all.
create table handedness as
with hands as (
    select
        model, variant, kind, length, demonstration, is_accepted, 'left' as hand,
        n_left_reference as n_true, n_left_predicted as n_said,
        n_left_matched as n_both, n_left_mixed as n_other
    from compared_answers
    union all
    select
        model, variant, kind, length, demonstration, is_accepted, 'right',
        n_right_reference, n_right_predicted, n_right_matched, n_right_mixed
    from compared_answers
),

levels as (
    select *, 'all' as answers from hands
    union all
    select *, 'wrong' from hands where not is_accepted
),

by_demonstration as (
    select
        model, variant, kind, length, answers, hand, demonstration,
        count(*) as n_asked,
        sum(n_true) as n_true, sum(n_said) as n_said,
        sum(n_both) as n_both, sum(n_other) as n_other
    from (select * from levels union all select * replace (null::bigint as length) from levels)
    group by all
),

rates as (
    select
        *,
        sum(n_both) over same_row / nullif(sum(n_said) over same_row, 0) as precision,
        sum(n_both) over same_row / nullif(sum(n_true) over same_row, 0) as recall,
        sum(n_other) over same_row / nullif(sum(n_true) over same_row, 0) as mixing_rate,
        1 - n_said / nullif(sum(n_said) over same_row, 0) as said_elsewhere,
        1 - n_true / nullif(sum(n_true) over same_row, 0) as true_elsewhere
    from by_demonstration
    window same_row as (partition by model, variant, kind, length, answers, hand)
),

-- Ratios of sums over demonstrations: the error of each is that of its residuals, each scaled up
-- for the demonstration's own effect on the ratio. One demonstration gives no error.
totals as (
    select
        model, variant, kind, length, answers, hand,
        sum(n_asked)::bigint as n_answers,
        count(*) as n_demonstrations,
        sum(n_true)::bigint as n_reference,
        sum(n_said)::bigint as n_predicted,
        sum(n_both)::bigint as n_matched,
        sum(n_other)::bigint as n_mixed,
        any_value(precision) as precision,
        any_value(recall) as recall,
        any_value(mixing_rate) as mixing_rate,
        case when count(*) filter (n_said > 0) >= 2 then
            sqrt(sum((n_both - precision * n_said) ** 2 / said_elsewhere)) / sum(n_said)
        end as precision_clustered_se,
        case when count(*) filter (n_true > 0) >= 2 then
            sqrt(sum((n_both - recall * n_true) ** 2 / true_elsewhere)) / sum(n_true)
        end as recall_clustered_se,
        case when count(*) filter (n_true > 0) >= 2 then
            sqrt(sum((n_other - mixing_rate * n_true) ** 2 / true_elsewhere)) / sum(n_true)
        end as mixing_rate_clustered_se
    from rates
    group by all
)

select
    model, variant, kind, length, answers, hand,
    n_answers, n_demonstrations, n_reference, n_predicted, n_matched, n_mixed,
    precision,
    sqrt(precision * (1 - precision) / n_predicted) as precision_se,
    precision_clustered_se,
    recall,
    sqrt(recall * (1 - recall) / n_reference) as recall_se,
    recall_clustered_se,
    mixing_rate,
    sqrt(mixing_rate * (1 - mixing_rate) / n_reference) as mixing_rate_se,
    mixing_rate_clustered_se
from totals
order by model, variant, kind, length nulls first, answers, hand;

comment on column handedness.model is 'model that answered';
comment on column handedness.variant is 'setting under which the pictures were made and asked';
comment on column handedness.kind is 'forward (order images) or inverse (order actions)';
comment on column handedness.length is 'key frames in the trajectory; null for all lengths';
comment on column handedness.answers is
'all that could be compared, or the wrong ones among them (the paper''s, as it seems)';
comment on column handedness.hand is 'left or right';
comment on column handedness.n_answers is 'answers counted';
comment on column handedness.n_demonstrations is 'demonstrations they are about';
comment on column handedness.n_reference is 'true components about the hand';
comment on column handedness.n_predicted is 'components about the hand that answers give';
comment on column handedness.n_matched is 'components in both sets';
comment on column handedness.n_mixed is 'missing components where only the other hand is made up';
comment on column handedness.precision is 'matched over predicted components';
comment on column handedness.precision_se is 'its standard error, components independent';
comment on column handedness.precision_clustered_se is
'its standard error, clustered; null where fewer than 2 demonstrations have components';
comment on column handedness.recall is 'matched over true components';
comment on column handedness.recall_se is 'its standard error, components independent';
comment on column handedness.recall_clustered_se is
'its standard error, clustered; null where fewer than 2 demonstrations have components';
comment on column handedness.mixing_rate is 'mixed over true components: paper, algorithm 4';
comment on column handedness.mixing_rate_se is 'its standard error, components independent';
comment on column handedness.mixing_rate_clustered_se is
'its standard error, clustered; null where fewer than 2 demonstrations have components';
