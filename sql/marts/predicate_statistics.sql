-- predicate_statistics: one row per gating and predicate that occurs under it.
-- Reads: predicate_counts.
-- Rule:  a component is counted each time it occurs, so one change counts in many edges.
create table predicate_statistics as
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
from predicate_counts
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
