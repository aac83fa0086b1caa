-- predicate_statistics: one row per gating and predicate that occurs under it.
-- Reads: scene_graphs, segmented_frames, transition_graph, qa.
-- Rule:  a component is counted each time it occurs, so one change counts in many edges.
create table predicate_statistics as
with components as (
    select demonstration, gating, 'key_frame' as place, unnest(changes) as component
    from segmented_frames
    union all
    select demonstration, gating, 'edge', unnest(changes) from transition_graph
    union all
    select demonstration, gating, 'question', unnest(flatten(action_components)) from qa
),

-- Components repeat, so each distinct one is parsed once.
counted as (
    select demonstration, gating, place, component, count(*) as n
    from components
    group by all
),

occurrences as (
    select
        demonstration, gating, place,
        component[1] as sign,
        regexp_extract(component, '^[-+~]([A-Za-z]+)', 1) as predicate,
        n
    from counted
    union all
    select demonstration, gating, 'graph', null, predicate, count(*)
    from scene_graphs
    group by all
)

select
    gating,
    predicate,
    count(distinct demonstration) as n_demonstrations,
    coalesce(sum(n) filter (place = 'graph'), 0)::bigint as n_facts,
    coalesce(sum(n) filter (place = 'key_frame' and sign = '+'), 0)::bigint as n_added,
    coalesce(sum(n) filter (place = 'key_frame' and sign = '-'), 0)::bigint as n_removed,
    coalesce(sum(n) filter (place = 'key_frame' and sign = '~'), 0)::bigint as n_transitions,
    coalesce(sum(n) filter (place = 'edge'), 0)::bigint as n_edge_components,
    coalesce(sum(n) filter (place = 'question'), 0)::bigint as n_question_components
from occurrences
group by all
order by gating, predicate;

comment on column predicate_statistics.gating is
'which predicates make key frames: state or contact';
comment on column predicate_statistics.predicate is 'name in the predicate catalogue';
comment on column predicate_statistics.n_demonstrations is 'demonstrations in which it occurs';
comment on column predicate_statistics.n_facts is 'facts of it that hold at key frames';
comment on column predicate_statistics.n_added is 'times it began between consecutive key frames';
comment on column predicate_statistics.n_removed is
'times it ended between consecutive key frames';
comment on column predicate_statistics.n_transitions is
'transitions between consecutive key frames';
comment on column predicate_statistics.n_edge_components is 'components of it on valid edges';
comment on column predicate_statistics.n_question_components is
'components of it in the actions of questions';
