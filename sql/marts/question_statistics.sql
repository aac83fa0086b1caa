-- question_statistics: one row per gating, demonstration, kind and length; null: all of them.
-- Reads: question_sums, step_sizes, question_set, path_counts, segmented_frames, transition_graph.
-- Rule:  demonstration null is all demonstrations, length null too is all lengths: never add these
--        rows to the others. n_paths is exact and therefore text: cast it to bignum.
--        Pixels are null for gatings of profile release.
create table question_statistics as
with chosen as (
    -- A question may be in several sets.
    select
        gating, demonstration, kind, length, question_id,
        bool_or(in_question_set) as is_asked, bool_or(in_probe_set) as is_probed
    from question_set
    group by all
),

chosen_counts as (
    select
        gating, demonstration, kind, length,
        count(*) filter (is_asked) as n_in_question_set,
        count(*) filter (is_probed) as n_in_probe_set
    from chosen
    group by all
),

summed as (
    select
        question_sums.* exclude (
            min_smallest_px, q1_smallest_px, median_smallest_px, q3_smallest_px
        ),
        coalesce(n_in_question_set, 0) as n_in_question_set,
        coalesce(n_in_probe_set, 0) as n_in_probe_set
    from question_sums
    left join chosen_counts using (gating, demonstration, kind, length)
),

levels as (
    select * from summed
    union all
    select * replace (null::varchar as demonstration) from summed
    union all
    select * replace (null::varchar as demonstration, null::bigint as length) from summed
),

questions as (
    select
        gating, demonstration, kind, length,
        sum(n_questions)::bigint as n_questions,
        sum(n_trajectories)::bigint as n_trajectories,
        sum(n_in_question_set)::bigint as n_in_question_set,
        sum(n_in_probe_set)::bigint as n_in_probe_set,
        sum(n_components) / sum(n_actions) as components_per_action,
        sum(n_ambiguous) / sum(n_judged) as ambiguous_share,
        sum(expected_pairs)::double / sum(n_pairs) as random_pairwise_accuracy,
        sum(expected_accuracies)::double / sum(n_expected) as random_pairwise_accuracy_by_question
    from levels
    group by all
),

-- Quartiles do not add up: those of all demonstrations are taken from sizes of all steps.
sizes_by_length as (
    select gating, kind, length, pixels, sum(n_steps)::bigint as n_steps
    from step_sizes
    group by all
),

size_levels as (
    select * from sizes_by_length
    union all
    select gating, kind, null, pixels, sum(n_steps)::bigint
    from sizes_by_length
    group by all
),

ranked as (
    select
        * exclude (n_steps),
        sum(n_steps) over (same_row order by pixels) as n_up_to_here,
        sum(n_steps) over same_row - 1 as last_place
    from size_levels
    window same_row as (partition by gating, kind, length)
),

-- Quantile with linear interpolation.
places as (
    select
        gating, kind, length, share,
        min(pixels) filter (n_up_to_here > floor(share * last_place)) as below,
        min(pixels) filter (n_up_to_here > ceil(share * last_place)) as above,
        any_value(share * last_place) % 1 as part
    from ranked
    cross join (select unnest([0, 0.25, 0.5, 0.75]::double[]) as share)
    group by gating, kind, length, share
),

sizes as (
    select
        gating, null::varchar as demonstration, kind, length,
        max(below) filter (share = 0) as min_smallest_px,
        max(below + (above - below) * part) filter (share = 0.25) as q1_smallest_px,
        max(below + (above - below) * part) filter (share = 0.5) as median_smallest_px,
        max(below + (above - below) * part) filter (share = 0.75) as q3_smallest_px
    from places
    group by all
    union all
    select
        gating, demonstration, kind, length,
        min_smallest_px, q1_smallest_px, median_smallest_px, q3_smallest_px
    from question_sums
),

path_levels as (
    select gating, demonstration, length, n_paths from path_counts
    union all
    select gating, null, length, n_paths from path_counts
    union all
    select gating, null, null, n_paths from path_counts
),

paths as (
    select gating, demonstration, length, sum(n_paths::bignum)::varchar as n_paths
    from path_levels
    group by all
),

frames as (
    select gating, demonstration, count(distinct (demonstration, frame)) as n_key_frames
    from segmented_frames
    group by grouping sets ((gating, demonstration), (gating))
),

edges as (
    select gating, demonstration, count(*) as n_edges
    from transition_graph
    group by grouping sets ((gating, demonstration), (gating))
)

select
    questions.*,
    coalesce(n_paths, '0') as n_paths,
    coalesce(n_key_frames, 0) as n_key_frames,
    coalesce(n_edges, 0) as n_edges,
    min_smallest_px,
    q1_smallest_px,
    median_smallest_px,
    q3_smallest_px
from questions
left join sizes
    on sizes.gating = questions.gating
    and sizes.kind = questions.kind
    and sizes.demonstration is not distinct from questions.demonstration
    and sizes.length is not distinct from questions.length
left join paths
    on paths.gating = questions.gating
    and paths.demonstration is not distinct from questions.demonstration
    and paths.length is not distinct from questions.length
left join frames
    on frames.gating = questions.gating
    and frames.demonstration is not distinct from questions.demonstration
left join edges
    on edges.gating = questions.gating
    and edges.demonstration is not distinct from questions.demonstration
order by
    questions.gating, questions.demonstration nulls first, questions.kind,
    questions.length nulls first;

comment on column question_statistics.gating is
'which predicates make key frames: state or contact';
comment on column question_statistics.demonstration is
'demonstration the questions are about; null for all';
comment on column question_statistics.kind is 'forward (order images) or inverse (order actions)';
comment on column question_statistics.length is 'key frames in the trajectory; null for all';
comment on column question_statistics.n_questions is 'questions written';
comment on column question_statistics.n_trajectories is 'trajectories they were made from';
comment on column question_statistics.n_in_question_set is 'of them, of the question set';
comment on column question_statistics.n_in_probe_set is 'of them, of the probe set';
comment on column question_statistics.components_per_action is
'mean changes in one action; action_sizes has the distribution';
comment on column question_statistics.ambiguous_share is
'of the questions, with more than one order that the verifier accepts; exact';
comment on column question_statistics.random_pairwise_accuracy is
'pairwise accuracy that random orders are expected to have; exact';
comment on column question_statistics.random_pairwise_accuracy_by_question is
'the same as a mean over questions';
comment on column question_statistics.n_paths is
'valid trajectories of this length; exact, in decimal';
comment on column question_statistics.n_key_frames is 'key frames of the demonstration';
comment on column question_statistics.n_edges is 'valid edges between its key frames';
comment on column question_statistics.min_smallest_px is
'smallest mask of an object that a step names, minimum over steps, baseline camera (unit: px)';
comment on column question_statistics.q1_smallest_px is
'the same, first quartile of the steps (unit: px)';
comment on column question_statistics.median_smallest_px is
'the same, median of the steps (unit: px)';
comment on column question_statistics.q3_smallest_px is
'the same, third quartile of the steps (unit: px)';
