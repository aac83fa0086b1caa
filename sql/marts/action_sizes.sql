-- action_sizes: one row per gating, kind and number of components that an action names.
-- Reads: qa.
-- Rule:  every question written counts, and an action as often as it is shown.
create table action_sizes as
with named as (
    select gating, kind, len(unnest(action_components)) as n_components from qa
)

select
    gating,
    kind,
    n_components,
    count(*) as n_actions,
    count(*) / sum(count(*)) over (partition by gating, kind) as share
from named
group by gating, kind, n_components
order by gating, kind, n_components;

comment on column action_sizes.gating is 'which predicates make key frames: state or contact';
comment on column action_sizes.kind is 'forward (order images) or inverse (order actions)';
comment on column action_sizes.n_components is 'changes that one action names';
comment on column action_sizes.n_actions is 'actions of that many in questions written';
comment on column action_sizes.share is 'of all actions of the gating and kind';
