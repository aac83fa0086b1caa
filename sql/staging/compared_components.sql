-- compared_components: one row per component, or pair of two taken for each other, of each step.
-- Reads: lake_compared_components, the partitions of the lake in their order.
-- Rule:  a pair is one error; its predicate is that of the true component.
create table compared_components as
select * from lake_compared_components;
