-- world_question_statistics: one row per source, task, condition and activity; null: all of them.
-- Reads: world_questions, world_candidates, world_filters, action_states, annotated_actions,
--        demonstrations.
-- Rule:  what table 3 of WorldPrediction counts, about our questions. Activity null is all: never
--        add these rows to the others. Films of people have no activity, and the row of all alone.
--        A clip counts once for each question that shows it. without_goal is the expected accuracy
--        of who knows all labels and the first state, but not the last one: such a person can
--        exclude a plan that contradicts itself or does not fit the first state, and guesses among
--        the others. What a filter leaves out is counted in the last three columns alone.
create table world_question_statistics as
with durations as (
    select
        'embedded' as world_source, demonstration as recording, action,
        any_value((frame_to - frame_from) / nullif(frame_rate_hz, 0)) as duration_s
    from action_states
    inner join demonstrations using (demonstration)
    group by demonstration, action
    union all
    select world_source, recording, action, end_s - start_s
    from annotated_actions
),

classes as (
    select
        question_id,
        count(*) filter (class in ('truth', 'final')) as n_fitting,
        count(*) filter (class = 'final') as n_final,
        count(*) filter (class = 'initial') as n_initial,
        count(*) filter (class = 'internal') as n_internal
    from (
        select question_id, unnest(classes) as class
        from world_questions
        where task = 'pp' and world_source = 'embedded'
    ) as options
    group by question_id
),

drawn as (
    select
        q.world_source, q.task, q.condition, q.question_id, q.recording, q.length,
        d.activity, 1 / c.n_fitting as without_goal, c.n_final, c.n_initial, c.n_internal,
        f.removed_by, f.removed_by is null as is_asked
    from world_questions as q
    left join world_filters as f
        on f.question_id = q.question_id and f.variant = 'world:' || q.world_source
    left join demonstrations as d on d.demonstration = q.recording
    left join classes as c on c.question_id = q.question_id
),

shown as (
    select distinct
        world_source, question_id, pool, recording, action, category, duration_s
    from world_candidates
    left join durations using (world_source, recording, action)
),

clips as (
    select
        a.world_source, a.task, a.condition,
        a.activity,
        count(distinct (s.recording, s.action)) as n_clips,
        count(distinct s.category) as n_unique_actions,
        avg(s.duration_s) as mean_duration_s,
        min(s.duration_s) as least_duration_s,
        max(s.duration_s) as most_duration_s
    from drawn as a
    inner join shown as s using (world_source, question_id)
    where a.is_asked
    group by grouping sets (
        (a.world_source, a.task, a.condition, a.activity), (a.world_source, a.task, a.condition)
    )
    having grouping(a.activity) = 1 or a.activity is not null
),

questions as (
    select
        world_source, task, condition, activity,
        count(*) filter (is_asked) as n_questions,
        count(distinct recording) filter (is_asked) as n_recordings,
        count(distinct activity) filter (is_asked) as n_activities,
        avg(length) filter (is_asked) as mean_length,
        avg(without_goal) filter (is_asked) as without_goal,
        sum(n_final) filter (is_asked)::bigint as n_final,
        sum(n_initial) filter (is_asked)::bigint as n_initial,
        sum(n_internal) filter (is_asked)::bigint as n_internal,
        count(*) filter (removed_by = 'too_different') as n_too_different,
        count(*) filter (removed_by = 'too_alike') as n_too_alike,
        count(*) filter (removed_by = 'occluded') as n_occluded
    from drawn
    group by grouping sets (
        (world_source, task, condition, activity), (world_source, task, condition)
    )
    having grouping(activity) = 1 or activity is not null
)

select
    q.world_source, q.task, q.condition, q.activity,
    q.n_questions,
    q.n_questions / nullif(sum(q.n_questions) filter (q.activity is null) over same, 0) as share,
    q.n_recordings, q.n_activities, q.mean_length,
    coalesce(c.n_clips, 0) as n_clips, coalesce(c.n_unique_actions, 0) as n_unique_actions,
    round(c.mean_duration_s, 3) as mean_duration_s,
    round(c.least_duration_s, 3) as least_duration_s,
    round(c.most_duration_s, 3) as most_duration_s,
    round(q.without_goal, 4) as without_goal,
    q.n_final, q.n_initial, q.n_internal,
    q.n_too_different, q.n_too_alike, q.n_occluded
from questions as q
left join clips as c
    on c.world_source = q.world_source
    and c.task = q.task
    and c.condition = q.condition
    and c.activity is not distinct from q.activity
window same as (partition by q.world_source, q.task, q.condition)
order by q.world_source, q.task desc, q.condition, q.activity nulls first;

comment on column world_question_statistics.world_source is
'embedded, or the step file whose annotations the questions are made from';
comment on column world_question_statistics.task is
'wm (world modelling) or pp (procedural planning)';
comment on column world_question_statistics.condition is
'where clips come from: same, view or equivalent';
comment on column world_question_statistics.activity is
'household activity of the states; null for all';
comment on column world_question_statistics.n_questions is 'questions asked';
comment on column world_question_statistics.share is
'of the questions of the source, task and condition';
comment on column world_question_statistics.n_recordings is 'recordings that show their states';
comment on column world_question_statistics.n_activities is
'activities of these; 0 for films of people';
comment on column world_question_statistics.mean_length is 'mean actions between the states';
comment on column world_question_statistics.n_clips is 'different clips that options show';
comment on column world_question_statistics.n_unique_actions is
'different categories of actions in options';
comment on column world_question_statistics.mean_duration_s is
'mean duration of the clips (unit: s)';
comment on column world_question_statistics.least_duration_s is 'of the shortest clip (unit: s)';
comment on column world_question_statistics.most_duration_s is 'of the longest clip (unit: s)';
comment on column world_question_statistics.without_goal is
'expected accuracy without the last state; null for wm and for films';
comment on column world_question_statistics.n_final is
'wrong plans that fit the first state and end elsewhere; null for wm and for films';
comment on column world_question_statistics.n_initial is
'wrong plans that do not fit the first state; null for wm and for films';
comment on column world_question_statistics.n_internal is
'wrong plans that contradict themselves; null for wm and for films';
comment on column world_question_statistics.n_too_different is
'not asked: the pictures of both states are too far apart';
comment on column world_question_statistics.n_too_alike is
'not asked: the pictures of both states are too alike';
comment on column world_question_statistics.n_occluded is
'not asked: a model said that something hides what matters in a state';
