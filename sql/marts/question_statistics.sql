-- question_statistics: one row per gating, demonstration, kind and length with questions.
-- Reads: qa, question_set, path_counts, segmented_frames, transition_graph, visibility.
-- Rule:  n_paths is exact and therefore text: cast it to bignum before you add or compare.
create table question_statistics as
with questions as (
    select
        gating, demonstration, kind, length,
        count(*) as n_questions,
        count(distinct trajectory_id) as n_trajectories,
        sum(list_sum(list_transform(action_components, lambda parts: len(parts))))
            / sum(len(action_components)) as components_per_action
    from qa
    group by all
),

asked as (
    select
        gating, demonstration, kind, length,
        count(*) filter (in_question_set) as n_in_question_set,
        count(*) filter (in_probe_set) as n_in_probe_set
    from question_set
    group by all
),

paths as (
    select gating, demonstration, length, sum(n_paths::bignum)::varchar as n_paths
    from path_counts
    group by all
),

frames as (
    select gating, demonstration, count(*) as n_key_frames
    from segmented_frames
    group by all
),

edges as (
    select gating, demonstration, count(*) as n_edges
    from transition_graph
    group by all
),

smallest as (
    select gating, demonstration, key_frame, min(pixels) filter (pixels > 0) as pixels
    from visibility
    group by all
),

shown as (
    select shown_frames.gating, shown_frames.demonstration, kind, length, min(pixels) as pixels
    from (
        select distinct gating, demonstration, kind, length, unnest(key_frames) as key_frame
        from qa
    ) as shown_frames
    inner join smallest using (gating, demonstration, key_frame)
    group by all
)

select
    gating,
    demonstration,
    kind,
    length,
    n_questions,
    n_trajectories,
    coalesce(n_in_question_set, 0) as n_in_question_set,
    coalesce(n_in_probe_set, 0) as n_in_probe_set,
    components_per_action,
    coalesce(n_paths, '0') as n_paths,
    coalesce(n_key_frames, 0) as n_key_frames,
    coalesce(n_edges, 0) as n_edges,
    shown.pixels as min_visible_px
from questions
left join asked using (gating, demonstration, kind, length)
left join paths using (gating, demonstration, length)
left join frames using (gating, demonstration)
left join edges using (gating, demonstration)
left join shown using (gating, demonstration, kind, length)
order by gating, demonstration, kind, length;

comment on column question_statistics.gating is
'which predicates make key frames: state or contact';
comment on column question_statistics.demonstration is 'demonstration the questions are about';
comment on column question_statistics.kind is 'forward (order images) or inverse (order actions)';
comment on column question_statistics.length is 'key frames in the trajectory';
comment on column question_statistics.n_questions is 'questions written';
comment on column question_statistics.n_trajectories is 'trajectories they were made from';
comment on column question_statistics.n_in_question_set is 'of them, asked under the baseline';
comment on column question_statistics.n_in_probe_set is 'of them, asked under every variant';
comment on column question_statistics.components_per_action is 'mean changes in one action';
comment on column question_statistics.n_paths is
'valid trajectories of this length; exact, in decimal';
comment on column question_statistics.n_key_frames is 'key frames of the demonstration';
comment on column question_statistics.n_edges is 'valid edges between its key frames';
comment on column question_statistics.min_visible_px is
'smallest mask of an object in a key frame shown, baseline camera (unit: px)';
