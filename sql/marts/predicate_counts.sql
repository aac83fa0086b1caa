-- predicate_counts: one row per gating, demonstration, place, sign and predicate that occurs there.
-- Reads: scene_graphs, segmented_frames, transition_graph, qa.
-- Rule:  a component is counted each time it occurs, so one change counts in many edges.
-- By:    demonstration.
create table predicate_counts as
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
)

select
    gating, demonstration, place,
    component[1] as sign,
    regexp_extract(component, '^[-+~]([A-Za-z]+)', 1) as predicate,
    sum(n)::bigint as n
from counted
group by all
union all
select gating, demonstration, 'graph', null, predicate, count(*)
from scene_graphs
group by all
order by gating, demonstration, place, sign, predicate;

comment on column predicate_counts.gating is
'which predicates make key frames: state or contact';
comment on column predicate_counts.demonstration is 'demonstration it occurs in';
comment on column predicate_counts.place is
'graph (facts of key frames), key_frame (changes since the one before), edge or question';
comment on column predicate_counts.sign is
'+ (begins), - (ends) or ~ (passes from one object to another); null in graphs';
comment on column predicate_counts.predicate is 'name of the predicate';
comment on column predicate_counts.n is 'how often it occurs';
