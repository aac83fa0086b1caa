-- question_sums: one row per gating, demonstration, kind and length of questions.
-- Reads: qa, question_orders, step_sizes.
-- Rule:  sums and counts, of which question_statistics makes means over as many demonstrations as
--        one likes; quartiles do not add up. Sums of accuracies are decimals: sums of floats would
--        depend on the order of rows. Pixels are null for gatings of profile release.
-- By:    demonstration.
create table question_sums as
with counted as (
    select
        qa.gating, qa.demonstration, qa.kind, qa.length, qa.trajectory_id,
        list_sum(list_transform(qa.action_components, lambda parts: len(parts))) as n_components,
        len(qa.action_components) as n_actions,
        question_orders.is_ambiguous,
        question_orders.expected_pairwise_accuracy
    from qa
    left join question_orders
        on question_orders.gating = qa.gating
        and question_orders.demonstration = qa.demonstration
        and question_orders.question_id = qa.question_id
),

questions as (
    select
        gating, demonstration, kind, length,
        count(*) as n_questions,
        -- No other demonstration has one of them, and each has one length.
        count(distinct trajectory_id) as n_trajectories,
        sum(n_components)::bigint as n_components,
        sum(n_actions)::bigint as n_actions,
        count(*) filter (is_ambiguous) as n_ambiguous,
        count(is_ambiguous) as n_judged,
        sum(n_actions * expected_pairwise_accuracy::decimal(18, 17)) as expected_pairs,
        (sum(n_actions) filter (expected_pairwise_accuracy is not null))::bigint as n_pairs,
        sum(expected_pairwise_accuracy::decimal(18, 17)) as expected_accuracies,
        count(expected_pairwise_accuracy) as n_expected
    from counted
    group by all
),

ranked as (
    select
        * exclude (n_steps),
        sum(n_steps) over (same_row order by pixels) as n_up_to_here,
        sum(n_steps) over same_row - 1 as last_place
    from step_sizes
    window same_row as (partition by gating, demonstration, kind, length)
),

-- Quantile with linear interpolation.
places as (
    select
        gating, demonstration, kind, length, share,
        min(pixels) filter (n_up_to_here > floor(share * last_place)) as below,
        min(pixels) filter (n_up_to_here > ceil(share * last_place)) as above,
        any_value(share * last_place) % 1 as part
    from ranked
    cross join (select unnest([0, 0.25, 0.5, 0.75]::double[]) as share)
    group by gating, demonstration, kind, length, share
),

sizes as (
    select
        gating, demonstration, kind, length,
        max(below) filter (share = 0) as min_smallest_px,
        max(below + (above - below) * part) filter (share = 0.25) as q1_smallest_px,
        max(below + (above - below) * part) filter (share = 0.5) as median_smallest_px,
        max(below + (above - below) * part) filter (share = 0.75) as q3_smallest_px
    from places
    group by all
)

select *
from questions
left join sizes using (gating, demonstration, kind, length)
order by gating, demonstration, kind, length;

comment on column question_sums.gating is
'which predicates make key frames: state or contact';
comment on column question_sums.demonstration is 'demonstration the questions are about';
comment on column question_sums.kind is 'forward (order images) or inverse (order actions)';
comment on column question_sums.length is 'key frames in the trajectory';
comment on column question_sums.n_questions is 'questions written';
comment on column question_sums.n_trajectories is 'trajectories they were made from';
comment on column question_sums.n_components is 'changes that their actions name';
comment on column question_sums.n_actions is 'actions in them';
comment on column question_sums.n_ambiguous is
'of n_judged, with more than one order that the verifier accepts; exact';
comment on column question_sums.n_judged is 'of the questions, whose orders were counted';
comment on column question_sums.expected_pairs is
'pairs of n_pairs that random orders are expected to have right; exact';
comment on column question_sums.n_pairs is
'pairs in questions for which that is known: one per action';
comment on column question_sums.expected_accuracies is
'sum over n_expected questions of the pairwise accuracy that random orders are expected to have';
comment on column question_sums.n_expected is 'questions for which that is known';
comment on column question_sums.min_smallest_px is
'smallest mask of an object that a step names, minimum over steps, baseline camera (unit: px)';
comment on column question_sums.q1_smallest_px is
'the same, first quartile of the steps (unit: px)';
comment on column question_sums.median_smallest_px is
'the same, median of the steps (unit: px)';
comment on column question_sums.q3_smallest_px is
'the same, third quartile of the steps (unit: px)';
