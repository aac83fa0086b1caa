-- world_question_values: one row per source, task, condition, measure and value.
-- Reads: world_questions, world_candidates, world_filters, action_states, annotated_actions,
--        demonstrations.
-- Rule:  what figures 5 and 6 of WorldPrediction show, about our questions: how often each length
--        of a plan, duration of a clip in whole seconds, rounded down, and action occurs. A clip
--        counts once for each question that shows it. place orders the values of a measure: actions
--        by how often they occur, all others by size. Questions that a filter leaves out do not
--        count.
create table world_question_values as
with asked as (
    select q.*
    from world_questions as q
    left join world_filters as f
        on f.question_id = q.question_id and f.variant = 'world:' || q.world_source
    where f.removed_by is null
),

durations as (
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

labels as (
    select world_source, category, any_value(label order by recording, action) as label
    from annotated_actions
    group by world_source, category
),

shown as (
    select distinct
        q.world_source, q.task, q.condition, c.question_id, c.pool,
        coalesce(l.label, c.category) as label, d.duration_s
    from world_candidates as c
    inner join asked as q using (world_source, question_id)
    left join durations as d
        on d.world_source = c.world_source
        and d.recording = c.recording
        and d.action = c.action
    left join labels as l on l.world_source = c.world_source and l.category = c.category
),

measured as (
    select
        world_source, task, condition, 'actions of a plan' as measure,
        length::double as size, length::varchar as value
    from asked
    where task = 'pp'
    union all
    select
        world_source, task, condition, 'duration of a clip',
        floor(duration_s), floor(duration_s)::bigint::varchar
    from shown
    where duration_s is not null
    union all
    select world_source, task, condition, 'action', null, label
    from shown
),

counted as (
    select world_source, task, condition, measure, size, value, count(*) as n
    from measured
    group by all
)

select
    world_source, task, condition, measure,
    row_number() over (
        partition by world_source, task, condition, measure
        order by size, n desc, value
    ) as place,
    value,
    n,
    n / sum(n) over (partition by world_source, task, condition, measure) as share
from counted
order by world_source, task desc, condition, measure, place;

comment on column world_question_values.world_source is
'embedded, or the step file whose annotations the questions are made from';
comment on column world_question_values.task is
'wm (world modelling) or pp (procedural planning)';
comment on column world_question_values.condition is
'where clips come from: same, view or equivalent';
comment on column world_question_values.measure is
'actions of a plan, duration of a clip (whole seconds, rounded down) or action';
comment on column world_question_values.place is 'place among the values of the measure, from 1';
comment on column world_question_values.value is 'number, or the action: its category or label';
comment on column world_question_values.n is 'plans or clips with this value';
comment on column world_question_values.share is 'of all plans or clips';
